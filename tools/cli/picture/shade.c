/* Makes pixels: materials, light, haze and glass walls. Reads scene, samples and light; writes sRGB bytes. */
#include "tools/cli/picture/parts.h"

#include <string.h>

/* Levels of linear light; the darkest differ by 1/10 of a level of sRGB. */
#define SRGB_STEPS 32768
#define SUN_COLOR ((color){2.02f, 1.86f, 1.60f})
#define SKY_LIGHT ((color){0.54f, 0.62f, 0.76f})
/* Colors in linear light. */
#define HORIZON ((color){0.791f, 0.823f, 0.839f})
#define MIDDLE_SKY ((color){0.305f, 0.491f, 0.730f})
#define ZENITH ((color){0.089f, 0.216f, 0.479f})
#define GROUND ((color){0.270f, 0.292f, 0.309f})
#define GRID ((color){0.089f, 0.102f, 0.117f})
#define KINEMATIC ((color){0.117f, 0.162f, 0.216f})
#define GLASS ((color){0.839f, 0.888f, 0.922f})
#define BOUNCE ((color){0.20f, 0.19f, 0.17f})

color color_from_srgb(int r, int g, int b)
{
    const int bytes[3] = {r, g, b};
    float linear[3];
    for (int i = 0; i < 3; i++) {
        double c = bytes[i] / 255.0;
        linear[i] = (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return (color){linear[0], linear[1], linear[2]};
}

float color_to_srgb(float linear)
{
    double c = clamp01((double)linear);
    return (float)(c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055);
}

color color_mix(color a, color b, double share)
{
    float s = (float)share;
    return (color){a.r + (b.r - a.r) * s, a.g + (b.g - a.g) * s, a.b + (b.b - a.b) * s};
}

color color_scale(color a, double s)
{
    return (color){a.r * (float)s, a.g * (float)s, a.b * (float)s};
}

static color color_add(color a, color b)
{
    return (color){a.r + b.r, a.g + b.g, a.b + b.b};
}

static color color_mul(color a, color b)
{
    return (color){a.r * b.r, a.g * b.g, a.b * b.b};
}

static vec cylinder_normal(const solid *s, vec from, double *edge)
{
    double along = vec_dot(from, s->axis[1]);
    vec across = vec_along(from, -along, s->axis[1]);
    double side = s->half[0] - vec_length(across), end = s->half[1] - fabs(along);
    *edge = larger(side, end);
    return side < end ? vec_unit(across) : vec_scale(s->axis[1], along < 0.0 ? -1.0 : 1.0);
}

/* The face is the one whose plane is nearest in the polytope's frame. The edge to another face lies at the
 * gap to its plane over the sine of the angle between the two; scales other than 1 are neglected there. */
static vec hull_normal(const solid *s, vec point, double *edge)
{
    const dry_polytope *p = s->polytope;
    vec at = raster_hull_point(s, point), normal = vec_make(0.0, 0.0, 0.0);
    int face = 0;
    double nearest = -1e30;
    for (int i = 0; i < p->plane_count; i++) {
        const double *plane = p->planes[i];
        double height = plane[0] * at.x + plane[1] * at.y + plane[2] * at.z - plane[3];
        if (height > nearest) {
            nearest = height;
            face = i;
        }
    }
    const double *own = p->planes[face];
    for (int i = 0; i < p->plane_count; i++) {
        const double *plane = p->planes[i];
        double gap = plane[3] - plane[0] * at.x - plane[1] * at.y - plane[2] * at.z;
        double cosine = plane[0] * own[0] + plane[1] * own[1] + plane[2] * own[2];
        if (i != face && gap < *edge) {
            *edge = lesser(*edge, gap / sqrt(larger(1.0 - cosine * cosine, 1e-4)));
        }
    }
    for (int k = 0; k < 3; k++) {
        normal = vec_along(normal, own[k] / s->scale[k], s->axis[k]);
    }
    *edge *= lesser(fabs(s->scale[0]), lesser(fabs(s->scale[1]), fabs(s->scale[2])));
    return vec_unit(normal);
}

vec picture_normal(const solid *s, vec point, double *edge)
{
    vec from = vec_sub(point, s->center);
    *edge = 1e30;
    if (s->kind == SOLID_HALFSPACE) {
        return s->axis[1];
    }
    if (s->kind == SOLID_SPHERE) {
        return vec_unit(from);
    }
    if (s->kind == SOLID_CAPSULE) {
        double along = vec_dot(from, s->axis[1]);
        along = lesser(larger(along, -s->half[1]), s->half[1]);
        return vec_unit(vec_along(from, -along, s->axis[1]));
    }
    if (s->kind == SOLID_CYLINDER) {
        return cylinder_normal(s, from, edge);
    }
    if (s->kind == SOLID_TRIANGLE) {
        const double height = vec_dot(vec_sub(point, s->corner[0]), s->axis[1]);
        return vec_scale(s->axis[1], height < -s->half[1] ? -1.0 : 1.0);
    }
    if (s->kind == SOLID_HULL) {
        return hull_normal(s, point, edge);
    }
    double local[3], gap[3];
    int face = 0;
    for (int i = 0; i < 3; i++) {
        local[i] = vec_dot(from, s->axis[i]);
        gap[i] = s->half[i] - fabs(local[i]);
        face = gap[i] < gap[face] ? i : face;
    }
    *edge = lesser(gap[(face + 1) % 3], gap[(face + 2) % 3]);
    return vec_scale(s->axis[face], local[face] < 0.0 ? -1.0 : 1.0);
}

static color sky_color(const picture_scene *scene, vec ray)
{
    double rise = vec_dot(vec_unit(ray), scene->up);
    rise = larger(rise, 0.0);
    return color_mix(color_mix(HORIZON, MIDDLE_SKY, clamp01(6.0 * rise)), ZENITH, clamp01(1.4 * rise));
}

/* Returns the share of a sample that lines `spacing` apart cover, filtered over the sample's `footprint`. */
static double line_cover(double position, double spacing, double width, double footprint)
{
    double drawn = larger(width, footprint);
    double offset = fabs(position / spacing - floor(position / spacing + 0.5)) * spacing;
    double cover =
        1.0 - smooth_step(0.5 * drawn - 0.5 * footprint, 0.5 * drawn + 0.5 * footprint + 1e-9, offset);
    double mean = width / spacing, blur = smooth_step(0.25, 0.6, footprint / spacing);
    return (cover * width / drawn) * (1.0 - blur) + mean * blur;
}

/* Returns the cover of lines at 1, 10 and 100 m (in small scenes also 0.1 m) along two axes of the surface.
 */
static double grid_cover(const picture_scene *scene, vec point, vec ray, vec normal, double t)
{
    dry_position o = scene->center;
    vec axes[2];
    vec first = fabs(vec_dot(normal, scene->east)) < 0.8 ? scene->east : scene->up;
    axes[0] = vec_unit(vec_along(first, -vec_dot(first, normal), normal));
    axes[1] = vec_cross(normal, axes[0]);
    double slope = vec_dot(normal, ray), cover = 0.0;
    slope = fabs(slope) < 1e-9 ? -1e-9 : slope;
    vec step_x = vec_scale(vec_along(scene->view.dx, -vec_dot(normal, scene->view.dx) / slope, ray), t);
    vec step_y = vec_scale(vec_along(scene->view.dy, -vec_dot(normal, scene->view.dy) / slope, ray), t);
    double size = scene->bounds.radius, small = 1.0 - smooth_step(1.5, 4.0, size);
    for (int i = 0; i < 2; i++) {
        double origin = axes[i].x * o.x + axes[i].y * o.y + axes[i].z * o.z;
        double position = vec_dot(point, axes[i]) + fmod(origin, 100.0);
        double footprint = 1.5 * (fabs(vec_dot(step_x, axes[i])) + fabs(vec_dot(step_y, axes[i])));
        for (int k = 0; k < 4; k++) {
            static const double spacings[4] = {0.1, 1.0, 10.0, 100.0},
                                strengths[4] = {0.35, 0.45, 0.75, 0.85};
            static const double widths[4] = {0.002, 0.025, 0.08, 0.2},
                                thinnest[4] = {0.001, 0.002, 0.004, 0.006};
            double strength = k == 0 ? small * strengths[0] : strengths[k];
            double width = lesser(widths[k], thinnest[k] * size);
            if (strength > 0.0) {
                cover = larger(cover, strength * line_cover(position, spacings[k], width, footprint));
            }
        }
    }
    return cover;
}

/* Returns a fixed number from 0 to 1 for each body, so that neighbors look different. */
static double body_noise(int body)
{
    uint32_t h = (uint32_t)body * 2654435761u;
    h = (h ^ (h >> 15)) * 2246822519u;
    return ((h ^ (h >> 13)) & 0xffff) / 65535.0;
}

static color surface_color(const picture_scene *scene, int index, vec point, vec ray, vec normal, double edge,
                           double t)
{
    const solid *s = &scene->solids[index];
    double pixel = t * vec_length(scene->view.dx) * PICTURE_SAMPLES;
    color base;
    if (scene->roles[index] == ROLE_BACKDROP) {
        return color_scale(GROUND, 1.1);
    }
    if (scene->roles[index] == ROLE_STATIC) {
        base = GROUND;
        if (s->kind == SOLID_HALFSPACE || (s->kind == SOLID_BOX && vec_dot(normal, scene->up) > 0.9)) {
            base = color_mix(base, GRID, 0.8 * grid_cover(scene, point, ray, normal, t));
        }
    } else if (scene->roles[index] == ROLE_KINEMATIC) {
        base = KINEMATIC;
    } else {
        base = color_scale(scene->tints[s->body], 0.86 + 0.22 * body_noise(s->body));
    }
    if (s->kind == SOLID_BOX || s->kind == SOLID_CYLINDER || s->kind == SOLID_HULL) {
        double least =
            lesser(s->half[0], s->kind == SOLID_CYLINDER ? s->half[1] : lesser(s->half[1], s->half[2]));
        double band = larger(0.05 * least, 1.1 * pixel);
        double strength = 0.55 * smooth_step(2.5, 11.0, 2.0 * least / pixel);
        base = color_scale(base, 1.0 - strength * (1.0 - smooth_step(0.35 * band, band, edge)));
    }
    return base;
}

/* Adds the walls between viewer and bodies as a faint film with bright edges. */
static color add_glass(const picture_scene *scene, color behind, double x, double y, double key)
{
    for (int i = 0; i < scene->glass_count; i++) {
        const solid *s = &scene->solids[scene->glass_list[i]];
        double at;
        if (!raster_solid_key(&scene->view, s, x, y, &at) || at <= key) {
            continue;
        }
        vec p = vec_along(scene->view.origin, 1.0 / at, raster_ray(&scene->view, x, y));
        double edge, pixel = vec_length(scene->view.dx) * PICTURE_SAMPLES / at;
        picture_normal(s, p, &edge);
        double line = 1.0 - smooth_step(0.6 * pixel, 2.0 * pixel, edge);
        behind = color_mix(behind, GLASS, 0.10 + 0.45 * line);
    }
    return behind;
}

/* Returns the color of a solid, or of the sky for index -1, at the pixel position (x, y) of the view. */
static color shade_point(const picture_scene *scene, int index, double x, double y, double key,
                         double sun_share, double sky_share, vec sun_direction)
{
    vec ray = raster_ray(&scene->view, x, y);
    color c = sky_color(scene, ray);
    if (index >= 0) {
        double t = 1.0 / key, edge;
        vec point = vec_along(scene->view.origin, t, ray);
        vec normal = picture_normal(&scene->solids[index], point, &edge);
        color base = surface_color(scene, index, point, ray, normal, edge, t);
        double sun = sun_share * larger(0.0, vec_dot(normal, sun_direction));
        double rise = vec_dot(normal, scene->up), sky = sky_share;
        /* Light reflected by the ground; less of it where the sky is hidden, too. */
        double bounce = 0.5 * (1.0 - rise) * (0.35 + 0.65 * clamp01(sky / larger(0.5 * (1.0 + rise), 0.2)));
        color lit = color_add(color_scale(SUN_COLOR, sun), color_scale(SKY_LIGHT, sky));
        color surface = color_mul(base, color_add(lit, color_scale(BOUNCE, bounce + 0.12)));
        double near = vec_length(vec_sub(scene->bounds.center, scene->view.origin)) + scene->bounds.radius;
        double beyond = larger(0.0, vec_length(vec_sub(point, scene->view.origin)) - near);
        if (beyond > 0.0) {
            c = color_mix(sky_color(scene, vec_along(ray, -vec_dot(ray, scene->up), scene->up)), surface,
                          exp(-beyond / (4.0 * scene->bounds.radius)));
        } else {
            c = surface;
        }
    }
    return scene->glass_count > 0 ? add_glass(scene, c, x, y, key) : c;
}

/* Compresses bright light instead of clipping it. */
static float expose(float x)
{
    return x * (1.0f + x * 0.16f) / (1.0f + x * 0.62f);
}

typedef struct shade_pass {
    const picture_scene *scene;
    const raster *samples;
    const picture_light *light;
    unsigned char *rgb;
    float srgb[SRGB_STEPS + 1]; /* by linear light, 0 to 255 */
} shade_pass;

static color expose_all(color c)
{
    return (color){expose(c.r), expose(c.g), expose(c.b)};
}

/* Tells whether the four samples of a pixel are of one face. */
static bool one_face(const shade_pass *pass, const size_t *at)
{
    const uint32_t *id = pass->samples->id;
    const signed char *n = pass->light->normals;
    for (int k = 1; k < 4; k++) {
        if (id[at[k]] != id[at[0]] || memcmp(n + 3 * at[k], n + 3 * at[0], 3) != 0) {
            return false;
        }
    }
    return true;
}

static color shade_pixel(const shade_pass *pass, int x, int y)
{
    const picture_light *light = pass->light;
    const raster *samples = pass->samples;
    size_t at[4];
    for (int k = 0; k < 4; k++) {
        at[k] = (size_t)(2 * y + k / 2) * (size_t)samples->width + (size_t)(2 * x + k % 2);
    }
    if (pass->scene->style->fast && one_face(pass, at)) {
        double key = 0.0, sun = 0.0, sky = 0.0;
        for (int k = 0; k < 4; k++) {
            key += 0.25 * (double)samples->key[at[k]];
            sun += 0.25 * (double)light->sun[at[k]];
            sky += 0.25 * (double)light->sky[at[k]];
        }
        return expose_all(shade_point(pass->scene, (int)samples->id[at[0]] - 1, 2.0 * x + 1.0, 2.0 * y + 1.0,
                                      key, sun, sky, light->sun_direction));
    }
    color sum = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 4; k++) {
        color c = shade_point(pass->scene, (int)samples->id[at[k]] - 1, 2 * x + k % 2 + 0.5,
                              2 * y + k / 2 + 0.5, (double)samples->key[at[k]], (double)light->sun[at[k]],
                              (double)light->sky[at[k]], light->sun_direction);
        sum = color_add(sum, color_scale(expose_all(c), 0.25));
    }
    return sum;
}

static unsigned char to_byte(const shade_pass *pass, float linear, float dither)
{
    const float at = linear < 0.0f ? 0.0f : linear > 1.0f ? 1.0f : linear;
    return (unsigned char)(pass->srgb[(int)(at * SRGB_STEPS + 0.5f)] + dither);
}

static void shade_row(void *user, int y)
{
    const shade_pass *pass = user;
    const picture_style *style = pass->scene->style;
    unsigned char *out = pass->rgb + 3 * (size_t)y * (size_t)style->width;
    for (int x = 0; x < style->width; x++, out += 3) {
        const color c = shade_pixel(pass, x, y);
        /* A little ordered noise avoids bands in the sky's gradient. */
        float dither = style->fast ? 0.5f : (float)((x * 7 + y * 13) % 16) / 16.0f;
        out[0] = to_byte(pass, c.r, dither);
        out[1] = to_byte(pass, c.g, dither);
        out[2] = to_byte(pass, c.b, dither);
    }
}

void picture_shade(const picture_scene *scene, const raster *samples, const picture_light *light,
                   unsigned char *rgb)
{
    _Static_assert(PICTURE_SAMPLES == 2, "a pixel has four samples");
    shade_pass pass = {scene, samples, light, rgb, {0}};
    for (int i = 0; i <= SRGB_STEPS; i++) {
        pass.srgb[i] = color_to_srgb((float)i / SRGB_STEPS) * 254.4f;
    }
    picture_crew(scene->request->threads, scene->style->height, shade_row, &pass);
}

void picture_make_swatches(const picture_legend *legend, unsigned char *rgb)
{
    for (int i = 0; i < PICTURE_SWATCHES; i++, rgb += 3) {
        const color tint = legend->stop_count > 0
                               ? legend->stops[i / 12 * legend->stop_count / (PICTURE_SWATCHES / 12)]
                               : GROUND;
        const color lit =
            color_add(color_scale(SUN_COLOR, i % 4 / 3.0), color_scale(SKY_LIGHT, 0.2 + i / 4 % 3 * 0.4));
        const color c = expose_all(color_mul(tint, lit));
        rgb[0] = (unsigned char)(color_to_srgb(c.r) * 255.0f);
        rgb[1] = (unsigned char)(color_to_srgb(c.g) * 255.0f);
        rgb[2] = (unsigned char)(color_to_srgb(c.b) * 255.0f);
    }
}

/* Computes the light of sun and sky at each sample. Reads solids and samples; writes picture_light.
 *
 * Many suns within a small disc give soft shadows. Many directions over the hemisphere give the sky's share,
 * so that contacts and gaps are dark. Each light draws and uses one shadow map. Each of the four samples of a
 * pixel reads a quarter of the lights, and their mean covers all.
 *
 * Threads draw a map each, and then add all these lights to rows of samples, in the lights' order: so sums do
 * not depend on the number of threads. */
#include "tools/cli/picture/parts.h"

#include <stdlib.h>
#include <string.h>

#define LIGHTS_MAX 64
#define MAPS_MAX 8       /* drawn at once; a still's of the sun take 16 MiB each */
#define BAND 16          /* rows of samples that a thread takes at once */
#define SUN_SPREAD 0.022 /* radians */
#define GOLDEN_ANGLE 2.399963229728653

typedef struct one_light {
    vec towards;
    int which; /* of a pixel's samples */
    double weight;
    bool cosine;
    float *sums; /* of every sample */
    raster_view view;
    raster *map;
} one_light;

typedef struct light_pass {
    picture_scene *scene;
    const raster *samples;
    const signed char *normals; /* of every sample */
    int *casters;
    int caster_count;
    double radius;    /* of the ball around the bounds' center that the maps cover */
    one_light *lamps; /* whose maps are being drawn or added */
    int lamp_count;
    int *orders; /* of the casters, for each map */
    bool sorted[MAPS_MAX];
} light_pass;

/* Collects the solids that throw shadows. Floors lie below all others and glass is transparent: neither does.
 */
static int collect_casters(const picture_scene *scene, int *casters)
{
    int count = 0;
    for (int i = 0; i < scene->count; i++) {
        const solid *s = &scene->solids[i];
        if (s->kind != SOLID_HALFSPACE && !picture_is_floor(scene, i) && !scene->glass[i]) {
            casters[count++] = i;
        }
    }
    return count;
}

/* Returns the uncovered share of four neighboring texels, weighted by nearness. */
static inline float lit_share(const raster *map, float x, float y, float key)
{
    float fx = x - 0.5f, fy = y - 0.5f;
    if (!(fx >= 0.0f && fy >= 0.0f && fx < (float)(map->width - 1) && fy < (float)(map->height - 1))) {
        return 1.0f;
    }
    int ix = (int)fx, iy = (int)fy;
    const float *at = map->key + (size_t)iy * (size_t)map->width + (size_t)ix;
    fx -= (float)ix;
    fy -= (float)iy;
    float a = at[0] > key ? 0.0f : 1.0f, b = at[1] > key ? 0.0f : 1.0f;
    at += map->width;
    float c = at[0] > key ? 0.0f : 1.0f, d = at[1] > key ? 0.0f : 1.0f;
    return (a * (1.0f - fx) + b * fx) * (1.0f - fy) + (c * (1.0f - fx) + d * fx) * fy;
}

/* A coordinate of the light at a sample: at the eye, along the ray through (0.5, 0.5), and its change from a
 * column to the next, from a row to the next, and along the sample's normal. */
typedef struct light_axis {
    float eye, ray, column, row, normal[3];
} light_axis;

/* Takes the coordinate along `axis`, which grows by `scale` a meter. A texel is flat, so the point is lifted
 * off its own surface by `lift`, more than the slope within a texel. */
static light_axis make_axis(const raster_view *view, const raster_view *light, vec axis, double scale,
                            double lift)
{
    const vec a = vec_scale(axis, scale);
    return (light_axis){
        (float)vec_dot(vec_sub(view->origin, light->origin), a),
        (float)vec_dot(raster_ray(view, 0.5, 0.5), a),
        (float)vec_dot(view->dx, a),
        (float)vec_dot(view->dy, a),
        {(float)(lift * a.x / 127.0), (float)(lift * a.y / 127.0), (float)(lift * a.z / 127.0)}};
}

static inline float along_axis(const light_axis *a, float t, float x, float y, const signed char *n)
{
    return a->eye + t * (a->ray + x * a->column + y * a->row) + (float)n[0] * a->normal[0] +
           (float)n[1] * a->normal[1] + (float)n[2] * a->normal[2];
}

/* Adds one light's share to those samples of a band of rows that are number `which` of their pixel. */
static void add_light(const light_pass *pass, const one_light *lamp, int first_row)
{
    const raster_view *view = &pass->scene->view, *light = &lamp->view;
    const int end = first_row + BAND < view->height ? first_row + BAND : view->height;
    const double step2 = vec_dot(light->dx, light->dx), texel = sqrt(step2);
    const light_axis across = make_axis(view, light, light->dx, 1.0 / step2, 1.6 * texel);
    const light_axis down = make_axis(view, light, light->dy, 1.0 / step2, 1.6 * texel);
    const light_axis away = make_axis(view, light, light->forward, 1.0, 1.6 * texel);
    const vec forward = vec_scale(light->forward, -1.0 / 127.0);
    const float towards[3] = {(float)forward.x, (float)forward.y, (float)forward.z};
    const float bias = (float)(0.3 * texel), weight = (float)lamp->weight;
    for (int y = first_row + lamp->which / PICTURE_SAMPLES; y < end; y += PICTURE_SAMPLES) {
        for (int x = lamp->which % PICTURE_SAMPLES; x < view->width; x += PICTURE_SAMPLES) {
            size_t i = (size_t)y * (size_t)view->width + (size_t)x;
            if (pass->samples->id[i] == 0) {
                continue;
            }
            const signed char *n = pass->normals + 3 * i;
            const float facing =
                (float)n[0] * towards[0] + (float)n[1] * towards[1] + (float)n[2] * towards[2];
            if (facing <= 0.0f) {
                continue;
            }
            const float t = 1.0f / pass->samples->key[i], fx = (float)x, fy = (float)y;
            const float lit =
                lit_share(lamp->map, along_axis(&across, t, fx, fy, n), along_axis(&down, t, fx, fy, n),
                          bias - along_axis(&away, t, fx, fy, n));
            lamp->sums[i] += lit * (lamp->cosine ? weight * facing : weight);
        }
    }
}

static void add_lights(void *user, int band)
{
    const light_pass *pass = user;
    for (int i = 0; i < pass->lamp_count; i++) {
        add_light(pass, &pass->lamps[i], band * BAND);
    }
}

static void draw_map(void *user, int i)
{
    light_pass *pass = user;
    const picture_scene *scene = pass->scene;
    one_light *lamp = &pass->lamps[i];
    const size_t count = (size_t)pass->caster_count;
    int *order = pass->orders + (size_t)i * count;
    lamp->view = raster_view_parallel(scene->bounds.center, pass->radius, vec_scale(lamp->towards, -1.0),
                                      lamp->map->width);
    memcpy(order, pass->casters, count * sizeof *order);
    raster_clear(lamp->map, false);
    pass->sorted[i] = raster_sort(&lamp->view, scene->solids, order, pass->caster_count);
    raster_draw(lamp->map, &lamp->view, scene->solids, order, pass->caster_count);
}

static bool cast_lights(light_pass *pass, one_light *lamps, int count, int map_size)
{
    const picture_scene *scene = pass->scene;
    const int wanted = scene->request->threads < MAPS_MAX ? scene->request->threads : MAPS_MAX;
    const int bands = (scene->view.height + BAND - 1) / BAND;
    raster maps[MAPS_MAX] = {0};
    int made = 0;
    while (made < wanted && made < count && raster_create(&maps[made], map_size, map_size, false)) {
        made++;
    }
    bool good = made > 0; /* one map is enough */
    for (int first = 0; first < count && good; first += made) {
        pass->lamps = lamps + first;
        pass->lamp_count = count - first < made ? count - first : made;
        for (int i = 0; i < pass->lamp_count; i++) {
            pass->lamps[i].map = &maps[i];
        }
        picture_crew(wanted, pass->lamp_count, draw_map, pass);
        picture_crew(wanted, bands, add_lights, pass);
        for (int i = 0; i < pass->lamp_count; i++) {
            good = good && pass->sorted[i];
        }
    }
    for (int i = 0; i < made; i++) {
        raster_free(&maps[i]);
    }
    return good;
}

static bool cast_sun(light_pass *pass, picture_light *light)
{
    const int count = pass->scene->style->suns;
    one_light lamps[LIGHTS_MAX];
    vec a = vec_unit(vec_cross(light->sun_direction, pass->scene->up)),
        b = vec_cross(a, light->sun_direction);
    for (int i = 0; i < count; i++) {
        double radius = SUN_SPREAD * sqrt((i + 0.5) / count), angle = GOLDEN_ANGLE * i;
        vec towards =
            vec_along(vec_along(light->sun_direction, radius * cos(angle), a), radius * sin(angle), b);
        lamps[i] = (one_light){vec_unit(towards), i % 4, 4.0 / count, false, .sums = light->sun};
    }
    return cast_lights(pass, lamps, count, pass->scene->style->sun_map);
}

/* Casts light from directions spread evenly over the hemisphere. An open surface that faces up receives 1. */
static bool cast_sky(light_pass *pass, picture_light *light)
{
    const picture_scene *scene = pass->scene;
    const int count = scene->style->skies;
    one_light lamps[LIGHTS_MAX];
    for (int i = 0; i < count; i++) {
        double height = (i + 0.5) / count, across = sqrt(1.0 - height * height), angle = GOLDEN_ANGLE * i;
        vec towards = vec_scale(scene->up, height);
        towards = vec_along(towards, across * cos(angle), scene->east);
        towards = vec_along(towards, across * sin(angle), scene->south);
        lamps[i] = (one_light){towards, i % 4, 2.0 * 4.0 / count, true, .sums = light->sky};
    }
    return cast_lights(pass, lamps, count, scene->style->sky_map);
}

typedef struct normal_pass {
    const picture_scene *scene;
    const raster *samples;
    signed char *normals;
} normal_pass;

static void collect_normals(void *user, int band)
{
    const normal_pass *pass = user;
    const picture_scene *scene = pass->scene;
    const raster *samples = pass->samples;
    for (int y = band * BAND; y < band * BAND + BAND && y < samples->height; y++) {
        for (int x = 0; x < samples->width; x++) {
            size_t i = (size_t)y * (size_t)samples->width + (size_t)x;
            if (samples->id[i] == 0) {
                continue;
            }
            vec ray = raster_ray(&scene->view, x + 0.5, y + 0.5);
            vec p = vec_along(scene->view.origin, 1.0 / (double)samples->key[i], ray);
            double edge;
            vec n = picture_normal(&scene->solids[samples->id[i] - 1], p, &edge);
            pass->normals[3 * i] = (signed char)lrint(n.x * 127.0);
            pass->normals[3 * i + 1] = (signed char)lrint(n.y * 127.0);
            pass->normals[3 * i + 2] = (signed char)lrint(n.z * 127.0);
        }
    }
}

bool picture_light_samples(picture_scene *scene, const raster *samples, picture_light *light)
{
    size_t count = (size_t)samples->width * (size_t)samples->height;
    light->sun = calloc(count, sizeof *light->sun);
    light->sky = calloc(count, sizeof *light->sky);
    /* The sun is to the left of the viewer, above and a little behind, so that three visible faces have three
     * shades. */
    vec right = vec_unit(scene->view.dx), towards_viewer = vec_cross(right, scene->up);
    light->sun_direction =
        vec_unit(vec_along(vec_along(vec_scale(right, -0.62), 0.85, scene->up), 0.42, towards_viewer));
    light_pass pass = {.scene = scene, .samples = samples};
    light->normals = calloc(count, 3);
    pass.normals = light->normals;
    pass.casters = malloc(((size_t)scene->count + 1) * sizeof *pass.casters);
    pass.orders = malloc(MAPS_MAX * ((size_t)scene->count + 1) * sizeof *pass.orders);
    bool good = light->sun != NULL && light->sky != NULL && light->normals != NULL && pass.casters != NULL &&
                pass.orders != NULL;
    if (good) {
        normal_pass normals = {scene, samples, light->normals};
        picture_crew(scene->request->threads, (samples->height + BAND - 1) / BAND, collect_normals, &normals);
        pass.caster_count = collect_casters(scene, pass.casters);
        pass.radius = 1.02 * scene->bounds.radius;
        for (int i = 0; i < pass.caster_count;
             i++) { /* includes walls, up to a size at which texels get too coarse */
            const solid *s = &scene->solids[pass.casters[i]];
            double reach = vec_length(vec_sub(s->center, scene->bounds.center)) + s->radius;
            if (scene->roles[pass.casters[i]] == ROLE_STATIC && reach < 3.0 * scene->bounds.radius) {
                pass.radius = fmax(pass.radius, reach);
            }
        }
        good = cast_sun(&pass, light) && cast_sky(&pass, light);
    }
    free(pass.casters);
    free(pass.orders);
    return good;
}

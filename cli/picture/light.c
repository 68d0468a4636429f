/* Computes the light of sun and sky at each sample. Reads solids and samples; writes picture_light.
 *
 * Many suns within a small disc give soft shadows. Many directions over the hemisphere give the sky's share,
 * so that contacts and gaps are dark. Each light draws and uses one shadow map. Each of the four samples of a
 * pixel reads a quarter of the lights, and their mean covers all. */
#include "cli/picture/parts.h"

#include <stdlib.h>

#define SUN_COUNT 12
#define SUN_MAP 2048
#define SKY_COUNT 40
#define SKY_MAP 1024
#define SUN_SPREAD 0.022 /* radians */
#define GOLDEN_ANGLE 2.399963229728653

typedef struct light_pass {
    picture_scene *scene;
    const raster *samples;
    const signed char *normals; /* of every sample; 127 stands for 1 */
    int *casters;
    int caster_count;
    double radius; /* of the ball around the bounds' center that the maps cover */
} light_pass;

/* Collects the solids that throw shadows. Floors lie below all others and glass is transparent: neither does.
 */
static int collect_casters(const picture_scene *scene, int *casters)
{
    int count = 0;
    for (int i = 0; i < scene->count; i++) {
        const solid *s = &scene->solids[i];
        bool floor = false;
        if (scene->roles[i] == ROLE_STATIC && s->kind == SOLID_BOX) {
            double reach = 0.0;
            for (int k = 0; k < 3; k++) {
                reach += fabs(vec_dot(s->axis[k], scene->up)) * s->half[k];
            }
            floor =
                vec_dot(s->center, scene->up) + reach < scene->bounds.low.y + 0.25 * scene->bounds.radius &&
                s->radius > scene->bounds.radius;
        }
        if (s->kind != SOLID_HALFSPACE && !floor && !scene->glass[i]) {
            casters[count++] = i;
        }
    }
    return count;
}

/* Returns the uncovered share of four neighboring texels, weighted by nearness. */
static float lit_share(const raster *map, double x, double y, float key)
{
    float fx = (float)x - 0.5f, fy = (float)y - 0.5f;
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

/* Adds one light's share to the samples that are number `which` of their pixel. */
static void add_light(const light_pass *pass, const raster *map, const raster_view *light, int which,
                      double weight, bool cosine, float *sums)
{
    const raster_view *view = &pass->scene->view;
    double step2 = vec_dot(light->dx, light->dx), texel = sqrt(step2);
    for (int y = which / PICTURE_SAMPLES; y < view->height; y += PICTURE_SAMPLES) {
        vec row = raster_ray(view, 0.5, y + 0.5);
        for (int x = which % PICTURE_SAMPLES; x < view->width; x += PICTURE_SAMPLES) {
            size_t i = (size_t)y * (size_t)view->width + (size_t)x;
            if (pass->samples->id[i] == 0) {
                continue;
            }
            const signed char *n = pass->normals + 3 * i;
            vec normal = {n[0] / 127.0, n[1] / 127.0, n[2] / 127.0};
            double facing = -vec_dot(normal, light->forward);
            if (facing <= 0.0) {
                continue;
            }
            double t = 1.0 / (double)pass->samples->key[i];
            vec p = vec_along(view->origin, t, vec_along(row, x, view->dx));
            /* A texel is flat, so the point is lifted off its own surface by more than the slope within a
             * texel. */
            p = vec_along(p, 1.6 * texel, normal);
            vec from = vec_sub(p, light->origin);
            float key = (float)(0.3 * texel - vec_dot(from, light->forward));
            float lit =
                lit_share(map, vec_dot(from, light->dx) / step2, vec_dot(from, light->dy) / step2, key);
            sums[i] += lit * (float)(weight * (cosine ? facing : 1.0));
        }
    }
}

static bool cast_light(const light_pass *pass, raster *map, vec towards, int which, double weight,
                       bool cosine, float *sums)
{
    picture_scene *scene = pass->scene;
    vec forward = vec_scale(towards, -1.0);
    raster_view light = raster_view_parallel(scene->bounds.center, pass->radius, forward, map->width);
    raster_clear(map, false);
    if (!raster_sort(&light, scene->solids, pass->casters, pass->caster_count)) {
        return false;
    }
    raster_draw(map, &light, scene->solids, pass->casters, pass->caster_count);
    add_light(pass, map, &light, which, weight, cosine, sums);
    return true;
}

static bool cast_sun(const light_pass *pass, picture_light *light)
{
    raster map;
    if (!raster_create(&map, SUN_MAP, SUN_MAP, false)) {
        return false;
    }
    vec a = vec_unit(vec_cross(light->sun_direction, pass->scene->up)),
        b = vec_cross(a, light->sun_direction);
    bool good = true;
    for (int i = 0; good && i < SUN_COUNT; i++) {
        double radius = SUN_SPREAD * sqrt((i + 0.5) / SUN_COUNT), angle = GOLDEN_ANGLE * i;
        vec towards =
            vec_along(vec_along(light->sun_direction, radius * cos(angle), a), radius * sin(angle), b);
        good = cast_light(pass, &map, vec_unit(towards), i % 4, 4.0 / SUN_COUNT, false, light->sun);
    }
    raster_free(&map);
    return good;
}

/* Casts light from directions spread evenly over the hemisphere. An open surface that faces up receives 1. */
static bool cast_sky(const light_pass *pass, picture_light *light)
{
    const picture_scene *scene = pass->scene;
    raster map;
    if (!raster_create(&map, SKY_MAP, SKY_MAP, false)) {
        return false;
    }
    bool good = true;
    for (int i = 0; good && i < SKY_COUNT; i++) {
        double height = (i + 0.5) / SKY_COUNT, across = sqrt(1.0 - height * height), angle = GOLDEN_ANGLE * i;
        vec towards = vec_scale(scene->up, height);
        towards = vec_along(towards, across * cos(angle), scene->east);
        towards = vec_along(towards, across * sin(angle), scene->south);
        good = cast_light(pass, &map, towards, i % 4, 2.0 * 4.0 / SKY_COUNT, true, light->sky);
    }
    raster_free(&map);
    return good;
}

static signed char *collect_normals(const picture_scene *scene, const raster *samples)
{
    size_t count = (size_t)samples->width * (size_t)samples->height;
    signed char *normals = calloc(count, 3);
    if (normals == NULL) {
        return NULL;
    }
    for (int y = 0; y < samples->height; y++) {
        for (int x = 0; x < samples->width; x++) {
            size_t i = (size_t)y * (size_t)samples->width + (size_t)x;
            if (samples->id[i] == 0) {
                continue;
            }
            vec ray = raster_ray(&scene->view, x + 0.5, y + 0.5);
            vec p = vec_along(scene->view.origin, 1.0 / (double)samples->key[i], ray);
            double edge;
            vec n = picture_normal(&scene->solids[samples->id[i] - 1], p, &edge);
            normals[3 * i] = (signed char)lrint(n.x * 127.0);
            normals[3 * i + 1] = (signed char)lrint(n.y * 127.0);
            normals[3 * i + 2] = (signed char)lrint(n.z * 127.0);
        }
    }
    return normals;
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
    signed char *normals = collect_normals(scene, samples);
    pass.normals = normals;
    pass.casters = malloc(((size_t)scene->count + 1) * sizeof *pass.casters);
    bool good = light->sun != NULL && light->sky != NULL && normals != NULL && pass.casters != NULL;
    if (good) {
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
    free(normals);
    free(pass.casters);
    return good;
}

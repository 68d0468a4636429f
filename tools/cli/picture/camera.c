/* Places the viewer and draws the visible solids. Reads solids; writes view, samples and glass. */
#include "tools/cli/picture/parts.h"

#include <stdlib.h>
#include <string.h>

#define HALF_WIDTH 0.27 /* tangent of half the horizontal angle */
#define FILM_ROOM 0.1   /* of the radius of the scene as it starts */
#define DEGREE 0.017453292519943295

typedef struct body_ball {
    vec center;
    double radius, distance;
} body_ball;

static int compare_distance(const void *a, const void *b)
{
    double x = ((const body_ball *)a)->distance, y = ((const body_ball *)b)->distance;
    return (x > y) - (x < y);
}

/* Returns the bounding balls to frame, nearest to the center first. Leaves out the farthest hundredth if it
 * flew off. */
static body_ball *collect_balls(const picture_scene *scene, int *count)
{
    body_ball *balls = malloc(((size_t)scene->count + 1) * sizeof *balls);
    int found = 0;
    if (balls == NULL) {
        return NULL;
    }
    for (int pass = 0; pass < 2 && found == 0;
         pass++) { /* the second pass takes other bodies if none is dynamic */
        for (int i = 0; i < scene->count; i++) {
            const solid *s = &scene->solids[i];
            if ((scene->roles[i] == ROLE_DYNAMIC || pass == 1) && s->kind != SOLID_HALFSPACE) {
                balls[found++] = (body_ball){s->center, s->radius, vec_length(s->center)};
            }
        }
    }
    qsort(balls, (size_t)found, sizeof *balls, compare_distance);
    if (found >= 10) {
        double usual = balls[(int)((found - 1) * 0.99)].distance;
        while (balls[found - 1].distance > 3.0 * usual + balls[found - 1].radius) {
            found--;
        }
    }
    *count = found;
    return balls;
}

static void find_bounds(picture_scene *scene, const body_ball *balls, int count)
{
    picture_bounds *b = &scene->bounds;
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
    const vec axes[3] = {scene->east, scene->up, scene->south};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            double x = vec_dot(balls[i].center, axes[k]);
            low[k] = fmin(low[k], x - balls[i].radius);
            high[k] = fmax(high[k], x + balls[i].radius);
        }
    }
    if (count == 0) {
        memset(low, 0, sizeof low);
        memset(high, 0, sizeof high);
    }
    b->low = vec_make(low[0], low[1], low[2]);
    b->high = vec_make(high[0], high[1], high[2]);
    b->center = vec_make(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++) {
        b->center = vec_along(b->center, 0.5 * (low[k] + high[k]), axes[k]);
    }
    b->radius = 0.5;
    for (int i = 0; i < count; i++) {
        b->radius = fmax(b->radius, vec_length(vec_sub(balls[i].center, b->center)) + balls[i].radius);
    }
}

/* Chooses a three-quarter view of the wider side; flat scenes are seen from higher up. */
static vec choose_direction(const picture_scene *scene)
{
    const picture_bounds *b = &scene->bounds;
    double width = b->high.x - b->low.x, height = b->high.y - b->low.y, depth = b->high.z - b->low.z;
    double wide = fmax(fmax(width, depth), 1e-9), narrow = fmin(width, depth);
    double turn = (26.0 + 9.0 * narrow / wide) * DEGREE;
    double rise = (6.0 + 29.0 * (1.0 - smooth_step(0.0, 0.9, height / wide))) * DEGREE;
    vec side = width >= depth ? vec_along(vec_scale(scene->south, cos(turn)), sin(turn), scene->east)
                              : vec_along(vec_scale(scene->east, cos(turn)), sin(turn), scene->south);
    return vec_along(vec_scale(side, cos(rise)), sin(rise), scene->up);
}

/* Returns the nearest eye from which every ball is within the frame. With the tangents tl, tr, tt, tb of the
 * frame's sides, p is inside if (p - eye) . right <= tr (p - eye) . forward, and so on. Each side gives one
 * bound that is linear in the eye. */
static vec place_eye(const body_ball *balls, int count, vec forward, vec right, vec up, double pad,
                     double aspect)
{
    double side = 0.90 * HALF_WIDTH, top = 0.88 * HALF_WIDTH * aspect, bottom = 0.80 * HALF_WIDTH * aspect;
    double a = -1e300, b = -1e300, c = -1e300, d = -1e300;
    for (int i = 0; i < count; i++) {
        double x = vec_dot(balls[i].center, right), y = vec_dot(balls[i].center, up);
        double z = vec_dot(balls[i].center, forward), r = balls[i].radius + pad;
        a = fmax(a, x - side * z + r * sqrt(1.0 + side * side));
        b = fmax(b, -x - side * z + r * sqrt(1.0 + side * side));
        c = fmax(c, y - top * z + r * sqrt(1.0 + top * top));
        d = fmax(d, -y - bottom * z + r * sqrt(1.0 + bottom * bottom));
    }
    double forward_x = -(a + b) / (2.0 * side), forward_y = -(c + d) / (top + bottom);
    double along = fmin(forward_x, forward_y);
    /* The two sides of the looser direction share its slack. */
    double eye_x = 0.5 * (a - b);
    double eye_y = 0.5 * ((c + top * along) - (d + bottom * along));
    return vec_along(vec_along(vec_scale(forward, along), eye_x, right), eye_y, up);
}

bool picture_frame(picture_scene *scene)
{
    picture_camera *camera = scene->camera;
    const picture_style *style = scene->style;
    int count;
    if (camera != NULL && camera->placed) {
        scene->bounds = camera->bounds;
        scene->view = camera->view;
        return true;
    }
    body_ball *balls = collect_balls(scene, &count);
    if (balls == NULL) {
        return false;
    }
    if (count == 0) {
        balls[count++] = (body_ball){.radius = 5.0};
    }
    find_bounds(scene, balls, count);
    vec forward = vec_scale(choose_direction(scene), -1.0);
    vec right = vec_unit(vec_cross(forward, scene->up));
    vec up = vec_cross(right, forward);
    /* A scene of one or two bodies gets some room around them, a film some for what will move out of it. */
    scene->bounds.typical = balls[count / 2].radius;
    double pad = fmax(camera != NULL ? FILM_ROOM * scene->bounds.radius : 0.0,
                      2.2 * scene->bounds.typical - scene->bounds.radius);
    vec eye = place_eye(balls, count, forward, right, up, pad, (double)style->height / style->width);
    scene->view = raster_view_perspective(eye, forward, right, HALF_WIDTH, style->width * PICTURE_SAMPLES,
                                          style->height * PICTURE_SAMPLES);
    free(balls);
    if (camera != NULL) {
        scene->bounds.radius *= 1.0 + FILM_ROOM;
        camera->bounds = scene->bounds;
        camera->view = scene->view;
    }
    return true;
}

/* Adds a level ground, for the eye only, under a scene that stands on a slab. Adds nothing under a
 * half-space, or where the scene has no ground. The array of solids has room for one more solid. */
static void add_backdrop(picture_scene *scene)
{
    double level = scene->bounds.low.y;
    bool slab = false;
    for (int i = 0; i < scene->count; i++) {
        const solid *s = &scene->solids[i];
        if (s->kind == SOLID_HALFSPACE) {
            return;
        }
        if (s->kind != SOLID_BOX || scene->roles[i] != ROLE_STATIC) {
            continue;
        }
        double reach = 0.0, middle = vec_dot(s->center, scene->up);
        for (int k = 0; k < 3; k++) {
            reach += fabs(vec_dot(s->axis[k], scene->up)) * s->half[k];
        }
        if (middle + reach < scene->bounds.high.y) { /* the slab's underside, unless that is far down */
            level = fmin(level, fmax(middle - reach, scene->bounds.low.y - 0.5 * scene->bounds.radius));
            slab = true;
        }
    }
    if (slab) {
        solid *ground = &scene->solids[scene->count];
        *ground = (solid){.kind = SOLID_HALFSPACE, .center = vec_scale(scene->up, level), .body = -1};
        ground->axis[1] = scene->up;
        scene->roles[scene->count++] = ROLE_BACKDROP;
    }
}

bool picture_is_floor(const picture_scene *scene, int index)
{
    const solid *s = &scene->solids[index];
    double reach = 0.0;
    for (int k = 0; k < 3; k++) {
        reach += fabs(vec_dot(s->axis[k], scene->up)) * s->half[k];
    }
    return scene->roles[index] == ROLE_STATIC && s->kind == SOLID_BOX && s->radius > scene->bounds.radius &&
           vec_dot(s->center, scene->up) + reach < scene->bounds.low.y + 0.25 * scene->bounds.radius;
}

/* Tells whether a static solid would hide more than a small share of the drawn samples. */
static bool hides(const picture_scene *scene, const raster *samples, const solid *s, long long drawn)
{
    enum { STEP = 4 };
    raster_rect rect = raster_bounds(&scene->view, s);
    long long hidden = 0;
    for (int y = (rect.y0 + STEP - 1) / STEP * STEP; y < rect.y1; y += STEP) {
        for (int x = (rect.x0 + STEP - 1) / STEP * STEP; x < rect.x1; x += STEP) {
            size_t i = (size_t)y * (size_t)samples->width + (size_t)x;
            double key;
            if (samples->id[i] != 0 && raster_solid_key(&scene->view, s, x + 0.5, y + 0.5, &key) &&
                key > (double)samples->key[i] * 1.0001) {
                hidden++;
            }
        }
    }
    return (double)hidden * STEP * STEP > 0.004 * (double)drawn;
}

bool picture_draw(picture_scene *scene, raster *samples)
{
    picture_camera *camera = scene->camera;
    int *order = malloc(((size_t)scene->count + 2) * sizeof *order);
    int count = 0;
    /* A body that flew towards the viewer must not hide all the others. */
    double nearest = 0.4 * (vec_dot(vec_sub(scene->bounds.center, scene->view.origin), scene->view.forward) -
                            scene->bounds.radius);
    if (order == NULL) {
        return false;
    }
    for (int i = 0; i < scene->count; i++) {
        vec from = vec_sub(scene->solids[i].center, scene->view.origin);
        if (scene->roles[i] < ROLE_STATIC && vec_dot(from, scene->view.forward) > nearest) {
            order[count++] = i;
        }
    }
    raster_clear(samples, true);
    add_backdrop(scene);
    bool good = raster_sort(&scene->view, scene->solids, order, count);
    raster_draw(samples, &scene->view, scene->solids, order, count);
    long long drawn = 0;
    for (size_t i = 0; i < (size_t)samples->width * (size_t)samples->height; i++) {
        drawn += samples->id[i] != 0;
    }
    count = 0;
    for (int i = 0; i < scene->count; i++) {
        if (scene->roles[i] < ROLE_STATIC) {
            continue;
        }
        const solid *s = &scene->solids[i];
        if (s->kind != SOLID_HALFSPACE && s->kind != SOLID_TRIANGLE &&
            scene->glass_count < PICTURE_GLASS_MAX && !picture_is_floor(scene, i) &&
            ((camera != NULL && camera->glass[i]) || hides(scene, samples, s, drawn))) {
            scene->glass[i] = true;
            if (camera != NULL) {
                camera->glass[i] = true; /* from now on, so that no wall flickers */
            }
            scene->glass_list[scene->glass_count++] = i;
        } else {
            order[count++] = i;
        }
    }
    raster_draw(samples, &scene->view, scene->solids, order, count);
    free(order);
    return good;
}

/* Gathers solids from scene and world and lets the other files draw them (parts.h). */
#include "tools/cli/picture/picture.h"
#include "tools/cli/picture/parts.h"
#include "tools/cli/picture/png_file.h"
#include "tools/scenes/measure/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "out of memory";

/* Both have the same aspect. A frame of a film has a quarter of a still's lights. */
static const picture_style still = {PICTURE_WIDTH, PICTURE_HEIGHT, 44, 2, 12, 2048, 40, 1024, false};
static const picture_style frame = {FILM_WIDTH, FILM_HEIGHT, 20, 1, 4, 768, 8, 512, true};

static vec local_position(const picture_scene *scene, dry_position p)
{
    return vec_make(p.x - scene->center.x, p.y - scene->center.y, p.z - scene->center.z);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Finds the median of each coordinate over the dynamic bodies; bodies that flew off hardly change a median.
 */
static bool find_center(picture_scene *scene)
{
    const dry_scene *source = scene->request->scene;
    if (scene->camera != NULL && scene->camera->placed) {
        scene->center = scene->camera->center;
        return true;
    }
    double *values = malloc(((size_t)source->body_count + 1) * sizeof *values);
    double *center[3] = {&scene->center.x, &scene->center.y, &scene->center.z};
    if (values == NULL) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        int count = 0;
        for (int i = 0; i < source->body_count; i++) {
            const dry_position *p = &scene->poses[i].position;
            if (source->bodies[i].def.type == DRY_BODY_DYNAMIC) {
                values[count++] = k == 0 ? p->x : k == 1 ? p->y : p->z;
            }
        }
        qsort(values, (size_t)count, sizeof *values, compare_doubles);
        *center[k] = count > 0 ? values[count / 2] : 0.0;
    }
    free(values);
    return true;
}

static void find_axes(picture_scene *scene)
{
    vec gravity = vec_from(scene->request->scene->gravity);
    vec x = vec_make(1.0, 0.0, 0.0), y = vec_make(0.0, 1.0, 0.0);
    scene->up = vec_length(gravity) > 1e-6 ? vec_unit(vec_scale(gravity, -1.0)) : y;
    vec first = fabs(vec_dot(scene->up, x)) < 0.9 ? x : y;
    scene->east = vec_unit(vec_along(first, -vec_dot(first, scene->up), scene->up));
    scene->south = vec_cross(scene->east, scene->up);
}

/* Puts a hull's center in the middle of the box along its axes. */
static void set_hull(solid *s, const dry_polytope *polytope, const double *scale)
{
    s->kind = SOLID_HULL;
    s->polytope = polytope;
    s->origin = s->center;
    for (int k = 0; k < 3; k++) {
        s->scale[k] = scale[k];
        s->half[k] = 0.5 * fabs(scale[k]) * (polytope->high[k] - polytope->low[k]);
        s->center = vec_along(s->center, 0.5 * scale[k] * (polytope->low[k] + polytope->high[k]), s->axis[k]);
    }
    s->radius = vec_length(vec_make(s->half[0], s->half[1], s->half[2]));
}

/* Makes a plate of a triangle, a thousandth as thick as wide. A triangle without area has no axes, and is a
 * plate without width. */
static void set_triangle(solid *s, const dry_solid *placed)
{
    s->kind = SOLID_TRIANGLE;
    for (int i = 0; i < 3; i++) {
        const double *c = placed->corner[i];
        s->corner[i] = vec_make(s->center.x + c[0], s->center.y + c[1], s->center.z + c[2]);
    }
    const vec along = vec_sub(s->corner[1], s->corner[0]);
    const vec normal = vec_cross(along, vec_sub(s->corner[2], s->corner[0]));
    if (vec_length(normal) > 0.0) {
        s->axis[0] = vec_unit(along);
        s->axis[1] = vec_unit(normal);
        s->axis[2] = vec_cross(s->axis[0], s->axis[1]);
    }
    vec middle = vec_make(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++) {
        double low = 1e300, high = -1e300;
        for (int i = 0; i < 3; i++) {
            low = fmin(low, vec_dot(s->corner[i], s->axis[k]));
            high = fmax(high, vec_dot(s->corner[i], s->axis[k]));
        }
        s->half[k] = 0.5 * (high - low);
        middle = vec_along(middle, 0.5 * (low + high), s->axis[k]);
    }
    s->half[1] = 0.0005 * (s->half[0] + s->half[2]);
    s->center = vec_along(middle, -s->half[1], s->axis[1]);
    s->radius = vec_length(vec_make(s->half[0], s->half[1], s->half[2]));
}

/* Converts a solid of the quality measure, whose positions are relative to the picture's center. */
static solid make_solid(const dry_solid *placed, int body)
{
    const double *c = placed->center, *half = placed->half;
    solid s = {.body = body, .center = {c[0], c[1], c[2]}};
    for (int k = 0; k < 3; k++) {
        s.axis[k] = vec_make(placed->axis[k][0], placed->axis[k][1], placed->axis[k][2]);
    }
    switch (placed->type) {
    case DRY_SHAPE_SPHERE:
        s.kind = SOLID_SPHERE;
        s.half[0] = s.radius = placed->radius;
        break;
    case DRY_SHAPE_CAPSULE:
        s.kind = SOLID_CAPSULE;
        s.half[0] = placed->radius;
        s.half[1] = half[1];
        s.radius = s.half[0] + s.half[1];
        break;
    case DRY_SHAPE_CYLINDER:
        s.kind = SOLID_CYLINDER;
        s.half[0] = half[0];
        s.half[1] = half[1];
        s.radius = sqrt(half[0] * half[0] + half[1] * half[1]);
        break;
    case DRY_SHAPE_HALFSPACE:
        s.kind = SOLID_HALFSPACE;
        s.center = vec_along(s.center, placed->offset - vec_dot(s.axis[1], s.center), s.axis[1]);
        break;
    case DRY_SHAPE_HULL:
        set_hull(&s, placed->polytope, half);
        break;
    case DRY_SHAPE_MESH:
        set_triangle(&s, placed);
        break;
    default:
        s.kind = SOLID_BOX;
        memcpy(s.half, half, sizeof s.half);
        s.radius = vec_length(vec_make(half[0], half[1], half[2]));
    }
    return s;
}

static void gather_solids(picture_scene *scene)
{
    const dry_scene *source = scene->request->scene;
    for (int i = 0; i < source->body_count; i++) {
        const dry_scene_body *body = &source->bodies[i];
        const vec at = local_position(scene, scene->poses[i].position);
        const dry_pose pose = {{at.x, at.y, at.z}, scene->poses[i].orientation};
        for (int k = 0; k < body->def.shape_count; k++) {
            const dry_shape_def *shape = &source->shapes[body->first_shape + k];
            const int parts = dry_solids_of(source, shape);
            for (int part = 0; part < parts; part++) {
                const dry_solid placed = dry_solid_place(source, shape, part, &pose);
                scene->solids[scene->count] = make_solid(&placed, i);
                scene->roles[scene->count++] = body->def.type == DRY_BODY_DYNAMIC     ? ROLE_DYNAMIC
                                               : body->def.type == DRY_BODY_KINEMATIC ? ROLE_KINEMATIC
                                                                                      : ROLE_STATIC;
            }
        }
    }
}

/* Returns null, or why the state cannot be taken from the world. */
static const char *gather(picture_scene *scene)
{
    const picture_request *request = scene->request;
    size_t bodies = (size_t)request->scene->body_count, shapes = 1; /* one for the backdrop */
    for (int i = 0; i < request->scene->shape_count; i++) {
        shapes += (size_t)dry_solids_of(request->scene, &request->scene->shapes[i]);
    }
    scene->poses = calloc(bodies + 1, sizeof *scene->poses);
    scene->velocities = calloc(bodies + 1, sizeof *scene->velocities);
    scene->tints = calloc(bodies + 1, sizeof *scene->tints);
    scene->solids = calloc(shapes + 1, sizeof *scene->solids);
    scene->roles = calloc(shapes + 1, sizeof *scene->roles);
    scene->glass = calloc(shapes + 1, sizeof *scene->glass);
    if (scene->poses == NULL || scene->velocities == NULL || scene->tints == NULL || scene->solids == NULL ||
        scene->roles == NULL || scene->glass == NULL) {
        return no_memory;
    }
    dry_result result = dry_world_get_motion(request->world, (int)bodies, request->ids, scene->poses,
                                             scene->velocities, NULL);
    if (result != DRY_OK) {
        return dry_result_name(result);
    }
    if (!find_center(scene)) {
        return no_memory;
    }
    find_axes(scene);
    gather_solids(scene);
    return NULL;
}

static void release(picture_scene *scene)
{
    free(scene->poses);
    free(scene->velocities);
    free(scene->tints);
    free(scene->solids);
    free(scene->roles);
    free(scene->glass);
}

/* Makes room for what a camera keeps from its first frame on. */
static bool place_camera(picture_camera *camera, const picture_scene *scene)
{
    camera->center = scene->center;
    camera->glass = calloc((size_t)scene->count + 2, sizeof *camera->glass);
    return camera->glass != NULL;
}

/* Returns null, or why the picture cannot be drawn. */
static const char *draw(picture_scene *scene, unsigned char *rgb, picture_legend *legend)
{
    picture_camera *camera = scene->camera;
    raster samples = {0};
    picture_light light = {0};
    const char *fault = gather(scene);
    bool good = fault == NULL && (camera == NULL || camera->placed || place_camera(camera, scene)) &&
                picture_frame(scene) && picture_set_tints(scene, legend) &&
                raster_create(&samples, scene->view.width, scene->view.height, true) &&
                picture_draw(scene, &samples) && picture_light_samples(scene, &samples, &light);
    if (good) {
        picture_shade(scene, &samples, &light, rgb);
        picture_write_caption(scene, legend, rgb);
    }
    if (camera != NULL) {
        camera->placed = good;
    }
    free(light.sun);
    free(light.sky);
    free(light.normals);
    raster_free(&samples);
    release(scene);
    return good || fault != NULL ? fault : no_memory;
}

static bool explain(const picture_scene *scene, const char *fault, char *error, size_t error_bytes)
{
    snprintf(error, error_bytes, "the picture could not be drawn: %s", fault);
    if (fault == no_memory) {
        size_t used = strlen(error);
        snprintf(error + used, error_bytes - used, " for %d x %d pixels, %d shapes and %d bodies",
                 scene->style->width, scene->style->height, scene->request->scene->shape_count,
                 scene->request->scene->body_count);
    }
    return false;
}

picture_camera *picture_camera_create(void)
{
    return calloc(1, sizeof(picture_camera));
}

void picture_camera_destroy(picture_camera *camera)
{
    if (camera != NULL) {
        free(camera->glass);
        free(camera);
    }
}

bool picture_film(picture_camera *camera, const picture_request *request, unsigned char *rgb,
                  unsigned char *swatches, char *error, size_t error_bytes)
{
    picture_scene scene = {.request = request, .style = &frame, .camera = camera};
    picture_legend legend;
    const char *fault = draw(&scene, rgb, &legend);
    if (fault == NULL) {
        picture_make_swatches(&legend, swatches);
    }
    return fault == NULL || explain(&scene, fault, error, error_bytes);
}

static bool take_bytes(void *stream, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, stream) == count;
}

bool picture_png(FILE *stream, const unsigned char *rgb, int width, int height, char *error,
                 size_t error_bytes)
{
    const picture_image image = {width, height, 3 * (size_t)width, rgb, NULL, 0, 6};
    char fault[128];
    bool good = png_file_write(&image, take_bytes, stream, fault, sizeof fault);
    if (!good) {
        snprintf(error, error_bytes, "writing the picture failed (%s)", fault);
    }
    return good;
}

bool picture_write(FILE *stream, const picture_request *request, char *error, size_t error_bytes)
{
    unsigned char *rgb = malloc(3 * (size_t)PICTURE_WIDTH * PICTURE_HEIGHT);
    picture_scene scene = {.request = request, .style = &still};
    picture_legend legend;
    const char *fault = rgb != NULL ? draw(&scene, rgb, &legend) : no_memory;
    bool good = fault == NULL ? picture_png(stream, rgb, PICTURE_WIDTH, PICTURE_HEIGHT, error, error_bytes)
                              : explain(&scene, fault, error, error_bytes);
    int reason = errno;
    free(rgb);
    errno = reason;
    return good;
}

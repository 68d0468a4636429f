/* Gathers solids from scene and world, lets the other files draw them (parts.h), and writes the PNG. */
#include "cli/picture/picture.h"
#include "cli/picture/parts.h"
#include "scenes/measure/parts.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "out of memory";

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

/* Returns null, or why the picture cannot be drawn. */
static const char *draw(picture_scene *scene, unsigned char *rgb)
{
    raster samples = {0};
    picture_light light = {0};
    picture_legend legend;
    const char *fault = gather(scene);
    bool good = fault == NULL && picture_set_tints(scene, &legend) && picture_frame(scene) &&
                raster_create(&samples, scene->view.width, scene->view.height, true) &&
                picture_draw(scene, &samples) && picture_light_samples(scene, &samples, &light);
    if (good) {
        picture_shade(scene, &samples, &light, rgb);
        picture_write_caption(scene, &legend, rgb);
    }
    free(light.sun);
    free(light.sky);
    raster_free(&samples);
    release(scene);
    return good || fault != NULL ? fault : no_memory;
}

/* The file of a PNG, and the reason why it failed. */
typedef struct png_output {
    FILE *stream;
    char fault[128];
} png_output;

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void fail_png(png_structp png, png_const_charp text)
{
    png_output *output = png_get_error_ptr(png);
    snprintf(output->fault, sizeof output->fault, "%s", text);
    png_longjmp(png, 1);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    png_output *output = png_get_io_ptr(png);
    errno = 0;
    if (fwrite(bytes, 1, count, output->stream) != count) {
        png_error(png, errno != 0 ? strerror(errno) : "an earlier write failed");
    }
}

static void flush_bytes(png_structp png)
{
    (void)png; /* the stream is flushed by its owner */
}

static bool write_png(png_output *output, const unsigned char *rgb)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, output, fail_png, ignore_warning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        int reason = errno;
        png_destroy_write_struct(&png, &info);
        errno = reason;
        return false;
    }
    png_set_write_fn(png, output, write_bytes, flush_bytes);
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, PICTURE_WIDTH, PICTURE_HEIGHT, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < PICTURE_HEIGHT; y++) {
        png_write_row(png, rgb + 3 * (size_t)y * PICTURE_WIDTH);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool picture_write(FILE *stream, const picture_request *request, char *error, size_t error_bytes)
{
    unsigned char *rgb = malloc(3 * (size_t)PICTURE_WIDTH * PICTURE_HEIGHT);
    picture_scene scene = {.request = request};
    png_output output = {stream, "out of memory"};
    const char *fault = rgb != NULL ? draw(&scene, rgb) : no_memory;
    if (fault != NULL) {
        snprintf(error, error_bytes, "the picture could not be drawn: %s", fault);
        if (fault == no_memory) {
            size_t used = strlen(error);
            snprintf(error + used, error_bytes - used, " for %d x %d pixels, %d shapes and %d bodies",
                     PICTURE_WIDTH, PICTURE_HEIGHT, request->scene->shape_count, request->scene->body_count);
        }
    } else if (!write_png(&output, rgb)) {
        snprintf(error, error_bytes, "writing the picture failed (%s)", output.fault);
        fault = output.fault;
    }
    int reason = errno;
    free(rgb);
    errno = reason;
    return fault == NULL;
}

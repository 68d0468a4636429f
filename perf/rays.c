/* Rays on a mesh of wavy ground, one thread, processor time: Drystone's one by one and in a batch, and beside
 * them Embree's where it was found as this was built.
 *
 *   rays [--triangles N] [--rays N] [--turns N] [--report FILE]
 *
 * The ways take turns, and the least time of each one counts. All must meet the same triangles: the exit
 * status is 1 if more than one ray in a thousand ends elsewhere, or a batch has other bits than single rays.
 *
 * Writes: a table, and the same as JSON. Next: compare, which runs it. */
#define _POSIX_C_SOURCE 200809L

#include "perf/rays.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS = 3 };
static const char *const kind_names[KINDS] = {"across", "camera", "short"};

typedef struct options {
    int triangles, rays, turns;
    const char *report;
} options;

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static double uniform(double low, double high)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return low + (high - low) * (double)((seed * 0x2545F4914F6CDD1Dull) >> 11) / 9007199254740992.0;
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Makes ground of `side` by `side` cells of 1 m about the origin. Its arrays are never freed. */
static dry_mesh make_ground(int side)
{
    const size_t points = (size_t)(side + 1), vertices = points * points;
    dry_vec3 *vertex = malloc(vertices * sizeof *vertex);
    int32_t *triangle = malloc(6 * (size_t)side * (size_t)side * sizeof *triangle), *next = triangle;
    if (!vertex || !triangle)
        exit(2);
    for (int z = 0; z <= side; ++z)
        for (int x = 0; x <= side; ++x) {
            const double height = 6.0 * sin(0.05 * x) * cos(0.04 * z) + 1.5 * sin(0.31 * x + 0.2 * z);
            vertex[(size_t)z * points + (size_t)x] = (dry_vec3){
                (float)(x - side / 2), (float)(height + uniform(-0.1, 0.1)), (float)(z - side / 2)};
        }
    for (int z = 0; z < side; ++z)
        for (int x = 0; x < side; ++x) {
            const int32_t a = z * (side + 1) + x, b = a + 1, c = a + side + 1, d = c + 1;
            const int32_t cell[6] = {a, c, b, b, c, d};
            memcpy(next, cell, sizeof cell);
            next += 6;
        }
    return (dry_mesh){vertex, triangle, (int32_t)vertices, 2 * side * side};
}

/* Draws rays: across the ground from above, of a camera at its border, and short ones close to the ground. */
static void draw_rays(int kind, double extent, dry_ray *rays, int count)
{
    const int wide = (int)ceil(sqrt((double)count));
    for (int i = 0; i < count; ++i) {
        double from[3], to[3];
        for (int k = 0; k < 3; k += 2) {
            from[k] = uniform(-extent, extent);
            to[k] = uniform(-extent, extent);
        }
        from[1] = uniform(10.0, 80.0);
        to[1] = uniform(-6.0, 6.0);
        if (kind == 1) {
            const double camera[3] = {0.0, 60.0, -extent};
            memcpy(from, camera, sizeof from);
            to[0] = 600.0 * (i % wide - 0.5 * wide) / wide;
            to[1] = 48.0 - 500.0 * (double)(i / wide) / wide;
            to[2] = 600.0 - extent;
        } else if (kind == 2) {
            from[1] = uniform(9.0, 12.0);
            to[0] = from[0] + uniform(-60.0, 60.0);
            to[1] = uniform(-4.0, 10.0);
            to[2] = from[2] + uniform(-60.0, 60.0);
        }
        const double over = kind == 0 ? 1.5 : 1.0;
        rays[i] =
            (dry_ray){.origin = {(double)(float)from[0], (double)(float)from[1], (double)(float)from[2]},
                      .mask = UINT64_MAX};
        rays[i].translation = (dry_vec3){(float)(over * (to[0] - from[0])), (float)(over * (to[1] - from[1])),
                                         (float)(over * (to[2] - from[2]))};
    }
}

/* Drystone. */

static dry_world *world;
static double build_s, load_s, bytes;

static bool measure_data(const dry_mesh *mesh, dry_shape_data **data)
{
    dry_shape_data *loaded = NULL;
    size_t size = 0;
    double begin = processor_seconds();
    if (dry_mesh_create(mesh, NULL, NULL, data, NULL) != DRY_OK)
        return false;
    build_s = processor_seconds() - begin;
    dry_shape_data_save(*data, NULL, 0, &size);
    void *saved = aligned_alloc(64, (size + 63) / 64 * 64);
    bytes = (double)size;
    bool is_good = saved && dry_shape_data_save(*data, saved, size, &size) == DRY_OK;
    begin = processor_seconds();
    is_good = is_good && dry_shape_data_load(saved, size, NULL, &loaded) == DRY_OK;
    load_s = processor_seconds() - begin;
    if (loaded)
        dry_shape_data_release(loaded);
    free(saved);
    return is_good;
}

static bool make_world(const dry_mesh *mesh)
{
    dry_shape_data *data = NULL;
    dry_world_def settings = dry_default_world_def();
    dry_body_def body = dry_default_body_def();
    dry_shape_def shape = dry_default_shape_def();
    dry_body_id id;
    dry_shape_id shape_id;
    settings.threads = 1;
    body.type = DRY_BODY_STATIC;
    shape.type = DRY_SHAPE_MESH;
    if (!measure_data(mesh, &data) || dry_world_create(&settings, &world) != DRY_OK)
        return false;
    shape.data = data;
    const bool is_good = dry_world_create_body(world, &body, &id) == DRY_OK &&
                         dry_body_create_shape(world, id, &shape, &shape_id) == DRY_OK;
    dry_shape_data_release(data);
    return is_good && dry_world_step(world, 1.0f / 60.0f) == DRY_OK;
}

static void end_world(void)
{
    dry_world_destroy(world);
    world = NULL;
}

static void cast_single(const dry_ray *rays, int count, float *fractions)
{
    for (int i = 0; i < count; ++i) {
        dry_ray_hit hit;
        dry_world_cast_ray(world, &rays[i], &hit);
        fractions[i] = hit.shape.bits ? hit.fraction : 2.0f;
    }
}

static void cast_batch(const dry_ray *rays, int count, float *fractions)
{
    enum { BATCH = 4096 };
    static dry_ray_hit hits[BATCH];
    for (int i = 0; i < count; i += BATCH) {
        const int part = count - i < BATCH ? count - i : BATCH;
        dry_world_cast_rays(world, part, rays + i, hits);
        for (int k = 0; k < part; ++k)
            fractions[i + k] = hits[k].shape.bits ? hits[k].fraction : 2.0f;
    }
}

static bool keep_world(const dry_mesh *mesh)
{
    (void)mesh;
    return world != NULL;
}

static void leave_world(void)
{
}

static const ray_way our_rays = {"Drystone, one by one", make_world, cast_single, end_world};
static const ray_way our_batch = {"Drystone, batches", keep_world, cast_batch, leave_world};

static const ray_way *const ways[] = {
    &our_rays,
    &our_batch,
#ifdef HAVE_EMBREE
    &embree_rays,
    &embree_packets,
#endif
};
enum { WAYS = sizeof ways / sizeof *ways };

/* Counts the rays whose fractions differ by more than rounding. */
static int count_others(const float *a, const float *b, int count)
{
    int others = 0;
    for (int i = 0; i < count; ++i)
        others += fabs((double)a[i] - (double)b[i]) > 1e-4;
    return others;
}

/* Measures all ways on one kind of rays. Returns false if their answers differ. */
static bool measure_kind(const options *o, int kind, const dry_ray *rays, float *fractions, json_t *rows)
{
    const size_t count = (size_t)o->rays;
    double least[WAYS];
    bool is_good = true;
    for (int turn = 0; turn < o->turns; ++turn)
        for (int i = 0; i < WAYS; ++i) {
            const double begin = processor_seconds();
            ways[i]->cast(rays, o->rays, fractions + (size_t)i * count);
            const double took = processor_seconds() - begin;
            least[i] = turn == 0 || took < least[i] ? took : least[i];
        }
    for (int i = 0; i < WAYS; ++i) {
        const double rate = 1e-6 * (double)o->rays / least[i];
        const int others = count_others(fractions, fractions + (size_t)i * count, o->rays);
        printf("%-8s%-22s%10.3f%10.2f%8d\n", kind_names[kind], ways[i]->name, rate, least[0] / least[i],
               others);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f, s:i}", "rays", kind_names[kind], "way",
                                              ways[i]->name, "million_per_s", rate, "of_single",
                                              least[0] / least[i], "elsewhere", others));
        is_good = is_good && others <= o->rays / 1000;
    }
    return is_good && memcmp(fractions, fractions + count, count * sizeof *fractions) == 0;
}

static bool parse(options *o, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--triangles") == 0)
            o->triangles = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--rays") == 0)
            o->rays = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--turns") == 0)
            o->turns = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--report") == 0)
            o->report = argv[i + 1];
        else
            return false;
    }
    return argc % 2 == 1 && o->triangles >= 2 && o->triangles <= 1 << 24 && o->rays >= 1 && o->turns >= 1;
}

int main(int argc, char **argv)
{
    options o = {.triangles = 1000000, .rays = 1 << 16, .turns = 7};
    if (!parse(&o, argc, argv)) {
        fprintf(stderr, "usage: rays [--triangles N] [--rays N] [--turns N] [--report FILE]\n");
        return 2;
    }
    const int side = (int)ceil(sqrt(0.5 * (double)o.triangles));
    const dry_mesh mesh = make_ground(side);
    dry_ray *rays = malloc((size_t)o.rays * sizeof *rays);
    float *fractions = malloc(WAYS * (size_t)o.rays * sizeof *fractions);
    json_t *rows = json_array();
    bool is_good = rays && fractions && rows;
    for (int i = 0; i < WAYS && is_good; ++i)
        is_good = ways[i]->make(&mesh);
    if (is_good)
        printf("%d triangles: build %.3f s, load %.3f of it, %.1f bytes a triangle\n", mesh.triangle_count,
               build_s, load_s / build_s, bytes / mesh.triangle_count);
    printf("%-8s%-22s%10s%10s%8s\n", "rays", "way", "million/s", "of single", "others");
    for (int kind = 0; kind < KINDS && is_good; ++kind) {
        draw_rays(kind, 0.49 * side, rays, o.rays);
        is_good = measure_kind(&o, kind, rays, fractions, rows);
    }
    json_t *report = json_pack("{s:i, s:i, s:f, s:f, s:f, s:o}", "triangles", mesh.triangle_count, "rays",
                               o.rays, "build_s", build_s, "load_of_build", load_s / build_s,
                               "bytes_per_triangle", bytes / mesh.triangle_count, "rows", rows);
    if (o.report && (!report || json_dump_file(report, o.report, JSON_INDENT(1)) != 0))
        is_good = false;
    for (int i = WAYS - 1; i >= 0; --i)
        ways[i]->end();
    json_decref(report);
    free(rays);
    free(fractions);
    if (!is_good)
        fprintf(stderr, "rays: answers differ, or memory ran out\n");
    return is_good ? 0 : 1;
}

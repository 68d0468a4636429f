/* A heap of boxes that falls onto a floor: time of its steps, and of queries between them, which find their
 * shapes through trees that many boxes have just left.
 *
 *   falling [BODIES [STEPS]]     10,000 and 120 by default
 *
 * Every tenth step is followed by 500 queries of each kind. Processor time, one thread. */
#define _POSIX_C_SOURCE 200809L

#include "tools/scenes/random.h"

#include <drystone/drystone.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { QUERIES = 500, SHAPES = 32, KINDS = 4 };

typedef struct fall {
    dry_world *world;
    double extent; /* half of the heap's width, m */
    uint64_t random;
    double seconds[KINDS];
    int made; /* queries of each kind */
} fall;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(dry_result result)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "falling: %s\n", dry_result_name(result));
    exit(1);
}

static void add_box(dry_world *world, dry_body_type type, dry_pose pose, dry_vec3 half)
{
    dry_shape_def shape = dry_default_shape_def();
    dry_body_def body = dry_default_body_def();
    dry_body_id id;
    shape.type = DRY_SHAPE_BOX;
    shape.half_extents = half;
    body.type = type;
    body.pose = pose;
    body.shapes = &shape;
    body.shape_count = 1;
    check(dry_world_create_body(world, &body, &id));
}

static fall make_heap(int bodies)
{
    const int side = (int)ceil(cbrt(bodies));
    dry_world_def def = dry_default_world_def();
    fall f = {.extent = 0.65 * side, .random = 67};
    def.threads = 1;
    check(dry_world_create(&def, &f.world));
    add_box(f.world, DRY_BODY_STATIC, (dry_pose){{0, -1, 0}, {0, 0, 0, 1}}, (dry_vec3){200, 1, 200});
    for (int i = 0; i < bodies; ++i) {
        const double x = 1.3 * (i % side - side / 2), z = 1.3 * (i / side % side - side / 2);
        double q[4], length = 0;
        for (int k = 0; k < 4; ++k) {
            q[k] = dry_random_signed(&f.random);
            length += q[k] * q[k];
        }
        length = sqrt(length);
        const dry_quat turned = {(float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length),
                                 (float)(q[3] / length)};
        const dry_position at = {x + 0.1 * dry_random_signed(&f.random), 1 + 1.3 * (i / side / side),
                                 z + 0.1 * dry_random_signed(&f.random)};
        add_box(f.world, DRY_BODY_DYNAMIC, (dry_pose){at, turned}, (dry_vec3){0.5f, 0.5f, 0.5f});
    }
    return f;
}

static void query(fall *f)
{
    static dry_ray ray[QUERIES];
    static dry_cast_query cast[QUERIES];
    static dry_overlap overlap[QUERIES];
    static dry_closest_query closest[QUERIES];
    dry_shape_def ball = dry_default_shape_def();
    dry_shape_id found[SHAPES];
    int count;
    ball.type = DRY_SHAPE_SPHERE;
    ball.radius = 0.3f;
    for (int i = 0; i < QUERIES; ++i) {
        double d[8];
        for (int k = 0; k < 8; ++k)
            d[k] = f->extent * dry_random_signed(&f->random);
        const dry_position above = {d[0], 2.5 * f->extent, d[1]};
        const dry_pose within = {{d[2], fabs(d[3]), d[4]}, {0, 0, 0, 1}};
        const dry_vec3 way = {(float)d[5], (float)(-3 * f->extent), (float)d[6]};
        ray[i] = (dry_ray){.origin = above, .translation = way, .mask = UINT64_MAX};
        cast[i] = (dry_cast_query){
            .shape = &ball, .pose = {above, {0, 0, 0, 1}}, .translation = way, .mask = UINT64_MAX};
        overlap[i] = (dry_overlap){.pose = within, .radius = 0.5f, .mask = UINT64_MAX};
        closest[i] = (dry_closest_query){.pose = within, .max_distance = 2, .mask = UINT64_MAX};
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        const double began = processor_seconds();
        for (int i = 0; i < QUERIES; ++i) {
            dry_ray_hit ray_hit;
            dry_cast_hit cast_hit;
            dry_closest_hit closest_hit;
            check(kind == 0   ? dry_world_cast_ray(f->world, &ray[i], &ray_hit)
                  : kind == 1 ? dry_world_cast_shape(f->world, &cast[i], &cast_hit)
                  : kind == 2 ? dry_world_overlap(f->world, &overlap[i], found, SHAPES, &count)
                              : dry_world_closest(f->world, &closest[i], &closest_hit));
        }
        f->seconds[kind] += processor_seconds() - began;
    }
    f->made += QUERIES;
}

int main(int argc, char **argv)
{
    const int bodies = argc > 1 ? atoi(argv[1]) : 10000, steps = argc > 2 ? atoi(argv[2]) : 120;
    if (bodies < 1 || steps < 10) {
        fprintf(stderr, "usage: falling [BODIES [STEPS]], at least 10 steps\n");
        return 2;
    }
    fall f = make_heap(bodies);
    double spent = 0, prepare = 0, manifolds = 0;
    for (int i = 1; i <= steps; ++i) {
        const double began = processor_seconds();
        check(dry_world_step(f.world, 1.0f / 60));
        spent += processor_seconds() - began;
        const dry_statistics s = dry_world_statistics(f.world);
        prepare += 1e6 * s.stage_ms[DRY_STAGE_PREPARE];
        manifolds += s.manifolds;
        if (i % 10 == 0)
            query(&f);
    }
    printf("step %.2f ms; prepare %.0f ns a manifold; us a query: ray %.2f, cast %.2f, overlap %.2f, closest "
           "%.2f\n",
           1e3 * spent / steps, manifolds > 0 ? prepare / manifolds : 0, 1e6 * f.seconds[0] / f.made,
           1e6 * f.seconds[1] / f.made, 1e6 * f.seconds[2] / f.made, 1e6 * f.seconds[3] / f.made);
    dry_world_destroy(f.world);
    return 0;
}

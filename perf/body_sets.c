/* Makes bodies for the kernel benchmarks (body_sets.h): cubes of 1,000 kg, each with its shape, in the order
 * of their rows as finalize has them. Columns that the kernels do not read do not exist. */
#include "perf/body_sets.h"

#include <stdlib.h>

/* Numbers of bodies: about 0.5 MiB of columns for L2, 8 MB for L3, 80 MB for MEMORY. */
static const int counts[SET_SIZES] = {64, 1600, 28000, 280000};

static void fill_body(body_set *set, int i, uint64_t *seed)
{
    dry_bodies *bodies = &set->bodies;
    dry_quat q = {bench_random_in(seed, -1, 1), bench_random_in(seed, -1, 1), bench_random_in(seed, -1, 1),
                  bench_random_in(seed, 0.1f, 1)};
    bodies->pose[i] = (dry_body_pose){{i % 100, 0.5, (double)(i / 100)}, quat_normalize(q)};
    float *velocity = &bodies->velocity[i].linear.x;
    for (int k = 0; k < 6; k++)
        velocity[k] = bench_random_in(seed, -0.5f, 0.5f);
    bodies->mass[i] = (dry_body_mass){1e-3f, {6e-3f, 6e-3f, 6e-3f}};
    bodies->properties[i] = (dry_body_properties){.gravity_scale = 1.0f};
    set->form[i] = (dry_shape_form){.geometry = {{0.5f, 0.5f, 0.5f}, DRY_SHAPE_BOX},
                                    .pose.orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
}

/* Gives the rows displacements and velocities as a solved step leaves them. */
static void move_rows(body_set *set, uint64_t *seed)
{
    for (int i = 1; i <= set->count; i++) {
        dry_solver_row *row = &set->last_rows[i];
        *row = set->rows[i];
        for (int k = 0; k < 6; k++) {
            row->u[k] += bench_random_in(seed, -1, 1);
            row->d[k] = bench_random_in(seed, -0.1f, 0.1f);
        }
    }
}

body_set *body_set_make(set_size size)
{
    body_set *set = bench_allocate(sizeof *set);
    set->size = size;
    set->count = counts[size];
    size_t count = (size_t)set->count;
    set->bodies.count = set->bodies.awake_count = set->bodies.capacity = set->count;
    set->bodies.pose = bench_allocate(count * sizeof *set->bodies.pose);
    set->bodies.velocity = bench_allocate(count * sizeof *set->bodies.velocity);
    set->bodies.mass = bench_allocate(count * sizeof *set->bodies.mass);
    set->bodies.properties = bench_allocate(count * sizeof *set->bodies.properties);
    set->form = bench_allocate(count * sizeof *set->form);
    set->rows = bench_allocate((count + 1) * sizeof *set->rows);
    set->last_rows = bench_allocate((count + 1) * sizeof *set->last_rows);
    set->start = bench_allocate(count * sizeof *set->start);
    uint64_t seed = 3;
    for (int i = 0; i < set->count; i++)
        fill_body(set, i, &seed);
    dry_vec3 gravity = {0.0f, -9.81f, 0.0f};
    float dt = 1.0f / 60.0f;
    set->begin = (dry_body_begin){&set->bodies, set->rows, set->start, gravity, dt, dt / 4};
    set->finish = (dry_body_finish){&set->bodies, set->last_rows, gravity, dt};
    body_set_run(set, dry_body_kernels_at(DRY_LEVEL_SCALAR), true, set->count, NULL);
    move_rows(set, &seed);
    return set;
}

void body_set_free(body_set *set)
{
    if (!set)
        return;
    free(set->bodies.pose);
    free(set->bodies.velocity);
    free(set->bodies.mass);
    free(set->bodies.properties);
    free(set->form);
    free(set->rows);
    free(set->last_rows);
    free(set->start);
    free(set);
}

static void begin_all(body_set *set, const dry_body_kernels *kernels, int end, uint64_t *hash)
{
    dry_body_squares squares;
    dry_begin_block block = {.any_locked = false};
    for (int first = 0; first < end; first += DRY_BUNDLE) {
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            block.row[lane] = first + lane;
        kernels->bodies_begin(&set->begin, &block, &squares);
        if (hash)
            *hash = bench_hash(*hash, &squares, sizeof squares);
    }
    if (hash) {
        *hash = bench_hash(*hash, set->rows, (size_t)(end + 1) * sizeof *set->rows);
        *hash = bench_hash(*hash, set->start, (size_t)end * sizeof *set->start);
    }
}

static void finish_all(body_set *set, const dry_body_kernels *kernels, int end, uint64_t *hash)
{
    dry_body_motion motion;
    dry_finish_block block = {.any_free = false};
    for (int first = 0; first < end; first += DRY_BUNDLE) {
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            block.row[lane] = first + lane;
            block.form[lane] = &set->form[first + lane];
        }
        kernels->bodies_finish(&set->finish, &block, &motion);
        if (hash)
            *hash = bench_hash(*hash, &motion, sizeof motion);
    }
}

void body_set_run(body_set *set, const dry_body_kernels *kernels, bool begins, int end, uint64_t *hash)
{
    if (begins)
        begin_all(set, kernels, end, hash);
    else
        finish_all(set, kernels, end, hash);
}

double body_bytes(bool begins)
{
    size_t read = sizeof(dry_body_pose) + sizeof(dry_body_velocity) + sizeof(dry_body_mass) +
                  sizeof(dry_body_properties);
    return (double)(read + sizeof(dry_solver_row) +
                    (begins ? sizeof(dry_start_row) : sizeof(dry_shape_form)));
}

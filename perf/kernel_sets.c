/* Sets of bundles for the kernel benchmarks, from worlds that took a few steps and begin another.
 *
 * Contacts are those of a pyramid, whose rows are as near to each other as a real scene's; joints those of a
 * square net of spheres, four a body. Gathers therefore miss as they do in a step.
 *
 * Points are ball joints. Blocks are cone-twist joints without limits: the same three rows, so that the two
 * kernels compare. Axes are those of hinges with a motor, friction and two stops: one row with four parts. */
#include "perf/kernel_sets.h"

#include "perf/prepared_world.h"
#include "solver/bodies/begin.h"
#include "solver/data/constraint.h"
#include "solver/methods/method.h"
#include "solver/stages/stages.h"
#include "solver/sweeps/contacts/prepare.h"
#include "solver/sweeps/fill.h"
#include "solver/sweeps/passes.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, JOINTS_A_BODY = 4 };

/* Base of the pyramid, or side of the net. L2: about half a MiB of bundles, L3: 8 MB, MEMORY: 80 MB. */
static int side_of(kernel_kind kind, set_size size)
{
    static const int sides[][SET_SIZES] = {
        [KERNEL_POINT] = {5, 23, 97, 306}, [KERNEL_LINE] = {5, 34, 141, 447},
        [KERNEL_BLOCK] = {5, 15, 60, 190}, [KERNEL_AXES] = {5, 9, 35, 109},
        [KERNEL_QUAD] = {5, 55, 220, 690}, [KERNEL_CONTACT] = {8, 30, 136, 430}};
    return sides[kind][size];
}

/* The joint of a net: hinges turn about z, and their frames' x axes are along it. */
static dry_joint_def joint_of(kernel_kind kind)
{
    static const dry_joint_type types[] = {[KERNEL_POINT] = DRY_JOINT_BALL,
                                           [KERNEL_LINE] = DRY_JOINT_DISTANCE,
                                           [KERNEL_BLOCK] = DRY_JOINT_CONE_TWIST,
                                           [KERNEL_AXES] = DRY_JOINT_HINGE};
    dry_joint_def joint = dry_default_joint_def(types[kind]);
    if (kind == KERNEL_AXES) {
        joint.orientation_a = joint.orientation_b = (dry_quat){0.0f, -0.70710678f, 0.0f, 0.70710678f};
        dry_joint_axis *axis = &joint.axes[DRY_AXIS_RX];
        axis->min = -0.01f, axis->max = 0.01f;
        axis->motor = DRY_MOTOR_VELOCITY;
        axis->velocity = 1.0f;
        axis->force_max = 0.1f;
        axis->friction = 0.1f;
    }
    return joint;
}

/* Joins the four spheres of a cell; the last one's point lies above it. */
static void add_volume(dry_world *world, const dry_body_id id[4])
{
    dry_volume_def def = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME), .body_c = id[2], .body_d = id[3]};
    def.joint.body_a = id[0];
    def.joint.body_b = id[1];
    def.joint.volume = 1.0f / 6.0f;
    def.anchor_d = (dry_vec3){0.0f, 0.0f, 1.0f};
    dry_joint_id joint;
    bench_check(dry_world_create_volumes(world, 1, &def, &joint), "net");
}

/* A square net, 1 m apart, in a plane; each sphere is jointed to the next ones right, up and aslant, or each
 * cell keeps a volume. */
static dry_world *make_net(kernel_kind kind, int side)
{
    dry_world_def def = bench_world_def(1);
    def.settings.substeps = 4;
    def.settings.gravity = (dry_vec3){0.0f, 0.0f, 0.0f};
    def.body_capacity = side * side;
    dry_world *world;
    bench_check(dry_world_create(&def, &world), "net");

    dry_shape_def sphere = dry_default_shape_def();
    sphere.type = DRY_SHAPE_SPHERE;
    sphere.radius = 0.1f;
    dry_body_def body = dry_default_body_def();
    body.type = DRY_BODY_DYNAMIC;
    body.shapes = &sphere;
    body.shape_count = 1;
    dry_body_id *ids = bench_allocate((size_t)(side * side) * sizeof *ids);
    uint64_t seed = 1;
    for (int i = 0; i < side * side; i++) {
        body.pose.position.x = i % side;
        body.pose.position.y = (double)(i / side);
        body.velocity.linear = (dry_vec3){bench_random_in(&seed, -1, 1), bench_random_in(&seed, -1, 1), 0};
        bench_check(dry_world_create_body(world, &body, &ids[i]), "net");
    }
    const int next[JOINTS_A_BODY][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    dry_joint_def joint = joint_of(kind);
    for (int i = 0; i < side * side; i++)
        for (int k = 0; k < JOINTS_A_BODY; k++) {
            int dx = next[k][0], dy = next[k][1], x = i % side + dx, y = i / side + dy;
            if (x < 0 || x >= side || y >= side)
                continue;
            if (kind == KERNEL_QUAD) {
                if (k == 2)
                    add_volume(world,
                               (const dry_body_id[]){ids[i], ids[i + 1], ids[i + side], ids[i + side + 1]});
                continue;
            }
            joint.body_a = ids[i];
            joint.body_b = ids[y * side + x];
            if (kind == KERNEL_LINE) {
                joint.length = dx && dy ? 1.41421356f : 1.0f;
            } else {
                joint.anchor_a = (dry_vec3){0.5f * (float)dx, 0.5f * (float)dy, 0.0f};
                joint.anchor_b = (dry_vec3){-0.5f * (float)dx, -0.5f * (float)dy, 0.0f};
            }
            dry_joint_id id;
            bench_check(dry_world_create_joint(world, &joint, &id), "net");
        }
    free(ids);
    for (int i = 0; i < STEPS; i++)
        bench_check(dry_world_step(world, 1.0f / 60.0f), "net");
    return world;
}

/* As the solver sweeps with the default settings. */
static dry_sweep sweep_of_defaults(float h)
{
    const dry_settings settings = dry_default_settings();
    dry_sweep sweep = dry_sweep_of(dry_method_of(&settings), &settings, h, FLT_MAX);
    sweep.time = h;
    sweep.acceleration_time = -h;
    return sweep;
}

static void *hold(kernel_set *set, size_t bytes)
{
    void *block = dry_memory_allocate(&set->memory, bytes, DRY_CACHE_LINE);
    bench_check(block || bytes == 0 ? DRY_OK : DRY_ERROR_MEMORY, "bundles");
    if (block)
        memset(block, 0, bytes);
    set->held[set->held_count].block = block;
    set->held[set->held_count++].bytes = bytes;
    return block;
}

static void *copy_of(kernel_set *set, const void *data, int count, size_t bytes)
{
    void *copy = hold(set, (size_t)count * bytes);
    if (copy)
        memcpy(copy, data, (size_t)count * bytes);
    return copy;
}

/* Finds what each bundle is prepared from, as the solver does. */
static void find_sources(kernel_set *set, const dry_solver_step *step)
{
    set->sources = hold(set, (size_t)set->bundles * sizeof *set->sources);
    set->prepare = dry_contact_prepare_of(step);
    for (int tier = 0; tier < step->state->plan.range_count; tier++) {
        const dry_tier_range *range = &step->state->plan.ranges[tier];
        const dry_bundle_range bundles = dry_tier_bundles(step->state, range, DRY_KIND_CONTACT);
        for (int b = bundles.begin; b < bundles.end; b++)
            (void)dry_contact_find_source(step, &set->prepare, b, step->dt / (float)range->substeps,
                                          &set->sources[b], (dry_contact_bundle *)set->work.bundles + b);
    }
    set->prepare.rows = set->work.rows;
}

static double lanes_used(const kernel_set *set)
{
    double used = 0.0;
    for (int b = 0; b < set->bundles; b++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++)
            used += set->saved.members[b].index[lane] >= 0;
    return used;
}

/* Fills the past of a bundle whose impulses have fallen by a third, and go on to. */
static void fill_past(dry_contact_past *past, const dry_contact_bundle *c)
{
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        for (int k = 0; k < 2; k++)
            past->impulse[k][lane] = 1.5f * (c->impulse[2 * k][lane] + c->impulse[2 * k + 1][lane]);
        past->sustained[lane] = 0.0f;
        past->fall[lane] = 0.5f;
    }
}

kernel_set *kernel_set_make(kernel_kind kind, set_size size)
{
    kernel_set *set = bench_allocate(sizeof *set);
    dry_memory_init(&set->memory, (dry_allocator){0});
    set->kind = kind;
    set->size = size;
    int side = side_of(kind, size);
    if (kind == KERNEL_CONTACT) {
        dry_world_def def = bench_world_def(0);
        set->made = bench_world_make("pyramid", side, STEPS, &def);
    } else {
        set->made.world = make_net(kind, side);
    }
    dry_world *world = set->made.world;
    const dry_solver_state *s = &world->solver;
    prepare_world(world, 1.0f / 60.0f);
    dry_solver_step step = dry_solver_step_of(world, 1.0f / 60.0f);
    dry_solver_begin_bodies(&step);
    bench_check(dry_solver_prepare(&step, &world->memory) ? DRY_OK : DRY_ERROR_MEMORY, "bundles");
    for (int r = 0; r < s->plan.range_count; r++)
        if (dry_solver_begins_in_substeps(&s->plan.ranges[r]))
            dry_solver_begin_joints(&step, &s->plan.ranges[r]);
    set->rows = world->bodies.awake_count + 1;
    set->bundle_bytes = dry_constraint_kinds[kind]->bundle_bytes;
    const dry_bundle_array *array = &s->sweeps.bundles[kind];
    for (int copy = 0; copy < 2; copy++) {
        kernel_arrays *to = copy ? &set->saved : &set->work;
        to->rows = copy_of(set, s->bodies.rows, set->rows, sizeof *s->bodies.rows);
        to->sums = hold(set, (size_t)set->rows * sizeof *to->sums);
        to->bundles = copy_of(set, array->bundle, array->count, set->bundle_bytes);
        to->members = copy_of(set, array->members, array->count, sizeof *array->members);
        if (kind == KERNEL_CONTACT) {
            to->headers = copy_of(set, s->sweeps.headers, array->count, sizeof *s->sweeps.headers);
            to->cold = hold(set, ((size_t)array->count + 1) * sizeof *to->cold);
            for (int b = 0; b < array->count; b++)
                to->cold[b + 1] = s->sweeps.cold[s->sweeps.headers[b].cold];
            to->past = hold(set, (size_t)array->count * sizeof *to->past);
            for (int b = 0; b < array->count; b++) {
                fill_past(&to->past[b], (const dry_contact_bundle *)to->bundles + b);
                to->headers[b].falls = true;
            }
        }
    }
    set->bundles = array->count;
    set->items = lanes_used(set);
    set->sweep = sweep_of_defaults(1.0f / 720.0f);
    set->sweep.rows = set->work.rows;
    set->sweep.sums = set->work.sums;
    set->sweep.start = copy_of(set, s->bodies.start, set->rows - 1, sizeof *s->bodies.start);
    set->sweep.headers = set->work.headers;
    set->sweep.cold = set->work.cold;
    set->sweep.impact = s->sweeps.impact;
    set->sweep.compliance = s->sweeps.compliance;
    set->sweep.past = set->work.past;
    /* As a step's sweeps do: beyond 8 MiB they fetch bundles, and rows only in tiers of one partition. */
    set->sweep.prefetch_end = size == SET_MEMORY ? set->bundles : 0;
    if (kind == KERNEL_CONTACT) {
        find_sources(set, &step);
    } else {
        dry_world_destroy(set->made.world);
        set->made.world = NULL;
    }
    return set;
}

void kernel_set_free(kernel_set *set)
{
    if (!set)
        return;
    for (int i = 0; i < set->held_count; i++)
        dry_memory_release(&set->memory, set->held[i].block, set->held[i].bytes);
    bench_world_free(&set->made);
    free(set);
}

static void restore_cold(kernel_set *set, cold_use use)
{
    size_t bundles = (size_t)set->bundles;
    const kernel_arrays *from = &set->saved;
    memcpy(set->work.past, from->past, bundles * sizeof *from->past);
    for (size_t b = 0; b < bundles; b++)
        set->work.headers[b].cold = use == COLD_SHARED ? 0 : (int32_t)b + 1;
    if (use == COLD_SHARED)
        return;
    memcpy(set->work.cold, from->cold, (bundles + 1) * sizeof *from->cold);
}

void kernel_set_restore(kernel_set *set, cold_use use)
{
    size_t bundles = (size_t)set->bundles, rows = (size_t)set->rows;
    const kernel_arrays *from = &set->saved;
    memcpy(set->work.bundles, from->bundles, bundles * set->bundle_bytes);
    if (set->kind == KERNEL_CONTACT)
        restore_cold(set, use);
    memcpy(set->work.rows, from->rows, rows * sizeof *from->rows);
    memcpy(set->work.sums, from->sums, rows * sizeof *from->sums);
}

uint64_t kernel_set_hash(const kernel_set *set)
{
    size_t bundles = (size_t)set->bundles, rows = (size_t)set->rows;
    const kernel_arrays *work = &set->work;
    uint64_t hash = BENCH_HASH_BEGIN;
    hash = bench_hash(hash, work->bundles, bundles * set->bundle_bytes);
    if (set->kind == KERNEL_CONTACT && work->headers[0].cold)
        hash = bench_hash(hash, work->cold, (bundles + 1) * sizeof *work->cold);
    hash = bench_hash(hash, work->rows, rows * sizeof *work->rows);
    return bench_hash(hash, work->sums, rows * sizeof *work->sums);
}

size_t kernel_set_bytes(const kernel_set *set)
{
    return (size_t)set->bundles * set->bundle_bytes + (size_t)set->rows * sizeof(dry_solver_row);
}

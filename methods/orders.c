/* Orders of sweeps other than the default one: always forward, by layers along gravity, shuffled.
 *
 * By layers along gravity loads are handed from body to body within one sweep [Spook, notes on Gauss-Seidel].
 * A tier's partitions are then layers, from the lowest to the highest.
 *
 * Each island is cut into bands of bodies from its own lowest body up. A band is as high as bodies that touch
 * or are joined lie above each other in the mean. Layers alternate between what acts within a band and what
 * acts between two: with n bands, layer 2 i + 1 is within band i, layer 2 i between band i - 1 and band i.
 * Constraints with what no impulse moves are in the layer below or above their body's band.
 *
 * Reads poses, islands with their edges, active joints, manifolds. Writes dry_solver_state.plan.slabs.slab,
 * the band of each row, and .layers. Called in each step: no memory of old poses enters the order. */
#include "methods/methods.h"

#include "narrowphase/manifold.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/islands.h"
#include "state/hash_mix.h"

#include <float.h>
#include <math.h>

enum { BANDS_MAX = 256 };

/* Bodies that touch are one above the other if their heights differ by more than this share of the smaller
 * one's bounding radius. */
#define RISE_LEAST 0.1

typedef struct dry_island_layers {
    double low;    /* height of the lowest body, m */
    double rise;   /* sum of the differences in height of bodies one above the other, m; then their mean */
    int32_t pairs; /* such bodies */
    int32_t bands;
} dry_island_layers;

/* Returns the direction against gravity; 0 without gravity. */
static dry_double3 up_of(const dry_settings *settings)
{
    const dry_double3 g = double3_of(settings->gravity);
    const double length = sqrt(double3_dot(g, g)), scale = length > 0.0 ? -1.0 / length : 0.0;
    return (dry_double3){scale * g.x, scale * g.y, scale * g.z};
}

static double height_of(const dry_solver_step *step, const dry_double3 *up, int row)
{
    const dry_position *p = &step->bodies->pose[row].position;
    return double3_dot(*up, (dry_double3){p->x, p->y, p->z});
}

/* Adds what two bodies of a constraint say of their island's bands. */
static void measure_pair(const dry_solver_step *step, const dry_double3 *up, int row_a, int row_b)
{
    if (row_a < 0 || row_b < 0)
        return;
    const double rise = fabs(height_of(step, up, row_a) - height_of(step, up, row_b));
    const float radius = dry_min(step->bodies->state[row_a].radius, step->bodies->state[row_b].radius);
    dry_island_layers *island = &step->state->plan.layers[step->bodies->sleep[row_a].island];
    if (rise > RISE_LEAST * (double)radius)
        island->rise += rise, island->pairs++;
}

static void measure_islands(const dry_solver_step *step, const dry_double3 *up)
{
    for (int i = 0; i < step->islands->count; i++)
        step->state->plan.layers[i] = (dry_island_layers){.low = DBL_MAX, .bands = 1};
    for (int row = 0; row < step->bodies->awake_count; row++)
        if (step->bodies->sleep[row].island >= 0) {
            dry_island_layers *island = &step->state->plan.layers[step->bodies->sleep[row].island];
            island->low = fmin(island->low, height_of(step, up, row));
        }
    for (int i = 0; i < step->islands->edge_count; i++)
        measure_pair(step, up, step->islands->edge[i].row_a, step->islands->edge[i].row_b);
    for (int i = 0; i < step->joints->active_count; i++) {
        int row[DRY_JOINT_SIDES];
        const int count = dry_joint_rows_of(step, step->joints->active[i], row);
        for (int k = 1; k < count; k++)
            measure_pair(step, up, row[0], row[k]);
    }
    for (int i = 0; i < step->islands->count; i++)
        if (step->state->plan.layers[i].pairs > 0)
            step->state->plan.layers[i].rise /= (double)step->state->plan.layers[i].pairs;
}

/* Finds the band of each row. */
static void find_bands(const dry_solver_step *step, const dry_double3 *up)
{
    for (int row = 0; row < step->bodies->awake_count; row++) {
        const int index = step->bodies->sleep[row].island;
        step->state->plan.slabs.slab[row] = 0;
        if (index < 0)
            continue;
        dry_island_layers *island = &step->state->plan.layers[index];
        if (island->pairs == 0)
            continue;
        const double band = (height_of(step, up, row) - island->low) / island->rise + 0.5;
        const int at = (int)fmin(fmax(band, 0.0), (double)(BANDS_MAX - 1));
        step->state->plan.slabs.slab[row] = (uint16_t)at;
        island->bands = dry_max_int(island->bands, at + 1);
    }
}

static bool find_layers(dry_solver_step *step, dry_memory *memory, int partitions[DRY_RANGE_COUNT])
{
    dry_solver_state *s = step->state;
    s->plan.slabs.rows = 0; /* rows have bands now */
    if (!DRY_RESERVE(memory, s->plan.slabs.slab, s->plan.slabs.capacity, step->bodies->awake_count) ||
        !DRY_RESERVE(memory, s->plan.layers, s->plan.layers_capacity, step->islands->count))
        return false;
    const dry_double3 up = up_of(step->settings);
    measure_islands(step, &up);
    find_bands(step, &up);
    for (int tier = 0; tier < s->plan.range_count; tier++) {
        partitions[tier] = 0;
        s->plan.ranges[tier].partitions_apart = false;
        s->plan.ranges[tier].layered = true;
    }
    for (int i = 0; i < step->islands->count; i++) {
        dry_island *island = &step->islands->island[i];
        island->partition = 0;
        const int range = dry_island_range(island);
        partitions[range] = dry_max_int(partitions[range], 2 * s->plan.layers[i].bands + 1);
    }
    return true;
}

/* Returns the layer of what acts on the bodies of two rows; -1: no impulse moves that body, and it is below
 * the other if `side` is -1, above if 1. */
static int layer_of_bodies(const dry_solver_state *state, int row_a, int row_b, int side)
{
    if (row_a >= 0 && row_b >= 0)
        return state->plan.slabs.slab[row_a] + state->plan.slabs.slab[row_b] + 1;
    return 2 * state->plan.slabs.slab[row_a >= 0 ? row_a : row_b] + 1 + side;
}

static int side_of(const dry_solver_step *step, dry_vec3 v)
{
    return double3_dot(up_of(step->settings), double3_of(v)) > 0.0 ? 1 : -1;
}

static int layer_of_row(const dry_solver_step *step, int row)
{
    return 2 * step->state->plan.slabs.slab[row] + 1;
}

static int layer_of_contact(const dry_solver_step *step, const dry_edge *edge)
{
    if (edge->row_a >= 0 && edge->row_b >= 0)
        return layer_of_bodies(step->state, edge->row_a, edge->row_b, 0);
    const dry_contact_link *link = &step->contacts->link[edge->contact];
    const dry_body_pose *a = &step->bodies->pose[dry_bodies_row(step->bodies, link->body_a)];
    const dry_vec3 n = dry_manifold_normal(&step->contacts->manifold[edge->contact], a);
    /* The normal leads from a to b: to the other body, or from it. */
    return layer_of_bodies(step->state, edge->row_a, edge->row_b,
                           side_of(step, edge->row_a >= 0 ? n : vec3_neg(n)));
}

static int layer_of_joint(const dry_solver_step *step, int index)
{
    const dry_joint *joint = &step->joints->joint[index];
    const int row_a = dry_island_row(step, joint->body_a), row_b = dry_island_row(step, joint->body_b);
    int row[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(step, index, row);
    if (count > 1 || dry_joint_sides(joint) > 2)
        return layer_of_bodies(step->state, row[0], row[count - 1], 0);
    const dry_quat orientation = step->bodies->pose[row_a >= 0 ? row_a : row_b].orientation;
    const dry_vec3 arm = quat_rotate(orientation, row_a >= 0 ? joint->anchor_a : joint->anchor_b);
    return layer_of_bodies(step->state, row_a, row_b, side_of(step, arm));
}

static void set_forward(const dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i)
{
    (void)step, (void)kind, (void)i;
    sweep->backward = false;
}

static void set_backward(const dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i)
{
    (void)step, (void)kind, (void)i;
    sweep->backward = true;
}

static void set_shuffled(const dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i)
{
    (void)kind, (void)i;
    sweep->shuffled = true;
    sweep->shuffle = (uint32_t)step->number;
}

static void set_shuffled_anew(const dry_solver_step *step, dry_sweep *sweep, dry_sweep_kind kind, int i)
{
    set_shuffled(step, sweep, kind, i);
    sweep->shuffle ^= (uint32_t)(2 * i + (kind == DRY_SWEEP_RELAX) + 1) * 0x9e3779b9u;
}

/* Returns a number of a color that is as good as random: phases are shuffled by it. Other partitions and
 * islands do not enter, so that an island has the same order beside any others. */
static uint64_t number_of(const dry_sweep *sweep, const dry_phase *phase)
{
    return dry_hash_spread(dry_hash_mix(dry_hash_spread(sweep->shuffle), (uint64_t)phase->color));
}

static void draw(const dry_sweep *sweep, const dry_phase *phases, int count, uint8_t drawn[DRY_COLOR_COUNT])
{
    for (int i = 0; i < count; i++) {
        const uint64_t number = number_of(sweep, &phases[i]);
        int at = i;
        for (; at > 0 && number_of(sweep, &phases[drawn[at - 1]]) > number; at--)
            drawn[at] = drawn[at - 1];
        drawn[at] = (uint8_t)i;
    }
}

#define BY_LAYERS                                                                                            \
    .find_layers = find_layers, .layer_of_row = layer_of_row, .layer_of_contact = layer_of_contact,          \
    .layer_of_joint = layer_of_joint

const dry_sweep_order dry_sweep_orders[DRY_ORDER_COUNT] = {
    [DRY_ORDER_FORWARD] = {.set = set_forward},
    [DRY_ORDER_LAYERS_UP] = {BY_LAYERS, .set = set_forward},
    [DRY_ORDER_LAYERS_DOWN] = {BY_LAYERS, .set = set_backward},
    [DRY_ORDER_LAYERS] = {BY_LAYERS},
    [DRY_ORDER_SHUFFLED] = {.set = set_shuffled, .draw = draw},
    [DRY_ORDER_SHUFFLED_SWEEPS] = {.set = set_shuffled_anew, .draw = draw},
};

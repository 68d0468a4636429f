/* Slabs: the partitions of a tier whose bundles no cache holds, so thick that a constraint joins bodies
 * of one slab or of two neighbors. Then one sweep can follow another two partitions behind, through
 * the bundles that the first left in the cache (passes.c).
 *
 * Slabs lie across the axis along which consecutive rows are nearest to each other, so that a slab's rows lie
 * close together in memory. Bodies keep their slabs while no constraint reaches past the next slab and slabs
 * stay even: bodies that move a little are not assigned anew.
 *
 * Reads poses, islands with their edges, active joints. Writes dry_solver_state.plan.slabs.slab. Called by
 * partitions.c.
 */
#include "solver/data/context.h"
#include "solver/data/rounding.h"
#include "solver/plan/islands.h"
#include "solver/plan/layout.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* The mean: 0.45 MB of a pyramid's bundles, so that ten sweeps two slabs apart lie within 10 MB. */
    BODIES_PER_SLAB = 600,
    SLABS_MIN = 32,
    /* No slab has more than one body in this many, because one worker sweeps the whole slab. */
    LARGEST_SHARE = 16,
    /* After a search that found none: steps until the next search. A count of layouts would tell a world that
     * is loaded, which makes a layout in its first step, from one that keeps its own. */
    WAIT = 16,
};
_Static_assert((1 << 24) / (BODIES_PER_SLAB / 2) + 2 <= UINT16_MAX, "slabs of all bodies that there may be");

typedef struct axis_measure {
    double low, high; /* of the centers of bodies that have constraints, m */
    double reach;     /* largest distance of two bodies that a constraint joins, m */
    double steps;     /* sum of the distances of consecutive bodies, m */
} axis_measure;

static bool in_tiers(const dry_solver_step *step, uint32_t tiers, int row)
{
    return step->bodies->sleep[row].island >= 0 && (tiers >> dry_island_range(dry_row_island(step, row)) & 1);
}

/* Looks at two rows that a constraint joins, of which one may be of no island. False: the walk ends. */
typedef bool pair_visit(const dry_solver_step *step, uint32_t tiers, axis_measure axis[3], int row_a,
                        int row_b);

/* Visits the rows of all constraints, two at a time. Returns whether all visits were made. */
static bool over_pairs(const dry_solver_step *step, uint32_t tiers, axis_measure axis[3], pair_visit *visit)
{
    bool all = true;
    for (int i = 0; i < step->islands->edge_count && all; i++)
        all = visit(step, tiers, axis, step->islands->edge[i].row_a, step->islands->edge[i].row_b);
    for (int i = 0; i < step->joints->active_count && all; i++) {
        int row[DRY_JOINT_SIDES];
        const int count = dry_joint_rows_of(step, step->joints->active[i], row);
        for (int a = 0; a < count; a++)
            for (int b = a; b < count && all; b++)
                all = visit(step, tiers, axis, row[a], row[b]);
    }
    return all;
}

/* Tells whether a constraint of two rows does not reach past the next slab. */
static bool fits_pair(const dry_solver_step *step, uint32_t tiers, axis_measure axis[3], int row_a, int row_b)
{
    (void)axis;
    const uint16_t *slab = step->state->plan.slabs.slab;
    return row_a < 0 || row_b < 0 || !in_tiers(step, tiers, row_a) ||
           abs((int)slab[row_a] - (int)slab[row_b]) <= 1;
}

static const double *position_of(const dry_solver_step *step, int row)
{
    return &step->bodies->pose[row].position.x;
}

/* Returns a position within the extent of the bodies that have constraints: other bodies may be anywhere. */
static double within(const axis_measure *axis, double at)
{
    return fmin(fmax(at, axis->low), axis->high);
}

/* Stretches the measures to one constraint: its reach, and the positions of its bodies. */
static bool stretch(const dry_solver_step *step, uint32_t tiers, axis_measure axis[3], int row_a, int row_b)
{
    const int rows[2] = {row_a, row_b};
    const double *p[2];
    for (int side = 0; side < 2; side++) {
        if (rows[side] < 0)
            continue;
        if (!(tiers >> dry_island_range(dry_row_island(step, rows[side])) & 1))
            return true;
        p[side] = position_of(step, rows[side]);
        for (int k = 0; k < 3; k++) {
            axis[k].low = fmin(axis[k].low, p[side][k]);
            axis[k].high = fmax(axis[k].high, p[side][k]);
        }
    }
    for (int k = 0; k < 3 && row_a >= 0 && row_b >= 0; k++)
        axis[k].reach = fmax(axis[k].reach, fabs(p[1][k] - p[0][k]));
    return true;
}

/* Measures the three axes. Returns the number of bodies in the tiers. */
static int measure_axes(const dry_solver_step *step, uint32_t tiers, axis_measure axis[3])
{
    for (int k = 0; k < 3; k++)
        axis[k] = (axis_measure){.low = DBL_MAX, .high = -DBL_MAX};
    over_pairs(step, tiers, axis, stretch);
    int count = 0;
    double last[3];
    for (int row = 0; row < step->bodies->awake_count; row++) {
        if (!in_tiers(step, tiers, row))
            continue;
        for (int k = 0; k < 3; k++) {
            double at = within(&axis[k], position_of(step, row)[k]);
            axis[k].steps += count ? fabs(at - last[k]) : 0.0;
            last[k] = at;
        }
        count++;
    }
    return count;
}

/* Returns how thick slabs across an axis must be, m: more than the reach by the rounding of positions; 0
 * where there would be few slabs. */
static double thickness_of(const axis_measure *axis, int bodies)
{
    double extent = axis->high - axis->low, thin = axis->reach + DRY_FLOAT_ROUNDING * extent;
    if (!(thin > 0.0))
        return 0.0;
    double thickness = thin * fmax(1.0, floor(extent / thin * BODIES_PER_SLAB / bodies));
    return extent >= SLABS_MIN * thickness ? thickness : 0.0;
}

/* Puts the bodies into slabs across axis k. */
static bool cut_across(dry_solver_step *step, uint32_t tiers, const axis_measure *axis, int k,
                       double thickness, dry_memory *memory)
{
    dry_slabs *slabs = &step->state->plan.slabs;
    slabs->count = 1 + (int)((axis[k].high - axis[k].low) / thickness);
    if (!DRY_RESERVE(memory, slabs->bodies, slabs->bodies_capacity, slabs->count))
        return false;
    for (int row = 0; row < step->bodies->awake_count; row++)
        if (in_tiers(step, tiers, row))
            slabs->slab[row] =
                (uint16_t)((within(&axis[k], position_of(step, row)[k]) - axis[k].low) / thickness);
    return true;
}

/* Returns whether no slab has too many of the bodies: one worker would have most of the work. */
static bool are_even(const dry_solver_step *step, uint32_t tiers)
{
    const dry_slabs *slabs = &step->state->plan.slabs;
    int most = 0, bodies = 0;
    memset(slabs->bodies, 0, (size_t)slabs->count * sizeof *slabs->bodies);
    for (int row = 0; row < step->bodies->awake_count; row++)
        if (in_tiers(step, tiers, row)) {
            bodies++;
            most = dry_max_int(most, ++slabs->bodies[slabs->slab[row]]);
        }
    return most <= bodies / LARGEST_SHARE;
}

/* Finds slabs and the slab of each row; none where no axis has slabs that are many and even. */
static bool find_slabs(dry_solver_step *step, uint32_t tiers, dry_memory *memory)
{
    dry_slabs *slabs = &step->state->plan.slabs;
    axis_measure axis[3];
    double thickness[3];
    slabs->rows = 0;
    if (!DRY_RESERVE(memory, slabs->slab, slabs->capacity, step->bodies->awake_count))
        return false;
    memset(slabs->slab, 0, (size_t)step->bodies->awake_count * sizeof *slabs->slab);
    const int bodies = measure_axes(step, tiers, axis);
    for (int k = 0; k < 3; k++)
        thickness[k] = thickness_of(&axis[k], bodies);
    for (int attempt = 0; attempt < 3; attempt++) {
        int best = -1;
        for (int k = 0; k < 3; k++)
            if (thickness[k] > 0.0 &&
                (best < 0 || axis[k].steps * thickness[best] < axis[best].steps * thickness[k]))
                best = k;
        if (best < 0)
            break;
        if (!cut_across(step, tiers, axis, best, thickness[best], memory))
            return false;
        if (are_even(step, tiers)) {
            slabs->rows = step->bodies->awake_count;
            slabs->tiers = tiers;
            return true;
        }
        thickness[best] = 0.0;
    }
    return true;
}

bool dry_slabs_update(dry_solver_step *step, dry_memory *memory, uint32_t tiers)
{
    dry_slabs *slabs = &step->state->plan.slabs;
    const bool stand = slabs->rows == step->bodies->awake_count && slabs->tiers == tiers &&
                       over_pairs(step, tiers, NULL, fits_pair) && are_even(step, tiers);
    const bool waits = !stand && slabs->rows == 0 && slabs->wait > 0;
    slabs->wait -= waits;
    if (stand || waits)
        return true;
    if (!find_slabs(step, tiers, memory))
        return false;
    if (slabs->rows == 0 || !over_pairs(step, tiers, NULL, fits_pair)) {
        slabs->rows = 0;
        slabs->wait = WAIT;
    }
    return true;
}

bool dry_slabs_search(dry_solver_step *step, dry_memory *memory, bool *found)
{
    const dry_plan *plan = &step->state->plan;
    const bool looks = plan->slabs_wanted != 0 && plan->slabs.rows == 0;
    const bool done = !looks || dry_slabs_update(step, memory, plan->slabs_wanted);
    *found = looks && done && plan->slabs.rows > 0;
    return done;
}

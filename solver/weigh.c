/* Between two substeps of stage "solve": weighs the impulses that carry on in islands whose joints are
 * prepared for each substep. Reads and writes rows; writes the impulses of bundles.
 *
 * A substep begins with the impulses of the one before. Joints, stops and contacts that hold still bodies
 * only take energy from the motion that forces alone would give. Impulses which give it some belong to
 * another pose, or come from sweeps that had too little time: carried on, they grow from substep to substep,
 * and figures that fall on each other fly apart. Such an island forgets its impulses, and its sweeps begin at
 * zero. Springs, motors and moving sides give energy rightly: islands with any are left alone, as those are
 * whose joints are solved directly (solver/articulations/carried.c). */
#include "solver/weigh.h"

#include "solver/constraint.h"
#include "solver/rows/frames.h"

/* Carried impulses may give so much, as a share of the energy without them. Impulses that do no harm give some
 * while bodies turn: with no share, figures would begin at zero in most substeps and pass their stops by 0.1
 * to 0.9 rad; with 0.05 some are lost (solver/DECISIONS.md). */
#define CARRIED_GAIN 0.02

void dry_weigh_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->gain, state->gain_capacity);
}

bool dry_weigh_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    return s->frames_count == 0 || DRY_RESERVE(memory, s->gain, s->gain_capacity, step->islands->count);
}

/* Returns the island of a row if its joints and contacts can only take energy; else -1. */
static int passive_island(const dry_solver_step *step, int row)
{
    const int island = step->bodies->sleep[row].island;
    return island >= 0 && step->state->island_joints[island] == DRY_JOINTS_SWEPT &&
                   step->islands->island[island].spin >= 0
               ? island
               : -1;
}

/* Sums what the carried impulses of each island give beyond their share. Returns false if none does. */
static bool find_gains(const dry_solver_step *step, const dry_tier_range *range)
{
    dry_solver_state *s = step->state;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int island = passive_island(step, s->order[i]);
        if (island >= 0)
            s->gain[island] = 0.0;
    }
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->order[i], island = passive_island(step, row);
        const float *u = s->rows[row + 1].u, *start = s->start[row].u, *force = s->frames[row].force;
        for (int k = 0; k < 6 && island >= 0; k++) {
            const double without = (double)start[k] + (double)force[k];
            s->gain[island] += 0.5 * ((double)u[k] * (double)u[k] - (1.0 + CARRIED_GAIN) * without * without);
        }
    }
    bool found = false;
    for (int i = range->body_begin; i < range->body_end && !found; i++) {
        const int island = passive_island(step, s->order[i]);
        found = island >= 0 && s->gain[island] > 0.0;
    }
    return found;
}

static bool forgets(const dry_solver_step *step, int row)
{
    const int island = row < 0 ? -1 : passive_island(step, row);
    return island >= 0 && step->state->gain[island] > 0.0;
}

/* Tells whether some body of a constraint is of an island that forgets. */
static bool constraint_forgets(const dry_solver_step *step, const dry_constraint_kind *kind, int constraint)
{
    int body[DRY_CONSTRAINT_BODIES];
    const int count = kind->bodies(step, constraint, body);
    bool found = false;
    for (int i = 0; i < count && !found; i++)
        found = forgets(step, dry_island_row(step, body[i]));
    return found;
}

static void forget_impulses(const dry_solver_step *step, const dry_tier_range *range, dry_kind k)
{
    const dry_constraint_kind *kind = dry_constraint_kinds[k];
    const dry_bundle_range bundles = dry_tier_bundles(step->state, range, k);
    for (int b = bundles.begin; b < bundles.end; b++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int32_t constraint = step->state->bundles[k].members[b].index[lane];
            if (constraint >= 0 && constraint_forgets(step, kind, constraint))
                kind->forget(step, b, lane);
        }
}

void dry_weigh_carried(dry_solver_step *step, const dry_tier_range *range)
{
    dry_solver_state *s = step->state;
    if (s->frames_count == 0 || step->settings->contact_stiffness > 0.0f || step->shapes->spring ||
        !find_gains(step, range))
        return;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->order[i];
        for (int k = 0; k < 6 && forgets(step, row); k++)
            s->rows[row + 1].u[k] = s->start[row].u[k] + s->frames[row].force[k];
    }
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        forget_impulses(step, range, (dry_kind)k);
}

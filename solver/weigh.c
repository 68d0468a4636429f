/* Between two substeps of stage "solve": weighs the impulses that carry on in islands whose joints are
 * prepared for each substep. Reads and writes rows; writes the impulses of bundles.
 *
 * A substep begins with the impulses of the one before. Joints, stops and contacts that hold still bodies
 * only take energy from the motion that forces alone would give. Impulses which give it some belong to
 * another pose, or come from sweeps that had too little time: carried on, they grow from substep to substep,
 * and figures that fall on each other fly apart. Such an island forgets its impulses, and its sweeps begin at
 * zero. Springs, motors and moving sides give energy rightly: islands with any are left alone, as those are
 * whose joints are solved directly (solver/articulations/carried.c).
 *
 * In an island with both kinds of joints, those in sweeps are weighed alone, each group of bodies that hang
 * together by them by itself: before and after their impulses are taken back along the old rows. */
#include "solver/weigh.h"

#include "solver/constraint.h"
#include "solver/joints/joint_type.h"
#include "solver/rows/frames.h"

#include <math.h>

/* Carried impulses may give so much, as a share of the energy without them. Impulses that do no harm give some
 * while bodies turn: with no share, figures would begin at zero in most substeps and pass their stops by 0.1
 * to 0.9 rad; with 0.05 some are lost (solver/DECISIONS.md). */
#define CARRIED_GAIN 0.02

void dry_weigh_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->gain, state->gain_capacity);
}

static int find_root(dry_row_frame *frames, int row)
{
    while (frames[row].root != row)
        row = frames[row].root = frames[frames[row].root].root;
    return row;
}

/* Unites the bodies of joints in sweeps. Roots of roots are themselves then. */
static void find_groups(const dry_solver_step *step)
{
    dry_row_frame *frames = step->state->frames;
    const int count = step->state->frames_count;
    for (int row = 0; row < count; row++)
        frames[row].root = row;
    for (int i = 0; i < step->joints->active_count; i++) {
        const int index = step->joints->active[i];
        int rows[DRY_JOINT_SIDES];
        const int sides = dry_joint_rows_of(step, index, rows);
        for (int k = 1; k < sides && !dry_joint_is_direct(step->settings, step->joints, index); k++) {
            const int x = find_root(frames, rows[0]), y = find_root(frames, rows[k]);
            frames[dry_max_int(x, y)].root = dry_min_int(x, y);
        }
    }
    for (int row = 0; row < count; row++)
        frames[row].root = find_root(frames, row);
}

bool dry_weigh_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    s->weighs_joints = false;
    if (s->frames_count == 0)
        return true;
    for (int i = 0; i < step->islands->count && !s->weighs_joints; i++)
        s->weighs_joints = s->island_joints[i] == DRY_JOINTS_MIXED;
    if (s->weighs_joints)
        find_groups(step);
    return DRY_RESERVE(memory, s->gain, s->gain_capacity, step->islands->count);
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

typedef bool forgets_row(const dry_solver_step *step, int row);

/* Tells whether the island of a row forgets. */
static bool forgets(const dry_solver_step *step, int row)
{
    const int island = passive_island(step, row);
    return island >= 0 && step->state->gain[island] > 0.0;
}

/* Tells whether some body of a constraint forgets. */
static bool constraint_forgets(const dry_solver_step *step, const dry_constraint_kind *kind, int constraint,
                               forgets_row *of_row)
{
    int body[DRY_CONSTRAINT_BODIES];
    const int count = kind->bodies(step, constraint, body);
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        const int row = dry_island_row(step, body[i]);
        found = row >= 0 && of_row(step, row);
    }
    return found;
}

static void forget_impulses(const dry_solver_step *step, dry_bundle_range bundles, dry_kind k,
                            forgets_row *of_row)
{
    const dry_constraint_kind *kind = dry_constraint_kinds[k];
    for (int b = bundles.begin; b < bundles.end; b++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int32_t constraint = step->state->bundles[k].members[b].index[lane];
            if (constraint >= 0 && constraint_forgets(step, kind, constraint, of_row))
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
        forget_impulses(step, dry_tier_bundles(s, range, k), (dry_kind)k, forgets);
}

/* Adds a multiple of the kinetic energies of rows to the gains of their groups. */
static void add_to_gains(const dry_solver_step *step, const dry_tier_range *range, double times)
{
    dry_solver_state *s = step->state;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->order[i];
        const float *u = s->rows[row + 1].u;
        double *gain = &s->frames[s->frames[row].root].gain;
        for (int k = 0; k < 6; k++)
            *gain += 0.5 * times * (double)u[k] * (double)u[k];
    }
}

/* Tells whether joints in sweeps alone act on a body, beside contacts, and can only take energy. */
static bool joints_are_weighed(const dry_solver_step *step, int row)
{
    const dry_solver_state *s = step->state;
    const int island = step->bodies->sleep[row].island;
    return island >= 0 && s->island_joints[island] == DRY_JOINTS_MIXED &&
           step->islands->island[island].spin >= 0 && !dry_articulated_body_of(&s->articulations, row);
}

void dry_weigh_joints_begin(dry_solver_step *step, const dry_tier_range *range)
{
    dry_solver_state *s = step->state;
    if (!s->weighs_joints)
        return;
    for (int i = range->body_begin; i < range->body_end; i++)
        s->frames[s->order[i]].gain = 0.0;
    for (int i = range->body_begin; i < range->body_end; i++)
        if (!joints_are_weighed(step, s->order[i]))
            s->frames[s->frames[s->order[i]].root].gain = -INFINITY;
    add_to_gains(step, range, 1.0);
}

/* Tells whether the group of a row forgets the impulses of its joints. */
static bool group_forgets(const dry_solver_step *step, int row)
{
    const dry_row_frame *frames = step->state->frames;
    return frames[frames[row].root].gain > 0.0;
}

void dry_weigh_joints_end(dry_solver_step *step, const dry_tier_range *range)
{
    if (!step->state->weighs_joints)
        return;
    add_to_gains(step, range, -(1.0 + CARRIED_GAIN));
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        forget_impulses(step, dry_swept_bundles(step->state, range, k), (dry_kind)k, group_forgets);
}

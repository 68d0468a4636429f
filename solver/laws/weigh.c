/* Before each substep of stage "solve": weighs the impulses that carry on where joints are prepared in double
 * for each substep: with Jacobi, and beside direct joints. Reads and writes rows; writes the impulses of
 * bundles. Islands with rows in lanes search along theirs instead (sweeps/line_search.c).
 *
 * A substep begins with the impulses of the one before. Joints, stops and contacts that hold still bodies
 * only take energy from the motion that forces alone would give. Impulses which give it some belong to
 * another pose, or come from sweeps that had too little time: they grow from substep to substep, and figures
 * that fall on each other fly apart. Such an island forgets its impulses. Springs, motors and moving sides
 * give energy rightly: islands with any are left alone. Articulations weigh theirs (solver/direct/carried.c).
 *
 * In an island with both kinds of joints, those in sweeps are weighed alone, each group of bodies that hang
 * together by them by itself: before and after their impulses are taken back along the old rows.
 *
 * The energy of an island does not show that of its lightest limbs. An impact through a hand of 0.5 kg, once
 * more in the next substep, turns the hand by a radian and more, to where its impulses point elsewhere. So
 * the joints of a body that carried impulses alone turn too far forget theirs, too. */
#include "solver/laws/weigh.h"

#include "core/disjoint_sets.h"
#include "solver/bodies/frames.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/constraint.h"
#include "solver/plan/islands.h"

#include <math.h>
#include <stdatomic.h>

/* The energy that carried impulses may give, as a share of the energy without them. Impulses that do no harm
 * give some while bodies turn: with no share, figures would begin at zero in most substeps and pass their
 * stops by 0.1 to 0.9 rad; with 0.05 some are lost (solver/DECISIONS.md). */
#define CARRIED_GAIN 0.02

/* Carried impulses may turn a body by this much in a substep, rad: so far rows of joints count as constant
 * (turning.c). With 0.1 and more figures in few substeps are lost, with less they pass their stops further
 * (solver/DECISIONS.md). */
#define CARRIED_ANGLE_MAX 0.05

void dry_weigh_free(dry_solver_state *state, dry_memory *memory)
{
    DRY_RELEASE(memory, state->laws.gain, state->laws.gain_capacity);
    DRY_RELEASE(memory, state->laws.group_of, state->laws.group_of_capacity);
    DRY_RELEASE(memory, state->laws.group_gain, state->laws.group_gain_capacity);
}

/* Unites the bodies of joints in sweeps. */
static void find_groups(const dry_solver_step *step)
{
    const dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    dry_sets_begin(s->laws.group_of, rows);
    for (int i = 0; i < step->joints->active_count; i++) {
        const int index = step->joints->active[i];
        int row[DRY_JOINT_SIDES];
        const int sides = dry_joint_rows_of(step, index, row);
        for (int k = 1; k < sides && !dry_joint_is_direct(step->settings, step->joints, index); k++)
            dry_sets_unite(s->laws.group_of, row[0], row[k]);
    }
    for (int i = 0; i < rows; i++)
        s->laws.group_of[i] = dry_sets_root(s->laws.group_of, i);
}

bool dry_weigh_reserve(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    s->laws.weighs_joints = false;
    if (s->bodies.frames_count == 0)
        return true;
    for (int i = 0; i < step->islands->count && !s->laws.weighs_joints; i++)
        s->laws.weighs_joints = s->bodies.island_joints[i] == DRY_JOINTS_MIXED;
    const int groups = s->laws.weighs_joints ? step->bodies->awake_count : 0;
    if (!DRY_RESERVE(memory, s->laws.gain, s->laws.gain_capacity, 2 * step->islands->count) ||
        !DRY_RESERVE(memory, s->laws.group_of, s->laws.group_of_capacity, groups) ||
        !DRY_RESERVE(memory, s->laws.group_gain, s->laws.group_gain_capacity, groups))
        return false;
    if (s->laws.weighs_joints)
        find_groups(step);
    return true;
}

/* Returns the island of a row if its joints and contacts can only take energy; else -1. */
static int passive_island(const dry_solver_step *step, int row)
{
    const int island = step->bodies->sleep[row].island;
    return island >= 0 && step->state->bodies.island_joints[island] == DRY_JOINTS_SWEPT &&
                   step->islands->island[island].spin >= 0
               ? island
               : -1;
}

/* Bodies of a tier that workers share. */
enum { WEIGH_GRAIN = 128 };
typedef struct weigh_job {
    const dry_solver_step *step;
    const int32_t *order; /* the tier's rows */
    float h;
    atomic_bool found; /* some body's carried impulses turn it too far */
} weigh_job;

/* Runs a job over the bodies of a tier. Returns whether any was found. */
static bool over_bodies(const dry_solver_step *step, const dry_tier_range *range, float h, dry_jobs_run *run)
{
    weigh_job job = {.step = step, .order = step->state->plan.order + range->body_begin, .h = h};
    atomic_init(&job.found, false);
    dry_jobs_for(step->jobs, range->body_end - range->body_begin, WEIGH_GRAIN, run, &job);
    return atomic_load_explicit(&job.found, memory_order_relaxed);
}

/* Finds what the carried impulses of bodies give beyond their share. */
static void find_body_gains(void *context, int begin, int end, int worker)
{
    (void)worker;
    const weigh_job *job = context;
    const dry_solver_state *s = job->step->state;
    for (int i = begin; i < end; i++) {
        const int row = job->order[i];
        dry_row_frame *frame = &s->bodies.frames[row];
        const float *u = s->bodies.rows[row + 1].u, *start = s->bodies.start[row].u;
        frame->passive = passive_island(job->step, row);
        frame->gain = 0.0;
        for (int k = 0; k < 6 && frame->passive >= 0; k++) {
            const double without = (double)start[k] + (double)frame->force[k];
            frame->gain += 0.5 * ((double)u[k] * (double)u[k] - (1.0 + CARRIED_GAIN) * without * without);
        }
    }
}

/* Sums what the carried impulses of each island give beyond their share. Returns false if none does. */
static bool find_gains(const dry_solver_step *step, const dry_tier_range *range)
{
    const dry_solver_state *s = step->state;
    over_bodies(step, range, 0.0f, find_body_gains);
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int island = s->bodies.frames[s->plan.order[i]].passive;
        if (island >= 0)
            s->laws.gain[island] = 0.0;
    }
    bool found = false;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const dry_row_frame *frame = &s->bodies.frames[s->plan.order[i]];
        if (frame->passive >= 0)
            s->laws.gain[frame->passive] += frame->gain;
    }
    for (int i = range->body_begin; i < range->body_end && !found; i++) {
        const int island = s->bodies.frames[s->plan.order[i]].passive;
        found = island >= 0 && s->laws.gain[island] > 0.0;
    }
    return found;
}

typedef bool forgets_row(const dry_solver_step *step, int row);

/* Tells whether the island of a row forgets. */
static bool forgets(const dry_solver_step *step, int row)
{
    const int island = passive_island(step, row);
    return island >= 0 && step->state->laws.gain[island] > 0.0;
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
    const dry_constraint_kind *kind = step->kinds[k];
    for (int b = bundles.begin; b < bundles.end; b++)
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const int32_t constraint = step->state->sweeps.bundles[k].members[b].index[lane];
            if (constraint >= 0 && constraint_forgets(step, kind, constraint, of_row))
                kind->forget(step, b, lane);
        }
}

void dry_weigh_carried(dry_solver_step *step, const dry_tier_range *range)
{
    dry_solver_state *s = step->state;
    if (s->bodies.frames_count == 0 || step->settings->contact_stiffness > 0.0f || step->shapes->spring ||
        !find_gains(step, range))
        return;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->plan.order[i];
        for (int k = 0; k < 6 && forgets(step, row); k++)
            s->bodies.rows[row + 1].u[k] = s->bodies.start[row].u[k] + s->bodies.frames[row].force[k];
    }
    for (int k = 0; k < DRY_KIND_COUNT; k++)
        forget_impulses(step, dry_tier_bundles(s, range, k), (dry_kind)k, forgets);
}

/* Adds a multiple of the kinetic energies of rows to the gains of their groups. */
static void add_to_gains(const dry_solver_step *step, const dry_tier_range *range, double times)
{
    dry_solver_state *s = step->state;
    for (int i = range->body_begin; i < range->body_end; i++) {
        const int row = s->plan.order[i];
        const float *u = s->bodies.rows[row + 1].u;
        double *gain = &s->laws.group_gain[s->laws.group_of[row]];
        for (int k = 0; k < 6; k++)
            *gain += 0.5 * times * (double)u[k] * (double)u[k];
    }
}

/* Tells whether joints in sweeps alone act on a body, beside contacts, and can only take energy. */
static bool joints_are_weighed(const dry_solver_step *step, int row)
{
    const dry_solver_state *s = step->state;
    const int island = step->bodies->sleep[row].island;
    return island >= 0 && s->bodies.island_joints[island] == DRY_JOINTS_MIXED &&
           step->islands->island[island].spin >= 0 && !dry_articulated_body_of(&s->articulations, row);
}

void dry_weigh_joints_begin(dry_solver_step *step, const dry_tier_range *range)
{
    dry_solver_state *s = step->state;
    if (!s->laws.weighs_joints)
        return;
    for (int i = range->body_begin; i < range->body_end; i++)
        s->laws.group_gain[s->plan.order[i]] = 0.0;
    for (int i = range->body_begin; i < range->body_end; i++)
        if (!joints_are_weighed(step, s->plan.order[i]))
            s->laws.group_gain[s->laws.group_of[s->plan.order[i]]] = -INFINITY;
    add_to_gains(step, range, 1.0);
}

/* Tells whether the group of a row forgets the impulses of its joints. */
static bool group_forgets(const dry_solver_step *step, int row)
{
    return step->state->laws.group_gain[step->state->laws.group_of[row]] > 0.0;
}

void dry_weigh_joints_end(dry_solver_step *step, const dry_tier_range *range)
{
    if (!step->state->laws.weighs_joints)
        return;
    add_to_gains(step, range, -(1.0 + CARRIED_GAIN));
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        forget_impulses(step, dry_swept_bundles(step->state, range, k), (dry_kind)k, group_forgets);
}

/* Tells whether carried impulses alone turn the body of a row too far in a substep of h. */
static bool turns_far(const dry_solver_step *step, int row, float h)
{
    const dry_solver_state *s = step->state;
    const dry_solver_row *r = &s->bodies.rows[row + 1];
    const float *start = s->bodies.start[row].u, *force = s->bodies.frames[row].force;
    const int island = step->bodies->sleep[row].island;
    double square = 0.0;
    for (int k = 0; k < 3 && island >= 0 && s->bodies.island_joints[island] == DRY_JOINTS_SWEPT; k++) {
        const double carried = (double)r->ua[k] - ((double)start[3 + k] + (double)force[3 + k]);
        const double angle = (double)h * carried * (double)r->inv_sqrt_inertia[k];
        square += angle * angle;
    }
    return square > CARRIED_ANGLE_MAX * CARRIED_ANGLE_MAX;
}

static void find_turning_bodies(void *context, int begin, int end, int worker)
{
    (void)worker;
    weigh_job *job = context;
    for (int i = begin; i < end; i++) {
        const int row = job->order[i];
        bool *forgets = &job->step->state->bodies.frames[row].forgets;
        *forgets = turns_far(job->step, row, job->h);
        if (*forgets)
            atomic_store_explicit(&job->found, true, memory_order_relaxed);
    }
}

bool dry_weigh_turning(const dry_solver_step *step, const dry_tier_range *range, float h)
{
    return step->state->bodies.frames_count > 0 && over_bodies(step, range, h, find_turning_bodies);
}

static bool turned_far(const dry_solver_step *step, int row)
{
    return step->state->bodies.frames[row].forgets;
}

void dry_weigh_forget_joints(const dry_solver_step *step, const dry_tier_range *range)
{
    for (int k = 0; k < DRY_KIND_JOINTS; k++)
        forget_impulses(step, dry_swept_bundles(step->state, range, k), (dry_kind)k, turned_far);
}

/* Stages "prepare" and "solve" of articulations that contacts, motors or other joints act on too: in each
 * sweep, after all else, their joints are solved at once, then what acts on them with these joints
 * (coupling.c). Reads the solver's rows; writes them, and the articulations. Next: correct.c. */
#include "core/assert.h"
#include "methods/direct/articulation_rows.h"
#include "methods/direct/articulations.h"
#include "methods/direct/closing.h"
#include "methods/direct/coupling.h"
#include "methods/direct/linkage.h"
#include "methods/direct/springs.h"
#include "solver/bodies/frames.h"
#include "solver/data/context.h"
#include "solver/data/terms.h"
#include "solver/plan/difficulty.h"
#include "solver/sweeps/joints/joint_bundles.h"
#include "solver/sweeps/passes.h"

#include <string.h>

static bool acts(const dry_solver_step *step, const dry_tier_range *range)
{
    for (int i = 0; i < step->state->articulations.count; i++)
        if (dry_articulation_is_swept(step, range, i))
            return true;
    return false;
}

/* How far rows may turn in a substep, rad, so that sweeps follow them all the way. */
#define TURN_FOLLOWED 0.5

struct articulation_job;
typedef void articulation_work(const dry_linkage *l, const struct articulation_job *job);

/* A pass over the articulations that take part in sweeps. */
typedef struct articulation_job {
    dry_solver_step *step;
    const dry_tier_range *range; /* null: all */
    articulation_work *each;
    bool with_errors;
    double time, h; /* since the step began, and of a substep, s */
} articulation_job;

static void run_many(void *context, dry_items items)
{
    const articulation_job *job = context;
    for (int i = items.begin; i < items.end; i++) {
        if (!dry_articulation_is_swept(job->step, job->range, i))
            continue;
        const dry_linkage l = dry_linkage_of(job->step, i, job->time);
        job->each(&l, job);
    }
}

static void over_articulations(articulation_job job, articulation_work *each)
{
    job.each = each;
    dry_articulations_for(job.step, run_many, &job);
}

/* Returns the job of a point of a tier's substep. */
static articulation_job job_of(const dry_substeps *run)
{
    return (articulation_job){.step = run->step,
                              .range = run->range,
                              .time = (double)run->sweep.time,
                              .h = (double)run->sweep.substep};
}

static void read_rows(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            dry_articulated_read_row(l->step, &l->body[b]);
}

/* Returns the kinetic energy of the bodies' rows, J; `inner`: about their center of mass. */
static double kinetic_energy(const dry_linkage *l, bool inner)
{
    const dry_articulations *a = &l->step->state->articulations;
    double sum = 0.0, mass = 0.0, momentum[3] = {0.0, 0.0, 0.0};
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        const int row = l->body[b].row;
        if (row < 0 || a->body_of_row[row] != b)
            continue; /* the world, or another part of a body */
        const dry_solver_row *r = &l->step->state->bodies.rows[row + 1];
        const double root = inner && r->inv_sqrt_mass > 0.0f ? 1.0 / (double)r->inv_sqrt_mass : 0.0;
        mass += root * root;
        for (int k = 0; k < 6; k++)
            sum += 0.5 * (double)r->u[k] * (double)r->u[k];
        for (int k = 0; k < 3; k++)
            momentum[k] += root * (double)r->u[k];
    }
    const double square = momentum[0] * momentum[0] + momentum[1] * momentum[1] + momentum[2] * momentum[2];
    return sum - (mass > 0.0 ? 0.5 * square / mass : 0.0);
}

/* Returns by how much the speed of a row grows as it turns in half a substep. */
static double turning_speed(const dry_linkage *l, int row, const articulation_job *job)
{
    return 0.5 * job->h * l->acceleration[row];
}

/* Returns the speed at which a row must not stand still: in a substep of length h it grows by the row's
 * acceleration, and with errors, what is open closes. Rows and errors are those of the substep's begin. */
static double speed_apart(const dry_linkage *l, int row, const articulation_job *job)
{
    const double closes = job->with_errors ? (l->row[row].error - l->offset[row]) / job->h : 0.0;
    return turning_speed(l, row, job) + closes;
}

/* Fills x with what velocities lack, and returns the largest. */
static double find_speeds(const dry_linkage *l, const articulation_job *job)
{
    const double share = l->articulation->share;
    double largest = 0.0;
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const int first = joint->row - l->articulation->row_begin;
        const int locked = dry_linkage_locked(joint);
        for (int i = locked; i < joint->rows; i++) {
            l->x[first + i] = -dry_spring_left_in_sweeps(l, joint, i, job->h);
            largest = dry_larger(largest, fabs(l->x[first + i]));
        }
        for (int i = first; i < first + locked; i++) {
            l->x[i] = -dry_scale_motion(share, speed_apart(l, i, job)) -
                      dry_linkage_speed(l, joint, &l->row[i], false);
            largest = dry_larger(largest, fabs(l->x[i]));
        }
    }
    return largest;
}

/* Gives the impulses of the last solve to the solver's rows; with those of the visits, if asked to. */
static void keep_impulses(const dry_linkage *l, bool visited)
{
    dry_linkage_count_impulses(l);
    for (int r = 0; r < l->rows; r++)
        l->carried[r] += l->impulses[r];
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b += l->body[b].parts)
        if (l->body[b].moves)
            dry_articulated_write_row(l->step, &l->body[b], visited ? dry_coupling_given(l, b) : NULL);
}

/* Solves the joints for the speeds that they lack. */
static void solve_speeds(const dry_linkage *l, const articulation_job *job)
{
    if (!(find_speeds(l, job) <= DRY_SPEED_SOLVED_MAX)) {
        memset(l->impulses, 0, (size_t)l->rows * sizeof *l->impulses);
        return;
    }
    dry_linkage_solve(l);
    keep_impulses(l, false);
}

/* Finds the share of the rows' speeds apart that sweeps follow. Rows that turn take energy from velocities,
 * and these speeds give it back: they add no more than that of rows which turn by TURN_FOLLOWED. Near a pose
 * from which no motion leads on, such as that of a straight chain, they would be any, and would grow from
 * substep to substep. Forces of springs are no such speeds. */
static void find_share(const dry_linkage *l, const articulation_job *job)
{
    const double energy = 0.25 * TURN_FOLLOWED * TURN_FOLLOWED * kinetic_energy(l, false);
    bool any = false;
    l->articulation->share = 0.0;
    if (!(energy > 0.0))
        return;
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const int first = joint->row - l->articulation->row_begin;
        for (int i = 0; i < joint->rows; i++) {
            const bool locked = i < dry_linkage_locked(joint);
            l->x[first + i] = -(locked ? speed_apart(l, first + i, job) : turning_speed(l, first + i, job));
            any = any || l->x[first + i] != 0.0;
        }
    }
    l->articulation->share = 1.0;
    if (!any)
        return;
    dry_linkage_solve(l);
    double added = 0.0;
    for (int i = 0; i < l->rows; i++)
        added += 0.5 * l->impulses[i] * l->x[i];
    if (!(added <= energy))
        l->articulation->share = added > 0.0 ? sqrt(energy / added) : 0.0;
    DRY_ASSERT(l->articulation->share >= 0.0 && l->articulation->share <= 1.0);
}

/* Factors articulations anew, with less regularization, whose joints leave so little mobility that alpha
 * would be seen beside it. Redundant rows need all of alpha. */
static void refine(const dry_linkage *l, const articulation_job *job)
{
    (void)job;
    if (l->articulation->kept || !l->articulation->heavy || l->factor->redundant > 0)
        return;
    l->articulation->fine = true;
    dry_linkage_take_whitening(l);
    dry_linkage_factor(l);
    dry_coupling_find_columns(l);
}

/* Finds what joints leave of the mobility of all that acts on the articulations of a tier; null: of all. */
static void find_blocks(dry_solver_step *step, const dry_tier_range *range)
{
    if (!dry_coupling_find_blocks(step, range, false))
        return;
    over_articulations((articulation_job){.step = step, .range = range}, refine);
    dry_coupling_find_blocks(step, range, true);
}

static void prepare_one(const dry_linkage *l, const articulation_job *job)
{
    dry_articulation *a = l->articulation;
    const double dt = (double)job->step->dt;
    const articulation_job first = {.step = job->step,
                                    .with_errors = true,
                                    .h = dt / (double)dry_articulation_range(job->step, l->index)->substeps};
    dry_linkage_begin(l);
    a->found = 0.0;
    a->kept = false;
    a->vibration = dry_linkage_last_vibration(l);
    dry_linkage_find_rows(l, DRY_AT_BEGIN);
    for (int r = 0; r < l->rows; r++)
        l->carried[r] = 0.0;
    a->error_begin = dry_linkage_largest_error(l);
    dry_linkage_find_offsets(l, a->error_begin, dt);
    dry_springs_begin_sweeps(l, first.h);
    if (job->step->state->laws.stores)
        dry_springs_add_stored(l, true, first.h);
    dry_linkage_factor(l);
    find_share(l, &first);
    dry_coupling_find_columns(l);
}

static bool prepare(dry_solver_step *step, dry_memory *memory)
{
    (void)memory;
    over_articulations((articulation_job){.step = step}, prepare_one);
    find_blocks(step, NULL);
    return true;
}

/* Tells whether a substep goes on with the rows that it has. By its end their turning opens joints by half of
 * a row's acceleration times the square of the rows' age. Speeds of that acceleration times the age
 * are asked for, too. The joints' forces do not turn meanwhile: rows follow their vibration as substeps do.
 * Bodies are where they are now, with the velocities of the last substep's begin.
 *
 * Rows may turn as far as those of joints that sweeps solve (bodies/turned.h). The square of that angle is
 * the share of the kinetic energy that their turning may ask for.
 *
 * Springs ask for their length anew. Motors and stops of direct joints may have no largest force, and hold
 * each other by forces that no step before had. Joints that sweeps solve push bodies as contacts do. */
static bool keeps_rows(const dry_linkage *l, const articulation_job *job)
{
    const dry_articulation *articulation = l->articulation;
    const double age = job->time + job->h - articulation->found;
    DRY_ASSERT(age >= 0.0);
    double fastest = 0.0; /* the square of the largest angular velocity of a body */
    for (int b = articulation->body_begin; b < articulation->body_end; b++)
        if (l->body[b].moves)
            fastest = dry_larger(fastest, double3_dot(l->body[b].begin.spin, l->body[b].begin.spin));
    const double turned = sqrt(articulation->vibration) * age, unseen = (double)DRY_TURNING_ANGLE_MIN;
    if (l->springs > 0 || articulation->driven || !(turned <= 1.0) || !(sqrt(fastest) * age <= unseen) ||
        !(0.5 * age * age * dry_linkage_find_accelerations(l) <= DRY_JOINTS_UNSEEN))
        return false;
    return age * age * dry_linkage_energy_asked(l) <= unseen * unseen * kinetic_energy(l, true);
}

static void begin_one(const dry_linkage *l, const articulation_job *job)
{
    for (int r = 0; r < l->rows; r++)
        l->carried[r] = 0.0;
    for (int j = 0; j < l->joints; j++)
        dry_linkage_end_substep(&l->joint[j]);
    l->articulation->share = 0.0;
    read_rows(l);
    dry_linkage_move(l);
    l->articulation->kept = keeps_rows(l, job);
    if (l->articulation->kept)
        return;
    l->articulation->found = job->time;
    if (l->articulation->fine)
        dry_linkage_take_masses(l);
    dry_linkage_find_rows(l, DRY_IN_SWEEPS);
    dry_springs_forget(l);
    l->articulation->fine = l->articulation->heavy = false;
    dry_linkage_factor(l);
    find_share(l, job);
    dry_coupling_find_columns(l);
}

/* Makes those of a tier anew. Articulations whose rows have turned too little for that keep both. */
static void begin(dry_substeps *run)
{
    articulation_job job = job_of(run);
    job.with_errors = true;
    job.h = (double)run->step->dt / (double)run->range->substeps;
    over_articulations(job, begin_one);
    find_blocks(run->step, run->range);
}

/* Keeps the change of bodies by what the substep begins with, and lets joints answer it. */
static void answer_one(const dry_linkage *l, const articulation_job *job)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++) {
        dry_articulated_body *body = &l->body[b];
        for (int k = 0; k < 6 && body->moves; k++)
            body->pushed[k] = l->step->state->bodies.rows[body->row + 1].u[k] -
                              l->step->state->bodies.frames[body->row].before[k];
    }
    read_rows(l);
    solve_speeds(l, job);
}

static void answer(dry_substeps *run)
{
    over_articulations(job_of(run), answer_one);
}

/* Takes back what joints gave in the last answer beyond the share by which the line search has scaled what
 * they answered. */
static void scale_one(const dry_linkage *l, const articulation_job *job)
{
    (void)job;
    int b = l->articulation->body_begin;
    while (!l->body[b].moves)
        b++;
    DRY_ASSERT(b < l->articulation->body_end);
    /* The scale that the line search has found for the island. */
    const double back = l->step->state->bodies.frames[l->body[b].row].slope - 1.0;
    for (int r = 0; r < l->rows; r++) {
        l->impulses[r] *= back;
        l->carried[r] += l->impulses[r];
    }
    dry_linkage_count_impulses(l);
}

static void scale(dry_substeps *run)
{
    dry_coupling_scale(run->step, run->range);
    over_articulations(job_of(run), scale_one);
}

/* Solves the joints of an articulation. */
static void sweep_joints(const dry_linkage *l, const articulation_job *job)
{
    read_rows(l);
    solve_speeds(l, job);
    if (dry_coupling_acts(l))
        dry_coupling_begin(l, true);
}

/* Solves them for what acts on them. */
static void sweep_answers(const dry_linkage *l, const articulation_job *job)
{
    (void)job;
    if (!dry_coupling_acts(l))
        return;
    dry_coupling_answer(l);
    keep_impulses(l, true);
}

/* After a sweep over all else: solves joints [Tomcin 3], and between the halves the contacts and axes that
 * act on them [Tomcin 7]. */
static void sweep(dry_substeps *run, dry_sweep_kind kind)
{
    articulation_job job = job_of(run);
    if (kind == DRY_SWEEP_WARM || kind == DRY_SWEEP_EXCHANGE) {
        dry_coupling_apply(run->step, run->range, &run->sweep, kind);
    } else if (kind != DRY_SWEEP_CARRY) {
        job.with_errors = kind == DRY_SWEEP_SOLVE;
        over_articulations(job, sweep_joints);
        dry_coupling_visit(run->step, run->range, &run->sweep, kind);
        over_articulations(job, sweep_answers);
    }
    if (run->sweep.tally)
        dry_axes_tally(run->step, run->range);
}

static void add_stored_one(const dry_linkage *l, const articulation_job *job)
{
    const double substeps = (double)dry_articulation_range(job->step, l->index)->substeps;
    read_rows(l);
    dry_springs_add_stored(l, false, (double)job->step->dt / substeps);
}

static void add_stored(dry_solver_step *step)
{
    over_articulations((articulation_job){.step = step}, add_stored_one);
}

const dry_solver_part dry_part_direct = {
    .acts = acts,
    .reserve = dry_articulations_update,
    .plan = dry_coupling_update,
    .prepare = prepare,
    .begin = begin,
    .answer = answer,
    .scale = scale,
    .sweep = sweep,
    .repair = dry_articulations_correct,
    .add_stored = add_stored,
    .store = dry_articulations_store,
    .count = dry_articulations_count,
};

/* Stages "prepare" and "solve" of articulations that contacts, motors or other joints act on too: after each
 * sweep over those, all direct joints are solved at once. Reads the solver's rows; writes them, and the
 * articulations. Next: correct.c. */
#include "solver/articulations/articulation_rows.h"
#include "solver/articulations/linkage.h"
#include "solver/context.h"

bool dry_articulations_has_tier(const dry_solver_step *step, const dry_tier_range *range)
{
    for (int i = 0; i < step->state->articulations.count; i++)
        if (dry_articulation_range(step, i) == range && !dry_articulation_is_alone(step, i))
            return true;
    return false;
}

/* No row's speed is solved beyond this, m/s or rad/s. */
#define SPEED_SOLVED_MAX 1e9

typedef struct articulation_job {
    dry_solver_step *step;
    const dry_tier_range *range; /* null: all */
    bool with_errors;
    double time, h; /* since the step began, and of a substep, s */
} articulation_job;

static void prepare_many(void *context, int begin, int end, int worker)
{
    (void)worker;
    const articulation_job *job = context;
    for (int i = begin; i < end; i++) {
        if (dry_articulation_is_alone(job->step, i))
            continue;
        const dry_linkage l = dry_linkage_of(job->step, i, (double)job->step->dt);
        dry_linkage_begin(&l);
        dry_linkage_find_rows(&l, DRY_AT_BEGIN);
        for (int r = 0; r < l.rows; r++)
            l.row[r].impulse = 0.0;
        dry_linkage_find_offsets(&l, l.h);
        dry_linkage_factor(&l);
    }
}

void dry_articulations_prepare(dry_solver_step *step)
{
    articulation_job job = {.step = step};
    dry_jobs_for(step->jobs, step->state->articulations.count, 1, prepare_many, &job);
}

static void read_rows(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            dry_articulated_read_row(l->step, &l->body[b]);
}

static void write_rows(const dry_linkage *l)
{
    for (int b = l->articulation->body_begin; b < l->articulation->body_end; b++)
        if (l->body[b].moves)
            dry_articulated_write_row(l->step, &l->body[b]);
}

/* Fills x with what velocities lack, and returns the largest, in a substep of length h. Rows and errors are
 * those of its begin; their speed grows by their acceleration meanwhile. */
static double find_speeds(const dry_linkage *l, const articulation_job *job)
{
    double largest = 0.0;
    for (int j = 0; j < l->joints; j++) {
        const dry_articulated_joint *joint = &l->joint[j];
        const int first = joint->row - l->articulation->row_begin;
        for (int i = first; i < first + joint->rows; i++) {
            const dry_articulated_row *row = &l->row[i];
            double speed = 0.5 * job->h * row->acceleration;
            if (job->with_errors)
                speed += (row->error - row->offset) / job->h;
            l->x[i] = -speed - dry_linkage_speed(l, joint, row, false);
            largest = dry_larger(largest, fabs(l->x[i]));
        }
    }
    return largest;
}

/* Solves the joints for velocities, which the solver's rows take. */
static void solve_speeds(const dry_linkage *l, const articulation_job *job)
{
    /* Bodies beyond all bounds go into quarantine when the step ends; their neighbors must not see them. */
    if (!(find_speeds(l, job) <= SPEED_SOLVED_MAX))
        return;
    dry_linkage_solve(l);
    dry_linkage_count_impulses(l, 1.0);
    for (int r = 0; r < l->rows; r++)
        l->row[r].impulse += l->impulses[r];
    write_rows(l);
}

/* Motion that carries on has the impulses along the rows of the substep before. They are taken back, and
 * found anew along the new rows: turned with these, they would feed the motion. */
static void refresh_many(void *context, int begin, int end, int worker)
{
    (void)worker;
    const articulation_job *job = context;
    for (int i = begin; i < end; i++) {
        if (dry_articulation_range(job->step, i) != job->range || dry_articulation_is_alone(job->step, i))
            continue;
        const dry_linkage l = dry_linkage_of(job->step, i, job->time);
        dry_linkage_sum_taken_back(&l);
        write_rows(&l);
        read_rows(&l);
        dry_linkage_move(&l);
        dry_linkage_find_rows(&l, DRY_IN_SWEEPS);
        dry_linkage_factor(&l);
        for (int r = 0; r < l.rows; r++)
            l.row[r].impulse = 0.0;
        for (int j = 0; j < l.joints; j++)
            l.joint[j].impulse = l.joint[j].moment = (dry_double3){0};
        solve_speeds(&l, job);
    }
}

void dry_articulations_refresh(dry_solver_step *step, const dry_tier_range *range, float since)
{
    const double h = (double)step->dt / (double)range->substeps;
    articulation_job job = {step, range, true, (double)since, h};
    dry_jobs_for(step->jobs, step->state->articulations.count, 1, refresh_many, &job);
}

static void sweep_many(void *context, int begin, int end, int worker)
{
    (void)worker;
    const articulation_job *job = context;
    for (int i = begin; i < end; i++) {
        if (dry_articulation_range(job->step, i) != job->range || dry_articulation_is_alone(job->step, i))
            continue;
        const dry_linkage l = dry_linkage_of(job->step, i, (double)job->step->dt);
        read_rows(&l);
        solve_speeds(&l, job);
    }
}

void dry_articulations_sweep(dry_solver_step *step, const dry_tier_range *range, const dry_sweep *sweep,
                             bool with_errors)
{
    articulation_job job = {step, range, with_errors, (double)sweep->time, (double)sweep->substep};
    dry_jobs_for(step->jobs, step->state->articulations.count, 1, sweep_many, &job);
}

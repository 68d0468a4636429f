/* Geometric stiffness as inertia of rows (stiffened.h). Reads joints and their last impulses, poses, rows;
 * writes rows and their starts in the substeps of methods that solve for positions. */
#include "solver/bodies/stiffened.h"
#include "solver/bodies/begin.h"

#include "solver/data/context.h"
#include "solver/data/rounding.h"
#include "solver/plan/islands.h"
#include "state/iterators.h"

#include <math.h>

/* Rows of a block. */
enum { STIFFENED_GRAIN = 64 };

typedef struct dry_stiffened_row {
    float own[3], stiff[3]; /* dry_solver_row.inv_sqrt_inertia without and with the stiffness */
    bool stiffens;
} dry_stiffened_row;

/* Adds h^2 K of a body's side of a joint in the body's principal frame: xx yy zz yz zx xy, kg m^2. */
static void add_stiffness(const dry_solver_step *step, int joint, int side, dry_quat orientation, double h,
                          double k[6])
{
    const dry_joint *of = &step->joints->joint[joint];
    if (of->active < 0 || of->substep <= 0.0f || (of->flags & DRY_JOINT_OF_FOUR))
        return;
    /* lambda h with lambda = f h, of a substep of h. */
    const double scale = (side ? 1.0 : -1.0) * h * h / (double)of->substep;
    const dry_vec3 impulse = quat_rotate_inverse(orientation, of->impulse);
    const dry_vec3 arm = dry_joint_anchor(step->joints, joint, side);
    const double f[3] = {scale * (double)impulse.x, scale * (double)impulse.y, scale * (double)impulse.z};
    const double r[3] = {(double)arm.x, (double)arm.y, (double)arm.z};
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        k[i] += f[p] * r[p] + f[q] * r[q];
        k[3 + i] -= 0.5 * (f[p] * r[q] + f[q] * r[p]);
    }
}

/* Finds the inertia of a row with the stiffness of its joints. */
static void find_row(const dry_solver_step *step, int row)
{
    const dry_bodies *bodies = step->bodies;
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    dry_stiffened_row *to = &step->state->bodies.stiffened[row];
    const int island = bodies->sleep[row].island;
    to->stiffens = false;
    if (island < 0 || step->state->bodies.invalid[row])
        return;
    const double substeps =
        (double)step->state->plan.ranges[dry_island_range(&step->islands->island[island])].substeps;
    double k[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (dry_joint_iterator it = dry_joints_of(step->joints, &bodies->state[row]); dry_next_joint(&it);)
        add_stiffness(step, it.joint, it.side, bodies->pose[row].orientation, (double)step->dt / substeps, k);
    for (int i = 0; i < 3; i++) {
        const double bound = k[i] + fabs(k[3 + (i + 1) % 3]) + fabs(k[3 + (i + 2) % 3]);
        const double inverse = (double)r->inv_sqrt_inertia[i], growth = bound * inverse * inverse;
        to->own[i] = to->stiff[i] = r->inv_sqrt_inertia[i];
        if (!(growth > DRY_FLOAT_ROUNDING))
            continue;
        to->stiff[i] = (float)(inverse / sqrt(1.0 + fmin(growth, 1.0 / DRY_FLOAT_ROUNDING)));
        to->stiffens = true;
    }
}

static void find_rows(void *context, dry_items items)
{
    for (int row = items.begin; row < items.end; row++)
        find_row(context, row);
}

bool dry_stiffened_prepare(dry_solver_step *step, dry_memory *memory)
{
    dry_solver_state *s = step->state;
    const int rows = step->bodies->awake_count;
    s->bodies.stiffened_count = 0;
    if (!step->settings->method.geometric_stiffness || step->joints->active_count == 0)
        return true;
    if (!DRY_RESERVE(memory, s->bodies.stiffened, s->bodies.stiffened_capacity, rows))
        return false;
    s->bodies.stiffened_count = rows;
    dry_jobs_for(step->jobs, rows, STIFFENED_GRAIN, find_rows, step);
    return true;
}

bool dry_stiffened_of(const dry_solver_state *state, int row)
{
    return row < state->bodies.stiffened_count && state->bodies.stiffened[row].stiffens;
}

typedef struct whiten_job {
    const dry_solver_state *state;
    bool begins;
} whiten_job;

/* Whitens a row's rotations with one inertia that were whitened with another. */
static void whiten_row(const void *context, int row)
{
    const whiten_job *job = context;
    const dry_stiffened_row *of = &job->state->bodies.stiffened[row];
    const float *from = job->begins ? of->own : of->stiff, *to = job->begins ? of->stiff : of->own;
    dry_solver_row *r = &job->state->bodies.rows[row + 1];
    for (int k = 0; k < 3 && of->stiffens; k++) {
        const float ratio = from[k] == to[k] ? 1.0f : from[k] / to[k];
        r->ua[k] *= ratio;
        r->da[k] *= ratio;
        job->state->bodies.start[row].u[3 + k] *= ratio;
        r->inv_sqrt_inertia[k] = to[k];
    }
}

void dry_stiffened_whiten(dry_solver_step *step, const dry_tier_range *range, bool begins)
{
    dry_over_rows(step, range, whiten_row, &(whiten_job){step->state, begins});
}

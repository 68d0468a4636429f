/* Stage "begin bodies": rows from poses and velocities, and the change by forces in a substep.
 *
 * Reads pose, velocity, mass, force, properties. Writes rows, start rows, invalid flags, and momentum rows
 * where an island floats. Next: sweeps/contacts/prepare.c. */
#include "solver/bodies/begin.h"
#include "solver/bodies/body_blocks.h"
#include "solver/bodies/invalid.h"
#include "solver/bodies/kernel_list.h"
#include "solver/data/context.h"
#include "solver/data/method.h"

typedef struct begin_job {
    const dry_solver_step *step;
    dry_tier_range *range;
    dry_body_begin begin;
} begin_job;

/* Finds how far a body is from where its row's frame is: by a rotation so small that twice the vector part of
 * its quaternion is its vector. */
static void find_moved(const dry_body_pose *now, dry_begin_block *block, int i)
{
    const dry_body_pose *from = block->start[i];
    dry_vec3 moved = vec3(0.0f, 0.0f, 0.0f), turned = moved;
    if (from != now) {
        const dry_quat turn = quat_mul(now->orientation, quat_conjugate(from->orientation));
        moved = position_sub(now->position, from->position);
        turned = vec3_scale(vec3(turn.x, turn.y, turn.z), turn.w < 0.0f ? -2.0f : 2.0f);
    }
    /* Motions that are noise beside 1 m and 1 rad are none. */
    const float along[3] = {moved.x, moved.y, moved.z}, about[3] = {turned.x, turned.y, turned.z};
    for (int k = 0; k < 3; k++) {
        block->moved[k][i] = dry_without_noise(along[k]);
        block->turned[k][i] = dry_without_noise(about[k]);
    }
}

/* Describes at most sixteen bodies; lanes past the end repeat the last body. */
static void gather_block(const dry_solver_step *step, const int32_t *order, int count, dry_begin_block *block)
{
    const dry_bodies *bodies = step->bodies;
    DRY_ASSERT(count > 0 && count <= DRY_BUNDLE);
    block->any_locked = block->any_forced = false;
    block->any_moved = step->islands->staying;
    for (int i = 0; i < DRY_BUNDLE; i++) {
        int row = block->row[i] = order[i < count ? i : count - 1];
        DRY_ASSERT(row >= 0 && row < bodies->awake_count);
        if (block->any_moved) {
            block->start[i] = dry_start_pose(step, row);
            find_moved(&bodies->pose[row], block, i);
        }
        bool forced = bodies->state[row].flags & DRY_BODY_FORCED;
        block->forced[i] = forced ? 1.0f : 0.0f;
        block->any_forced |= forced;
        block->any_locked |= bodies->properties[row].locks != 0;
    }
    if (block->any_locked)
        dry_body_locks_gather(bodies, block->row, &block->locks);
}

typedef struct rows_job {
    const int32_t *order; /* the tier's rows */
    dry_row_work *work;
    const void *context;
} rows_job;

static void work_on_rows(void *context, dry_items items)
{
    const rows_job *job = context;
    for (int i = items.begin; i < items.end; i++)
        job->work(job->context, job->order[i]);
}

void dry_over_rows(const dry_solver_step *step, const dry_tier_range *range, dry_row_work *work,
                   const void *context)
{
    rows_job job = {step->state->plan.order + range->body_begin, work, context};
    dry_jobs_for(step->jobs, range->body_end - range->body_begin, 256, work_on_rows, &job);
}

void dry_solver_stop_row(dry_solver_state *state, int row)
{
    dry_solver_row *r = &state->bodies.rows[row + 1];
    for (int k = 0; k < 6; k++)
        r->u[k] = r->d[k] = state->bodies.start[row].u[k] = 0.0f;
}

void dry_solver_stop_invalid(dry_solver_step *step, const dry_tier_range *range)
{
    for (int i = range->body_begin; i < range->body_end; i++)
        dry_solver_stop_if_invalid(step, step->state->plan.order[i]);
}

/* Begins a body's sums, from its row, the row with a substep's forces, and the change of ul by these; null
 * for a body whose motion is invalid. */
static void begin_momentum(dry_momentum_row *sum, const float u[6], const float forced[6], const float *force)
{
    *sum = (dry_momentum_row){0};
    for (int k = 0; k < 6 && force; k++) {
        sum->begin[k] = u[k];
        sum->force[k] = k < 3 ? force[k] : forced[k] - u[k];
    }
}

static void begin_block(const begin_job *job, const int32_t *order, int count)
{
    dry_solver_state *state = job->step->state;
    dry_begin_block block;
    dry_body_squares squares;
    gather_block(job->step, order, count, &block);
    dry_body_kernels_at(state->sweeps.level)->bodies_begin(&job->begin, &block, &squares);
    if (block.any_locked)
        atomic_store_explicit(&job->range->locked, true, memory_order_relaxed);
    for (int i = 0; i < count; i++) {
        const int row = block.row[i];
        const dry_motion_fault fault =
            dry_speeds_fault(squares.linear[i], squares.angular[i], &job->step->bodies->mass[row]);
        state->bodies.invalid[row] = (uint8_t)fault;
        state->bodies.load[row] = 0;
        if (fault)
            dry_solver_stop_row(state, row);
        if (!job->range->floating)
            continue;
        const float force[3] = {squares.force[0][i], squares.force[1][i], squares.force[2][i]};
        begin_momentum(&state->bodies.momentum_row[row], state->bodies.rows[row + 1].u,
                       state->bodies.start[row].u, fault ? NULL : force);
    }
    if (job->step->method->joints->begin_rows)
        job->step->method->joints->begin_rows(job->step, block.row, count, job->begin.h);
}

static void begin_range(void *context, dry_items items)
{
    const begin_job *job = context;
    const int32_t *order = job->step->state->plan.order + job->range->body_begin;
    for (int i = items.begin; i < items.end; i += DRY_BUNDLE)
        begin_block(job, order + i, dry_min_int(items.end - i, DRY_BUNDLE));
}

void dry_solver_begin_bodies(dry_solver_step *step)
{
    dry_solver_state *state = step->state;
    state->bodies.rows[0] = (dry_solver_row){0};
    for (int c = 0; c < state->plan.range_count; c++) {
        dry_tier_range *range = &state->plan.ranges[c];
        atomic_store_explicit(&range->locked, false, memory_order_relaxed);
        begin_job job = {
            .step = step,
            .range = range,
            .begin = {.bodies = step->bodies,
                      .rows = state->bodies.rows,
                      .start = state->bodies.start,
                      .gravity = step->settings->gravity,
                      .dt = step->dt,
                      .h = step->dt / (float)range->substeps},
        };
        dry_jobs_for(step->jobs, range->body_end - range->body_begin, 256, begin_range, &job);
    }
}

static void add_cross(float sum[3], const float a[3], const float b[3])
{
    sum[0] += a[1] * b[2] - a[2] * b[1];
    sum[1] += a[2] * b[0] - a[0] * b[2];
    sum[2] += a[0] * b[1] - a[1] * b[0];
}

/* Sums displacement x force; sqrt(m) cancels, so that it is dl x (change of ul). */
void dry_momentum_gather(const dry_solver_step *step, const int32_t *rows, int count)
{
    dry_solver_state *s = step->state;
    for (int i = 0; i < count; i++) {
        dry_momentum_row *sum = &s->bodies.momentum_row[rows[i]];
        add_cross(sum->angular_force, s->bodies.rows[rows[i] + 1].dl, sum->force);
    }
}

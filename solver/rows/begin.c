/* Stage "begin bodies": rows from poses and velocities, and what forces change in a substep.
 *
 * Reads pose, velocity, mass, force, drive. Writes rows, start, drift. Next: prepare_contacts.c.
 */
#include "solver/rows/kernel_list.h"
#include "solver/rows/whitening.h"

#include "core/rotation.h"
#include "solver/context.h"
#include "solver/rows/body_blocks.h"
#include "solver/stages.h"

dry_whitening dry_whitening_of(const dry_bodies *bodies, int row)
{
    dry_whitening w;
    dry_body_mass mass = bodies->mass[row];
    /* Locked altogether is infinitely heavy; single axes are taken out of the velocities instead. */
    uint32_t locks = bodies->drive[row].locks;
    if ((locks & DRY_LOCKS_LINEAR) == DRY_LOCKS_LINEAR)
        mass.inverse_mass = 0.0f;
    if ((locks & DRY_LOCKS_ANGULAR) == DRY_LOCKS_ANGULAR)
        mass.inverse_inertia = vec3(0.0f, 0.0f, 0.0f);
    dry_mat3 r = mat3_from_quat(bodies->pose[row].orientation);
    const dry_vec3 *axis = &r.x;
    const float inverse[3] = {mass.inverse_inertia.x, mass.inverse_inertia.y, mass.inverse_inertia.z};
    for (int i = 0; i < 3; i++) {
        float root = w.ang[i] = sqrtf(inverse[i]);
        w.axes[i][0] = axis[i].x * root;
        w.axes[i][1] = axis[i].y * root;
        w.axes[i][2] = axis[i].z * root;
        w.root_inertia[i] = inverse[i] > 0.0f ? 1.0f / root : 0.0f;
    }
    w.lin = sqrtf(mass.inverse_mass);
    return w;
}

dry_vec3 dry_whitened_angular(const dry_whitening *w, const float u[3])
{
    return vec3(w->axes[0][0] * u[0] + w->axes[1][0] * u[1] + w->axes[2][0] * u[2],
                w->axes[0][1] * u[0] + w->axes[1][1] * u[1] + w->axes[2][1] * u[2],
                w->axes[0][2] * u[0] + w->axes[1][2] * u[1] + w->axes[2][2] * u[2]);
}

/* u of an angular velocity: D^(1/2) R^T omega = D W omega. */
static void whiten_angular(const dry_whitening *w, dry_vec3 v, float u[3])
{
    for (int i = 0; i < 3; i++) {
        float root = w->root_inertia[i];
        u[i] = (w->axes[i][0] * v.x + w->axes[i][1] * v.y + w->axes[i][2] * v.z) * root * root;
    }
}

void dry_lock_row(const dry_whitening *w, uint32_t locks, float ul[3], float ua[3])
{
    for (int i = 0; i < 3; i++)
        if (locks & (DRY_LOCK_LINEAR_X << i))
            ul[i] = 0.0f;
    if (!(locks & DRY_LOCKS_ANGULAR))
        return;
    dry_vec3 v = dry_whitened_angular(w, ua);
    if (locks & DRY_LOCK_ANGULAR_X)
        v.x = 0.0f;
    if (locks & DRY_LOCK_ANGULAR_Y)
        v.y = 0.0f;
    if (locks & DRY_LOCK_ANGULAR_Z)
        v.z = 0.0f;
    whiten_angular(w, v, ua);
}

void dry_whiten_velocity(const dry_bodies *bodies, int row, float dt, const dry_whitening *w, float ul[3],
                         float ua[3])
{
    const dry_body_drive *drive = &bodies->drive[row];
    float root_mass = w->lin > 0.0f ? 1.0f / w->lin : 0.0f;
    dry_vec3 linear, angular;
    dry_damped_velocity(bodies, row, dt, &linear, &angular);
    ul[0] = linear.x * root_mass;
    ul[1] = linear.y * root_mass;
    ul[2] = linear.z * root_mass;
    whiten_angular(w, angular, ua);
    if (drive->locks)
        dry_lock_row(w, drive->locks, ul, ua);
}

void dry_damped_velocity(const dry_bodies *bodies, int row, float dt, dry_vec3 *linear, dry_vec3 *angular)
{
    const dry_body_drive *drive = &bodies->drive[row];
    *linear = vec3_scale(bodies->velocity[row].linear, 1.0f / (1.0f + dt * drive->linear_damping));
    *angular = vec3_scale(bodies->velocity[row].angular, 1.0f / (1.0f + dt * drive->angular_damping));
}

typedef struct begin_job {
    const dry_solver_step *step;
    dry_class_range *range;
    float h;
} begin_job;

/* What forces change a row by in a substep. */
static void whiten_force(const begin_job *job, int row, const dry_whitening *w, float force[6])
{
    const dry_solver_step *step = job->step;
    const dry_bodies *bodies = step->bodies;
    const dry_body_drive *drive = &bodies->drive[row];
    float lin = w->lin, root_mass = lin > 0.0f ? 1.0f / lin : 0.0f, h = job->h;
    dry_vec3 pull = vec3_scale(step->settings->gravity, drive->gravity_scale * root_mass * h);
    force[0] = pull.x;
    force[1] = pull.y;
    force[2] = pull.z;
    force[3] = force[4] = force[5] = 0.0f;
    if (bodies->state[row].flags & DRY_BODY_FORCED) {
        const dry_body_force *given = &bodies->force[row];
        force[0] += given->force.x * lin * h;
        force[1] += given->force.y * lin * h;
        force[2] += given->force.z * lin * h;
        for (int i = 0; i < 3; i++)
            force[3 + i] = (w->axes[i][0] * given->torque.x + w->axes[i][1] * given->torque.y +
                            w->axes[i][2] * given->torque.z) *
                           h;
    }
    if (lin <= 0.0f)
        force[0] = force[1] = force[2] = 0.0f;
    if (drive->locks)
        dry_lock_row(w, drive->locks, force, force + 3);
}

static void begin_row(const begin_job *job, int row)
{
    dry_solver_state *state = job->step->state;
    const dry_bodies *bodies = job->step->bodies;
    const dry_whitening white = dry_whitening_of(bodies, row), *w = &white;
    dry_solver_row *r = &state->rows[row + 1];
    dry_start_row *start = &state->start[row];
    if (bodies->drive[row].locks)
        atomic_store_explicit(&job->range->locked, true, memory_order_relaxed);

    float force[6];
    whiten_force(job, row, w, force);
    dry_whiten_velocity(bodies, row, job->step->dt, w, r->ul, r->ua);
    for (int i = 0; i < 6; i++) {
        start->u[i] = r->u[i] + force[i];
        r->d[i] = 0.0f;
    }
    for (int i = 0; i < 3; i++)
        r->ang[i] = w->ang[i];
    r->lin = w->lin;
    /* Quarantine catches what cannot be integrated before a neighbour sees it. */
    bool sound = true;
    for (int i = 0; i < 6; i++)
        sound = sound && isfinite(start->u[i]);
    dry_vec3 v = vec3_scale(vec3(start->u[0], start->u[1], start->u[2]), w->lin);
    dry_vec3 omega = dry_whitened_angular(w, start->u + 3);
    sound = sound && vec3_length_squared(v) <= DRY_SPEED_LIMIT * DRY_SPEED_LIMIT &&
            vec3_length_squared(omega) <= DRY_SPIN_LIMIT * DRY_SPIN_LIMIT;
    state->unsound[row] = !sound;
    if (!sound)
        for (int i = 0; i < 6; i++)
            r->u[i] = start->u[i] = force[i] = 0.0f;
    if (job->range->floating)
        state->drift[row] = (dry_drift_row){.force = {force[0], force[1], force[2]}};
}

/* At most sixteen bodies: the kernel for all, begin_row again for those that it is not for. */
static void begin_block(const begin_job *job, const dry_body_begin *begin, const int32_t *order, int count)
{
    dry_solver_state *state = job->step->state;
    const dry_bodies *bodies = job->step->bodies;
    int32_t rows[DRY_BUNDLE];
    bool special[DRY_BUNDLE];
    dry_body_squares squares;
    for (int i = 0; i < DRY_BUNDLE; i++) {
        int row = rows[i] = order[i < count ? i : count - 1];
        const dry_body_state *body = &bodies->state[row];
        special[i] = (body->flags & DRY_BODY_FORCED) || bodies->drive[row].locks;
    }
    dry_body_kernels_at(state->level)->bodies_begin(begin, rows, &squares);
    for (int i = 0; i < count; i++) {
        int row = rows[i];
        if (special[i] || !(squares.linear[i] <= DRY_SPEED_LIMIT * DRY_SPEED_LIMIT &&
                            squares.angular[i] <= DRY_SPIN_LIMIT * DRY_SPIN_LIMIT)) {
            begin_row(job, row);
            continue;
        }
        state->unsound[row] = false;
        if (job->range->floating)
            state->drift[row] =
                (dry_drift_row){.force = {squares.force[0][i], squares.force[1][i], squares.force[2][i]}};
    }
}

static void begin_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const begin_job *job = context;
    const dry_solver_state *state = job->step->state;
    const dry_body_begin all = {job->step->bodies, state->rows, state->start, job->step->settings->gravity,
                                job->step->dt,     job->h};
    const int32_t *order = state->order + job->range->body_begin;
    for (int i = begin; i < end; i += DRY_BUNDLE)
        begin_block(job, &all, order + i, dry_min_int(end - i, DRY_BUNDLE));
}

void dry_solver_begin_bodies(dry_solver_step *step)
{
    dry_solver_state *state = step->state;
    state->rows[0] = (dry_solver_row){0};
    for (int c = 0; c < DRY_TIER_COUNT; c++) {
        dry_class_range *range = &state->ranges[c];
        atomic_store_explicit(&range->locked, false, memory_order_relaxed);
        begin_job job = {step, range, step->dt / (float)range->substeps};
        dry_jobs_for(step->jobs, range->body_end - range->body_begin, 256, begin_range, &job);
    }
}

/* Stage "finalize": rows back to poses and velocities, bounds, rest timers, events, quarantine.
 *
 * Reads rows, whitening. Writes pose, velocity, force (cleared), rest, fat bounds, moved events. Next:
 * sleep.c, then the next step's pairs.c. */
#include "core/rotation.h"
#include "solver/bodies.h"
#include "world/world.h"

typedef struct finalize_job {
    dry_world *world;
    const dry_solver_step *step;
} finalize_job;

/* The angular velocity of angular momentum L (world axes) at orientation q: R D^-1 R^T L. */
static dry_vec3 spin_of(dry_vec3 momentum, dry_quat q, dry_vec3 inverse_inertia)
{
    return quat_rotate(q, vec3_mul(inverse_inertia, quat_rotate_inverse(q, momentum)));
}

/* Turns q by the torque-free motion of momentum L over dt: Runge-Kutta of fourth order on q' = (w q) / 2, in
 * parts of at most a tenth of a radian, so that energy stays and the middle axis flips as it should
 * [CSE169; Waterson 4.4 is its first-order form]. L is constant, so it is conserved by construction. */
static dry_quat turn_freely(dry_quat q, dry_vec3 momentum, dry_vec3 inverse_inertia, float dt)
{
    float angle = vec3_length(spin_of(momentum, q, inverse_inertia)) * dt;
    int parts = 1 + (int)dry_min(angle * 10.0f, 255.0f);
    float h = dt / (float)parts;
    for (int i = 0; i < parts; i++) {
        dry_quat k[4], at = q;
        static const float ahead[4] = {0.0f, 0.5f, 0.5f, 1.0f};
        for (int stage = 0; stage < 4; stage++) {
            if (stage > 0) {
                float s = h * ahead[stage];
                const dry_quat *slope = &k[stage - 1];
                at = quat_normalize((dry_quat){q.x + s * slope->x, q.y + s * slope->y, q.z + s * slope->z,
                                               q.w + s * slope->w});
            }
            dry_vec3 w = spin_of(momentum, at, inverse_inertia);
            k[stage] = quat_mul((dry_quat){0.5f * w.x, 0.5f * w.y, 0.5f * w.z, 0.0f}, at);
        }
        float s = h / 6.0f;
        q = quat_normalize((dry_quat){q.x + s * (k[0].x + 2.0f * (k[1].x + k[2].x) + k[3].x),
                                      q.y + s * (k[0].y + 2.0f * (k[1].y + k[2].y) + k[3].y),
                                      q.z + s * (k[0].z + 2.0f * (k[1].z + k[2].z) + k[3].z),
                                      q.w + s * (k[0].w + 2.0f * (k[1].w + k[2].w) + k[3].w)});
    }
    return q;
}

static bool is_isotropic(dry_vec3 inertia)
{
    return inertia.x == inertia.y && inertia.y == inertia.z;
}

static bool is_sound(const dry_body_pose *pose, const dry_body_velocity *velocity)
{
    return dry_finite_position(pose->position) && quat_is_finite(pose->orientation) &&
           vec3_length_squared(velocity->linear) <= DRY_SPEED_LIMIT * DRY_SPEED_LIMIT &&
           vec3_length_squared(velocity->angular) <= DRY_SPIN_LIMIT * DRY_SPIN_LIMIT;
}

/* The motion that a dynamic body's row ended with. */
static void read_row(const finalize_job *job, int row, dry_body_pose *pose, dry_body_velocity *velocity)
{
    const dry_world *world = job->world;
    const dry_bodies *bodies = &world->bodies;
    const dry_solver_row *r = &world->solver.rows[row + 1];
    const dry_whitening *w = &world->solver.whitening[row];
    float dt = job->step->dt;
    dry_vec3 inverse = bodies->mass[row].inverse_inertia;
    float last[6];
    for (int i = 0; i < 3; i++)
        last[i] = r->ul[i], last[3 + i] = r->ua[i];
    if (bodies->drive[row].locks)
        dry_lock_row(w, bodies->drive[row].locks, last, last + 3);
    velocity->linear = vec3_scale(vec3(last[0], last[1], last[2]), w->lin);
    velocity->angular = dry_whitened_angular(w, last + 3);
    pose->position = position_add(pose->position, vec3_scale(vec3(r->dl[0], r->dl[1], r->dl[2]), w->lin));
    dry_vec3 turn = dry_whitened_angular(w, r->da);
    if (is_isotropic(inverse) || bodies->drive[row].locks) {
        pose->orientation = quat_normalize(quat_mul(quat_from_rotation(turn), pose->orientation));
        return;
    }
    /* Gyroscopic motion: the torque-free turn of the momentum that the step began with, then what contacts
     * and torques turned the body by besides. The momentum ends as what it was plus what they gave. */
    float keep = 1.0f / (1.0f + dt * bodies->drive[row].angular_damping);
    dry_vec3 first = vec3_scale(bodies->velocity[row].angular, keep);
    dry_vec3 inertia = vec3(w->root_inertia[0] * w->root_inertia[0], w->root_inertia[1] * w->root_inertia[1],
                            w->root_inertia[2] * w->root_inertia[2]);
    dry_quat q0 = pose->orientation;
    dry_vec3 momentum0 = quat_rotate(q0, vec3_mul(inertia, quat_rotate_inverse(q0, first)));
    dry_vec3 momentum1 = quat_rotate(q0, vec3_mul(inertia, quat_rotate_inverse(q0, velocity->angular)));
    dry_quat q1 = turn_freely(q0, momentum0, inverse, dt);
    dry_vec3 besides = vec3_add_scaled(turn, -dt, first);
    pose->orientation = quat_normalize(quat_mul(quat_from_rotation(besides), q1));
    velocity->angular = spin_of(momentum1, pose->orientation, inverse);
}

static void move_kinematic(const dry_bodies *bodies, int row, float dt, dry_body_pose *pose)
{
    const dry_body_velocity *v = &bodies->velocity[row];
    pose->position = position_add(pose->position, vec3_scale(v->linear, dt));
    pose->orientation = quat_normalize(quat_mul(quat_from_rotation(vec3_scale(v->angular, dt)), pose->orientation));
}

static void finalize_row(const finalize_job *job, int row)
{
    dry_world *world = job->world;
    dry_bodies *bodies = &world->bodies;
    float dt = job->step->dt;
    dry_body_pose pose = bodies->pose[row];
    dry_body_velocity velocity = bodies->velocity[row];
    dry_body_state *state = &bodies->state[row];
    bool dynamic = state->type == DRY_BODY_DYNAMIC;
    if (dynamic)
        read_row(job, row, &pose, &velocity);
    else
        move_kinematic(bodies, row, dt, &pose);
    dry_start_row *start = &world->solver.start[row];
    start->unsound = (dynamic && start->unsound) || !is_sound(&pose, &velocity);
    if (start->unsound) {
        atomic_store_explicit(&world->unsound, true, memory_order_relaxed);
        pose = bodies->pose[row];
        velocity = (dry_body_velocity){0};
    }
    bodies->pose[row] = pose;
    bodies->velocity[row] = velocity;
    if (state->flags & DRY_BODY_FORCED) {
        bodies->force[row] = (dry_body_force){0};
        state->flags &= ~(uint32_t)DRY_BODY_FORCED;
    }
    float speed = vec3_length(velocity.linear) + vec3_length(velocity.angular) * state->radius;
    dry_body_rest *rest = &bodies->rest[row];
    bool at_rest = (state->flags & DRY_BODY_CAN_SLEEP) && speed < world->settings.sleep_speed_max;
    rest->timer = at_rest ? rest->timer + dt : 0.0f;
    dry_update_bounds(world, row, vec3_scale(velocity.linear, dt));
    world->events.moved[row] =
        (dry_moved_event){dry_body_id_of(world, state->slot), dry_bodies_user_pose(bodies, row), state->user_data};
}

static void finalize_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const finalize_job *job = context;
    for (int row = begin; row < end; row++)
        finalize_row(job, row);
}

/* Disables what is no longer sound; its contacts end, its neighbours wake. */
static void quarantine(dry_world *world)
{
    dry_bodies *bodies = &world->bodies;
    for (int row = bodies->awake_count - 1; row >= 0; row--) {
        if (!world->solver.start[row].unsound)
            continue;
        int slot = bodies->state[row].slot;
        /* Without memory for the end events it stays as it is, sound and at rest, for another step. */
        if (!dry_events_reserve_ends(world, dry_body_touch_count(world, slot)))
            continue;
        world->events.quarantines[world->events.quarantines_count++] =
            (dry_quarantine_event){dry_body_id_of(world, slot)};
        dry_world_fail(world, DRY_OK, "dry_world_step: body %016llx is no longer finite; it is disabled",
                       (unsigned long long)dry_body_id_of(world, slot).bits);
        dry_wake_neighbors(world, slot);
        dry_detach_body(world, slot);
        int now = dry_bodies_row(bodies, slot);
        bodies->state[now].flags = (bodies->state[now].flags & ~(uint32_t)DRY_BODY_ENABLED) | DRY_BODY_QUARANTINED;
        dry_bodies_set_awake(bodies, slot, false);
        world->islands.stale = true;
    }
}

void dry_stage_finalize(dry_world *world, const dry_solver_step *step)
{
    atomic_store_explicit(&world->unsound, false, memory_order_relaxed);
    world->events.quarantines_count = 0;
    finalize_job job = {world, step};
    dry_jobs_for(world->jobs, world->bodies.awake_count, 128, finalize_range, &job);
    world->events.moved_count = world->bodies.awake_count;
    if (atomic_load_explicit(&world->unsound, memory_order_relaxed))
        quarantine(world);
    dry_sleep_islands(world);
}

/* Stage "finalize": rows back to poses and velocities, bounds, rest timers, events, quarantine.
 *
 * Reads rows. Writes pose, velocity, force (cleared), rest, fat bounds, moved events. Next:
 * sleep.c, then the next step's pairs.c. */
#include "core/gyroscopic.h"
#include "core/rotation.h"
#include "solver/rows/body_blocks.h"
#include "solver/rows/kernel_list.h"
#include "solver/rows/whitening.h"
#include "world/world.h"

typedef struct finalize_job {
    dry_world *world;
    const dry_solver_step *step;
} finalize_job;

/* What contacts and torques turned the body by besides its free motion comes as `besides`. */
static void turn_gyroscopically(dry_vec3 inverse_inertia, dry_vec3 first, dry_vec3 last, dry_vec3 besides,
                                float dt, dry_quat *orientation, dry_vec3 *angular)
{
    dry_gyro g = gyro_begin(*orientation, inverse_inertia, first, last, dt);
    for (int part = 0; part < g.parts; part++)
        g.q = turn_freely(g.q, g.momentum, g.inverse, g.h);
    *orientation = gyro_turn(&g, quat_from_rotation(besides));
    *angular = gyro_velocity(&g, *orientation);
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

/* Whether no constraint held the body in this step. Overflow marks no body, so with any all count as held. */
static bool is_free(const dry_world *world, int row)
{
    return world->bodies.state[row].colors == 0 && world->solver.overflow == 0;
}

/* The motion that a dynamic body's row ended with. */
static void read_row(const finalize_job *job, int row, dry_body_pose *pose, dry_body_velocity *velocity)
{
    const dry_world *world = job->world;
    const dry_bodies *bodies = &world->bodies;
    const dry_solver_row *r = &world->solver.rows[row + 1];
    const dry_whitening white = dry_whitening_of(bodies, row), *w = &white;
    float dt = job->step->dt;
    dry_vec3 inverse = bodies->mass[row].inverse_inertia;
    /* Velocities change by what the row changed by: what nothing touched keeps its bits, and momentum is not
     * rounded through sqrt(m) and back. */
    dry_vec3 first_linear, first;
    float before[6], last[6], change[6];
    dry_damped_velocity(bodies, row, dt, &first_linear, &first);
    dry_whiten_velocity(bodies, row, dt, w, before, before + 3);
    for (int i = 0; i < 3; i++)
        last[i] = r->ul[i], last[3 + i] = r->ua[i];
    uint32_t locks = bodies->drive[row].locks;
    if (locks)
        dry_lock_row(w, locks, last, last + 3);
    for (int i = 0; i < 6; i++)
        change[i] = last[i] - (locks ? 0.0f : before[i]);
    velocity->linear = vec3_scale(vec3(change[0], change[1], change[2]), w->lin);
    velocity->angular = dry_whitened_angular(w, change + 3);
    if (!locks) {
        velocity->linear = vec3_add(first_linear, velocity->linear);
        velocity->angular = vec3_add(first, velocity->angular);
        if (is_free(world, row)) {
            /* Nothing but forces: their sum once, not rounded in every substep. */
            dry_vec3 pull = vec3_scale(world->settings.gravity, bodies->drive[row].gravity_scale);
            pull =
                vec3_add_scaled(pull, bodies->mass[row].inverse_mass, dry_bodies_force(bodies, row)->force);
            velocity->linear = vec3_add_scaled(first_linear, dt, pull);
        }
    }
    pose->position = position_add(pose->position, vec3_scale(vec3(r->dl[0], r->dl[1], r->dl[2]), w->lin));
    dry_vec3 turned = dry_whitened_angular(w, r->da);
    if (is_isotropic(inverse) || locks) {
        pose->orientation = quat_normalize(quat_mul(quat_from_rotation(turned), pose->orientation));
        return;
    }
    turn_gyroscopically(inverse, first, velocity->angular, vec3_add_scaled(turned, -dt, first), dt,
                        &pose->orientation, &velocity->angular);
}

static void move_kinematic(const dry_bodies *bodies, int row, float dt, dry_body_pose *pose)
{
    const dry_body_velocity *v = &bodies->velocity[row];
    pose->position = position_add(pose->position, vec3_scale(v->linear, dt));
    pose->orientation =
        quat_normalize(quat_mul(quat_from_rotation(vec3_scale(v->angular, dt)), pose->orientation));
}

/* What comes after the motion: forces cleared, the rest timer, the event. */
static void settle_row(const finalize_job *job, int row, float speed, float spin)
{
    dry_world *world = job->world;
    dry_bodies *bodies = &world->bodies;
    dry_body_state *state = &bodies->state[row];
    if (state->flags & DRY_BODY_FORCED) {
        bodies->force[row] = (dry_body_force){0};
        state->flags &= ~(uint32_t)DRY_BODY_FORCED;
    }
    dry_body_rest *rest = &bodies->rest[row];
    bool at_rest =
        (state->flags & DRY_BODY_CAN_SLEEP) && speed + spin * state->radius < world->settings.sleep_speed_max;
    rest->timer = at_rest ? rest->timer + job->step->dt : 0.0f;
    world->events.moved[row] = (dry_moved_event){dry_body_id_of(world, state->slot),
                                                 dry_bodies_user_pose(bodies, row), state->user_data};
}

static void finalize_row(const finalize_job *job, int row)
{
    dry_world *world = job->world;
    dry_bodies *bodies = &world->bodies;
    float dt = job->step->dt;
    dry_body_pose pose = bodies->pose[row];
    dry_body_velocity velocity = bodies->velocity[row];
    bool dynamic = bodies->state[row].type == DRY_BODY_DYNAMIC;
    if (dynamic)
        read_row(job, row, &pose, &velocity);
    else
        move_kinematic(bodies, row, dt, &pose);
    bool *unsound = &world->solver.unsound[row];
    *unsound = (dynamic && *unsound) || !is_sound(&pose, &velocity);
    if (*unsound) {
        atomic_store_explicit(&world->unsound, true, memory_order_relaxed);
        pose = bodies->pose[row];
        velocity = (dry_body_velocity){0};
    }
    bodies->pose[row] = pose;
    bodies->velocity[row] = velocity;
    settle_row(job, row, vec3_length(velocity.linear), vec3_length(velocity.angular));
    dry_update_bounds(world, row, vec3_scale(velocity.linear, dt));
}

/* Blocks of sixteen rows. */

/* What most bodies are: the kernel's. */
static bool is_plain(const dry_world *world, int row)
{
    const dry_bodies *bodies = &world->bodies;
    return bodies->state[row].type == DRY_BODY_DYNAMIC && !bodies->drive[row].locks &&
           !world->solver.unsound[row];
}

/* The body's shape if it has just one, in the broadphase. */
static const dry_shape_form *only_form(const dry_world *world, const dry_body_state *state)
{
    if (state->first_shape < 0 || state->first_shape != state->last_shape)
        return NULL;
    const dry_shape_form *form = &world->shapes.form[state->first_shape];
    return form->proxy >= 0 ? form : NULL;
}

typedef struct block_lanes {
    bool plain[DRY_BUNDLE];
    bool bounded[DRY_BUNDLE]; /* the kernel knows its bounds */
} block_lanes;

static void gather_block(const dry_world *world, int first, int count, dry_body_block *block,
                         block_lanes *lanes)
{
    static const dry_shape_form no_form;
    block->any_free = block->any_gyroscopic = false;
    for (int i = 0; i < DRY_BUNDLE; i++) {
        int row = first + dry_min_int(i, count - 1);
        const dry_body_state *state = &world->bodies.state[row];
        const dry_shape_form *form = only_form(world, state);
        block->row[i] = row;
        lanes->plain[i] = is_plain(world, row);
        lanes->bounded[i] = form != NULL;
        block->form[i] = form ? form : &no_form;
        int type = block->form[i]->geometry.type;
        block->kind[i] = type == DRY_SHAPE_BOX ? 0.0f : type == DRY_SHAPE_CAPSULE ? 1.0f : 2.0f;
        block->free[i] = is_free(world, row) ? 1.0f : 0.0f;
        block->any_free |= is_free(world, row);
        bool gyroscopic = lanes->plain[i] && !is_isotropic(world->bodies.mass[row].inverse_inertia);
        block->gyroscopic[i] = gyroscopic ? 1.0f : 0.0f;
        block->any_gyroscopic |= gyroscopic;
    }
}

/* Takes one lane over; false, and nothing written, if it is not sound. */
static bool take_lane(const finalize_job *job, const dry_body_motion *m, int row, int i)
{
    dry_bodies *bodies = &job->world->bodies;
    dry_position position =
        position_add(bodies->pose[row].position, vec3(m->moved[0][i], m->moved[1][i], m->moved[2][i]));
    if (!(m->linear2[i] <= DRY_SPEED_LIMIT * DRY_SPEED_LIMIT &&
          m->angular2[i] <= DRY_SPIN_LIMIT * DRY_SPIN_LIMIT && m->turn2[i] <= 2.0f &&
          dry_finite_position(position)))
        return false;
    bodies->pose[row] =
        (dry_body_pose){position, {m->turn[0][i], m->turn[1][i], m->turn[2][i], m->turn[3][i]}};
    bodies->velocity[row] = (dry_body_velocity){{m->linear[0][i], m->linear[1][i], m->linear[2][i]},
                                                {m->angular[0][i], m->angular[1][i], m->angular[2][i]}};
    settle_row(job, row, m->speed[i], m->spin[i]);
    return true;
}

static dry_bounds lane_bounds(const dry_body_motion *m, dry_position center, int i)
{
    dry_vec3 extents = vec3(m->extents[0][i], m->extents[1][i], m->extents[2][i]);
    center = position_add(center, vec3(m->offset[0][i], m->offset[1][i], m->offset[2][i]));
    return (dry_bounds){position_add(center, vec3_neg(extents)), position_add(center, extents)};
}

static void finalize_block(const finalize_job *job, const dry_body_finish *finish, int first, int count)
{
    dry_world *world = job->world;
    dry_body_block block;
    block_lanes lanes;
    dry_body_motion motion;
    dry_proxy_update updates[DRY_BUNDLE];
    int update_count = 0;
    gather_block(world, first, count, &block, &lanes);
    dry_body_kernels_at(world->solver.level)->bodies_finish(finish, &block, &motion);
    for (int i = 0; i < count; i++) {
        int row = first + i;
        if (!lanes.plain[i] || !take_lane(job, &motion, row, i)) {
            finalize_row(job, row);
            continue;
        }
        dry_vec3 ahead =
            vec3_scale(vec3(motion.linear[0][i], motion.linear[1][i], motion.linear[2][i]), job->step->dt);
        if (lanes.bounded[i])
            updates[update_count++] = (dry_proxy_update){
                lane_bounds(&motion, world->bodies.pose[row].position, i), ahead, block.form[i]->proxy};
        else
            dry_update_bounds(world, row, ahead);
    }
    dry_broadphase_update_many(world->broadphase, updates, update_count);
}

static void finalize_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const finalize_job *job = context;
    const dry_world *world = job->world;
    const dry_body_finish finish = {&world->bodies, world->solver.rows, world->settings.gravity,
                                    job->step->dt};
    for (int row = begin; row < end; row += DRY_BUNDLE)
        finalize_block(job, &finish, row, dry_min_int(end - row, DRY_BUNDLE));
}

/* Disables what is no longer sound; its contacts end, its neighbours wake. */
static void quarantine(dry_world *world)
{
    dry_bodies *bodies = &world->bodies;
    for (int row = bodies->awake_count - 1; row >= 0; row--) {
        if (!world->solver.unsound[row])
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
        bodies->state[now].flags =
            (bodies->state[now].flags & ~(uint32_t)DRY_BODY_ENABLED) | DRY_BODY_QUARANTINED;
        dry_bodies_set_awake(bodies, slot, false);
        world->islands.stale = true;
    }
}

void dry_stage_finalize(dry_world *world, const dry_solver_step *step)
{
    atomic_store_explicit(&world->unsound, false, memory_order_relaxed);
    dry_events_begin(world);
    finalize_job job = {world, step};
    dry_jobs_for(world->jobs, world->bodies.awake_count, 128, finalize_range, &job);
    world->events.moved_count = world->bodies.awake_count;
    if (atomic_load_explicit(&world->unsound, memory_order_relaxed))
        quarantine(world);
    dry_sleep_islands(world);
}

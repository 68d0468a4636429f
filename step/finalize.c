/* Stage "finalize": rows back to poses and velocities, bounds, sleep timers, events, quarantine.
 *
 * Reads the motion that solver/bodies/finish.c computes from rows. Writes pose, velocity, force (cleared),
 * the sleep timer, fat bounds, moved events. Next: quarantine.c, sleep.c, then the next step's pairs.c. */
#include "solver/bodies/begin.h"
#include "solver/bodies/body_blocks.h"
#include "solver/bodies/invalid.h"
#include "solver/laws/ledger.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"
#include "step/prefetch.h"
#include "step/stages.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/events.h"
#include "world/world.h"

#include <float.h>
#include <string.h>

typedef struct finalize_job {
    dry_world *world;
    const dry_solver_step *step;
    float gravity; /* |g|, m/s^2 */
    dry_prefetch *prefetch;
    int prefetch_lines; /* beside each body */
} finalize_job;

/* How a body moved in the step. */
typedef struct body_speeds {
    float linear, angular; /* velocities at the step's end */
    float moved_squared; /* square of the displacement; overlaps separate by displacement, without velocity */
} body_speeds;

static bool is_slow(const finalize_job *job, int row, body_speeds speeds)
{
    const float speed_max = job->world->settings.sleep_speed_max, moved_max = speed_max * job->step->dt;
    return speeds.linear + speeds.angular * job->world->bodies.state[row].radius < speed_max &&
           speeds.moved_squared <= moved_max * moved_max;
}

/* Forces on a body balance while half the time before sleep changes the speeds of its center and rim,
 * together, by at most this share of the largest speed at rest: by default 6 mm/s^2. A ball on a slope of
 * 0.005 rad has 70 mm/s^2. With 1/64 heaps of ragdolls sleep a seventh later, with 1/16 a fall of 12 mm/s^2
 * is missed. */
static const float BALANCED = 1.0f / 32.0f;

/* Returns the speed of a body's center and that of its rim, together, m/s. */
static float sum_of_speeds(float radius, dry_vec3 linear, dry_vec3 angular)
{
    return vec3_length(linear) + radius * vec3_length(angular);
}

/* Returns how often a time is within a sleep timer. */
static int times_within(float timer, float time)
{
    return (int)dry_min(timer / time, 1e9f);
}

/* Judges whether forces balanced, by the mean acceleration, each time that half of the time before sleep has
 * gone by. Else the second half starts anew. The mean begins where the body was slowest: one that trembles is
 * balanced after a while, one that turns round or begins to fall never is. */
static void judge_balance(const finalize_job *job, int row, float half, bool first)
{
    const dry_bodies *bodies = &job->world->bodies;
    const dry_body_velocity *v = &bodies->velocity[row];
    dry_body_timed *then = &bodies->timed[row];
    float *timer = &bodies->sleep[row].timer;
    const float radius = bodies->state[row].radius, elapsed = *timer - then->since,
                most = BALANCED * job->world->settings.sleep_speed_max / half * elapsed;
    const dry_vec3 linear = vec3_sub(v->linear, then->linear), angular = vec3_sub(v->angular, then->angular);
    if (!first && !(sum_of_speeds(radius, linear, angular) <= most))
        *timer = half;
    if (first ||
        sum_of_speeds(radius, v->linear, v->angular) < sum_of_speeds(radius, then->linear, then->angular))
        *then = (dry_body_timed){v->linear, v->angular, *timer};
    else
        then->since = *timer - elapsed;
}

/* Advances a body's sleep timer while it is slow and may sleep; sets the timer to 0 otherwise. */
static void advance_sleep_timer(const finalize_job *job, int row, bool slow)
{
    const dry_bodies *bodies = &job->world->bodies;
    const bool counts = (bodies->state[row].flags & DRY_BODY_CAN_SLEEP) && slow;
    float *timer = &bodies->sleep[row].timer;
    const float half = 0.5f * job->world->settings.sleep_after, before = *timer;
    *timer = counts ? before + job->step->dt : 0.0f;
    if (counts && half > 0.0f && bodies->timed && times_within(before, half) < times_within(*timer, half))
        judge_balance(job, row, half, before < half);
}

/* Advances what the next step's tiers follow: the load that a body bears, and its island's compliance. */
static void advance_difficulty(const finalize_job *job, int row, bool slow)
{
    dry_world *world = job->world;
    dry_body_sleep *sleep = &world->bodies.sleep[row];
    if (sleep->island < 0) {
        sleep->rest = 0.0f;
        return;
    }
    float measured;
    memcpy(&measured, &world->solver.bodies.load[row], sizeof measured);
    measured = dry_load_of_size(measured, world->bodies.state[row].radius);
    DRY_ASSERT(measured >= 0.0f && sleep->island < world->islands.count);
    const dry_island *island = &world->islands.island[sleep->island];
    const float first = island->rated.falls ? 0.0f : DRY_FIRST_LOAD;
    sleep->rest = dry_rest_after(job->step, sleep->island, slow, sleep->load, measured);
    if (island->phase == DRY_ISLAND_SETTLES)
        sleep->load = dry_load_bounded(measured);
    else if (dry_phase_of_rest(sleep->rest) != DRY_ISLAND_RESTS)
        sleep->load = dry_load_sustained(sleep->load, measured, island->rated.guess, first, job->gravity,
                                         job->step->dt);
    sleep->compliance = island->rated.compliance;
}

/* Notes by how much a body that has joints turns in this step from one orientation to the next; quaternions
 * of both signs may be the same. */
static inline void note_turn(const finalize_job *job, int row, dry_quat from, dry_quat to)
{
    dry_solver_state *s = &job->world->solver;
    if (row >= s->bodies.turned_angle_capacity)
        return;
    s->bodies.turned_angle[row] = 0.0f;
    if (job->world->bodies.state[row].joints < 0)
        return;
    const dry_quat less = {to.x - from.x, to.y - from.y, to.z - from.z, to.w - from.w};
    const dry_quat more = {to.x + from.x, to.y + from.y, to.z + from.z, to.w + from.w};
    s->bodies.turned_angle[row] = 2.0f * sqrtf(dry_min(quat_length_squared(less), quat_length_squared(more)));
}

/* Moves a body to its place at the step's end. */
static inline void place_body(const finalize_job *job, int row, dry_body_pose pose,
                              dry_body_velocity velocity)
{
    dry_bodies *bodies = &job->world->bodies;
    DRY_ASSERT(dry_abs(quat_length_squared(pose.orientation) - 1.0f) < 8.0f * FLT_EPSILON);
    note_turn(job, row, bodies->pose[row].orientation, pose.orientation);
    dry_correction_note(job->step, row, &pose, &velocity);
    bodies->pose[row] = pose;
    bodies->velocity[row] = velocity;
}

/* Clears forces, advances difficulty and the sleep timer and writes the event of a body that has its new
 * motion. */
static void finalize_body(const finalize_job *job, int row, body_speeds speeds)
{
    dry_world *world = job->world;
    dry_bodies *bodies = &world->bodies;
    DRY_ASSERT(row < bodies->awake_count);
    dry_body_state *state = &bodies->state[row];
    if (state->flags & DRY_BODY_FORCED) {
        bodies->force[row] = (dry_body_force){0};
        state->flags &= ~(uint32_t)DRY_BODY_FORCED;
    }
    const bool slow = is_slow(job, row, speeds);
    advance_difficulty(job, row, slow);
    advance_sleep_timer(job, row, slow);
    world->events.moved[row] =
        (dry_moved_event){dry_body_id_of(world, state->slot),
                          dry_bodies_user_pose(bodies, row),
                          state->user_data,
                          {bodies->velocity[row].linear, bodies->velocity[row].angular}};
}

/* Stops a body whose motion is invalid where the step began; quarantine takes it out of the world, and says
 * what is wrong. */
static void stop_body(const finalize_job *job, int row)
{
    dry_world *world = job->world;
    atomic_store_explicit(&world->invalid, true, memory_order_relaxed);
    world->bodies.velocity[row] = (dry_body_velocity){0};
    note_turn(job, row, world->bodies.pose[row].orientation, world->bodies.pose[row].orientation);
    finalize_body(job, row, (body_speeds){0});
    dry_body_update_bounds(world, row, vec3(0.0f, 0.0f, 0.0f));
}

/* Contacts of a body at rest act along axes and lever arms that are off by up to this share of themselves,
 * and turned by as much, rad: solver/bodies/begin.h. With 1e-3 and 1e-5, too, 90 of 96 generated scenes hold.
 */
static const float NEAR = 1e-4f;

/* Tells whether a body is displaced by less than a share of its radius, and turned by less than that, rad.
 * The difference of two quaternions has half the angle. */
static bool is_within(float share, float radius, dry_vec3 displacement, dry_quat from, dry_quat to)
{
    const dry_quat less = {to.x - from.x, to.y - from.y, to.z - from.z, to.w - from.w};
    return vec3_length_squared(displacement) <= share * share * radius * radius &&
           4.0f * quat_length_squared(less) <= share * share;
}

/* Ends the step of a body that stays, `displacement` from its rest pose at `pose`: what a float does not
 * resolve is the noise of the step's sums, which would excite what is soft, or creep. It moves no body, and
 * leaves it still. Makes the displacement that of the step. Returns whether its rest pose serves on. */
static bool end_stay(const finalize_job *job, int row, dry_vec3 *displacement, dry_body_pose *pose,
                     dry_body_velocity *velocity, bool *still)
{
    const dry_bodies *bodies = &job->world->bodies;
    const dry_body_pose *now = &bodies->pose[row], *rest = &bodies->rest_pose[row];
    dry_body_rows *rows = &job->world->solver.bodies;
    const float radius = bodies->state[row].radius;
    const bool near = is_within(NEAR, radius, *displacement, rest->orientation, pose->orientation);
    *displacement = position_sub(pose->position, now->position);
    *still = is_within(FLT_EPSILON, radius, *displacement, now->orientation, pose->orientation);
    if (*still)
        *pose = *now, *velocity = (dry_body_velocity){0};
    rows->rested[row] = !near;
    if (!near)
        atomic_store_explicit(&rows->some_rested, true, memory_order_relaxed);
    return near;
}

/* Finds what is wrong with the motion of a body where a step ends, and notes it. */
static inline bool is_valid(const finalize_job *job, int row, float linear_squared, float angular_squared,
                            float orientation_squared, dry_position position)
{
    uint8_t *invalid = &job->world->solver.bodies.invalid[row];
    *invalid = (uint8_t)dry_speeds_fault(linear_squared, angular_squared, &job->world->bodies.mass[row]);
    /* A normalized quaternion is finite if the square of its length is about 1. */
    if (!(orientation_squared <= 2.0f))
        *invalid = DRY_NOT_FINITE;
    if (!*invalid && !dry_finite_position(position))
        *invalid = isfinite(position.x + position.y + position.z) ? DRY_TOO_FAR : DRY_NOT_FINITE;
    return !*invalid;
}

/* Returns by how much forces change a body's speed in the step at most, m/s; a torque by that of the mass
 * with its energy. */
static float forced_speed(const finalize_job *job, int row)
{
    const dry_bodies *bodies = &job->world->bodies;
    if (!(bodies->state[row].flags & DRY_BODY_FORCED))
        return 0.0f;
    const dry_body_force *given = &bodies->force[row];
    const float inverse_mass = bodies->mass[row].inverse_mass;
    const dry_vec3 i = bodies->mass[row].inverse_inertia;
    return job->step->dt * (inverse_mass * vec3_length(given->force) +
                            sqrtf(inverse_mass * vec3_largest(i)) * vec3_length(given->torque));
}

/* Returns the share of its motion that a body keeps. One that is slow, or no faster than gravity and forces
 * make it in a step, is not asked about its energy. */
static float kept_share(const finalize_job *job, const dry_body_motion *m, int row, int i,
                        const dry_body_velocity *end, dry_quat orientation)
{
    const dry_bodies *bodies = &job->world->bodies;
    const float linear = m->linear_speed[i], radius = bodies->state[row].radius,
                angular = radius * m->angular_speed[i];
    if (!(dry_max(linear, angular) > job->world->settings.push_out_speed_max))
        return 1.0f;
    const dry_body_velocity *v = &bodies->velocity[row];
    const float fall = job->step->dt * job->gravity * dry_abs(bodies->properties[row].gravity_scale),
                forced = forced_speed(job, row), given = fall + forced;
    if (!(linear > vec3_length(v->linear) + given || angular > radius * vec3_length(v->angular) + given))
        return 1.0f;
    return dry_statics_share(job->step, row, end, orientation, fall, forced);
}

/* Returns by what the spin of a dynamic body is scaled, given its angular speed: down to spin_max. */
static float spin_share(const finalize_job *job, int row, float speed)
{
    dry_world *world = job->world;
    const float most = world->settings.spin_max;
    if (!(speed > most) || world->bodies.state[row].type != DRY_BODY_DYNAMIC)
        return 1.0f;
    atomic_fetch_add_explicit(&world->spin_limited, 1, memory_order_relaxed);
    return most / speed;
}

/* The outcome of a step for a body. */
typedef enum outcome {
    INVALID, /* nothing: its motion is not taken */
    MOVED,
    SENT, /* to a target, not along its motion */
    STILL /* as it was before the step before, too: its bounds are those of its place */
} outcome;

/* Takes a body with a target there, whatever speed that took, and leaves one that arrived there in the step
 * before where it is, to the bit. */
DRY_COLD static outcome end_move(const finalize_job *job, int row, dry_body_velocity velocity)
{
    dry_bodies *bodies = &job->world->bodies;
    const bool arrives = bodies->state[row].flags & DRY_BODY_TARGETED;
    const dry_body_target *target = arrives ? &bodies->target[row] : NULL;
    const dry_body_pose from = bodies->pose[row],
                        pose = arrives ? dry_bodies_inner_pose(
                                             bodies, row, &(dry_pose){target->position, target->orientation})
                                       : from;
    if (!is_valid(job, row, 0.0f, 0.0f, 1.0f, pose.position))
        return INVALID;
    place_body(job, row, pose, velocity);
    dry_bodies_drop_target(bodies, row);
    bodies->state[row].flags |= arrives ? DRY_BODY_ARRIVED : 0u;
    finalize_body(job, row,
                  (body_speeds){vec3_length(velocity.linear), vec3_length(velocity.angular),
                                vec3_length_squared(position_sub(pose.position, from.position))});
    bodies->sleep[row].still = 0;
    return SENT;
}

/* Takes a lane's motion over, unless it is invalid. */
static outcome take_motion(const finalize_job *job, const dry_body_motion *m, int row, int i)
{
    dry_bodies *bodies = &job->world->bodies;
    /* Only beginning a dynamic body sets the flag; a kinematic body has the flag of an earlier step. */
    if (job->world->solver.bodies.invalid[row] && bodies->state[row].type == DRY_BODY_DYNAMIC)
        return INVALID;
    dry_body_velocity velocity = {dry_lanes_get3(m->linear, i), dry_lanes_get3(m->angular, i)};
    if (bodies->state[row].flags & (DRY_BODY_TARGETED | DRY_BODY_ARRIVED))
        return end_move(job, row, velocity);
    const bool stays = dry_stays(job->step, row);
    const dry_quat orientation = {m->orientation[0][i], m->orientation[1][i], m->orientation[2][i],
                                  m->orientation[3][i]};
    const float kept = kept_share(job, m, row, i, &velocity, orientation);
    DRY_ASSERT(kept > 0.0f && kept <= 1.0f);
    dry_vec3 displacement = dry_scale_motion3(kept, dry_lanes_get3(m->displacement, i));
    dry_body_pose pose = {
        position_add((stays ? &bodies->rest_pose[row] : &bodies->pose[row])->position, displacement),
        orientation};
    if (!is_valid(job, row, kept * kept * m->linear_squared[i], kept * kept * m->angular_squared[i],
                  m->orientation_squared[i], pose.position))
        return INVALID;
    const float share = kept * spin_share(job, row, kept * m->angular_speed[i]);
    velocity = (dry_body_velocity){dry_scale_motion3(kept, velocity.linear),
                                   dry_scale_motion3(share, velocity.angular)};
    bool still = false;
    const bool near = stays && end_stay(job, row, &displacement, &pose, &velocity, &still);
    place_body(job, row, pose, velocity);
    finalize_body(job, row,
                  (body_speeds){kept * m->linear_speed[i], share * m->angular_speed[i],
                                vec3_length_squared(displacement)});
    dry_body_sleep *sleep = &bodies->sleep[row];
    if (!near && dry_phase_of_rest(sleep->rest) == DRY_ISLAND_RESTS)
        bodies->rest_pose[row] = pose;
    const int before = sleep->still;
    sleep->still = still ? dry_min_int(before + 1, 2) : 0;
    return still && before > 0 ? STILL : MOVED;
}

/* Keeps a body where its locked axes hold it, which joints are closed beside within a bound alone. */
static void hold_locks(const dry_bodies *bodies, int row, dry_precise_motion *m)
{
    const uint32_t locks = bodies->properties[row].locks;
    const dry_position from = bodies->pose[row].position;
    if (locks & DRY_LOCK_LINEAR_X)
        m->center.x = from.x, m->velocity.x = 0.0;
    if (locks & DRY_LOCK_LINEAR_Y)
        m->center.y = from.y, m->velocity.y = 0.0;
    if (locks & DRY_LOCK_LINEAR_Z)
        m->center.z = from.z, m->velocity.z = 0.0;
    if (locks & DRY_LOCK_ANGULAR_X)
        m->spin.x = 0.0;
    if (locks & DRY_LOCK_ANGULAR_Y)
        m->spin.y = 0.0;
    if (locks & DRY_LOCK_ANGULAR_Z)
        m->spin.z = 0.0;
}

/* Takes the motion of a body of an articulation over, which has it in double. False, and nothing written, if
 * it is invalid. */
static bool take_precise_motion(const finalize_job *job, const dry_articulated_body *body)
{
    dry_bodies *bodies = &job->world->bodies;
    const int row = body->row;
    dry_precise_motion at = body->end, *m = &at;
    hold_locks(bodies, row, m);
    const dry_vec3 linear = vec3_of(m->velocity);
    const dry_rotation q = m->orientation;
    const dry_quat orientation = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
    const dry_vec3 displacement = position_sub(m->center, bodies->pose[row].position);
    const float linear_squared = vec3_length_squared(linear),
                angular_squared = vec3_length_squared(vec3_of(m->spin));
    if (job->world->solver.bodies.invalid[row] ||
        !is_valid(job, row, linear_squared, angular_squared, quat_length_squared(orientation), m->center))
        return false;
    const float share = spin_share(job, row, sqrtf(angular_squared));
    m->spin = dry_scale_motion3_double((double)share, m->spin);
    const dry_vec3 angular = vec3_of(m->spin);
    place_body(job, row, (dry_body_pose){m->center, orientation}, (dry_body_velocity){linear, angular});
    bodies->precise[row] = (dry_body_precise){q, m->velocity, m->spin};
    finalize_body(job, row,
                  (body_speeds){sqrtf(linear_squared), share * sqrtf(angular_squared),
                                vec3_length_squared(displacement)});
    dry_body_update_bounds(job->world, row, vec3_scale(linear, job->step->dt));
    return true;
}

static dry_bounds lane_bounds(const dry_body_motion *m, dry_position center, int i)
{
    dry_vec3 extents = dry_lanes_get3(m->extents, i);
    center = position_add(center, dry_lanes_get3(m->offset, i));
    return (dry_bounds){position_add(center, vec3_neg(extents)), position_add(center, extents)};
}

static void finalize_block(const finalize_job *job, int first, int count)
{
    dry_world *world = job->world;
    dry_finish_block block;
    dry_body_motion motion;
    const dry_body_motion *m = &motion;
    dry_proxy_update updates[DRY_BUNDLE];
    int update_count = 0;
    dry_finish_bodies(job->step, first, count, &block, &motion);
    for (int i = 0; i < count; i++) {
        int row = first + i;
        dry_prefetch_lines(job->prefetch, job->prefetch_lines);
        const dry_articulated_body *articulated = dry_articulated_body_of(&world->solver.articulations, row);
        if (articulated) {
            if (!take_precise_motion(job, articulated))
                stop_body(job, row);
            continue;
        }
        const outcome made = take_motion(job, m, row, i);
        if (made == INVALID)
            stop_body(job, row);
        if (made == INVALID || made == STILL)
            continue;
        dry_vec3 ahead = vec3_scale(world->bodies.velocity[row].linear, job->step->dt);
        if (made == MOVED && block.form[i]->proxy >= 0)
            updates[update_count++] = (dry_proxy_update){
                dry_bounds_to_hold(block.form[i]->geometry.type, world->shapes.pieced > 0,
                                   lane_bounds(m, world->bodies.pose[row].position, i), ahead),
                ahead, block.form[i]->proxy};
        else
            dry_body_update_bounds(world, row, ahead);
    }
    dry_broadphase_update_many(world->broadphase, updates, update_count);
}

static void finalize_range(void *context, dry_items items)
{
    for (int row = items.begin; row < items.end; row += DRY_BUNDLE)
        finalize_block(context, row, dry_min_int(items.end - row, DRY_BUNDLE));
}

/* Shares the lines that are to be prefetched among the bodies. A core keeps track of some 20 lines on their
 * way; it drops others. */
static void share_prefetch(finalize_job *job)
{
    dry_prefetch *prefetch = job->world->prefetch;
    const int bodies = job->world->bodies.awake_count;
    if (!prefetch || bodies == 0 || dry_jobs_workers(job->world->jobs) > 1)
        return;
    job->prefetch = prefetch;
    job->prefetch_lines = dry_min_int((prefetch->set.lines + bodies - 1) / bodies, 20);
}

bool dry_stage_finalize(dry_world *world, dry_solver_step *step)
{
    atomic_store_explicit(&world->invalid, false, memory_order_relaxed);
    atomic_store_explicit(&world->spin_limited, 0, memory_order_relaxed);
    atomic_store_explicit(&world->solver.bodies.some_rested, false, memory_order_relaxed);
    dry_events_begin_step_end(world);
    const bool moves = world->bodies.awake_count > 0;
    if (moves)
        dry_corrections_begin(world, step);
    finalize_job job = {world, step, vec3_length(world->settings.gravity), NULL, 0};
    share_prefetch(&job);
    dry_jobs_for(world->jobs, world->bodies.awake_count, 128, finalize_range, &job);
    world->events.moved_count = world->bodies.awake_count;
    world->ways_dt = step->dt;
    if (atomic_load_explicit(&world->invalid, memory_order_relaxed))
        dry_quarantine_invalid(world);
    dry_joints_raise_events(world);
    dry_sleep_still_islands(world, step);
    /* Queries between steps would test one by one what left its fat box. */
    if (moves)
        dry_broadphase_refresh(world->broadphase, world->jobs);
    return true;
}

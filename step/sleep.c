/* Stage "finalize", last part: still islands fall asleep.
 *
 * Reads sleep timers, islands, velocities of kinematic bodies. Writes the order of rows, velocities, forces,
 * activity and colors of constraints, the list of sleep changes. Next: the next step's pairs.c. */
#include "step/stages.h"

#include "solver/constraint/joints/error.h"
#include "solver/plan/islands.h"
#include "world/constraint_graph.h"
#include "world/sleep.h"
#include "world/world.h"

#include <float.h>

/* An island that is to rise, or rises, is still for so many times as long before it sleeps. */
#define DEEP_SLEEPS_AFTER 64.0f

/* Returns true if an island has been still for long enough; with sleep_after 0 that is one step. */
static bool may_sleep(const dry_world *world, const dry_island *island)
{
    return world->settings.sleep && !island->kinematic && island->shortest_timer > 0.0f &&
           island->shortest_timer >= world->settings.sleep_after * (island->deep ? DEEP_SLEEPS_AFTER : 1.0f);
}

static bool is_still_kinematic(const dry_bodies *bodies, int row)
{
    const dry_body_velocity *v = &bodies->velocity[row];
    return bodies->state[row].type == DRY_BODY_KINEMATIC && !(bodies->state[row].flags & DRY_BODY_ARRIVED) &&
           vec3_length_squared(v->linear) + vec3_length_squared(v->angular) == 0.0f;
}

/* A joint closes an error of rigid rows by displacement, without velocity, and at a far anchor almost by
 * rotation alone: its bodies look still. An error below SMALL_S times the largest speed at rest, 5 mm, does
 * not keep them awake; one above LARGE_S times that speed, 50 mm, does so with slower anchors the larger it
 * is, since rows that hinder each other close slowly at first. Rotations by less than TURN_MIN in a step are
 * rounding. Locked rotations count as if at an arm of 1 m. */
#define SMALL_S 0.1f
#define LARGE_S 1.0f
#define TURN_MIN 1e-6f
#define ARM_MIN 1.0f

/* Returns how far the anchors of a joint have moved in this step as its bodies turned, m. */
static float swing_of(const dry_world *world, int joint)
{
    const dry_joints *joints = &world->joints;
    float swing = 0.0f;
    for (int side = joints->joint[joint].body_a < 0; side < dry_joint_sides(&joints->joint[joint]); side++) {
        const int row = dry_bodies_row(&world->bodies, dry_joint_body(joints, joint, side));
        if (row >= world->bodies.awake_count || !(world->solver.bodies.turned_angle[row] > TURN_MIN))
            continue;
        const float arm = vec3_length(dry_joint_anchor(joints, joint, side));
        swing = dry_max(swing, world->solver.bodies.turned_angle[row] * dry_max(arm, ARM_MIN));
    }
    return swing;
}

/* Tells whether the bodies of a joint still turn to close it. */
static bool is_closing(const dry_world *world, int joint, float dt)
{
    const float speed_max = world->settings.sleep_speed_max, swing = swing_of(world, joint);
    if (!(swing > 0.0f))
        return false;
    const dry_joint_def *def = &world->joints.def[joint];
    if (def->stiffness > 0.0f || def->type == DRY_JOINT_TARGET)
        return swing > speed_max * dt; /* a spring: where it rests is not known */
    const dry_joint_error of = dry_joint_error_now(&world->bodies, &world->joints, joint);
    const float error = (float)(of.gap + of.turn * (double)ARM_MIN);
    return error > SMALL_S * speed_max &&
           swing * dry_max(error, LARGE_S * speed_max) > speed_max * dt * (LARGE_S * speed_max);
}

/* Returns how long a joint's bodies must be still before its motors to positions rest: half the longest
 * period. One that starts from rest moves faster by then, and one that swings has moved. */
static float rest_of_motors(const dry_joint_def *def)
{
    float hertz = FLT_MAX;
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        if (dry_joint_aims(&def->axes[i]) && def->axes[i].motor_hertz > 0.0f)
            hertz = dry_min(hertz, def->axes[i].motor_hertz);
    return 0.5f / hertz;
}

/* Lets the bodies of a joint be still from now on. */
static void begin_stillness(dry_world *world, int joint)
{
    const dry_joints *joints = &world->joints;
    for (int side = joints->joint[joint].body_a < 0; side < dry_joint_sides(&joints->joint[joint]); side++) {
        const int row = dry_bodies_row(&world->bodies, dry_joint_body(joints, joint, side));
        if (row < world->bodies.awake_count)
            world->bodies.sleep[row].timer = 0.0f;
    }
}

/* Keeps the islands awake in which a motor has not reached its target, or has not been still for long enough,
 * or a joint is closing. */
static void keep_restless_awake(dry_world *world, const dry_solver_step *step)
{
    const dry_joints *joints = &world->joints;
    for (int i = 0; i < joints->active_count; i++) {
        const int joint = joints->active[i];
        const int of = dry_joint_island(step, joint);
        if (of < 0 || !may_sleep(world, &world->islands.island[of]))
            continue;
        dry_island *island = &world->islands.island[of];
        const float rest = rest_of_motors(&joints->def[joint]);
        const bool slow = rest > world->settings.sleep_after,
                   restless = joints->joint[joint].flags & DRY_JOINT_RESTLESS;
        if (slow && restless)
            begin_stillness(world, joint);
        if (restless || (slow && island->shortest_timer < rest) || is_closing(world, joint, step->dt))
            island->shortest_timer = 0.0f;
    }
}

static bool any_may_sleep(const dry_world *world)
{
    bool any = false;
    for (int i = 0; i < world->islands.count; i++)
        any |= may_sleep(world, &world->islands.island[i]);
    return any;
}

/* Sets each island's shortest sleep timer. Returns true if any awake body may fall
 * asleep. */
static bool measure_stillness(dry_world *world, const dry_solver_step *step)
{
    const dry_bodies *bodies = &world->bodies;
    dry_islands *islands = &world->islands;
    bool some = false;
    for (int i = 0; i < islands->count; i++)
        islands->island[i].shortest_timer = FLT_MAX;
    for (int row = 0; row < bodies->awake_count; row++) {
        const dry_body_sleep *sleep = &bodies->sleep[row];
        if (sleep->island < 0) {
            some |= is_still_kinematic(bodies, row);
            continue;
        }
        dry_island *island = &islands->island[sleep->island];
        island->shortest_timer = dry_min(island->shortest_timer, sleep->timer);
    }
    if (any_may_sleep(world))
        keep_restless_awake(world, step);
    return some || any_may_sleep(world);
}

void dry_sleep_still_islands(dry_world *world, const dry_solver_step *step)
{
    const dry_bodies *bodies = &world->bodies;
    if (!measure_stillness(world, step))
        return;
    /* Rows are visited from the last down: a body that falls asleep exchanges its row with the last awake
     * one, which has been visited. */
    for (int row = bodies->awake_count - 1; row >= 0; row--) {
        int island = bodies->sleep[row].island;
        bool sleeps =
            island >= 0 ? may_sleep(world, &world->islands.island[island]) : is_still_kinematic(bodies, row);
        if (sleeps)
            dry_body_put_to_sleep(world, bodies->state[row].slot);
    }
    dry_constraints_deactivate_sleeping(world);
}

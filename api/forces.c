/* Forces, torques and impulses. */
#include "snapshot/record.h"
#include "world/check.h"
#include "world/sleep.h"
#include "world/world.h"

#include <drystone/body.h>

static bool amount_ok(dry_vec3 v)
{
    return dry_finite3(v, 1e18f);
}

/* A force acts in the next step and so needs a column. An impulse acts at once. */
typedef enum action { ACTION_FORCE, ACTION_IMPULSE } action;

/* Wakes an enabled dynamic body and returns its row; -1 for bodies that ignore forces, or with the reason in
 * *result. */
static int row_to_act_on(dry_world *world, int slot, action what, const char *name, dry_result *result)
{
    *result = DRY_OK;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    if (state->type != DRY_BODY_DYNAMIC || !(state->flags & DRY_BODY_ENABLED))
        return -1;
    if (what == ACTION_FORCE && !dry_bodies_need_force(&world->bodies, &world->memory)) {
        *result = dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory", name);
        return -1;
    }
    dry_note_body_change(world, slot);
    dry_body_wake_alone(world, slot);
    return dry_bodies_row(&world->bodies, slot);
}

static void add_force(dry_world *world, int row, dry_vec3 force, dry_vec3 torque)
{
    dry_body_force *sum = &world->bodies.force[row];
    sum->force = vec3_add(sum->force, force);
    sum->torque = vec3_add(sum->torque, torque);
    world->bodies.state[row].flags |= DRY_BODY_FORCED;
}

/* An angular impulse changes each principal velocity by so much, rad/s, at most: more would overflow where it
 * is turned to world axes. */
#define TWIST_MAX 1e8f

static float twist_about(float inverse_inertia, float impulse)
{
    return dry_clamp(inverse_inertia * impulse, -TWIST_MAX, TWIST_MAX);
}

/* v += J / m, omega += R D^-1 R^T (r x J) [Spook 6-7]. */
static void add_impulse(dry_world *world, int row, dry_vec3 impulse, dry_vec3 angular)
{
    const dry_body_velocity *v = &world->bodies.velocity[row];
    const dry_body_mass *mass = &world->bodies.mass[row];
    const dry_vec3 inverse = mass->inverse_inertia;
    const dry_quat q = world->bodies.pose[row].orientation;
    const dry_vec3 local = quat_rotate_inverse(q, angular);
    const dry_vec3 twist = vec3(twist_about(inverse.x, local.x), twist_about(inverse.y, local.y),
                                twist_about(inverse.z, local.z));
    dry_bodies_give_velocity(&world->bodies, row, vec3_add_scaled(v->linear, mass->inverse_mass, impulse),
                             vec3_add(v->angular, quat_rotate(q, twist)));
    world->ways_dt = 0.0f;
}

static const dry_vec3 none = {0.0f, 0.0f, 0.0f};

/* Gives a body a force or an impulse at a point, null: at its center of mass; or a torque or an angular
 * impulse, if it `turns`. Returns false if that changes nothing, with the result. */
static bool act(dry_world *world, const char *name, dry_body_id id, action what, dry_vec3 amount, bool turns,
                const dry_position *point, dry_result *result)
{
    if (!dry_check_bodies(world, name, 1, &id, result))
        return false;
    const int slot = dry_slots_find(&world->bodies.slots, id.bits);
    if (point && !dry_finite_position(*point))
        *result = dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: point must be finite and at most 1e9", name);
    else if (!amount_ok(amount))
        *result = dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: must be finite and at most 1e18", name);
    if (*result != DRY_OK)
        return false;
    const int row = row_to_act_on(world, slot, what, name, result);
    if (row < 0)
        return false;
    const dry_vec3 linear = turns ? none : amount;
    dry_vec3 angular = turns ? amount : none;
    if (point)
        angular = vec3_cross(position_sub(*point, world->bodies.pose[row].position), amount);
    if (what == ACTION_FORCE)
        add_force(world, row, linear, angular);
    else
        add_impulse(world, row, linear, angular);
    return true;
}

dry_result dry_body_apply_force(dry_world *world, dry_body_id id, dry_vec3 force)
{
    dry_result result;
    if (act(world, "dry_body_apply_force", id, ACTION_FORCE, force, false, NULL, &result))
        DRY_RECORD(world, dry_body_apply_force, &id, &force);
    return result;
}

dry_result dry_body_apply_force_at(dry_world *world, dry_body_id id, dry_vec3 force, dry_position point)
{
    dry_result result;
    if (act(world, "dry_body_apply_force_at", id, ACTION_FORCE, force, false, &point, &result))
        DRY_RECORD(world, dry_body_apply_force_at, &id, &force, &point);
    return result;
}

dry_result dry_body_apply_torque(dry_world *world, dry_body_id id, dry_vec3 torque)
{
    dry_result result;
    if (act(world, "dry_body_apply_torque", id, ACTION_FORCE, torque, true, NULL, &result))
        DRY_RECORD(world, dry_body_apply_torque, &id, &torque);
    return result;
}

dry_result dry_body_apply_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse)
{
    dry_result result;
    if (act(world, "dry_body_apply_impulse", id, ACTION_IMPULSE, impulse, false, NULL, &result))
        DRY_RECORD(world, dry_body_apply_impulse, &id, &impulse);
    return result;
}

dry_result dry_body_apply_impulse_at(dry_world *world, dry_body_id id, dry_vec3 impulse, dry_position point)
{
    dry_result result;
    if (act(world, "dry_body_apply_impulse_at", id, ACTION_IMPULSE, impulse, false, &point, &result))
        DRY_RECORD(world, dry_body_apply_impulse_at, &id, &impulse, &point);
    return result;
}

dry_result dry_body_apply_angular_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse)
{
    dry_result result;
    if (act(world, "dry_body_apply_angular_impulse", id, ACTION_IMPULSE, impulse, true, NULL, &result))
        DRY_RECORD(world, dry_body_apply_angular_impulse, &id, &impulse);
    return result;
}

dry_result dry_world_apply_forces(dry_world *world, int count, const dry_body_id *ids, const dry_vec3 *forces,
                                  const dry_vec3 *torques)
{
    dry_result result;
    const char *name = "dry_world_apply_forces";
    if (!dry_check_bodies(world, name, count, ids, &result))
        return result;
    for (int i = 0; i < count; i++)
        if ((forces && !amount_ok(forces[i])) || (torques && !amount_ok(torques[i])))
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: [%d] must be finite and at most 1e18", name,
                                  i);
    for (int i = 0; i < count; i++) {
        /* The first force creates the column for all bodies, so only the first body can fail. */
        const int slot = dry_slots_find(&world->bodies.slots, ids[i].bits);
        const int row = row_to_act_on(world, slot, ACTION_FORCE, name, &result);
        if (result != DRY_OK)
            return result;
        if (row >= 0)
            add_force(world, row, forces ? forces[i] : none, torques ? torques[i] : none);
    }
    DRY_RECORD(world, dry_world_apply_forces, &count, ids, forces, torques);
    return DRY_OK;
}

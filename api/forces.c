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
typedef enum action { FORCE, TORQUE, IMPULSE, ANGULAR_IMPULSE } action;

/* Wakes an enabled dynamic body and finds its row; -1 for bodies that ignore forces. */
static dry_result find_row(dry_world *world, int slot, bool impulse, const char *name, int *row)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    *row = -1;
    if (state->type != DRY_BODY_DYNAMIC || !(state->flags & DRY_BODY_ENABLED))
        return DRY_OK;
    if (!impulse && !dry_bodies_need_force(&world->bodies, &world->memory))
        return dry_lacks_memory(world, name);
    dry_note_body_change(world, slot);
    dry_body_wake_alone(world, slot);
    *row = dry_bodies_row(&world->bodies, slot);
    return DRY_OK;
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

/* Makes a call that acts on a body, at a point or, if it is null, at its center of mass. */
static dry_result act(dry_world *world, dry_call_id call, action what, dry_body_id id, dry_vec3 amount,
                      const dry_position *point)
{
    const char *name = dry_calls[call].name;
    const bool turns = what == TORQUE || what == ANGULAR_IMPULSE, impulse = what >= IMPULSE;
    int row;
    DRY_RETURN_REFUSAL(dry_check_bodies(world, name, 1, &id));
    if (point && !dry_finite_position(*point))
        return dry_refuse(world, name, "point must be finite and at most 1e9");
    if (!amount_ok(amount))
        return dry_refuse(world, name, "must be finite and at most 1e18");
    const int slot = dry_slots_find(&world->bodies.slots, id.bits);
    DRY_RETURN_REFUSAL(find_row(world, slot, impulse, name, &row));
    if (row < 0)
        return DRY_OK;
    dry_vec3 angular = turns ? amount : none;
    if (point)
        angular = vec3_cross(position_sub(*point, world->bodies.pose[row].position), amount);
    (impulse ? add_impulse : add_force)(world, row, turns ? none : amount, angular);
    const void *const arguments[] = {&id, &amount, point};
    return world->recorder ? dry_record_call(world, call, arguments) : DRY_OK;
}

dry_result dry_body_apply_force(dry_world *world, dry_body_id id, dry_vec3 force)
{
    return act(world, DRY_CALL_dry_body_apply_force, FORCE, id, force, NULL);
}

dry_result dry_body_apply_force_at(dry_world *world, dry_body_id id, dry_vec3 force, dry_position point)
{
    return act(world, DRY_CALL_dry_body_apply_force_at, FORCE, id, force, &point);
}

dry_result dry_body_apply_torque(dry_world *world, dry_body_id id, dry_vec3 torque)
{
    return act(world, DRY_CALL_dry_body_apply_torque, TORQUE, id, torque, NULL);
}

dry_result dry_body_apply_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse)
{
    return act(world, DRY_CALL_dry_body_apply_impulse, IMPULSE, id, impulse, NULL);
}

dry_result dry_body_apply_impulse_at(dry_world *world, dry_body_id id, dry_vec3 impulse, dry_position point)
{
    return act(world, DRY_CALL_dry_body_apply_impulse_at, IMPULSE, id, impulse, &point);
}

dry_result dry_body_apply_angular_impulse(dry_world *world, dry_body_id id, dry_vec3 impulse)
{
    return act(world, DRY_CALL_dry_body_apply_angular_impulse, ANGULAR_IMPULSE, id, impulse, NULL);
}

dry_result dry_world_apply_forces(dry_world *world, int count, const dry_body_id *ids, const dry_vec3 *forces,
                                  const dry_vec3 *torques)
{
    int row;
    DRY_RETURN_REFUSAL(dry_check_bodies(world, __func__, count, ids));
    for (int i = 0; i < count; i++)
        if ((forces && !amount_ok(forces[i])) || (torques && !amount_ok(torques[i])))
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: [%d] must be finite and at most 1e18",
                                  __func__, i);
    for (int i = 0; i < count; i++) {
        /* The first force creates the column for all bodies, so only the first body can fail. */
        const int slot = dry_slots_find(&world->bodies.slots, ids[i].bits);
        DRY_RETURN_REFUSAL(find_row(world, slot, false, __func__, &row));
        if (row >= 0)
            add_force(world, row, forces ? forces[i] : none, torques ? torques[i] : none);
    }
    return DRY_RECORD(world, dry_world_apply_forces, &count, ids, forces, torques);
}

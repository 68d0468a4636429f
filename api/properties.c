/* Properties of bodies, read and changed between steps: all but poses and velocities. */
#include "snapshot/record.h"
#include "state/iterators.h"
#include "world/change.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/mass.h"
#include "world/shapes.h"
#include "world/sleep.h"
#include "world/world.h"

#include <drystone/body.h>

static dry_body_def def_at(const dry_world *world, int row)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_state *state = &bodies->state[row];
    const dry_body_properties *properties = &bodies->properties[row];
    return (dry_body_def){
        .type = (dry_body_type)state->type,
        .pose = dry_bodies_user_pose(bodies, row),
        .velocity = {bodies->velocity[row].linear, bodies->velocity[row].angular},
        .gravity_scale = properties->gravity_scale,
        .linear_damping = properties->linear_damping,
        .angular_damping = properties->angular_damping,
        .locks = properties->locks,
        .enabled = (state->flags & DRY_BODY_ENABLED) != 0,
        .awake = row < bodies->awake_count,
        .can_sleep = (state->flags & DRY_BODY_CAN_SLEEP) != 0,
        .user_data = state->user_data,
        .shape_count = dry_body_shape_count(world, state->slot),
        .mass = state->type == DRY_BODY_DYNAMIC ? state->mass : 0.0f,
    };
}

#define READ(call, type, ...) DRY_READ_CALL(call, dry_row_to_read, dry_body_id, type, __VA_ARGS__)
READ(dry_body_get_def, dry_body_def, def_at(world, at))
READ(dry_body_get_type, dry_body_type, (dry_body_type)world->bodies.state[at].type)
READ(dry_body_get_user_data, uint64_t, world->bodies.state[at].user_data)
READ(dry_body_get_mass, dry_mass, dry_mass_of(world, world->bodies.state[at].slot))

dry_result dry_body_get_shapes(const dry_world *world, dry_body_id id, dry_shape_id *shapes, int capacity,
                               int *count)
{
    const int row = dry_row_to_read(world, id, count, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(row));
    if (capacity < 0 || (capacity > 0 && !shapes))
        return dry_refuse(world, __func__, "shapes is null");
    *count = 0;
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_shape_iterator it = dry_shapes_of(&world->shapes, state); dry_next_shape(&it); ++*count)
        if (*count < capacity)
            shapes[*count] = dry_shape_id_of(world, it.shape);
    return DRY_OK;
}

dry_result dry_body_get_joints(const dry_world *world, dry_body_id id, dry_joint_id *joints, int capacity,
                               int *count)
{
    const int row = dry_row_to_read(world, id, count, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(row));
    if (capacity < 0 || (capacity > 0 && !joints))
        return dry_refuse(world, __func__, "joints is null");
    *count = 0;
    const dry_body_state *state = &world->bodies.state[row];
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        ++*count;
    int at = *count; /* the list has the newest first */
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        if (--at < capacity)
            joints[at] = (dry_joint_id){dry_slots_id(&world->joints.slots, it.joint)};
    return DRY_OK;
}

dry_result dry_body_set_gravity_scale(dry_world *world, dry_body_id id, float scale)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    if (!(dry_abs(scale) <= 1e6f))
        return dry_refuse(world, __func__, "scale must be at most 1e6");
    dry_body_wake(world, slot);
    dry_body_properties_of(&world->bodies, slot)->gravity_scale = scale;
    return DRY_RECORD(world, dry_body_set_gravity_scale, &id, &scale);
}

dry_result dry_body_set_damping(dry_world *world, dry_body_id id, float linear, float angular)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    if (!(linear >= 0.0f && linear <= FLT_MAX && angular >= 0.0f && angular <= FLT_MAX))
        return dry_refuse(world, __func__, "damping must be finite and not negative");
    dry_body_properties *properties = dry_body_properties_of(&world->bodies, slot);
    properties->linear_damping = linear;
    properties->angular_damping = angular;
    return DRY_RECORD(world, dry_body_set_damping, &id, &linear, &angular);
}

dry_result dry_body_set_locks(dry_world *world, dry_body_id id, unsigned locks)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    if (locks & ~(unsigned)DRY_LOCK_ALL)
        return dry_refuse(world, __func__, "unknown bits");
    dry_body_wake(world, slot);
    const int row = dry_bodies_row(&world->bodies, slot);
    const dry_body_velocity *v = &world->bodies.velocity[row];
    world->bodies.properties[row].locks = locks;
    dry_bodies_give_velocity(&world->bodies, row, v->linear, v->angular);
    world->islands.stale = true; /* islands know which bodies have locks */
    return DRY_RECORD(world, dry_body_set_locks, &id, &locks);
}

dry_result dry_body_set_user_data(dry_world *world, dry_body_id id, uint64_t user_data)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    dry_body_state_of(&world->bodies, slot)->user_data = user_data;
    return DRY_RECORD(world, dry_body_set_user_data, &id, &user_data);
}

dry_result dry_body_set_enabled(dry_world *world, dry_body_id id, bool enabled)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    uint32_t flags = dry_body_state_of(&world->bodies, slot)->flags;
    if (((flags & DRY_BODY_ENABLED) != 0) == enabled)
        return DRY_OK;
    if (!dry_events_reserve_contact_ends(world, dry_body_touching_count(world, slot)) ||
        !dry_shape_reserve(world, dry_body_shape_count(world, slot)))
        return dry_lacks_memory(world, __func__);
    if (enabled)
        dry_body_enable(world, slot);
    else
        dry_body_disable(world, slot);
    return DRY_RECORD(world, dry_body_set_enabled, &id, &enabled);
}

dry_result dry_body_set_type(dry_world *world, dry_body_id id, dry_body_type type)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    dry_bodies *bodies = &world->bodies;
    const dry_body_state *state = dry_body_state_of(bodies, slot);
    if ((unsigned)type >= DRY_BODY_TYPE_COUNT)
        return dry_refuse(world, __func__, "type is unknown");
    dry_shape_iterator it = dry_shapes_of(&world->shapes, state);
    while (type != DRY_BODY_STATIC && dry_next_shape(&it)) {
        const dry_geometry geometry = dry_shapes_geometry(&world->shapes, it.shape);
        const char *error = dry_body_type_error(&geometry, type);
        if (error)
            return dry_refuse(world, __func__, error);
    }
    if (state->type == (int32_t)type)
        return DRY_OK;
    bool keeps_mass = state->type == DRY_BODY_DYNAMIC && (state->flags & DRY_BODY_MASS_GIVEN);
    if (!dry_events_reserve_contact_ends(world, dry_body_touching_count(world, slot)) ||
        !dry_shape_reserve(world, dry_body_shape_count(world, slot)) ||
        (keeps_mass && !dry_bodies_need_kept_mass(bodies, &world->memory)))
        return dry_lacks_memory(world, __func__);
    dry_body_change_type(world, slot, type);
    return DRY_RECORD(world, dry_body_set_type, &id, &type);
}

dry_result dry_body_set_awake(dry_world *world, dry_body_id id, bool awake)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    if (awake)
        dry_body_rouse(world, slot);
    else if (dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC)
        dry_body_sleep_island(world, slot);
    return DRY_RECORD(world, dry_body_set_awake, &id, &awake);
}

dry_result dry_body_set_can_sleep(dry_world *world, dry_body_id id, bool can_sleep)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    uint32_t *flags = &dry_body_state_of(&world->bodies, slot)->flags;
    *flags = can_sleep ? *flags | DRY_BODY_CAN_SLEEP : *flags & ~(uint32_t)DRY_BODY_CAN_SLEEP;
    if (!can_sleep)
        dry_body_wake(world, slot);
    return DRY_RECORD(world, dry_body_set_can_sleep, &id, &can_sleep);
}

dry_result dry_body_set_mass(dry_world *world, dry_body_id id, const dry_mass *mass)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    const char *error = mass ? dry_mass_error(mass) : "mass is null";
    if (dry_body_state_of(&world->bodies, slot)->type != DRY_BODY_DYNAMIC)
        error = "the body is not dynamic";
    if (error)
        return dry_refuse(world, __func__, error);
    if (!dry_mass_reserve(world, mass))
        return dry_lacks_memory(world, __func__);
    dry_body_wake(world, slot);
    uint32_t *flags = &dry_body_state_of(&world->bodies, slot)->flags;
    *flags = (*flags | DRY_BODY_MASS_GIVEN) & ~(uint32_t)DRY_BODY_MASS_SCALED;
    dry_mass_apply(world, slot, mass);
    return DRY_RECORD(world, dry_body_set_mass, &id, mass);
}

dry_result dry_body_set_mass_from_shapes(dry_world *world, dry_body_id id)
{
    const int slot = dry_body_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(slot));
    dry_body_wake(world, slot);
    dry_body_state_of(&world->bodies, slot)->flags &= ~(uint32_t)(DRY_BODY_MASS_GIVEN | DRY_BODY_MASS_SCALED);
    dry_mass_refresh(world, slot);
    return DRY_RECORD(world, dry_body_set_mass_from_shapes, &id);
}

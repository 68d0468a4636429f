/* Creating, destroying and reading joints. */
#include "world/joints.h"
#include "solver/joints/joint_type.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/world.h"

#include <drystone/joint.h>

dry_joint_def dry_default_joint_def(dry_joint_type type)
{
    dry_joint_def def = {.type = type};
    if ((unsigned)type < DRY_JOINT_TYPE_COUNT)
        dry_joint_types[type]->set_defaults(&def);
    return def;
}

static const char *def_error(const dry_world *world, const dry_joint_def *def)
{
    const char *error = dry_joint_def_error(def);
    if (error)
        return error;
    if (def->body_a.bits == def->body_b.bits)
        return "body_a and body_b must differ";
    int a = dry_slots_find(&world->bodies.slots, def->body_a.bits);
    int b = dry_slots_find(&world->bodies.slots, def->body_b.bits);
    if (dry_body_state_of(&world->bodies, a)->type != DRY_BODY_DYNAMIC &&
        dry_body_state_of(&world->bodies, b)->type != DRY_BODY_DYNAMIC)
        return "one body must be dynamic";
    return NULL;
}

dry_result dry_world_create_joints(dry_world *world, int count, const dry_joint_def *defs, dry_joint_id *ids)
{
    dry_result result;
    const char *name = "dry_world_create_joints";
    if (!dry_check_world(world, name, &result))
        return result;
    if (count < 0 || (count > 0 && (!defs || !ids)))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs or ids is null, or count is negative",
                              name);
    if (!dry_slots_may_hold(&world->joints.slots, count))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: more than 2^24 - 1 joints", name);
    int ends = 0;
    for (int i = 0; i < count; i++) {
        int a = dry_find_body(world, defs[i].body_a, name);
        if (a < 0 || dry_find_body(world, defs[i].body_b, name) < 0)
            return DRY_ERROR_STALE_ID;
        const char *error = def_error(world, &defs[i]);
        if (error)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs[%d].%s", name, i, error);
        ends += dry_body_touching_count(world, a);
    }
    if (!dry_joints_reserve(&world->joints, &world->memory, count) ||
        !dry_events_reserve_contact_ends(world, ends))
        return dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory", name);
    for (int i = 0; i < count; i++)
        ids[i] = (dry_joint_id){dry_slots_id(&world->joints.slots, dry_joint_create(world, &defs[i]))};
    return DRY_OK;
}

dry_result dry_world_create_joint(dry_world *world, const dry_joint_def *def, dry_joint_id *id)
{
    return dry_world_create_joints(world, 1, def, id);
}

dry_result dry_joint_destroy(dry_world *world, dry_joint_id id)
{
    dry_result result;
    const char *name = "dry_joint_destroy";
    if (!dry_check_world(world, name, &result))
        return result;
    int index = dry_find_joint(world, id, name);
    if (index < 0)
        return DRY_ERROR_STALE_ID;
    dry_joint_remove(world, index);
    return DRY_OK;
}

bool dry_joint_is_valid(const dry_world *world, dry_joint_id id)
{
    return world && dry_slots_find(&world->joints.slots, id.bits) >= 0;
}

dry_result dry_joint_get_def(const dry_world *world, dry_joint_id id, dry_joint_def *def)
{
    if (!world)
        return DRY_ERROR_ARGUMENT;
    int index = dry_find_joint(world, id, "dry_joint_get_def");
    if (index < 0)
        return DRY_ERROR_STALE_ID;
    if (!def)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_joint_get_def: def is null");
    *def = world->joints.joint[index].def;
    return DRY_OK;
}

dry_result dry_joint_get_impulse(const dry_world *world, dry_joint_id id, dry_vec3 *impulse)
{
    if (!world)
        return DRY_ERROR_ARGUMENT;
    int index = dry_find_joint(world, id, "dry_joint_get_impulse");
    if (index < 0)
        return DRY_ERROR_STALE_ID;
    if (!impulse)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "dry_joint_get_impulse: the output is null");
    *impulse = world->joints.joint[index].impulse;
    return DRY_OK;
}

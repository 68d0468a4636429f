/* Creating, destroying and reading joints. */
#include "world/joints.h"
#include "snapshot/record.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/methods/method.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/world.h"

#include <drystone/joint.h>

dry_joint_def dry_default_joint_def(dry_joint_type type)
{
    if ((unsigned)type >= DRY_JOINT_TYPE_COUNT)
        return (dry_joint_def){.type = type};
    dry_joint_def def = dry_joint_common_defaults(type);
    if (dry_joint_types[type] && dry_joint_types[type]->set_defaults)
        dry_joint_types[type]->set_defaults(&def);
    return def;
}

/* Tells whether joints of a type, which may be unknown, have four bodies. */
static bool has_corners(dry_joint_type type)
{
    return (unsigned)type < DRY_JOINT_TYPE_COUNT && dry_joint_has(type, DRY_JOINT_HAS_CORNERS);
}

/* Returns what is wrong with the bodies of a joint, of which each lives or is the world, in words; null if
 * nothing. */
static const char *bodies_error(const dry_body_id *ids, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (ids[i].bits == ids[k].bits)
                return count == 2 ? "body_a and body_b must differ" : "bodies must differ";
    return NULL;
}

/* Returns what is wrong with a definition, but for its bodies, in words; null if nothing. */
static const char *def_error(const dry_world *world, const dry_joint_def *def)
{
    const char *error = dry_joint_def_error(def);
    if (!error)
        error = dry_settings_joint_error(&world->settings, def);
    if (error)
        return error;
    if (!dry_finite_position(def->target))
        return "target must be finite and at most 1e9";
    const bool to_world = def->body_a.bits == 0;
    if (to_world != (def->type == DRY_JOINT_TARGET) && def->type == DRY_JOINT_TARGET)
        return "body_a must be null: a target joint drags to a place in the world";
    if (to_world && !dry_joint_has(def->type, DRY_JOINT_HAS_ROWS))
        return "body_a must be a body: nothing touches the world itself";
    if (!to_world && (def->target.x != 0.0 || def->target.y != 0.0 || def->target.z != 0.0))
        return "target must be 0 for a joint of two bodies";
    if (world->settings.method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA &&
        dry_joint_solver_of(&world->settings, dry_joint_features(def)) != DRY_JOINT_SOLVER_ITERATIVE)
        return "solver must be iterative in a world whose integrator is of first order";
    return NULL;
}

/* Returns what is wrong with the definition of a joint of two bodies, whose ids live, in words; null if
 * nothing. */
static const char *pair_error(const dry_world *world, const dry_joint_def *def)
{
    if (has_corners(def->type))
        return "type: a volume joint has four bodies, see dry_world_create_volumes";
    const char *error = def_error(world, def);
    return error ? error : bodies_error((const dry_body_id[]){def->body_a, def->body_b}, 2);
}

/* Returns how many contacts a joint of body a may end. */
static int ends_of(const dry_world *world, int a)
{
    return a < 0 ? 0 : dry_body_touching_count(world, a);
}

/* Returns the result for the arguments of a call that creates `count` joints, apart from the definitions. */
static dry_result check_creation(dry_world *world, const char *name, int count, const void *defs,
                                 const dry_joint_id *ids)
{
    DRY_RETURN_REFUSAL(dry_check_change(world, name));
    if (count < 0 || (count > 0 && (!defs || !ids)))
        return dry_refuse(world, name, "defs or ids is null, or count is negative");
    if (!dry_slots_may_hold(&world->joints.slots, count))
        return dry_refuse(world, name, "more than 2^24 - 1 joints");
    return DRY_OK;
}

/* Tells whether a motor's position lies beyond a stop of its own axis. */
static bool aims_beyond_stop(const dry_joint_axis *axis)
{
    return dry_joint_aims(axis) && (axis->position < axis->min || axis->position > axis->max);
}

/* Writes a line to the log for each motor that comes to aim beyond its stop. `before` are the axes that the
 * joint had; null for a new joint. */
static void warn_of_targets(const dry_world *world, const char *name, dry_joint_id id,
                            const dry_joint_axis *before, const dry_joint_axis *axes)
{
    static const char *const names[DRY_AXIS_COUNT] = {"X", "Y", "Z", "RX", "RY", "RZ"};
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        if (aims_beyond_stop(&axes[i]) && !(before && aims_beyond_stop(&before[i])))
            dry_world_fail(world, DRY_OK,
                           "%s: joint %016llx: the motor of axis %s aims at %g, beyond its stop", name,
                           (unsigned long long)id.bits, names[i], (double)axes[i].position);
}

dry_result dry_world_create_joints(dry_world *world, int count, const dry_joint_def *defs, dry_joint_id *ids)
{
    DRY_RETURN_REFUSAL(check_creation(world, __func__, count, defs, ids));
    int ends = 0;
    for (int i = 0; i < count; i++) {
        int a = defs[i].body_a.bits == 0 ? -1 : dry_find_body(world, defs[i].body_a, __func__);
        if ((a < 0 && defs[i].body_a.bits != 0) || dry_find_body(world, defs[i].body_b, __func__) < 0)
            return DRY_ERROR_STALE_ID;
        const char *error = pair_error(world, &defs[i]);
        if (error)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs[%d].%s", __func__, i, error);
        ends += ends_of(world, a);
    }
    if (!dry_joints_reserve(&world->joints, &world->memory, count) ||
        !dry_events_reserve_contact_ends(world, ends))
        return dry_lacks_memory(world, __func__);
    DRY_RETURN_REFUSAL(dry_draw_numbers(world, __func__));
    for (int i = 0; i < count; i++) {
        ids[i] = (dry_joint_id){dry_slots_id(&world->joints.slots, dry_joint_create(world, &defs[i], NULL))};
        warn_of_targets(world, __func__, ids[i], NULL, defs[i].axes);
    }
    return DRY_RECORD(world, dry_world_create_joints, &count, defs, ids);
}

dry_result dry_world_create_joint(dry_world *world, const dry_joint_def *def, dry_joint_id *id)
{
    return dry_world_create_joints(world, 1, def, id);
}

/* Returns the result for the definition of a joint of four bodies: OK if the joint can be created. */
static dry_result check_corners(dry_world *world, const dry_volume_def *def, int i, const char *name)
{
    const dry_body_id ids[DRY_JOINT_SIDES] = {def->joint.body_a, def->joint.body_b, def->body_c, def->body_d};
    for (int side = 0; side < DRY_JOINT_SIDES; side++)
        DRY_RETURN_REFUSAL(dry_refusal(dry_find_body(world, ids[side], name)));
    const char *error = !has_corners(def->joint.type) ? "type must be that of a volume joint" : NULL;
    if (!error)
        error = def_error(world, &def->joint);
    if (error)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs[%d].joint.%s", name, i, error);
    if (!dry_joint_anchor_is_valid(def->anchor_c) || !dry_joint_anchor_is_valid(def->anchor_d))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT,
                              "%s: defs[%d]: anchors must be finite and at most 1e6", name, i);
    error = bodies_error(ids, DRY_JOINT_SIDES);
    return error ? dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs[%d]: %s", name, i, error) : DRY_OK;
}

dry_result dry_world_create_volumes(dry_world *world, int count, const dry_volume_def *defs,
                                    dry_joint_id *ids)
{
    DRY_RETURN_REFUSAL(check_creation(world, __func__, count, defs, ids));
    for (int i = 0; i < count; i++)
        DRY_RETURN_REFUSAL(check_corners(world, &defs[i], i, __func__));
    if (count > 0 && (!dry_joints_reserve(&world->joints, &world->memory, count) ||
                      !dry_joints_need_corners(&world->joints, &world->memory)))
        return dry_lacks_memory(world, __func__);
    DRY_RETURN_REFUSAL(dry_draw_numbers(world, __func__));
    for (int i = 0; i < count; i++) {
        const dry_joint_corner corners[] = {{defs[i].body_c, defs[i].anchor_c},
                                            {defs[i].body_d, defs[i].anchor_d}};
        const int joint = dry_joint_create(world, &defs[i].joint, corners);
        ids[i] = (dry_joint_id){dry_slots_id(&world->joints.slots, joint)};
    }
    return DRY_RECORD(world, dry_world_create_volumes, &count, defs, ids);
}

dry_result dry_joint_get_volume_def(const dry_world *world, dry_joint_id id, dry_volume_def *def)
{
    const int index = dry_joint_to_read(world, id, def, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(index));
    if (!has_corners(world->joints.def[index].type))
        return dry_refuse(world, __func__, "not a volume joint");
    const dry_joint_corners *corners = &world->joints.corners[index];
    *def = (dry_volume_def){
        .joint = world->joints.def[index],
        .body_c = dry_body_id_of(world, corners->body[0]),
        .body_d = dry_body_id_of(world, corners->body[1]),
        .anchor_c = corners->given_c,
        .anchor_d = corners->given_d,
    };
    return DRY_OK;
}

/* Checks a call that changes `count` joints by their ids, and makes room for the contacts that these may end.
 * `others` is what comes with the ids. */
static dry_result joints_to_change(dry_world *world, const char *name, int count, const dry_joint_id *ids,
                                   const void *others)
{
    DRY_RETURN_REFUSAL(dry_check_change(world, name));
    if (count < 0 || (count > 0 && (!ids || !others)))
        return dry_refuse(world, name, "an array is null, or count is negative");
    int ends = 0;
    for (int i = 0; i < count; i++) {
        const int index = dry_find_joint(world, ids[i], name);
        DRY_RETURN_REFUSAL(dry_refusal(index));
        ends += ends_of(world, world->joints.joint[index].body_a);
    }
    return dry_events_reserve_contact_ends(world, ends) ? DRY_OK : dry_lacks_memory(world, name);
}

/* Returns what is wrong with a new definition of a joint, in words; null if nothing. */
static const char *redefinition_error(const dry_world *world, dry_joint_id id, const dry_joint_def *def)
{
    const dry_joint_def now =
        dry_joint_def_as_given(&world->joints.def[dry_slots_find(&world->joints.slots, id.bits)]);
    if (def->type != now.type || def->body_a.bits != now.body_a.bits || def->body_b.bits != now.body_b.bits)
        return "type, body_a and body_b must be the joint's";
    return def_error(world, def);
}

dry_result dry_world_set_joint_defs(dry_world *world, int count, const dry_joint_id *ids,
                                    const dry_joint_def *defs)
{
    DRY_RETURN_REFUSAL(joints_to_change(world, __func__, count, ids, defs));
    for (int i = 0; i < count; i++) {
        const char *error = redefinition_error(world, ids[i], &defs[i]);
        if (error)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: defs[%d].%s", __func__, i, error);
    }
    for (int i = 0; i < count; i++) {
        const int index = dry_slots_find(&world->joints.slots, ids[i].bits);
        warn_of_targets(world, __func__, ids[i], world->joints.def[index].axes, defs[i].axes);
        dry_joint_redefine(world, index, &defs[i]);
    }
    return DRY_RECORD(world, dry_world_set_joint_defs, &count, ids, defs);
}

dry_result dry_joint_set_def(dry_world *world, dry_joint_id id, const dry_joint_def *def)
{
    return dry_world_set_joint_defs(world, 1, &id, def);
}

dry_result dry_world_set_joint_axes(dry_world *world, int count, const dry_joint_axis_change *changes)
{
    DRY_RETURN_REFUSAL(dry_check_change(world, __func__));
    if (count < 0 || (count > 0 && !changes))
        return dry_refuse(world, __func__, "changes is null, or count is negative");
    for (int i = 0; i < count; i++) {
        const int index = dry_find_joint(world, changes[i].joint, __func__);
        DRY_RETURN_REFUSAL(dry_refusal(index));
        if ((unsigned)changes[i].axis >= DRY_AXIS_COUNT)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: changes[%d].axis is unknown", __func__, i);
        dry_joint_def def = dry_joint_def_as_given(&world->joints.def[index]);
        const char *error = dry_joint_axis_error(def.type, changes[i].axis, &changes[i].settings);
        if (!error) {
            def.axes[changes[i].axis] = changes[i].settings;
            error = dry_settings_joint_error(&world->settings, &def);
        }
        if (error)
            return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: changes[%d].settings: %s", __func__, i,
                                  error);
    }
    for (int i = 0; i < count; i++) {
        const int index = dry_slots_find(&world->joints.slots, changes[i].joint.bits);
        const dry_joint_def before = world->joints.def[index];
        dry_joint_set_axis(world, index, changes[i].axis, &changes[i].settings);
        warn_of_targets(world, __func__, changes[i].joint, before.axes, world->joints.def[index].axes);
    }
    return DRY_RECORD(world, dry_world_set_joint_axes, &count, changes);
}

dry_result dry_joint_set_motor(dry_world *world, dry_joint_id id, dry_axis axis, dry_motor motor,
                               float target)
{
    const int index = dry_joint_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(index));
    if ((unsigned)axis >= DRY_AXIS_COUNT || (unsigned)motor >= DRY_MOTOR_BOTH)
        return dry_refuse(world, __func__, "axis is unknown, or motor is not OFF, VELOCITY or POSITION");
    dry_joint_axis_change change = {id, axis, dry_joint_def_as_given(&world->joints.def[index]).axes[axis]};
    change.settings.motor = motor;
    if (motor == DRY_MOTOR_VELOCITY)
        change.settings.velocity = target;
    if (motor == DRY_MOTOR_POSITION)
        change.settings.position = target;
    return dry_world_set_joint_axes(world, 1, &change);
}

static void set_enabled(dry_world *world, int index, bool enabled)
{
    if (((world->joints.joint[index].flags & DRY_JOINT_ENABLED) != 0) == enabled)
        return;
    if (enabled) {
        dry_joint_enable(world, index);
    } else {
        dry_joint_wake(world, index);
        dry_joint_disable(world, index);
    }
}

dry_result dry_world_set_joints_enabled(dry_world *world, int count, const dry_joint_id *ids, bool enabled)
{
    DRY_RETURN_REFUSAL(joints_to_change(world, __func__, count, ids, ids));
    for (int i = 0; i < count; i++)
        set_enabled(world, dry_slots_find(&world->joints.slots, ids[i].bits), enabled);
    return DRY_RECORD(world, dry_world_set_joints_enabled, &count, ids, &enabled);
}

dry_result dry_joint_set_enabled(dry_world *world, dry_joint_id id, bool enabled)
{
    return dry_world_set_joints_enabled(world, 1, &id, enabled);
}

dry_result dry_joint_destroy(dry_world *world, dry_joint_id id)
{
    const int index = dry_joint_to_change(world, id, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(index));
    dry_joint_remove(world, index);
    return DRY_RECORD(world, dry_joint_destroy, &id);
}

bool dry_joint_is_valid(const dry_world *world, dry_joint_id id)
{
    return world && dry_slots_find(&world->joints.slots, id.bits) >= 0;
}

/* Telling callers what was wrong, and the argument checks that many calls share. */
#include "world/check.h"

#include "geometry/form.h"
#include "world/world.h"

#include <stdarg.h>
#include <stdio.h>

dry_result dry_world_fail(const dry_world *world, dry_result result, const char *format, ...)
{
    if (!world || !world->log.write)
        return result;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    world->log.write(line, world->log.user);
    return result;
}

bool dry_check_world(const dry_world *world, const char *name, dry_result *result)
{
    if (!world) {
        *result = DRY_ERROR_ARGUMENT;
        return false;
    }
    if (world->stepping) {
        *result = dry_world_fail(world, DRY_ERROR_LOCKED, "%s: called while the world is stepping", name);
        return false;
    }
    return true;
}

bool dry_finite3(dry_vec3 v, float limit)
{
    return dry_abs(v.x) <= limit && dry_abs(v.y) <= limit && dry_abs(v.z) <= limit;
}

bool dry_finite_position(dry_position p)
{
    return p.x >= -1e9 && p.x <= 1e9 && p.y >= -1e9 && p.y <= 1e9 && p.z >= -1e9 && p.z <= 1e9;
}

bool dry_finite_quat(dry_quat q)
{
    float length2 = quat_length_squared(q);
    return length2 > 0.998f && length2 < 1.002f;
}

const char *dry_contact_spring_error(float stiffness, float damping)
{
    if (!(stiffness >= 0.0f && stiffness <= 1e15f))
        return "contact_stiffness must be 0 to 1e15";
    if (!(damping >= 0.0f && damping <= 1e15f) || (stiffness == 0.0f && damping > 0.0f))
        return "contact_damping must be 0 to 1e15, and 0 if contact_stiffness is 0";
    return NULL;
}

const char *dry_shape_def_error(const dry_shape_def *def, dry_body_type body_type)
{
    const char *error = dry_geometry_def_error(def);
    if (error)
        return error;
    if (def->type == DRY_SHAPE_HALFSPACE && body_type != DRY_BODY_STATIC)
        return "a half-space needs a static body";
    if (!dry_finite3(def->pose.position, 1e6f))
        return "pose.position must be finite and at most 1e6";
    if (!dry_finite_quat(def->pose.orientation))
        return "pose.orientation must be of unit length";
    if (!(def->density >= 0.0f && def->density <= 1e9f))
        return "density must be 0 to 1e9";
    if (!(def->friction >= 0.0f && def->friction <= 1e3f))
        return "friction must be 0 to 1e3";
    if (!(def->static_friction >= 0.0f && def->static_friction <= 1e3f))
        return "static_friction must be 0 to 1e3";
    error = dry_contact_spring_error(def->contact_stiffness, def->contact_damping);
    if (error)
        return error;
    if (!(def->restitution >= 0.0f && def->restitution <= 1.0f))
        return "restitution must be 0 to 1";
    if (!(def->rolling_resistance >= 0.0f && def->rolling_resistance <= 1e3f))
        return "rolling_resistance must be 0 to 1e3";
    return NULL;
}

int dry_find_body(const dry_world *world, dry_body_id id, const char *name)
{
    int slot = dry_slots_find(&world->bodies.slots, id.bits);
    if (slot < 0)
        dry_world_fail(world, DRY_ERROR_STALE_ID, "%s: body id %016llx names no body of this world", name,
                       (unsigned long long)id.bits);
    return slot;
}

int dry_find_shape(const dry_world *world, dry_shape_id id, const char *name)
{
    int slot = dry_slots_find(&world->shapes.slots, id.bits);
    if (slot < 0)
        dry_world_fail(world, DRY_ERROR_STALE_ID, "%s: shape id %016llx names no shape of this world", name,
                       (unsigned long long)id.bits);
    return slot;
}

int dry_find_joint(const dry_world *world, dry_joint_id id, const char *name)
{
    int slot = dry_slots_find(&world->joints.slots, id.bits);
    if (slot < 0)
        dry_world_fail(world, DRY_ERROR_STALE_ID, "%s: joint id %016llx names no joint of this world", name,
                       (unsigned long long)id.bits);
    return slot;
}

bool dry_check_bodies(const dry_world *world, const char *name, int count, const dry_body_id *ids,
                      dry_result *result)
{
    if (!dry_check_world(world, name, result))
        return false;
    if (count < 0 || (count > 0 && !ids)) {
        *result = dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: ids is null or count is negative", name);
        return false;
    }
    for (int i = 0; i < count; i++)
        if (dry_find_body(world, ids[i], name) < 0) {
            *result = DRY_ERROR_STALE_ID;
            return false;
        }
    return true;
}

int dry_row_to_read(const dry_world *world, dry_body_id id, const void *out, const char *name,
                    dry_result *result)
{
    *result = DRY_ERROR_ARGUMENT;
    if (!world)
        return -1;
    int slot = dry_find_body(world, id, name);
    *result = DRY_ERROR_STALE_ID;
    if (slot < 0)
        return -1;
    if (!out) {
        *result = dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: the output is null", name);
        return -1;
    }
    *result = DRY_OK;
    return dry_bodies_row(&world->bodies, slot);
}

int dry_body_to_change(dry_world *world, dry_body_id id, const char *name, dry_result *result)
{
    if (!dry_check_world(world, name, result))
        return -1;
    int slot = dry_find_body(world, id, name);
    *result = slot < 0 ? DRY_ERROR_STALE_ID : DRY_OK;
    return slot;
}

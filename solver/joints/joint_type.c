/* The table of joint types, and what all definitions must hold. */
#include "solver/joints/joint_type.h"

#include <stddef.h>

const dry_joint_description *const dry_joint_types[DRY_JOINT_TYPE_COUNT] = {
#define X(type, TYPE, KIND) [DRY_JOINT_##TYPE] = &dry_joint_##type,
    DRY_JOINT_TYPES(X)
#undef X
};

static bool is_within(dry_vec3 v, float limit)
{
    return dry_abs(v.x) <= limit && dry_abs(v.y) <= limit && dry_abs(v.z) <= limit;
}

const char *dry_joint_def_error(const dry_joint_def *def)
{
    if ((unsigned)def->type >= DRY_JOINT_TYPE_COUNT)
        return "type is unknown";
    if (!is_within(def->anchor_a, 1e6f) || !is_within(def->anchor_b, 1e6f))
        return "anchors must be finite and at most 1e6";
    if (!(def->stiffness >= 0.0f && def->stiffness <= 1e15f))
        return "stiffness must be 0 to 1e15";
    if (!(def->damping >= 0.0f && def->damping <= 1e15f))
        return "damping must be 0 to 1e15";
    if (def->stiffness == 0.0f && def->damping != 0.0f)
        return "damping needs a stiffness";
    return dry_joint_types[def->type]->check(def);
}

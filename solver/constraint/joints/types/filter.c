/* The filter joint: its two bodies do not touch each other. It has no rows, and belongs to no island. */
#include "solver/constraint/joints/joint_type.h"

static bool is_zero(dry_vec3 v)
{
    return vec3_length_squared(v) == 0.0f;
}

static const char *filter_check(const dry_joint_def *def)
{
    if (def->collide)
        return "collide must be false for a filter joint";
    if (!is_zero(def->anchor_a) || !is_zero(def->anchor_b) || !quat_is_identity(def->orientation_a) ||
        !quat_is_identity(def->orientation_b))
        return "anchors and orientations: a filter joint has none";
    return def->solver == DRY_JOINT_SOLVER_WORLD ? NULL
                                                 : "solver, hertz: a filter joint has nothing to solve";
}

const dry_joint_description dry_joint_filter = {
    .kind = DRY_KIND_BLOCK,
    .check = filter_check,
};

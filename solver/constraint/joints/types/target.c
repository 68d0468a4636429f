/* The target joint: a ball joint to a place in the world, with a largest force. */
#include "solver/constraint/joints/types/ball.h"

static const char *target_check(const dry_joint_def *def)
{
    return (def->force_max >= 0.0f && def->force_max <= 1e15f) || def->force_max == INFINITY
               ? NULL
               : "force_max must be 0 to 1e15 or INFINITY";
}

const dry_joint_description dry_joint_target = {
    .kind = DRY_KIND_POINT,
    .set_defaults = dry_joint_no_defaults,
    .check = target_check,
    .measure = dry_joint_measure_apart,
    .stretch = dry_joint_distance_apart,
};

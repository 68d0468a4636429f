/* The target joint: a ball joint to a place in the world, with a largest force. */
#include "solver/constraint/joints/types/ball.h"

const dry_joint_description dry_joint_target = {
    .kind = DRY_KIND_POINT,
    .measure = dry_joint_measure_apart,
    .stretch = dry_joint_distance_apart,
};

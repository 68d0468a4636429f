/* The ball joint: anchor_b - anchor_a = 0, three rows along the world's axes [Waterson 5.1]. */
#include "solver/constraint/joints/types/ball.h"

const dry_joint_description dry_joint_ball = {
    .kind = DRY_KIND_POINT,
    .set_defaults = dry_joint_no_defaults,
    .check = dry_joint_no_check,
    .measure = dry_joint_measure_apart,
    .stretch = dry_joint_distance_apart,
};

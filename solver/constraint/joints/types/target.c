/* The target joint: a ball joint to a place in the world, with a largest force. */
#include "solver/constraint/joints/joint_type.h"

const dry_joint_description dry_joint_target = {
    .kind = DRY_KIND_POINT,
    .locked = 3,
    .locked_form = {DRY_FORM_WORLD_X, DRY_FORM_WORLD_Y, DRY_FORM_WORLD_Z},
};

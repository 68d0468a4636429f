/* The ball joint: anchor_b - anchor_a = 0, three rows along the world's axes [Waterson 5.1]. One with
 * friction is solved as a block, of which the rows of friction about the anchor are independent. */
#include "solver/constraint/joints/joint_type.h"

static const char *ball_check(const dry_joint_def *def)
{
    return def->friction > 0.0f && def->stiffness > 0.0f ? "friction needs a rigid joint: stiffness 0" : NULL;
}

const dry_joint_description dry_joint_ball = {
    .kind = DRY_KIND_POINT,
    .check = ball_check,
    .locked = 3,
    .locked_form = {DRY_FORM_WORLD_X, DRY_FORM_WORLD_Y, DRY_FORM_WORLD_Z},
    /* Friction acts about the world's axes: it needs speeds, and no angles. */
    .axis_form = {[DRY_AXIS_RX] = DRY_FORM_ABOUT_X,
                  [DRY_AXIS_RY] = DRY_FORM_ABOUT_Y,
                  [DRY_AXIS_RZ] = DRY_FORM_ABOUT_Z},
};

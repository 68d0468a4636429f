/* The cone-twist joint: a ball joint with a twist and a swing (swing_twist.h), and a limit for the angle of
 * the swing in every direction: three rows. */
#include "solver/constraint/joints/joint_type.h"

static bool cone_twist_cone(const dry_joint_def *def, dry_joint_axis *acts)
{
    *acts = dry_joint_axis_default(true);
    acts->max = def->swing_max;
    return def->swing_max < INFINITY;
}

const dry_joint_description dry_joint_cone_twist = {
    .kind = DRY_KIND_BLOCK,
    .locked = 3,
    .locked_form = {DRY_FORM_ALONG_X, DRY_FORM_ALONG_Y, DRY_FORM_ALONG_Z},
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis_form =
        {[DRY_AXIS_RX] = DRY_FORM_TWIST, [DRY_AXIS_RY] = DRY_FORM_SWING_Y, [DRY_AXIS_RZ] = DRY_FORM_SWING_Z},
    .more = cone_twist_cone,
    .more_form = DRY_FORM_CONE,
};

/* The wheel: anchor b moves along y of frame a (suspension), turns about it (steering) and about x of frame b
 * (spin): three rows. Frame b is frame a turned about y, by RY, and then about its own x, by RX. */
#include "solver/constraint/joints/joint_type.h"

/* A wheel is not steered unless its axis is set. */
static void wheel_defaults(dry_joint_def *def)
{
    def->axes[DRY_AXIS_RY] = dry_joint_axis_default(false);
}

const dry_joint_description dry_joint_wheel = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = wheel_defaults,
    .locked = 3,
    .locked_form = {DRY_FORM_ALONG_X, DRY_FORM_ALONG_Z, DRY_FORM_ACROSS_YX},
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX) | DRY_AXIS_BIT(DRY_AXIS_RY),
    .axis_form =
        {[DRY_AXIS_Y] = DRY_FORM_ALONG_Y, [DRY_AXIS_RX] = DRY_FORM_WHEEL_X, [DRY_AXIS_RY] = DRY_FORM_WHEEL_Y},
};

/* The generic joint: six axes, each locked, limited or free; its angles are those of swing_twist.h. */
#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/joints/types/swing_twist.h"

/* An axis that is not set is locked. */
static void generic_defaults(dry_joint_def *def)
{
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        def->axes[i] = dry_joint_axis_default(false);
}

static dry_joint_row generic_axis(const dry_joint_frames *frames, int axis)
{
    if (axis < DRY_AXIS_RX)
        return dry_row_along(frames, axis);
    const dry_swing_twist s = dry_swing_twist_of(frames);
    const double value = axis == DRY_AXIS_RX ? s.twist : s.swing[axis - DRY_AXIS_RY];
    return dry_row_about(s.rows[axis - DRY_AXIS_RX], value);
}

const dry_joint_description dry_joint_generic = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = generic_defaults,
    .check = dry_joint_no_check,
    .axes = DRY_AXES_ALL,
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis = generic_axis,
};

/* The cone-twist joint: a ball joint with a twist and a swing (swing_twist.h), and a limit for the angle of
 * the swing in every direction: three rows. */
#include "solver/constraint/joints/joint_type.h"
#include "solver/constraint/joints/types/swing_twist.h"

static const char *cone_twist_check(const dry_joint_def *def)
{
    return (def->swing_max >= 0.0f && def->swing_max <= (float)DRY_PI) || def->swing_max == INFINITY
               ? NULL
               : "swing_max must be 0 to pi, or INFINITY";
}

static void cone_twist_rows(const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS])
{
    for (int i = 0; i < 3; i++)
        rows[i] = dry_row_along(frames, i);
}

static dry_joint_row cone_twist_axis(const dry_joint_frames *frames, int axis)
{
    const dry_swing_twist s = dry_swing_twist_of(frames);
    const double value = axis == DRY_AXIS_RX ? s.twist : s.swing[axis - DRY_AXIS_RY];
    return dry_row_about(s.rows[axis - DRY_AXIS_RX], value);
}

static bool cone_twist_cone(const dry_joint_def *def, dry_joint_axis *acts)
{
    *acts = dry_joint_axis_default(true);
    acts->max = def->swing_max;
    return def->swing_max < INFINITY;
}

static dry_joint_row cone_twist_cone_row(const dry_joint_frames *frames)
{
    const dry_swing_twist s = dry_swing_twist_of(frames);
    return dry_row_about(s.about, s.angle);
}

const dry_joint_description dry_joint_cone_twist = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = dry_joint_no_defaults,
    .check = cone_twist_check,
    .locked = 3,
    .rows = cone_twist_rows,
    .axes = DRY_AXIS_BIT(DRY_AXIS_RX) | DRY_AXIS_BIT(DRY_AXIS_RY) | DRY_AXIS_BIT(DRY_AXIS_RZ),
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis = cone_twist_axis,
    .more = cone_twist_cone,
    .more_row = cone_twist_cone_row,
};

/* The wheel: anchor b moves along y of frame a (suspension), turns about it (steering) and about x of frame b
 * (spin): three rows. Frame b is frame a turned about y, by RY, and then about its own x, by RX. */
#include "core/angle.h"
#include "solver/constraint/joints/joint_type.h"

/* A wheel is not steered unless its axis is set. */
static void wheel_defaults(dry_joint_def *def)
{
    def->axes[DRY_AXIS_RY] = dry_joint_axis_default(false);
}

static void wheel_rows(const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS])
{
    rows[0] = dry_row_along(frames, 0);
    rows[1] = dry_row_along(frames, 2);
    rows[2] = dry_row_between(frames, 1, 0);
}

static dry_joint_row wheel_axis(const dry_joint_frames *frames, int axis)
{
    const dry_double3 *a = frames->a.axis, *b = frames->b.axis;
    if (axis == DRY_AXIS_Y)
        return dry_row_along(frames, 1);
    if (axis == DRY_AXIS_RY)
        return dry_row_about(a[1], dry_angle_of(-double3_dot(a[2], b[0]), double3_dot(a[0], b[0])));
    return dry_row_about(b[0], dry_angle_of(-double3_dot(a[1], b[2]), double3_dot(a[1], b[1])));
}

const dry_joint_description dry_joint_wheel = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = wheel_defaults,
    .check = dry_joint_no_check,
    .locked = 3,
    .rows = wheel_rows,
    .axes = DRY_AXIS_BIT(DRY_AXIS_Y) | DRY_AXIS_BIT(DRY_AXIS_RX) | DRY_AXIS_BIT(DRY_AXIS_RY),
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX) | DRY_AXIS_BIT(DRY_AXIS_RY),
    .axis = wheel_axis,
};

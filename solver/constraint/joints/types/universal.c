/* The universal joint: anchors together, y of frame a at a right angle to z of frame b, four rows. Frame b is
 * frame a turned about y, by RY, and then about its own z, by RZ; x are the two shafts. */
#include "core/angle.h"
#include "solver/constraint/joints/joint_type.h"

static void universal_rows(const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS])
{
    for (int i = 0; i < 3; i++)
        rows[i] = dry_row_along(frames, i);
    rows[3] = dry_row_between(frames, 1, 2);
}

static dry_joint_row universal_axis(const dry_joint_frames *frames, int axis)
{
    const dry_double3 *a = frames->a.axis, *b = frames->b.axis;
    if (axis == DRY_AXIS_RY)
        return dry_row_about(a[1], dry_angle_of(double3_dot(a[0], b[2]), double3_dot(a[2], b[2])));
    return dry_row_about(b[2], dry_angle_of(double3_dot(a[1], b[0]), double3_dot(a[1], b[1])));
}

const dry_joint_description dry_joint_universal = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = dry_joint_no_defaults,
    .check = dry_joint_no_check,
    .locked = 4,
    .rows = universal_rows,
    .axes = DRY_AXIS_BIT(DRY_AXIS_RY) | DRY_AXIS_BIT(DRY_AXIS_RZ),
    .winds = DRY_AXIS_BIT(DRY_AXIS_RY) | DRY_AXIS_BIT(DRY_AXIS_RZ),
    .axis = universal_axis,
};

/* The alignment of axes: x of the two frames stay parallel, wherever the anchors are, two rows
 * [Waterson 5.7].
 *
 * Each row is the sine of an angle, as in [Waterson 5.54], of which one row would have no direction where the
 * axes are parallel. */
#include "solver/constraint/joints/types/hinge_angle.h"

static void align_rows(const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS])
{
    rows[0] = dry_row_between(frames, 1, 0);
    rows[1] = dry_row_between(frames, 2, 0);
}

const dry_joint_description dry_joint_align = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = dry_joint_no_defaults,
    .check = dry_joint_no_check,
    .locked = 2,
    .rows = align_rows,
    .axes = DRY_AXIS_BIT(DRY_AXIS_RX),
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis = dry_hinge_axis,
};

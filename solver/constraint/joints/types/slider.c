/* The slider: b moves along x of frame a and does not turn, five rows [Waterson 5.3]. */
#include "solver/constraint/joints/joint_type.h"

static void slider_rows(const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS])
{
    rows[0] = dry_row_along(frames, 1);
    rows[1] = dry_row_along(frames, 2);
    for (int i = 0; i < 3; i++)
        rows[2 + i] = dry_row_between(frames, (i + 2) % 3, (i + 1) % 3); /* turns about axis i */
}

static dry_joint_row slider_axis(const dry_joint_frames *frames, int axis)
{
    return dry_row_along(frames, axis);
}

const dry_joint_description dry_joint_slider = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = dry_joint_no_defaults,
    .check = dry_joint_no_check,
    .locked = 5,
    .rows = slider_rows,
    .axes = DRY_AXIS_BIT(DRY_AXIS_X),
    .axis = slider_axis,
};

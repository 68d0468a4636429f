/* The hinge: anchors and x axes of the two frames stay together, five rows [Waterson 5.4]. */
#include "solver/constraint/joints/types/hinge_angle.h"

static void hinge_rows(const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS])
{
    for (int i = 0; i < 3; i++)
        rows[i] = dry_row_along(frames, i);
    rows[3] = dry_row_between(frames, 1, 0);
    rows[4] = dry_row_between(frames, 2, 0);
}

const dry_joint_description dry_joint_hinge = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = dry_joint_no_defaults,
    .check = dry_joint_no_check,
    .locked = 5,
    .rows = hinge_rows,
    .axes = DRY_AXIS_BIT(DRY_AXIS_RX),
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis = dry_hinge_axis,
};

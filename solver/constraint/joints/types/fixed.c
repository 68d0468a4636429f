/* The fixed joint: the two frames stay together, six rows [Waterson 5.2]. */
#include "solver/constraint/joints/joint_type.h"

static void fixed_rows(const dry_joint_frames *frames, dry_joint_row rows[DRY_BLOCK_ROWS])
{
    for (int i = 0; i < 3; i++) {
        rows[i] = dry_row_along(frames, i);
        rows[3 + i] = dry_row_between(frames, (i + 2) % 3, (i + 1) % 3); /* turns about axis i */
    }
}

const dry_joint_description dry_joint_fixed = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = dry_joint_no_defaults,
    .check = dry_joint_no_check,
    .locked = 6,
    .rows = fixed_rows,
};

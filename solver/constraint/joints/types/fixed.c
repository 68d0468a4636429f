/* The fixed joint: the two frames stay together, six rows [Waterson 5.2]. */
#include "solver/constraint/joints/joint_type.h"

const dry_joint_description dry_joint_fixed = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = dry_joint_no_defaults,
    .check = dry_joint_no_check,
    .locked = 6,
    .locked_form = {DRY_FORM_ALONG_X, DRY_FORM_ALONG_Y, DRY_FORM_ALONG_Z, DRY_FORM_ACROSS_ZY,
                    DRY_FORM_ACROSS_XZ, DRY_FORM_ACROSS_YX},
};

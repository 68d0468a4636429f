/* The slider: b moves along x of frame a and does not turn, five rows [Waterson 5.3]. */
#include "solver/constraint/joints/joint_type.h"

const dry_joint_description dry_joint_slider = {
    .kind = DRY_KIND_BLOCK,
    .locked = 5,
    .locked_form = {DRY_FORM_ALONG_Y, DRY_FORM_ALONG_Z, DRY_FORM_ACROSS_ZY, DRY_FORM_ACROSS_XZ,
                    DRY_FORM_ACROSS_YX},
    .axis_form = {[DRY_AXIS_X] = DRY_FORM_ALONG_X},
};

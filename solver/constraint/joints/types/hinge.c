/* The hinge: anchors and x axes of the two frames stay together, five rows [Waterson 5.4]. */
#include "solver/constraint/joints/joint_type.h"

const dry_joint_description dry_joint_hinge = {
    .kind = DRY_KIND_BLOCK,
    .locked = 5,
    .locked_form = {DRY_FORM_ALONG_X, DRY_FORM_ALONG_Y, DRY_FORM_ALONG_Z, DRY_FORM_ACROSS_YX,
                    DRY_FORM_ACROSS_ZX},
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis_form = {[DRY_AXIS_RX] = DRY_FORM_HINGE},
};

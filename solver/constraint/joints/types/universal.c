/* The universal joint: anchors together, y of frame a at a right angle to z of frame b, four rows. Frame b is
 * frame a turned about y, by RY, and then about its own z, by RZ; x are the two shafts. */
#include "solver/constraint/joints/joint_type.h"

const dry_joint_description dry_joint_universal = {
    .kind = DRY_KIND_BLOCK,
    .locked = 4,
    .locked_form = {DRY_FORM_ALONG_X, DRY_FORM_ALONG_Y, DRY_FORM_ALONG_Z, DRY_FORM_ACROSS_YZ},
    .winds = DRY_AXIS_BIT(DRY_AXIS_RY) | DRY_AXIS_BIT(DRY_AXIS_RZ),
    .axis_form = {[DRY_AXIS_RY] = DRY_FORM_UNIVERSAL_Y, [DRY_AXIS_RZ] = DRY_FORM_UNIVERSAL_Z},
};

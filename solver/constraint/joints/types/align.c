/* The alignment of axes: x of the two frames stay parallel, wherever the anchors are, two rows
 * [Waterson 5.7].
 *
 * Each row is the sine of an angle, as in [Waterson 5.54], of which one row would have no direction where the
 * axes are parallel. */
#include "solver/constraint/joints/joint_type.h"

const dry_joint_description dry_joint_align = {
    .kind = DRY_KIND_BLOCK,
    .locked = 2,
    .locked_form = {DRY_FORM_ACROSS_YX, DRY_FORM_ACROSS_ZX},
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis_form = {[DRY_AXIS_RX] = DRY_FORM_HINGE},
};

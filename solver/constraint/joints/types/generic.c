/* The generic joint: six axes, each locked, limited or free; its angles are those of swing_twist.h. */
#include "solver/constraint/joints/joint_type.h"

/* An axis that is not set is locked. */
static void generic_defaults(dry_joint_def *def)
{
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        def->axes[i] = dry_joint_axis_default(false);
}

const dry_joint_description dry_joint_generic = {
    .kind = DRY_KIND_BLOCK,
    .set_defaults = generic_defaults,
    .winds = DRY_AXIS_BIT(DRY_AXIS_RX),
    .axis_form = {DRY_FORM_ALONG_X, DRY_FORM_ALONG_Y, DRY_FORM_ALONG_Z, DRY_FORM_TWIST, DRY_FORM_SWING_Y,
                  DRY_FORM_SWING_Z},
};

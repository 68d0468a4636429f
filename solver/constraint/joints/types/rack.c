/* The rack joint: a pinion does not slip along a rack, one row (form_rack in form_rows.h). */
#include "solver/constraint/joints/joint_type.h"

static const char *rack_check(const dry_joint_def *def)
{
    return in_range(dry_abs(def->radius), 1e-6f, 1e6f) ? NULL
                                                       : "radius must be 1e-6 to 1e6, or the like below 0";
}

const dry_joint_description dry_joint_rack = {
    .kind = DRY_KIND_BLOCK,
    .check = rack_check,
    .locked = 1,
    .locked_form = {DRY_FORM_RACK},
};

/* The gear joint: two wheels do not slip where they meet, one row (form_gear in form_rows.h). The force of
 * the teeth acts on both bodies at one place, so that bearings take what real bearings take, and momentum is
 * kept. */
#include "solver/constraint/joints/joint_type.h"

static bool is_whole(float x)
{
    return x == (float)(int)x;
}

static const char *gear_check(const dry_joint_def *def)
{
    const float a = def->teeth_a, b = def->teeth_b;
    if (!in_range(a, 1.0f, 1e4f) || !in_range(dry_abs(b), 1.0f, 1e4f) || !is_whole(a) || !is_whole(b))
        return "teeth_a must be a whole number from 1 to 1e4, and teeth_b likewise or the like below 0";
    return a + b != 0.0f ? NULL : "teeth_a + teeth_b must not be 0: a ring has more teeth than its wheel";
}

const dry_joint_description dry_joint_gear = {
    .kind = DRY_KIND_BLOCK,
    .check = gear_check,
    .locked = 1,
    .locked_form = {DRY_FORM_GEAR},
};

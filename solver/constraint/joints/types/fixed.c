/* The fixed joint: the two frames stay together, six rows [Waterson 5.2]. One that gives way is solved as a
 * generic joint with a spring along each axis, so that nothing else knows of it. */
#include "solver/constraint/joints/joint_type.h"

/* A generic joint that the user defined has neither stiffness. */
static bool is_soft(const dry_joint_def *def)
{
    return def->stiffness > 0.0f || def->angular_stiffness > 0.0f;
}

dry_joint_def dry_joint_def_to_solve(const dry_joint_def *given)
{
    dry_joint_def def = *given;
    if (def.type != DRY_JOINT_FIXED || !is_soft(given))
        return def;
    def.type = DRY_JOINT_GENERIC;
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        const bool turns = i >= DRY_AXIS_RX;
        const float stiffness = turns ? def.angular_stiffness : def.stiffness;
        def.axes[i] = dry_joint_axis_default(stiffness > 0.0f);
        def.axes[i].stiffness = stiffness;
        def.axes[i].damping = turns ? def.angular_damping : def.damping;
    }
    return def;
}

dry_joint_def dry_joint_def_as_given(const dry_joint_def *solved)
{
    dry_joint_def def = *solved;
    if (def.type != DRY_JOINT_GENERIC || !is_soft(solved))
        return def;
    def.type = DRY_JOINT_FIXED;
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        def.axes[i] = dry_joint_axis_default(false);
    return def;
}

const dry_joint_description dry_joint_fixed = {
    .kind = DRY_KIND_BLOCK,
    .locked = 6,
    .locked_form = {DRY_FORM_ALONG_X, DRY_FORM_ALONG_Y, DRY_FORM_ALONG_Z, DRY_FORM_ACROSS_ZY,
                    DRY_FORM_ACROSS_XZ, DRY_FORM_ACROSS_YX},
};

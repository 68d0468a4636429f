/* PBD: XPBD without compliance [Waterson 4.8, 5]. Every constraint is rigid, and what needs a stiffness is
 * refused: the stiffness k of classical PBD is the setting `relaxation`, and depends on the number of sweeps.
 */
#include "solver/methods/positions.h"

#include "solver/constraint/joints/joint_type.h"
#include "state/settings.h"

static const char *pbd_refuses(const dry_settings *settings)
{
    if (settings->contact_stiffness > 0.0f || settings->contact_hertz > 0.0f)
        return "solver pbd has no compliance: contact_stiffness and contact_hertz must be 0; xpbd takes them";
    if (settings->contact_damping_ratio != dry_settings_default().contact_damping_ratio)
        return "solver pbd has no compliance: contact_damping_ratio must be its default; xpbd takes it";
    return dry_positions_refuse(settings);
}

static bool is_sprung(const dry_joint_axis *axis)
{
    return axis->stiffness > 0.0f || axis->damping > 0.0f || dry_joint_stops_softly(axis) ||
           dry_joint_aims(axis);
}

static const char *pbd_refuses_joint(const dry_joint_def *def)
{
    bool sprung = def->stiffness > 0.0f || def->type == DRY_JOINT_TARGET;
    for (int i = 0; i < DRY_AXIS_COUNT; i++)
        sprung = sprung || is_sprung(&def->axes[i]);
    return sprung ? "solver pbd has no compliance: no springs, soft stops, motors to a position or target "
                    "joints; xpbd takes them"
                  : dry_positions_refuse_joint(def);
}

const dry_method dry_method_pbd = {
    .name = "pbd",
    .rigid = true,
    .refuses = pbd_refuses,
    .refuses_joint = pbd_refuses_joint,
    .no_contact_springs = "solver pbd has no compliance: contact_stiffness must be 0; xpbd takes it",
    DRY_METHOD_OF_POSITIONS,
};

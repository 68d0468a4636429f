/* The methods that solve for positions (position_substeps.c).
 *
 * XPBD: constraints are solved for positions, one after another, each at the bodies as the others have moved
 * and turned them [Waterson 4.8]. Springs have their compliance [Waterson 6.4], and total multipliers make a
 * spring alone independent of the number of sweeps. Velocities follow from positions; sliding friction is
 * solved for velocities afterwards [Waterson 5.5-5.6].
 *
 * PBD: XPBD without compliance [Waterson 4.8, 5]. Every constraint is rigid, and what needs a stiffness is
 * refused: the stiffness k of classical PBD is the setting `relaxation`, and depends on the number of sweeps.
 */
#include "methods/methods.h"
#include "solver/constraint/joints/joint_type.h"
#include "state/settings.h"

/* The members that both have in common. */
#define OF_POSITIONS                                                                                         \
    .positions = true, .run_substeps = dry_substeps_of_positions, .each = {1, 1},                            \
    .update = {[DRY_SWEEP_WARM] = DRY_UPDATE_TURNED,                                                         \
               [DRY_SWEEP_SOLVE] = DRY_UPDATE_TURNED,                                                        \
               [DRY_SWEEP_RELAX] = DRY_UPDATE_TURNED}

/* Returns what no method of positions can honor, in words; null if nothing. */
static const char *refuses(const dry_settings *settings)
{
    if (settings->method.friction == DRY_FRICTION_TWO_PHASE)
        return "solver pbd and xpbd have no phase without friction: friction must not be two-phase";
    if (settings->joint_solver == DRY_JOINT_SOLVER_DIRECT)
        return "solver pbd and xpbd have no velocity that a direct solve could start from: joint_solver must "
               "not be direct";
    if (settings->method.relaxation_adaptive)
        return "solver pbd and xpbd turn each change of relaxation into motion: relaxation_adaptive must be "
               "false";
    if (settings->method.push_factor > 0.0f)
        return "solver pbd and xpbd close overlaps by position: push_factor must be 0";
    if (settings->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA)
        return "solver pbd and xpbd end each substep at their own positions: integrator must be Runge-Kutta";
    return settings->relax_sweeps == 0
               ? "solver pbd and xpbd slide in the sweeps over velocities: relax_sweeps must be at least 1"
               : NULL;
}

static const char *refuses_joint(const dry_joint_def *def)
{
    return def->solver == DRY_JOINT_SOLVER_DIRECT
               ? "solver pbd and xpbd have no velocity that a direct solve could start from: solver must not "
                 "be direct"
               : NULL;
}

const dry_method dry_method_xpbd = {
    .refuses = refuses,
    .refuses_joint = refuses_joint,
    OF_POSITIONS,
};

static const char *pbd_refuses(const dry_settings *settings)
{
    if (settings->contact_stiffness > 0.0f || settings->contact_hertz > 0.0f)
        return "solver pbd has no compliance: contact_stiffness and contact_hertz must be 0; xpbd takes them";
    if (settings->contact_damping_ratio != dry_settings_default().contact_damping_ratio)
        return "solver pbd has no compliance: contact_damping_ratio must be its default; xpbd takes it";
    return refuses(settings);
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
                  : refuses_joint(def);
}

const dry_method dry_method_pbd = {
    .rigid = true,
    .refuses = pbd_refuses,
    .refuses_joint = pbd_refuses_joint,
    .no_contact_springs = "solver pbd has no compliance: contact_stiffness must be 0; xpbd takes it",
    OF_POSITIONS,
};

/* The part that methods which solve for positions have in common. */
#ifndef SOLVER_METHODS_POSITIONS_H
#define SOLVER_METHODS_POSITIONS_H

#include "solver/methods/method.h"

/* The members of a dry_method that solves for positions. */
#define DRY_METHOD_OF_POSITIONS                                                                              \
    .positions = true, .turns_frames = true, .keeps_momentum = true, .bounds_open_joints = true,             \
    .update = {[DRY_SWEEP_WARM] = DRY_UPDATE_TURNED,                                                         \
               [DRY_SWEEP_SOLVE] = DRY_UPDATE_TURNED,                                                        \
               [DRY_SWEEP_RELAX] = DRY_UPDATE_TURNED},                                                       \
    .schedule = dry_positions_schedule

/* Sweeps over positions, then over velocities. */
static inline dry_schedule dry_positions_schedule(const dry_settings *settings, int sweeps)
{
    return (dry_schedule){sweeps, settings->relax_sweeps};
}

/* Returns what no method of positions can honor, in words; null if nothing. */
static inline const char *dry_positions_refuse(const dry_settings *settings)
{
    if (settings->friction == DRY_FRICTION_TWO_PHASE)
        return "solver pbd and xpbd have no phase without friction: friction must not be two-phase";
    if (settings->joint_solver == DRY_JOINT_SOLVER_DIRECT)
        return "solver pbd and xpbd have no velocity that a direct solve could start from: joint_solver must "
               "not be direct";
    if (settings->relaxation_adaptive)
        return "solver pbd and xpbd turn each change of relaxation into motion: relaxation_adaptive must be "
               "false";
    if (settings->push_factor > 0.0f)
        return "solver pbd and xpbd close overlaps by position: push_factor must be 0";
    if (settings->integrator != DRY_INTEGRATOR_RUNGE_KUTTA)
        return "solver pbd and xpbd end each substep at their own positions: integrator must be Runge-Kutta";
    return settings->relax_sweeps == 0
               ? "solver pbd and xpbd slide in the sweeps over velocities: relax_sweeps must be at least 1"
               : NULL;
}

static inline const char *dry_positions_refuse_joint(const dry_joint_def *def)
{
    return def->solver == DRY_JOINT_SOLVER_DIRECT
               ? "solver pbd and xpbd have no velocity that a direct solve could start from: solver must not "
                 "be direct"
               : NULL;
}

#endif

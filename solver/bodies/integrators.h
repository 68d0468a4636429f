/* The integrators beside the default one, which solver/bodies/finish_kernel.h has: a library may add them. */
#ifndef SOLVER_BODIES_INTEGRATORS_H
#define SOLVER_BODIES_INTEGRATORS_H

#include "core/shared.h"
#include "solver/bodies/body_blocks.h"
#include "solver/data/context.h"

/* Tells whether the settings ask for an integrator other than the default. */
static inline bool dry_integrates_apart(const dry_settings *settings)
{
    return settings->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA;
}

/* Replaces the orientations and angular velocities of the first `count` bodies of a block. Bodies with locked
 * axes and kinematic ones keep theirs. */
typedef void dry_integrate_run(const dry_solver_step *step, const dry_finish_block *block, int count,
                               dry_body_motion *motion);

/* Adds them. Without them, settings that ask for one are refused. */
DRY_SHARED void dry_integrators_add(dry_integrate_run *run);

#endif

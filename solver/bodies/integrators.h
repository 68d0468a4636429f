/* The integrators beside the default one: solver/bodies/finish_kernel.h has that. */
#ifndef SOLVER_BODIES_INTEGRATORS_H
#define SOLVER_BODIES_INTEGRATORS_H

#include "solver/bodies/body_blocks.h"
#include "solver/data/context.h"

/* Tells whether the settings ask for an integrator that dry_integrate_bodies has. */
static inline bool dry_integrates_apart(const dry_settings *settings)
{
    return settings->method.integrator != DRY_INTEGRATOR_RUNGE_KUTTA;
}

/* Replaces the orientations and angular velocities of the first `count` bodies of a block. Bodies with locked
 * axes and kinematic ones keep theirs. */
void dry_integrate_bodies(const dry_solver_step *step, const dry_finish_block *block, int count,
                          dry_body_motion *motion);

#endif

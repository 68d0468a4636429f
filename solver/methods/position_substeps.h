/* The substeps of a tier. */
#ifndef SOLVER_METHODS_POSITION_SUBSTEPS_H
#define SOLVER_METHODS_POSITION_SUBSTEPS_H

#include "solver/sweeps/passes.h"

/* The kernels of each sweep. */
typedef struct dry_tier_kernels {
    dry_sweep_kernels sweep[DRY_SWEEP_COUNT];
} dry_tier_kernels;

/* Solves for positions: forces, sweeps over positions at the substep's end, motion, sweeps over velocities
 * (position_substeps.c). `sweep` has the parameters of the tier's sweeps, but for the time. */
void dry_substeps_of_positions(dry_solver_step *step, const dry_tier_range *range,
                               const dry_tier_kernels *kernels, dry_sweep sweep);

#endif

/* The methods of this library, its parts of the step, and its orders of sweeps. */
#ifndef METHODS_METHODS_H
#define METHODS_METHODS_H

#include "solver/bodies/integrators.h"
#include "solver/data/method.h"
#include "solver/data/part.h"

/* Solves for positions: forces, sweeps over positions at the substep's end, motion, sweeps over velocities
 * (position_substeps.c). */
void dry_substeps_of_positions(struct dry_substeps *run);

/* Takes what a joint's rows gave in the last substep for that of all. */
void dry_total_of_last(float substeps, int rows, struct dry_joint_total *total);

/* The integrators beside the default one (integrators.c). */
dry_integrate_run dry_integrate_bodies;

extern const dry_solver_part dry_part_direct, dry_part_two_phase, dry_part_relaxation;
extern const dry_method dry_method_pbd, dry_method_xpbd, dry_method_avbd;
extern const dry_sweep_order dry_sweep_orders[DRY_ORDER_COUNT]; /* the default one is not among them */

#endif

/* Bounded axes of articulations, one lane at a time. */
#ifndef SOLVER_SWEEPS_JOINTS_COUPLED_AXES_H
#define SOLVER_SWEEPS_JOINTS_COUPLED_AXES_H

#include "solver/data/coupled.h"
#include "solver/data/sweep.h"

struct dry_solver_step;
struct dry_tier_range;

/* The functions of dry_constraint_kind. */
void dry_axes_couple(const struct dry_solver_step *step, int bundle, int lane, dry_coupled_rows *rows);
void dry_axes_visit(const struct dry_solver_step *step, int bundle, int lane, const dry_sweep *sweep,
                    dry_sweep_kind kind, dry_coupled_motion *motion);
/* Adds the impulses along axes of joints that are solved directly to those of the step: a substep has ended.
 * Sweeps add up those of other joints themselves. */
void dry_axes_tally(const struct dry_solver_step *step, const struct dry_tier_range *range);

#endif

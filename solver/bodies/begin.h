/* The rows of bodies when a step begins, and those of bodies that stop in its midst. */
#ifndef SOLVER_BODIES_BEGIN_H
#define SOLVER_BODIES_BEGIN_H

#include "solver/bodies/invalid.h"
#include "solver/data/context.h"

/* Fills the rows of awake dynamic bodies, for a layout that is done. */
void dry_solver_begin_bodies(dry_solver_step *step);
/* Stops the bodies of a tier whose motion became invalid since the step began, so that no neighbor sees it.
 */
void dry_solver_stop_invalid(dry_solver_step *step, const dry_tier_range *range);
/* Zeroes a row that cannot be integrated, so that no neighbor sees it. */
void dry_solver_stop_row(dry_solver_state *state, int row);

/* Stops one body whose motion is invalid; joints may push it again. */
static inline void dry_solver_stop_if_invalid(dry_solver_state *state, int row)
{
    if (state->bodies.invalid[row] || !dry_row_is_valid(&state->bodies.rows[row + 1]))
        dry_solver_stop_row(state, row);
}

#endif

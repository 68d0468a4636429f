/* The rows of bodies when a step begins, and those of bodies that stop in its midst. */
#ifndef SOLVER_BODIES_BEGIN_H
#define SOLVER_BODIES_BEGIN_H

struct dry_solver_state;
struct dry_solver_step;
struct dry_tier_range;

/* Fills the rows of awake dynamic bodies, for a layout that is done. */
void dry_solver_begin_bodies(struct dry_solver_step *step);
/* Stops the bodies of a tier whose motion became invalid since the step began, so that no neighbor sees it.
 */
void dry_solver_stop_invalid(struct dry_solver_step *step, const struct dry_tier_range *range);
/* Does so for one row. */
void dry_solver_stop_if_invalid(struct dry_solver_state *state, int row);

#endif

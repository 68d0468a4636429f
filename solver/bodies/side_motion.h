/* The motion of the bodies of joints within a step (constraint/joints/side_motion.h). */
#ifndef SOLVER_BODIES_SIDE_MOTION_H
#define SOLVER_BODIES_SIDE_MOTION_H

#include "solver/constraint/joints/side_motion.h"

struct dry_solver_step;

/* Returns its motion in a step: when the step begins, or by the rows where they are refreshed,
 * `dry_solver_step.ahead` seconds later. A body that cannot be integrated is taken as at rest, so that no
 * neighbor sees it. */
dry_side_motion dry_side_motion_in(const struct dry_solver_step *step, int joint, int side);
#endif

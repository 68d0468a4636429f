/* Hit events of the step under way. */
#ifndef STEP_HITS_H
#define STEP_HITS_H

#include <drystone/types.h>

struct dry_solver_step;

/* Raises an event for each contact whose surfaces meet within the step, faster than hit_speed_min. Runs
 * before the solver changes anything, so that the step may still fail. Returns false if memory fails. */
bool dry_hits_raise(dry_world *world, const struct dry_solver_step *step);

#endif

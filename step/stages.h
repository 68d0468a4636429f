/* The stages of a step that are not the solver's; step.c has all of them in order. Each returns false if
 * memory fails. */
#ifndef STEP_STAGES_H
#define STEP_STAGES_H

#include "world/solver_step.h"

/* Makes contacts of shapes whose fat bounds newly overlap. */
bool dry_stage_pairs(dry_world *world, dry_solver_step *step);
/* Updates or rebuilds the manifolds of active contacts. */
bool dry_stage_contacts(dry_world *world, dry_solver_step *step);
/* Begins and ends contacts, wakes bodies, builds islands and rates their difficulty. */
bool dry_stage_graph(dry_world *world, dry_solver_step *step);
/* Lays the solver's bundles out and fills them, and raises hit events. */
bool dry_stage_prepare(dry_world *world, dry_solver_step *step);
/* Takes the solver's rows back to poses and velocities, and raises the events of the step's end. */
bool dry_stage_finalize(dry_world *world, dry_solver_step *step);

/* Returns the state hash, mixed with the rows and bundles that the stage left. A step that does not move
 * bodies has none. */
uint64_t dry_hash_stage(const dry_world *world, dry_stage stage, bool moves);

#endif

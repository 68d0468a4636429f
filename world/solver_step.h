/* The view of a world that the solver is given: for a step, and for bundles that are filled ahead of one. */
#ifndef WORLD_SOLVER_STEP_H
#define WORLD_SOLVER_STEP_H

#include "solver/data/context.h"

/* Tells whether a step that moves bodies may be so long, s. In less, single precision cannot carry the rates.
 */
static inline bool dry_step_may_last(float dt)
{
    return dt >= 1e-7f && dt <= 1.0f;
}

/* Returns what the solver's stages are given. */
dry_solver_step dry_solver_step_of(dry_world *world, float dt);
/* Begins the lifetime of the solver's scratch memory: contact bundles, rows of substeps' beginnings. Needs
 * the layout. Returns false if memory fails. */
bool dry_take_solver_scratch(dry_world *world);

#endif

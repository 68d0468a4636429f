/* The motion of bodies at a step's end, sixteen at a time. */
#ifndef SOLVER_BODIES_FINISH_H
#define SOLVER_BODIES_FINISH_H

#include "solver/bodies/body_blocks.h"
#include "solver/data/context.h"

/* Computes the motion of rows [first, first + count), at most sixteen. Lanes past the end repeat the last
 * body. A body without just one shape in the broadphase gets a form without a proxy. */
void dry_finish_bodies(const dry_solver_step *step, int first, int count, dry_finish_block *block,
                       dry_body_motion *motion);

#endif

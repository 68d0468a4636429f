/* How an articulation that nothing else acts on moves on. */
#ifndef SOLVER_DIRECT_CORRECT_H
#define SOLVER_DIRECT_CORRECT_H

#include "solver/direct/linkage.h"

/* Moves an articulation that nothing else acts on by a step, in `substeps` or more. Returns the substeps that
 * it took; 1 if the budget of substeps was not enough. */
int dry_linkage_move_alone(dry_linkage l, int substeps);

#endif

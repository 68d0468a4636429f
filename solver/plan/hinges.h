/* Islands that topple: those whose load rests on edges. */
#ifndef SOLVER_PLAN_HINGES_H
#define SOLVER_PLAN_HINGES_H

struct dry_solver_step;

/* Sets dry_island.hinged of every island. */
void dry_islands_find_hinged(struct dry_solver_step *step);

#endif

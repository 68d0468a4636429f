/* Weighs the motion that carries on from substep to substep. */
#ifndef SOLVER_WEIGH_H
#define SOLVER_WEIGH_H

#include "solver/context.h"

void dry_weigh_free(dry_solver_state *state, dry_memory *memory);
/* Makes room for all islands, once frames have begun (solver/rows/frames.h). False if memory fails. */
bool dry_weigh_reserve(dry_solver_step *step, dry_memory *memory);
/* Lets islands of a tier whose carried impulses give them energy forget those. Rows have these impulses, and
 * the forces of the substep that begins. */
void dry_weigh_carried(dry_solver_step *step, const dry_tier_range *range);

#endif

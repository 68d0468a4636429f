/* The loads of joints that hold for the first time: the weight that hangs on them, and springs that pull. */
#ifndef SOLVER_PLAN_HANGING_LOAD_H
#define SOLVER_PLAN_HANGING_LOAD_H

#include "core/scratch.h"

#include <stdbool.h>

struct dry_solver_step;

/* Gives a load to the joints whose load is not known, if something holds their bodies or springs pull at
 * them. Returns false if memory fails. */
bool dry_hanging_loads(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);

#endif

/* The loads with which contacts and joints begin: what they carry is known before a sweep has found it. */
#ifndef SOLVER_PLAN_STATIC_LOAD_H
#define SOLVER_PLAN_STATIC_LOAD_H

#include "core/scratch.h"

struct dry_solver_step;

/* Gives contacts below bodies that were placed at rest the impulses with which they carry them. Returns
 * false if memory fails; nothing has changed then. */
bool dry_static_loads(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);
/* Gives a load to the joints whose load is not known, if something holds their bodies or springs pull at
 * them. Returns false if memory fails. (hanging_load.c) */
bool dry_hanging_loads(struct dry_solver_step *step, dry_memory *memory, dry_scratch *scratch);

#endif

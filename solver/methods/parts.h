/* The table of parts (data/part.h). A step is given it. */
#ifndef SOLVER_METHODS_PARTS_H
#define SOLVER_METHODS_PARTS_H

#include "core/shared.h"
#include "solver/data/part.h"

/* Null where a part is absent. */
extern const dry_solver_part *dry_solver_parts[DRY_SOLVER_PART_COUNT];

/* Adds a part. */
DRY_SHARED void dry_part_add(dry_solver_part_index index, const dry_solver_part *part);

/* Finds the parts that act on each tier; `listed`: of those that list what they act on. */
void dry_parts_find(struct dry_solver_step *step, bool listed);

#endif

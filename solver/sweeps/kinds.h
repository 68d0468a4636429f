/* The table of constraint kinds, by dry_kind. A step is given it (data/context.h). */
#ifndef SOLVER_SWEEPS_KINDS_H
#define SOLVER_SWEEPS_KINDS_H

#include "solver/data/constraint.h"

extern const dry_constraint_kind *const dry_constraint_kinds[DRY_KIND_COUNT];

#endif

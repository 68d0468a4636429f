/* The table of constraint kinds, by dry_kind. A step is given it (data/context.h). */
#ifndef SOLVER_SWEEPS_KINDS_H
#define SOLVER_SWEEPS_KINDS_H

#include "core/shared.h"
#include "solver/data/constraint.h"

extern const dry_constraint_kind *dry_constraint_kinds[DRY_KIND_COUNT];

/* Adds a kind, before there are joints of it. */
DRY_SHARED void dry_kind_add(const dry_constraint_kind *kind);

#endif

/* The kinds of bundles that joints have. */
#ifndef SOLVER_SWEEPS_JOINTS_KINDS_H
#define SOLVER_SWEEPS_JOINTS_KINDS_H

#include "solver/data/constraint.h"

#define X(kind, KIND) extern const dry_constraint_kind dry_kind_##kind;
DRY_JOINT_KINDS(X)
#undef X

#endif

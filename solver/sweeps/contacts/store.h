/* Stage "store": the impulses of contact bundles back to manifolds. */
#ifndef SOLVER_SWEEPS_CONTACTS_STORE_H
#define SOLVER_SWEEPS_CONTACTS_STORE_H

#include "solver/data/constraint.h"

/* Stores bundles [begin, end) of a tier with substeps of length h. */
void dry_store_contacts(const struct dry_solver_step *step, const struct dry_constraint_kind *kind, int begin,
                        int end, float h);

#endif

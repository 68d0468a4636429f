/* Stage "prepare": contact bundles from manifolds. */
#ifndef SOLVER_CONTACTS_PREPARE_H
#define SOLVER_CONTACTS_PREPARE_H

struct dry_solver_step;

/* Prepares bundles [begin, end) of a tier with substeps of length h. Marks bundles that need a cold block and
 * have none with -1. */
void dry_prepare_contacts(const struct dry_solver_step *step, int begin, int end, float h);
/* Prepares the bundles again that have got a cold block since. */
void dry_prepare_cold_contacts(const struct dry_solver_step *step, int begin, int end, float h);

#endif

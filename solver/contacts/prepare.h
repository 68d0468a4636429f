/* Stage "prepare": contact bundles from manifolds. */
#ifndef SOLVER_CONTACTS_PREPARE_H
#define SOLVER_CONTACTS_PREPARE_H

struct dry_solver_step;

/* Prepares bundles [begin, end) of a class with substeps of length h. Bundles that want a rare record and
 * have none are marked with -1. */
void dry_prepare_contacts(const struct dry_solver_step *step, int begin, int end, float h);
/* Prepares those bundles again that have got a rare record since. */
void dry_prepare_rare_contacts(const struct dry_solver_step *step, int begin, int end, float h);

#endif

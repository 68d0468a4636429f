/* The lengths of contacts' springs. */
#ifndef SOLVER_SWEEPS_CONTACTS_REST_H
#define SOLVER_SWEEPS_CONTACTS_REST_H

struct dry_solver_step;
struct dry_tier_range;

/* Gives the contacts of a range's islands that settle the lengths at which they bear the impulses of their
 * bundles, and takes their lengths from those whose rest has ended. */
void dry_contacts_lengthen(const struct dry_solver_step *step, const struct dry_tier_range *range);

#endif

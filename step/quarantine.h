/* Quarantine of bodies that can no longer be integrated. */
#ifndef STEP_QUARANTINE_H
#define STEP_QUARANTINE_H

struct dry_world;

/* Disables the bodies that finalize marked as invalid: their contacts end, their neighbors wake. A body
 * without memory for its end events stays, at rest and valid, for another step. */
void dry_quarantine_invalid(struct dry_world *world);

#endif

/* The rule of seams for a contact of two pieces. Next: fixed_pair.c. */
#ifndef NARROWPHASE_SURFACE_FIXED_PAIR_H
#define NARROWPHASE_SURFACE_FIXED_PAIR_H

#include "narrowphase/contact_update.h"
#include "narrowphase/manifold_build.h"

/* Lets a fixed box or hull bear on its faces where other surfaces go on. One of the bodies is dynamic, the
 * other is fixed. The points were found in the frame with the margin, m. */
void dry_keep_to_faces(const dry_contact_update *update, int contact, const dry_contact_pair *pair,
                       const dry_pair_frame *frame, float margin, dry_local_manifold *found);

#endif

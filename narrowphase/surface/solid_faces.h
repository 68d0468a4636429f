/* Boxes and hulls of static and kinematic bodies as parts of a floor: where other surfaces go on, a face
 * bears. */
#ifndef NARROWPHASE_SURFACE_SOLID_FACES_H
#define NARROWPHASE_SURFACE_SOLID_FACES_H

#include "narrowphase/contact_update.h"
#include "narrowphase/manifold_build.h"

/* Tells whether neighbors may change a contact with a solid: of a box, points far from the edges of the face
 * that pushes need no question. */
bool dry_solid_asks(const dry_geometry *solid, const dry_local_manifold *found);

/* Lets a fixed box or hull bear on its faces where other surfaces go on. One of the bodies is dynamic, the
 * other is fixed. The points were found in the frame with the margin, m. */
void dry_keep_to_faces(const dry_contact_update *update, int contact, const dry_contact_pair *pair,
                       const dry_pair_frame *frame, float margin, dry_local_manifold *found);

#endif

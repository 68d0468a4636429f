/* The contact of a face of one polytope with the other. Next: hull_face.c. */
#ifndef NARROWPHASE_PAIRS_HULL_FACE_H
#define NARROWPHASE_PAIRS_HULL_FACE_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/pairs/hull_axes.h"

/* Writes normal and points of the contact on a face of a, or of b if `of_b`. Without points the count is 0.
 * That is so, too, where the shapes overlap across the face by no more than PAIR_SAME_PLACE. */
void dry_hull_face_contact(const dry_hull_search *s, bool of_b, int face, dry_local_manifold *manifold);

#endif

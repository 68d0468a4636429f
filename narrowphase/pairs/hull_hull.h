/* Hulls and boxes against each other. Next: hull_hull.c. */
#ifndef NARROWPHASE_PAIRS_HULL_HULL_H
#define NARROWPHASE_PAIRS_HULL_HULL_H

#include "narrowphase/local_manifold.h"
#include "narrowphase/pairs/hull_axes.h"

/* Collides a hull or a box with a hull or a box, with the kernels of a level. The bits are the same at every
 * level. */
void dry_collide_polytopes(dry_level level, const dry_geometry *a, const dry_geometry *b,
                           const dry_transform *b_in_a, float margin, dry_local_manifold *manifold);

/* Collides a with the polytope that a search has taken as b. Then the search is ready for faces of a. */
void dry_collide_next(dry_hull_search *s, const dry_geometry *a, dry_local_manifold *manifold);

/* Collides them on one face of a, whatever lies beside it. */
void dry_collide_on_face(dry_level level, const dry_geometry *a, const dry_geometry *b,
                         const dry_transform *b_in_a, float margin, int face, dry_local_manifold *manifold);

/* Writes normal and points of the contact on a face of a, or of b if `of_b`. Without points the count is 0.
 * That is so, too, where the shapes overlap across the face by no more than PAIR_SAME_PLACE. */
void dry_hull_face_contact(dry_hull_search *s, bool of_b, int face, dry_local_manifold *manifold);

#endif

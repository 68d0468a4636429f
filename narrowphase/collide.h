/* Contact points of one pair of shapes. Pure functions: no state, no allocation, any thread. */
#ifndef NARROWPHASE_COLLIDE_H
#define NARROWPHASE_COLLIDE_H

#include "narrowphase/local_manifold.h"
#include "state/geometry.h"

/* Fills a manifold with up to four points whose separation is at most `margin`, m (>= 0); count is 0 if there
 * are none. b_in_a is b's pose in a's frame. All pairs of types work except two half-spaces, which never
 * touch. Finite input gives finite output, in degenerate cases (equal centers, parallel edges) too. */
void dry_collide(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a, float margin,
                 dry_local_manifold *manifold);

/* The same where it is known which way the load leans: along `lean`, of any length, in a's frame. A flat
 * round end touches all around its rim. Of the four points that stand for it, one lies to that side. */
void dry_collide_leaning(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                         float margin, dry_vec3 lean, dry_local_manifold *manifold);

#endif

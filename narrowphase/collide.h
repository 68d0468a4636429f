/* Contact generation for one pair of shapes. Pure functions: no state, no allocation, any thread. */
#ifndef NARROWPHASE_COLLIDE_H
#define NARROWPHASE_COLLIDE_H

#include "narrowphase/geometry.h"

/* One contact point in a's frame. The surface points are position -+ normal * separation / 2. */
typedef struct dry_local_point {
    dry_vec3 position; /* midway between the two surfaces */
    float separation;  /* m, negative when overlapping */
    uint32_t feature;  /* names the features that made it; unique within the manifold; stable from step to
                          step while the same features touch */
} dry_local_point;

typedef struct dry_local_manifold {
    dry_vec3 normal; /* unit, from a to b, in a's frame */
    int count;       /* 0 to 4 */
    dry_local_point points[4];
} dry_local_manifold;

/* Fills `manifold` with up to four points whose separation is at most `margin` (>= 0); count 0 if there
 * are none. b_in_a: b's pose in a's frame. All pairs of types work but half-space with half-space, which
 * never touch. Finite input gives finite output, degenerate cases (equal centres, parallel edges) too. */
void dry_collide(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a, float margin,
                 dry_local_manifold *manifold);

/* Whether two shapes overlap (margin 0). */
bool dry_overlap_shapes(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a);

#endif

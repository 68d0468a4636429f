/* One function per pair of shape types, behind collide.h. The first shape's type is never the smaller
 * one (dry_shape_type order): the frame that makes a pair easy is that of its box or half-space.
 *
 * Each sets normal, count and the points; the first shape's frame is the manifold's. */
#ifndef NARROWPHASE_PAIRS_PAIRS_H
#define NARROWPHASE_PAIRS_PAIRS_H

#include "narrowphase/collide.h"

typedef void dry_collide_pair(const dry_geometry *a, const dry_geometry *b, const dry_transform *b_in_a,
                              float margin, dry_local_manifold *manifold);

dry_collide_pair dry_collide_sphere_sphere;
dry_collide_pair dry_collide_capsule_sphere;
dry_collide_pair dry_collide_capsule_capsule;
dry_collide_pair dry_collide_box_sphere;
dry_collide_pair dry_collide_box_capsule;
dry_collide_pair dry_collide_box_box;
dry_collide_pair dry_collide_halfspace_sphere;
dry_collide_pair dry_collide_halfspace_capsule;
dry_collide_pair dry_collide_halfspace_box;

/* Appends a point; the caller has checked that there is room and that it is within the margin. */
static inline void dry_manifold_add(dry_local_manifold *manifold, dry_vec3 position, float separation,
                                    uint32_t feature)
{
    manifold->points[manifold->count++] = (dry_local_point){position, separation, feature};
}

#endif

/* Round shapes: a core, which is a point or a segment, and a radius around it. Their separation is the
 * separation of the cores less the radii. */
#ifndef NARROWPHASE_PAIRS_ROUND_H
#define NARROWPHASE_PAIRS_ROUND_H

#include "core/math.h"
#include "narrowphase/local_manifold.h"

/* The part of a capsule that touches: an end of the stretch in contact, or a point between the ends. */
enum { DRY_CAPSULE_LOW = 1, DRY_CAPSULE_HIGH = 2, DRY_CAPSULE_BETWEEN = 3 };

/* Returns the part at a place along a core, from -end to end. */
static inline uint32_t dry_capsule_part(float along, float end)
{
    return along <= -end ? DRY_CAPSULE_LOW : along >= end ? DRY_CAPSULE_HIGH : DRY_CAPSULE_BETWEEN;
}

/* Appends the point between two round surfaces if it is within the margin. core_a is the nearest point of a's
 * core; b's core lies core_separation, m, from it along the manifold's normal. */
static inline void dry_add_core_point(dry_local_manifold *manifold, dry_vec3 core_a, float radius_a,
                                      float core_separation, float radius_b, float margin, uint32_t feature)
{
    float separation = core_separation - radius_a - radius_b;
    if (separation <= margin)
        dry_local_manifold_add(manifold,
                               vec3_add_scaled(core_a, radius_a + 0.5f * separation, manifold->normal),
                               separation, feature);
}

#endif

/* Contacts with a half-space. The solid lies at y <= 0 in its frame, so the normal is (0, 1, 0). */
#ifndef NARROWPHASE_PAIRS_HALFSPACE_H
#define NARROWPHASE_PAIRS_HALFSPACE_H

#include "core/math.h"
#include "narrowphase/local_manifold.h"

static inline void dry_halfspace_begin(dry_local_manifold *manifold)
{
    manifold->normal = vec3(0.0f, 1.0f, 0.0f);
    manifold->count = 0;
    manifold->separation_min = FLT_MAX;
}

/* Appends a point p of the other shape's surface, at height p.y, if it is within the margin. The lowest point
 * gives the distance of the shapes. */
static inline void dry_halfspace_add(dry_local_manifold *manifold, dry_vec3 p, float margin, uint32_t feature)
{
    manifold->separation_min = dry_min(manifold->separation_min, p.y);
    if (p.y <= margin)
        dry_local_manifold_add(manifold, vec3(p.x, 0.5f * p.y, p.z), p.y, feature);
}

#endif

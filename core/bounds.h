/* Axis-aligned boxes: `dry_bounds` in world coordinates, `dry_box` relative to an origin nearby. */
#ifndef CORE_BOUNDS_H
#define CORE_BOUNDS_H

#include "core/math.h"

/* World coordinates, meters. */
typedef struct dry_bounds {
    dry_position min, max;
} dry_bounds;

/* Returns the bounds of all that lies within others while these move by `way`, m. */
static inline dry_bounds dry_bounds_swept(dry_bounds b, dry_vec3 way)
{
    return (dry_bounds){
        position_add(b.min, vec3(dry_min(way.x, 0.0f), dry_min(way.y, 0.0f), dry_min(way.z, 0.0f))),
        position_add(b.max, vec3(dry_max(way.x, 0.0f), dry_max(way.y, 0.0f), dry_max(way.z, 0.0f)))};
}

/* Relative to an origin that the owner names, meters. */
typedef struct dry_box {
    float min[3], max[3];
} dry_box;

static inline bool dry_box_overlaps(const dry_box *a, const dry_box *b)
{
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] &&
           b->min[1] <= a->max[1] && a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
}

static inline bool dry_box_contains(const dry_box *outer, const dry_box *inner)
{
    return outer->min[0] <= inner->min[0] && outer->min[1] <= inner->min[1] &&
           outer->min[2] <= inner->min[2] && inner->max[0] <= outer->max[0] &&
           inner->max[1] <= outer->max[1] && inner->max[2] <= outer->max[2];
}

static inline dry_box dry_box_union(const dry_box *a, const dry_box *b)
{
    dry_box u;
    for (int k = 0; k < 3; k++) {
        u.min[k] = dry_min(a->min[k], b->min[k]);
        u.max[k] = dry_max(a->max[k], b->max[k]);
    }
    return u;
}

/* Returns half the surface, m^2. */
static inline float dry_box_area(const dry_box *a)
{
    float x = a->max[0] - a->min[0], y = a->max[1] - a->min[1], z = a->max[2] - a->min[2];
    return x * y + y * z + z * x;
}

#endif

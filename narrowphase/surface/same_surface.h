/* The step between surfaces that continue each other, and what a level floor is. */
#ifndef NARROWPHASE_SURFACE_SAME_SURFACE_H
#define NARROWPHASE_SURFACE_SAME_SURFACE_H

#include "core/math.h"

#include <stdbool.h>

/* Surfaces continue each other within this distance, m. */
#define SAME_SURFACE 1e-3f
/* A flat or concave edge admits normals that lean by less than this. */
#define LEAN_MOST 1e-3f
/* Planes whose normals have this cosine are one: over 1 m they part by 1 mm. */
#define SAME_PLANE 0.9999995f

/* Returns how far ahead of a point that moves by c in the step a level floor goes on over a gap, m. At a
 * distance d an edge is d^2 / 2 r away from a ball of radius r, which approaches it by c d / r. A row of 4
 * substeps that would let them touch in the next one would lift the ball: from d = 2.5 c on. */
static inline float dry_level_ahead(float closing)
{
    return SAME_SURFACE + 2.0f * (1.0f + 0.25f) * closing;
}

/* Tells whether a plane bears at least half of a weight, if there is one: its normal leads upward. */
static inline bool dry_bears_weight(dry_vec3 normal, dry_vec3 gravity)
{
    return -2.0f * vec3_dot(normal, gravity) >= vec3_length(gravity);
}

#endif

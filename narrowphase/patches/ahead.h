/* Points over triangles, and those that will be over them within the step. Next: ahead.c. */
#ifndef NARROWPHASE_PATCHES_AHEAD_H
#define NARROWPHASE_PATCHES_AHEAD_H

#include "narrowphase/patches/near_triangles.h"
#include "narrowphase/surface/same_surface.h"

/* The triangles near a piece. */
typedef struct dry_near_list {
    const dry_patch_pair *pair;
    const dry_near_triangle *triangle;
    int count;
} dry_near_list;

static inline bool dry_is_plane(dry_vec3 normal_a, float offset_a, dry_vec3 normal_b, float offset_b)
{
    return dry_abs(offset_a - offset_b) <= SAME_SURFACE && vec3_dot(normal_a, normal_b) >= SAME_PLANE;
}

/* Tells whether a point lies over a triangle, or no farther than a distance, m, beyond an edge of it. */
bool dry_lies_within(const dry_near_triangle *triangle, dry_vec3 point, float distance);

/* Tells whether a point lies beyond an edge of a triangle, and another triangle reaches farther beyond it. */
bool dry_lies_across(const dry_near_triangle *triangle, const dry_near_triangle *other, dry_vec3 point);

/* Tells whether a point beyond an edge, where the surface rises, may come over a triangle of the list within
 * the step: a body that comes down a slope meets the flat as soon as it leaves the slope. `depth` (m) is that
 * of the body below the plane: a corner that is deep below an edge lies beyond it for both of its planes. */
bool dry_lies_ahead(const dry_near_list *list, const dry_near_triangle *triangle, dry_vec3 point,
                    float depth);

/* Tells whether the floor goes on beyond the edges of a triangle at a point, though the triangle's own
 * surface ends at one of its edges: as other surfaces, or as a triangle of the list. */
bool dry_goes_on(const dry_near_list *list, const dry_near_triangle *triangle, dry_vec3 point);

#endif

/* A convex piece as searches for triangles see it. Next: sides_kernel.h. */
#ifndef NARROWPHASE_PATCHES_REACH_H
#define NARROWPHASE_PATCHES_REACH_H

#include "geometry/geometry.h"
#include "narrowphase/pairs/polytope.h"

/* A piece that turns about its center: points with a sphere around each, or a cylinder, which has no points.
 */
typedef struct dry_reach {
    dry_geometry piece;
    dry_mat3 axes;
    dry_extents bounds;                                     /* about the center, m */
    float rounding;                                         /* the radius of the spheres, m */
    int count, room;                                        /* points */
    _Alignas(64) float vertices[3 * DRY_HULL_VERTICES_MAX]; /* x, y, z, each of `room`, m */
} dry_reach;

void dry_reach_begin(dry_reach *reach, const dry_geometry *piece, dry_quat orientation, dry_level level);

/* Returns how far the piece reaches from its center along a unit vector, m. */
float dry_reach_along(const dry_reach *reach, dry_vec3 n);

#endif

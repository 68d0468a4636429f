/* The hull of a cloud as a closed surface of triangles, grown point by point: quickhull [Barber, Dobkin,
 * Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996].
 *
 * The side of a point is found in double, and in whole numbers where rounding could matter. So the surface
 * is exactly convex at all times, what a new point sees of it is one disk, and no input makes it fail. Each
 * step adds a point strictly outside, so the growth ends. */
#ifndef GEOMETRY_HULL_GROWTH_H
#define GEOMETRY_HULL_GROWTH_H

#include "geometry/hull_surface.h"

/* Begins with a tetrahedron. All points outside wait at its triangles. The arrays have room for
 * `vertices_max` vertices. */
dry_hull_fault_kind dry_hull_begin(dry_hull_growth *g);

/* Grows the hull until it had `vertices` vertices, of which some may lie within it by then, or no point is
 * outside beyond the tolerance. Returns whether one is. Points far outside of a face come first. Then come
 * those that are far from the hull: beside a sharp edge a point may be so and yet close to the faces' planes.
 */
bool dry_hull_grow(dry_hull_growth *g, int vertices);

/* Finds the most distant one of the points that wait at a triangle. Writes its distance from the hull, m, if
 * that is more than *farthest, and returns the point, or -1. */
int dry_hull_find_strayed(const dry_hull_growth *g, int triangle, double *farthest);

/* Returns the largest distance from a point that still waits outside to the hull, m; 0 if none waits. */
double dry_hull_growth_cut(const dry_hull_growth *g);

#endif

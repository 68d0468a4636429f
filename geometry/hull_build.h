/* Building a hull out of points. Next: hull_build.c, then hull_cloud.h, hull_growth.h and hull_merge.h, the
 * steps of a build in their order. */
#ifndef GEOMETRY_HULL_BUILD_H
#define GEOMETRY_HULL_BUILD_H

#include "geometry/hull.h"

#include <drystone/shape_data.h>

enum { DRY_HULL_POINTS_MAX = 1000 * 1000 };

/* Builds the convex hull of `count` points; `max_vertices` is 4 to 256, or 0 for 256. Vertices are points of
 * the input. Points that lie less far outside than the tolerance of hull_cloud.h need not become vertices,
 * and faces that lie in a plane within it become one. A hull with more vertices is grown from those that
 * stand out most. No point is farther from the hull than `cut_m` and 1e-5 of the largest extent.
 *
 * The hull is the same, bit by bit, for every order of the points, machine and compiler. `allocator` may be
 * null for the C library; it gives the block and the memory for the build, about 16 bytes a point. `report`
 * may be null. Errors: ARGUMENT (null pointers, the faults above); MEMORY. Then *hull stays as it was. */
dry_result dry_hull_build(const dry_vec3 *points, int count, int max_vertices, const dry_allocator *allocator,
                          dry_hull **hull, dry_hull_report *report);

/* Writes the vertices of a hull, those of its nearly flat sides moved to a plane that supports the hull: the
 * points of the hull that it should be. Returns the largest distance of a move, m; 0 if no side is concerned.
 */
double dry_hull_flatten(const dry_hull *hull, dry_vec3 points[DRY_HULL_VERTICES_MAX]);

#endif

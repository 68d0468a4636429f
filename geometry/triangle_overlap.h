/* Tells whether a sphere or a box meets a shape of triangles, in double. */
#ifndef GEOMETRY_TRIANGLE_OVERLAP_H
#define GEOMETRY_TRIANGLE_OVERLAP_H

#include "geometry/geometry.h"

/* Tells whether a sphere or a box, placed in the frame of a mesh or a height field, touches one of its
 * triangles from either side, or lies in its solid. */
bool dry_triangles_overlap(const dry_geometry *triangles, const dry_geometry *convex,
                           const dry_transform *convex_pose);

/* Tells whether the hull of a triangle and, if `depth` is not null, of the triangle moved by `depth` touches
 * a box about the origin. Separating axes: faces, and cross products of edges. */
bool dry_triangle_meets_box(double corner[3][3], const double depth[3], const double half[3]);

#endif

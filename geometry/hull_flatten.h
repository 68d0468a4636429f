/* Sides of a hull that are flat but for noise, as a scan leaves them, become flat. */
#ifndef GEOMETRY_HULL_FLATTEN_H
#define GEOMETRY_HULL_FLATTEN_H

#include "geometry/hull.h"

/* Writes the vertices of a hull, those of its nearly flat sides moved to a plane that supports the hull: the
 * points of the hull that it should be. Returns the largest distance of a move, m; 0 if no side is concerned.
 */
double dry_hull_flatten(const dry_hull *hull, dry_vec3 points[DRY_HULL_VERTICES_MAX]);

#endif

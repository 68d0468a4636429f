/* Distances of waiting points to a hull of triangles. Next: hull_growth.h. */
#ifndef GEOMETRY_HULL_DISTANCE_H
#define GEOMETRY_HULL_DISTANCE_H

#include "geometry/hull_surface.h"

/* Finds the most distant one of the points that wait at a triangle. Writes its distance from the hull, m, if
 * that is more than *farthest, and returns the point, or -1. */
int dry_hull_find_strayed(const dry_hull_growth *g, int triangle, double *farthest);

/* Returns the largest distance from a point that still waits outside to the hull, m; 0 if none waits. */
double dry_hull_growth_cut(const dry_hull_growth *g);

#endif

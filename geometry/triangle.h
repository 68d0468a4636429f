/* A triangle by itself, in double. */
#ifndef GEOMETRY_TRIANGLE_H
#define GEOMETRY_TRIANGLE_H

#include "core/double3.h"

#include <stdbool.h>

/* Finds the point of a triangle nearest to p. Returns where it is: 0 to 2 a corner, 3 to 5 the edge from
 * corner 0, 1 or 2 to the next, 6 the inside. Points that are far off, and needles, keep their digits. */
int dry_triangle_nearest(const dry_double3 corner[3], dry_double3 p, dry_double3 *point);

/* Tells whether a triangle allows a normal at a point: it lies further off than `distance`, or none of its
 * corners rises above the plane through its nearest point by more than `slope` times their distance, and no
 * other point by more than four times as much. */
bool dry_triangle_admits(const dry_double3 corner[3], dry_double3 point, dry_double3 normal, double distance,
                         double slope);

static inline double dry_square_between(dry_double3 a, dry_double3 b)
{
    const dry_double3 way = double3_sub(a, b);
    return double3_dot(way, way);
}

#endif

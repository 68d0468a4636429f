/* A triangle by itself, in double. */
#ifndef GEOMETRY_TRIANGLE_H
#define GEOMETRY_TRIANGLE_H

#include <stdbool.h>

/* Finds the point of a triangle nearest to p. Returns where it is: 0 to 2 a corner, 3 to 5 the edge from
 * corner 0, 1 or 2 to the next, 6 the inside. Points that are far off, and needles, keep their digits. */
int dry_triangle_nearest(double corner[3][3], const double p[3], double point[3]);

/* Tells whether a triangle allows a normal at a point: it lies further off than `distance`, or none of its
 * corners rises above the plane through its nearest point by more than `slope` times their distance, and no
 * other point by more than four times as much. */
bool dry_triangle_admits(double corner[3][3], const double point[3], const double normal[3], double distance,
                         double slope);

static inline double dry_square_between(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

#endif

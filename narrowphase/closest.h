/* The closest points of two convex shapes that are known by their supports alone. Next: closest.c. */
#ifndef NARROWPHASE_CLOSEST_H
#define NARROWPHASE_CLOSEST_H

#include "core/double3.h"

#include <stdbool.h>

/* Returns the point of a shape that lies farthest along a direction of any length but 0, m, and its number:
 * equal numbers mean equal points, but for numbers below 0, which a curved surface has. */
typedef dry_double3 dry_support(const void *shape, dry_double3 along, int *number);

typedef struct dry_convex {
    dry_support *support;
    const void *shape;
} dry_convex;

typedef struct dry_closest_points {
    double distance; /* m; 0 where the shapes overlap or touch */
    dry_double3 on_a, on_b;
    dry_double3 normal;   /* unit, from a to b; not set where the distance is 0 */
    int count;            /* points of each shape that the closest points lie between, 1 to 3; 4: overlap */
    int of_a[4], of_b[4]; /* their numbers; one may be there more than once */
} dry_closest_points;

/* Finds the closest points of two shapes in one frame. `guess` points from a to b, about; it may be 0. The
 * distance is exact to some 1e-12 of the size where the supports are exact. If it is larger than the limit,
 * m, sets the distance alone, to a lower bound, and returns false. With a null result the search ends as soon
 * as it knows what to return. */
bool dry_find_closest(const dry_convex *a, const dry_convex *b, dry_double3 guess, double limit,
                      dry_closest_points *result);

#endif

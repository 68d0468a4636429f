/* Points on a grid of whole numbers, on which all decisions of a build are exact.
 *
 * Each axis has a grid of its own: a unit is a power of two, and the cloud is 2^23 to 2^24 units to each side
 * of the center. So a coordinate is a whole number that a float holds, and a difference has 25 bits. The
 * normal of three points has 51 bits, which a double holds: products and sums of them are exact. Rounding to
 * the grid moves a point by half a unit, 2^-25 of the extent at most, about as far as the rounding of
 * coordinates to floats. Points with few digits are not moved.
 *
 * A hull of points on the grid is convex in space too, since scaling the axes keeps planes and sides. */
#ifndef GEOMETRY_HULL_CLOUD_H
#define GEOMETRY_HULL_CLOUD_H

#include "geometry/hull_build.h"

/* The tolerance of a build: this share of half the extent along each axis. A plane with unit normal n may be
 * missed by the sum of |n_i| times the tolerance of axis i. That is 32 roundings of a coordinate as large as
 * half the extent, so faces that were flat before a rotation in float are found flat. Two such misses stay
 * below 1e-5 of the size. */
#define DRY_HULL_TOLERANCE (1.0 / (1 << 18))

/* The least width of a hull in any direction, m. */
#define DRY_HULL_THINNEST 1e-4

typedef struct dry_hull_cloud {
    const dry_vec3 *points;
    float *grid; /* three whole numbers for each point */
    int count;
    double center[3], unit[3]; /* m */
    double tolerance[3];       /* units */
} dry_hull_cloud;

/* Checks the points and chooses the grid. `cloud` comes with `points` and `count`. */
dry_hull_report dry_hull_cloud_measure(dry_hull_cloud *cloud);

/* Writes the points' places on the grid. */
void dry_hull_cloud_fill(dry_hull_cloud *cloud);

/* Orders points by their coordinates: the order of the input decides nothing. */
bool dry_hull_cloud_before(const dry_hull_cloud *cloud, int a, int b);

static inline const float *dry_hull_cloud_at(const dry_hull_cloud *cloud, int point)
{
    return &cloud->grid[3 * (size_t)point];
}

#endif

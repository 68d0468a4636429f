/* Points and normals of one triangle. The nearest point lies on the plane if p lies inward of all edges, else
 * on an edge that p lies outward of. Areas from the products of dot products [Ericson, Real-Time Collision
 * Detection, 5.1.5] would lose all digits of a small triangle far from p. */
#include "geometry/triangle.h"

/* Corners see a fourth of the slope of a triangle, unless it has an angle of less than 15 degrees. */
#define UNSEEN 4.0

/* Finds the nearest point of an edge e from corner i to corner j. */
static int on_edge(const dry_double3 corner[3], int i, int j, dry_double3 e, dry_double3 from,
                   dry_double3 *point)
{
    const double along = double3_dot(from, e), square = double3_dot(e, e);
    const double share = along <= 0.0 ? 0.0 : along >= square ? 1.0 : along / square;
    *point = share == 1.0 ? corner[j] : double3_add_scaled(corner[i], share, e);
    return share == 0.0 ? i : share == 1.0 ? j : 3 + i;
}

int dry_triangle_nearest(const dry_double3 corner[3], dry_double3 p, dry_double3 *point)
{
    dry_double3 e[3], from[3];
    for (int i = 0; i < 3; i++) {
        e[i] = double3_sub(corner[(i + 1) % 3], corner[i]);
        from[i] = double3_sub(p, corner[i]);
    }
    const dry_double3 n = double3_cross(e[0], e[1]);
    const double square_area = double3_dot(n, n); /* 0: the triangle is its edges */
    int feature = -1;
    double best = DBL_MAX;
    for (int i = 0; i < 3; i++) {
        dry_double3 candidate;
        if (square_area > 0.0 && double3_dot(double3_cross(n, e[i]), from[i]) >= 0.0)
            continue;
        const int found = on_edge(corner, i, (i + 1) % 3, e[i], from[i], &candidate);
        const double square = dry_square_between(candidate, p);
        if (feature >= 0 && !(square < best))
            continue;
        best = square;
        feature = found;
        *point = candidate;
    }
    if (feature >= 0)
        return feature;
    *point = double3_add_scaled(p, -(double3_dot(n, from[0]) / square_area), n);
    return 6;
}

/* Tells whether a point rises above the plane through another: by more than `slope` times their distance, and
 * by more than `rounding`. */
static bool rises(dry_double3 way, dry_double3 normal, double slope, double rounding)
{
    const double rise = double3_dot(way, normal) - rounding;
    return rise > 0.0 && rise > slope * double3_length(way);
}

/* Follows a normal as it lies in a triangle's plane, from a point of the triangle to where it leaves the
 * triangle. Returns false if it leaves within `distance`. */
static bool follow(const dry_double3 corner[3], dry_double3 from, dry_double3 normal, double distance,
                   dry_double3 *way)
{
    dry_double3 e[3];
    double least = DBL_MAX;
    for (int i = 0; i < 3; i++)
        e[i] = double3_sub(corner[(i + 1) % 3], corner[i]);
    const dry_double3 n = double3_cross(e[0], e[1]);
    const double square = double3_dot(n, n);
    if (!(square > 0.0))
        return false;
    *way = double3_add_scaled(normal, -(double3_dot(n, normal) / square), n);
    for (int i = 0; i < 3; i++) {
        const dry_double3 outward = double3_cross(e[i], n);
        const double speed = double3_dot(outward, *way),
                     inside = double3_dot(outward, double3_sub(corner[i], from));
        if (!(speed > 0.0))
            continue;
        if (inside <= distance * double3_length(outward))
            return false;
        least = inside < least * speed ? inside / speed : least;
    }
    *way = double3_scale(*way, least);
    return least < DBL_MAX;
}

bool dry_triangle_admits(const dry_double3 corner[3], dry_double3 point, dry_double3 normal, double distance,
                         double slope)
{
    dry_double3 nearest, way;
    double largest = 0.0;
    dry_triangle_nearest(corner, point, &nearest);
    if (dry_square_between(nearest, point) > distance * distance)
        return true;
    for (int i = 0; i < 3; i++)
        largest = double_max(double_max(largest, fabs(corner[i].x)),
                             double_max(fabs(corner[i].y), fabs(corner[i].z)));
    /* Corners are floats: a flat surface is as flat as these. */
    const double rounding = 2.0 * (double)FLT_EPSILON * largest;
    for (int i = 0; i < 3; i++)
        if (rises(double3_sub(corner[i], nearest), normal, slope, rounding))
            return false;
    /* Seen from the middle of a needle's long edge, all corners lie along that edge. */
    return !follow(corner, nearest, normal, distance, &way) || !rises(way, normal, UNSEEN * slope, rounding);
}

/* Points and normals of one triangle. The nearest point lies on the plane if p lies inward of all edges, else
 * on an edge that p lies outward of. Areas from the products of dot products [Ericson, Real-Time Collision
 * Detection, 5.1.5] would lose all digits of a small triangle far from p. */
#include "geometry/triangle.h"

#include "core/math.h"

#include <float.h>
#include <math.h>

/* Corners see a fourth of the slope of a triangle, unless it has an angle of less than 15 degrees. */
#define UNSEEN 4.0

/* Finds the nearest point of an edge e from corner i to corner j. */
static int on_edge(double corner[3][3], int i, int j, const double e[3], const double from[3],
                   double point[3])
{
    const double along = array3_dot(from, e), square = array3_dot(e, e);
    const double share = along <= 0.0 ? 0.0 : along >= square ? 1.0 : along / square;
    const double *at = share == 1.0 ? corner[j] : corner[i];
    const double rest = share == 1.0 ? 0.0 : share;
    for (int k = 0; k < 3; k++)
        point[k] = at[k] + rest * e[k];
    return share == 0.0 ? i : share == 1.0 ? j : 3 + i;
}

int dry_triangle_nearest(double corner[3][3], const double p[3], double point[3])
{
    double e[3][3], from[3][3], n[3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            e[i][k] = corner[(i + 1) % 3][k] - corner[i][k];
            from[i][k] = p[k] - corner[i][k];
        }
    array3_cross(e[0], e[1], n);
    const double square_area = array3_dot(n, n); /* 0: the triangle is its edges */
    int feature = -1;
    double best = DBL_MAX;
    for (int i = 0; i < 3; i++) {
        double inward[3], candidate[3];
        array3_cross(n, e[i], inward);
        if (square_area > 0.0 && array3_dot(inward, from[i]) >= 0.0)
            continue;
        const int found = on_edge(corner, i, (i + 1) % 3, e[i], from[i], candidate);
        const double square = dry_square_between(candidate, p);
        if (feature >= 0 && !(square < best))
            continue;
        best = square;
        feature = found;
        for (int k = 0; k < 3; k++)
            point[k] = candidate[k];
    }
    if (feature >= 0)
        return feature;
    const double height = array3_dot(n, from[0]) / square_area;
    for (int k = 0; k < 3; k++)
        point[k] = p[k] - height * n[k];
    return 6;
}

/* Tells whether a point rises above the plane through another: by more than `slope` times their distance, and
 * by more than `rounding`. */
static bool rises(const double way[3], const double normal[3], double slope, double rounding)
{
    const double rise = array3_dot(way, normal) - rounding;
    return rise > 0.0 && rise > slope * sqrt(array3_dot(way, way));
}

/* Follows a normal as it lies in a triangle's plane, from a point of the triangle to where it leaves the
 * triangle. Returns false if it leaves within `distance`. */
static bool follow(double corner[3][3], const double from[3], const double normal[3], double distance,
                   double way[3])
{
    double e[3][3], n[3], outward[3], least = DBL_MAX;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = corner[(i + 1) % 3][k] - corner[i][k];
    array3_cross(e[0], e[1], n);
    const double square = array3_dot(n, n), share = array3_dot(n, normal) / square;
    if (!(square > 0.0))
        return false;
    for (int k = 0; k < 3; k++)
        way[k] = normal[k] - share * n[k];
    for (int i = 0; i < 3; i++) {
        array3_cross(e[i], n, outward);
        const double speed = array3_dot(outward, way), length = sqrt(array3_dot(outward, outward));
        double inside = 0.0;
        for (int k = 0; k < 3; k++)
            inside += outward[k] * (corner[i][k] - from[k]);
        if (!(speed > 0.0))
            continue;
        if (inside <= distance * length)
            return false;
        least = inside < least * speed ? inside / speed : least;
    }
    for (int k = 0; k < 3; k++)
        way[k] *= least;
    return least < DBL_MAX;
}

bool dry_triangle_admits(double corner[3][3], const double point[3], const double normal[3], double distance,
                         double slope)
{
    double nearest[3], way[3], largest = 0.0;
    dry_triangle_nearest(corner, point, nearest);
    if (dry_square_between(nearest, point) > distance * distance)
        return true;
    for (int i = 0; i < 9; i++)
        largest = fabs(corner[i / 3][i % 3]) > largest ? fabs(corner[i / 3][i % 3]) : largest;
    /* Corners are floats: a flat surface is as flat as these. */
    const double rounding = 2.0 * (double)FLT_EPSILON * largest;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            way[k] = corner[i][k] - nearest[k];
        if (rises(way, normal, slope, rounding))
            return false;
    }
    /* Seen from the middle of a needle's long edge, all corners lie along that edge. */
    return !follow(corner, nearest, normal, distance, way) || !rises(way, normal, UNSEEN * slope, rounding);
}

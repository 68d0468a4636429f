/* Computes how deep a shape lies below a triangle.
 *
 * A triangle has no volume. A sphere or a capsule whose middle has passed a triangle of one side is deeper
 * than its radius; of two depths of any other shape the smaller one counts, as for two solids.
 *
 * Reads two dry_solid. Next: convex.c, for shapes with a volume. */
#include "tools/scenes/double3.h"
#include "tools/scenes/measure/parts.h"

#include <float.h>
#include <string.h>

/* Computes the point of a segment that is nearest to a point, as a share of the way. */
static double share_of(const double *a, const double *b, const double *p)
{
    double way[3], from[3];
    d3_sub(b, a, way);
    d3_sub(p, a, from);
    const double square = d3_dot(way, way), share = square > 0.0 ? d3_dot(from, way) / square : 0.0;
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

/* Returns the distance of two segments: alternating steps to the nearest points end at it, since the distance
 * is convex. */
static double segments_apart(const double *a, const double *b, const double *c, const double *d)
{
    double on[3], other[3], apart[3];
    double t = 0.5, last = DBL_MAX;
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < 3; k++)
            on[k] = a[k] + t * (b[k] - a[k]);
        const double u = share_of(c, d, on);
        for (int k = 0; k < 3; k++)
            other[k] = c[k] + u * (d[k] - c[k]);
        d3_sub(on, other, apart);
        const double distance = d3_length(apart);
        if (!(distance < last - 1e-12 * last))
            return distance;
        last = distance;
        t = share_of(a, b, other);
    }
    return last;
}

/* A triangle's corners and unit normal, and a segment, all from the triangle's center. */
typedef struct meeting {
    const double (*corner)[3];
    double normal[3], end[2][3];
} meeting;

/* Tells whether the foot of a point on the triangle's plane lies within it. */
static bool is_over(const meeting *m, const double *point)
{
    bool over = true;
    for (int i = 0; i < 3; i++) {
        double way[3], from[3], side[3];
        d3_sub(m->corner[(i + 1) % 3], m->corner[i], way);
        d3_sub(point, m->corner[i], from);
        d3_cross(way, from, side);
        over = over && d3_dot(side, m->normal) >= 0.0;
    }
    return over;
}

static double height_of(const meeting *m, const double *point)
{
    double from[3];
    d3_sub(point, m->corner[0], from);
    return d3_dot(from, m->normal);
}

/* Tells whether the segment passes through the triangle. */
static bool crosses(const meeting *m)
{
    const double p = height_of(m, m->end[0]), q = height_of(m, m->end[1]);
    double at[3];
    if (p == q || (p > 0.0) == (q > 0.0))
        return false;
    for (int k = 0; k < 3; k++)
        at[k] = m->end[0][k] + p / (p - q) * (m->end[1][k] - m->end[0][k]);
    return is_over(m, at);
}

static double distance_of(const meeting *m)
{
    double least = DBL_MAX;
    for (int i = 0; i < 2; i++)
        if (is_over(m, m->end[i]))
            least = fmin(least, fabs(height_of(m, m->end[i])));
    for (int i = 0; i < 3; i++)
        least = fmin(least, segments_apart(m->end[0], m->end[1], m->corner[i], m->corner[(i + 1) % 3]));
    return crosses(m) ? 0.0 : least;
}

static meeting meeting_of(const dry_solid *round, const dry_solid *triangle)
{
    meeting m = {.corner = triangle->corner};
    double p[3], q[3];
    d3_sub(m.corner[1], m.corner[0], p);
    d3_sub(m.corner[2], m.corner[0], q);
    d3_cross(p, q, m.normal);
    const double length = d3_length(m.normal);
    for (int k = 0; k < 3; k++) {
        const double at = round->center[k] - triangle->center[k], way = round->half[1] * round->axis[1][k];
        m.normal[k] /= length > 0.0 ? length : 1.0;
        m.end[0][k] = at - way;
        m.end[1][k] = at + way;
    }
    return m;
}

double dry_triangle_overlap(const dry_solid *solid, const dry_solid *triangle)
{
    if (solid->type != DRY_SHAPE_SPHERE && solid->type != DRY_SHAPE_CAPSULE)
        return dry_convex_overlap(solid, triangle);
    const meeting m = meeting_of(solid, triangle);
    const double distance = distance_of(&m);
    double middle[3];
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * (m.end[0][k] + m.end[1][k]);
    const bool passed = !triangle->two_sided && is_over(&m, middle) && height_of(&m, middle) < 0.0;
    return passed && distance < solid->radius ? solid->radius + distance : solid->radius - distance;
}

/* Finds the distance of points to a hull of triangles by walks over it, in double. Next: hull_growth.c.
 *
 * A walk begins at the triangle where the point waits, and goes on to a triangle that is nearer, among those
 * that share the nearest vertex or edge. It ends at the nearest point of the hull: the directions from a
 * place into a convex body are sums of those along its surface, so a place that is nearest among its
 * neighbors on the surface is nearest in the body. */
#include "geometry/hull_distance.h"

#include "core/math.h"

#include <math.h>

/* The nearest place in a triangle: the square of its distance, and where it is. */
typedef struct foot {
    double square;
    int vertex, edge; /* the corner; the edge after corner i; -1 */
} foot;

/* Writes q - p in meters. */
static void step_between(const dry_hull_growth *g, const float *p, const float *q, double step[3])
{
    for (int k = 0; k < 3; k++)
        step[k] = ((double)q[k] - (double)p[k]) * g->cloud->unit[k];
}

/* Returns the nearest place on edge i from `from`, a corner, to `to`, both relative to the point. */
static foot foot_on_edge(const double from[3], const double to[3], int i)
{
    double along[3], rest[3];
    for (int k = 0; k < 3; k++)
        along[k] = to[k] - from[k];
    const double share = -array3_dot(from, along) / array3_dot(along, along);
    if (share <= 0.0)
        return (foot){array3_dot(from, from), i, -1};
    if (share >= 1.0)
        return (foot){array3_dot(to, to), (i + 1) % 3, -1};
    for (int k = 0; k < 3; k++)
        rest[k] = from[k] + share * along[k];
    return (foot){array3_dot(rest, rest), -1, i};
}

static foot foot_in_triangle(const dry_hull_growth *g, const dry_hull_triangle *t, const float *p)
{
    double corner[3][3], normal[3];
    for (int i = 0; i < 3; i++)
        step_between(g, p, dry_hull_cloud_at(g->cloud, g->vertex[t->vertex[i]]), corner[i]);
    for (int k = 0; k < 3; k++)
        normal[k] = t->normal[k] / g->cloud->unit[k];
    const double above = dry_hull_triangle_above(t, p) * t->meters;
    foot best = {above * above, -1, -1};
    bool is_over = true;
    for (int i = 0; i < 3; i++) {
        const double *a = corner[i], *b = corner[(i + 1) % 3];
        const double side = normal[0] * (a[1] * b[2] - a[2] * b[1]) +
                            normal[1] * (a[2] * b[0] - a[0] * b[2]) + normal[2] * (a[0] * b[1] - a[1] * b[0]);
        if (side >= 0.0)
            continue;
        const foot f = foot_on_edge(a, b, i);
        if (is_over || f.square < best.square)
            best = f;
        is_over = false;
    }
    return best;
}

/* Goes on from a triangle to one that is nearer, around the nearest corner or across the nearest edge.
 * Returns whether there is one. */
static bool step_nearer(const dry_hull_growth *g, const float *p, int *triangle, foot *nearest)
{
    const foot from = *nearest;
    const dry_hull_triangle *t = &g->triangle[*triangle];
    if (from.edge < 0 && from.vertex < 0)
        return false;
    const int corner = from.vertex < 0 ? -1 : t->vertex[from.vertex], begin = *triangle;
    int next = t->neighbor[corner < 0 ? from.edge : from.vertex];
    while (next != begin) {
        const dry_hull_triangle *n = &g->triangle[next];
        const foot f = foot_in_triangle(g, n, p);
        if (f.square < nearest->square) {
            *nearest = f;
            *triangle = next;
        }
        if (corner < 0)
            break;
        next = n->neighbor[n->vertex[0] == corner ? 0 : n->vertex[1] == corner ? 1 : 2];
    }
    return nearest->square < from.square;
}

int dry_hull_find_strayed(const dry_hull_growth *g, int triangle, double *farthest)
{
    double square = *farthest * *farthest;
    int found = -1;
    for (int point = g->triangle[triangle].first; point >= 0; point = g->next[point]) {
        const float *p = dry_hull_cloud_at(g->cloud, point);
        int at = triangle;
        foot nearest = foot_in_triangle(g, &g->triangle[at], p);
        while (nearest.square > square && step_nearer(g, p, &at, &nearest))
            ;
        const bool same = nearest.square == square && found >= 0;
        if (nearest.square > square || (same && dry_hull_cloud_before(g->cloud, found, point))) {
            square = nearest.square;
            found = point;
        }
    }
    if (found >= 0)
        *farthest = sqrt(square);
    return found;
}

double dry_hull_growth_cut(const dry_hull_growth *g)
{
    double farthest = 0.0;
    for (int i = 0; i < g->triangle_count; i++)
        dry_hull_find_strayed(g, i, &farthest);
    return farthest;
}

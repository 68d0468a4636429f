/* Finds the distance of points to a hull of triangles by walks over it, in double. Next: hull_growth.c.
 *
 * A walk begins at the triangle where the point waits, and goes on to a triangle that is nearer, among those
 * that share the nearest vertex or edge. It ends at the nearest point of the hull: the directions from a
 * place into a convex body are sums of those along its surface, so a place that is nearest among its
 * neighbors on the surface is nearest in the body. */
#include "geometry/hull_growth.h"

#include "geometry/triangle.h"

/* The nearest place in a triangle: the square of its distance, and where it is. */
typedef struct foot {
    double square;
    int vertex, edge; /* the corner; the edge after corner i; -1 */
} foot;

static foot foot_in_triangle(const dry_hull_growth *g, const dry_hull_triangle *t, const float *p)
{
    const double *unit = g->cloud->unit;
    dry_double3 corner[3], point; /* from p, m */
    for (int i = 0; i < 3; i++) {
        const float *q = dry_hull_cloud_at(g->cloud, g->vertex[t->vertex[i]]);
        corner[i] = double3(((double)q[0] - (double)p[0]) * unit[0], ((double)q[1] - (double)p[1]) * unit[1],
                            ((double)q[2] - (double)p[2]) * unit[2]);
    }
    const int at = dry_triangle_nearest(corner, double3(0.0, 0.0, 0.0), &point);
    const double above = dry_hull_triangle_above(t, p) * t->meters;
    return (foot){at == 6 ? above * above : double3_dot(point, point), at < 3 ? at : -1,
                  at >= 3 && at < 6 ? at - 3 : -1};
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

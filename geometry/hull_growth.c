/* Grows a hull of triangles, from a tetrahedron on. Next: hull_merge.h. */
#include "geometry/hull_growth.h"

#include "core/assert.h"

#include <math.h>

/* Rounding of normal . p - at: three products and three sums twice over, each of at most 2^26 times the sum
 * of the normal's components, each exact to 2^-53 of itself. */
static const double doubt_share = 1.0 / (1 << 25);

static const float *place_of(const dry_hull_growth *g, int point)
{
    return dry_hull_cloud_at(g->cloud, point);
}

static const float *vertex_at(const dry_hull_growth *g, int vertex)
{
    return place_of(g, g->vertex[vertex]);
}

/* The product n d is cut at 26 bits: the parts are sums of three products below 2^53. */
static int exact_side(const double normal[3], const float *a, const float *p)
{
    const int64_t mask = (1 << 26) - 1;
    int64_t high = 0, low = 0;
    for (int k = 0; k < 3; k++) {
        const int64_t n = (int64_t)normal[k], d = (int64_t)p[k] - (int64_t)a[k], n_low = n & mask;
        high += (n - n_low) / (mask + 1) * d;
        low += n_low * d;
    }
    const int64_t rest = low & mask;
    high += (low - rest) / (mask + 1);
    return high > 0 || (high == 0 && rest > 0) ? 1 : high == 0 && rest == 0 ? 0 : -1;
}

/* Returns the side of a triangle on which a point lies, exactly: 1 outside, -1 inside, 0 in the plane. */
static int side_of(const dry_hull_growth *g, const dry_hull_triangle *t, int point)
{
    const double above = dry_hull_triangle_above(t, place_of(g, point));
    if (above > t->doubt)
        return 1;
    if (above < -t->doubt)
        return -1;
    return exact_side(t->normal, vertex_at(g, t->vertex[0]), place_of(g, point));
}

static void set_plane(const dry_hull_growth *g, dry_hull_triangle *t)
{
    const float *a = vertex_at(g, t->vertex[0]), *b = vertex_at(g, t->vertex[1]);
    const float *c = vertex_at(g, t->vertex[2]);
    double u[3], v[3], sum = 0.0, square = 0.0, tolerance = 0.0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double n = u[i] * v[j] - u[j] * v[i], in_space = n / g->cloud->unit[k];
        t->normal[k] = n;
        sum += fabs(n);
        square += in_space * in_space;
        tolerance += fabs(n) * g->cloud->tolerance[k];
    }
    DRY_ASSERT(square > 0.0);
    t->at = t->normal[0] * (double)a[0] + t->normal[1] * (double)a[1] + t->normal[2] * (double)a[2];
    t->meters = 1.0 / sqrt(square);
    t->doubt = sum * doubt_share;
    t->tolerance = tolerance;
}

/* Makes a triangle without points. Returns its number. */
static int make_triangle(dry_hull_growth *g, int a, int b, int c)
{
    const int made = g->free_count > 0 ? g->free[--g->free_count] : g->triangle_count++;
    DRY_ASSERT(made < dry_hull_growth_room(g->vertices_max));
    dry_hull_triangle *t = &g->triangle[made];
    *t = (dry_hull_triangle){.vertex = {a, b, c}, .first = -1, .last = -1, .seen = -1};
    set_plane(g, t);
    return made;
}

static void append_point(dry_hull_growth *g, dry_hull_triangle *t, int point, double above)
{
    g->next[point] = -1;
    if (t->last < 0)
        t->first = point;
    else
        g->next[t->last] = point;
    t->last = point;
    t->farthest = above > t->farthest ? above : t->farthest;
}

/* Lets a point wait at that of some triangles from which it lies farthest outside; if any. */
static void assign_point(dry_hull_growth *g, const int32_t *triangles, int count, int point)
{
    const float *p = place_of(g, point);
    double best = 0.0, best_above = 0.0;
    int chosen = -1, near = -1;
    for (int i = 0; i < count; i++) {
        const dry_hull_triangle *t = &g->triangle[triangles[i]];
        const double above = dry_hull_triangle_above(t, p);
        if (above <= t->doubt) {
            near = near < 0 && above >= -t->doubt ? i : near;
            continue;
        }
        const double meters = above * t->meters;
        if (meters > best) {
            best = meters;
            best_above = above;
            chosen = triangles[i];
        }
    }
    for (int i = near; chosen < 0 && i >= 0 && i < count; i++)
        if (side_of(g, &g->triangle[triangles[i]], point) > 0)
            chosen = triangles[i];
    if (chosen >= 0)
        append_point(g, &g->triangle[chosen], point, best_above);
}

/* Keeps the better of two points: the farther one, and of two that are as far the later in the order. */
static int keep_farther(const dry_hull_growth *g, int best, double *distance, int point, double there)
{
    if (best >= 0 && !(there > *distance) &&
        !(there == *distance && dry_hull_cloud_before(g->cloud, best, point)))
        return best;
    *distance = there;
    return point;
}

/* Returns the last point along a direction of one axis. */
static int find_extreme(const dry_hull_growth *g, int axis, float sign)
{
    double distance = 0.0;
    int best = -1;
    for (int i = 0; i < g->cloud->count; i++)
        best = keep_farther(g, best, &distance, i, (double)(sign * place_of(g, i)[axis]));
    return best;
}

/* Returns the point that is farthest from the line through a and b, and its distance, m. */
static int find_off_line(const dry_hull_growth *g, int a, int b, double *distance)
{
    const double *unit = g->cloud->unit;
    const float *from = place_of(g, a), *to = place_of(g, b);
    double u[3], square = 0.0, farthest = 0.0;
    int best = -1;
    for (int k = 0; k < 3; k++) {
        u[k] = ((double)to[k] - (double)from[k]) * unit[k];
        square += u[k] * u[k];
    }
    for (int i = 0; i < g->cloud->count; i++) {
        const float *p = place_of(g, i);
        double v[3], cross = 0.0;
        for (int k = 0; k < 3; k++)
            v[k] = ((double)p[k] - (double)from[k]) * unit[k];
        for (int k = 0; k < 3; k++) {
            const double c = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
            cross += c * c;
        }
        best = keep_farther(g, best, &farthest, i, cross);
    }
    *distance = sqrt(farthest / square);
    return best;
}

static int find_off_plane(const dry_hull_growth *g, const dry_hull_triangle *t)
{
    double farthest = 0.0;
    int best = -1;
    for (int i = 0; i < g->cloud->count; i++)
        best = keep_farther(g, best, &farthest, i, fabs(dry_hull_triangle_above(t, place_of(g, i))));
    return best;
}

/* A cloud that is as wide as `DRY_HULL_THINNEST` in each direction has a point half as far from any line or
 * plane through some of its points. */
dry_hull_fault_kind dry_hull_begin(dry_hull_growth *g)
{
    g->free_count = g->triangle_count = 0;
    const double *unit = g->cloud->unit;
    int axis = unit[1] > unit[0] ? 1 : 0;
    axis = unit[2] > unit[axis] ? 2 : axis;
    double off_line;
    g->vertex[0] = find_extreme(g, axis, -1.0f);
    g->vertex[1] = find_extreme(g, axis, 1.0f);
    g->vertex[2] = find_off_line(g, g->vertex[0], g->vertex[1], &off_line);
    if (!(off_line >= 0.5 * DRY_HULL_THINNEST))
        return DRY_HULL_COLLINEAR;
    dry_hull_triangle *base = &g->triangle[make_triangle(g, 0, 1, 2)];
    g->vertex[3] = find_off_plane(g, base);
    const int side = side_of(g, base, g->vertex[3]);
    const double off_plane = fabs(dry_hull_triangle_above(base, place_of(g, g->vertex[3]))) * base->meters;
    if (side == 0 || !(off_plane >= 0.5 * DRY_HULL_THINNEST))
        return DRY_HULL_COPLANAR;
    if (side > 0) {
        const int32_t other = g->vertex[1];
        g->vertex[1] = g->vertex[2];
        g->vertex[2] = other;
    }
    g->vertex_count = 4;
    g->triangle_count = 0;
    static const int32_t corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int32_t neighbor[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int i = 0; i < 4; i++) {
        g->made[i] = make_triangle(g, corner[i][0], corner[i][1], corner[i][2]);
        for (int k = 0; k < 3; k++)
            g->triangle[i].neighbor[k] = neighbor[i][k];
    }
    for (int i = 0; i < g->cloud->count; i++)
        assign_point(g, g->made, 4, i);
    return DRY_HULL_SOUND;
}

/* Returns the triangle with the farthest point beyond its tolerance, or -1. */
static int choose_triangle(const dry_hull_growth *g)
{
    double farthest = 0.0;
    int chosen = -1;
    for (int i = 0; i < g->triangle_count; i++) {
        const dry_hull_triangle *t = &g->triangle[i];
        if (t->farthest > t->tolerance && t->farthest * t->meters > farthest) {
            farthest = t->farthest * t->meters;
            chosen = i;
        }
    }
    return chosen;
}

/* Returns the point of a triangle to add. Of the points that are as far as the farthest within the tolerance,
 * that is the one farthest from the triangle's middle: a corner of their own hull, not a point within. */
static int choose_point(const dry_hull_growth *g, const dry_hull_triangle *t)
{
    const double *unit = g->cloud->unit, least = t->farthest - t->tolerance;
    double middle[3], distance = 0.0;
    int best = -1;
    for (int k = 0; k < 3; k++)
        middle[k] = ((double)vertex_at(g, t->vertex[0])[k] + (double)vertex_at(g, t->vertex[1])[k] +
                     (double)vertex_at(g, t->vertex[2])[k]) /
                    3.0;
    for (int i = t->first; i >= 0; i = g->next[i]) {
        const float *p = place_of(g, i);
        if (!(dry_hull_triangle_above(t, p) >= least))
            continue;
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            const double d = ((double)p[k] - middle[k]) * unit[k];
            square += d * d;
        }
        best = keep_farther(g, best, &distance, i, square);
    }
    return best;
}

/* Makes the triangle of a new vertex over an edge of what that saw. */
static void make_side(dry_hull_growth *g, int inside, int edge, int *made_count)
{
    const dry_hull_triangle *t = &g->triangle[inside];
    const int a = t->vertex[edge], b = t->vertex[(edge + 1) % 3], outside = t->neighbor[edge];
    const int made = make_triangle(g, a, b, g->vertex_count);
    dry_hull_triangle *other = &g->triangle[outside];
    for (int k = 0; k < 3; k++)
        if (other->vertex[k] == b)
            other->neighbor[k] = made;
    g->triangle[made].neighbor[0] = outside;
    g->starting[a] = made;
    g->made[(*made_count)++] = made;
}

/* Floods the triangles that a point sees, from one of them on, and makes those that replace them. Leaves the
 * seen ones in the stack and returns how many they are. */
static int replace_seen(dry_hull_growth *g, int first, int point, int *made_count)
{
    int seen = 1;
    g->stack[0] = first;
    g->triangle[first].seen = point;
    for (int i = 0; i < seen; i++)
        for (int k = 0; k < 3; k++) {
            const int next = g->triangle[g->stack[i]].neighbor[k];
            dry_hull_triangle *t = &g->triangle[next];
            if (t->seen == point || side_of(g, t, point) <= 0)
                continue;
            t->seen = point;
            g->stack[seen++] = next;
        }
    *made_count = 0;
    for (int i = 0; i < seen; i++)
        for (int k = 0; k < 3; k++) {
            const int next = g->triangle[g->stack[i]].neighbor[k];
            if (g->triangle[next].seen != point)
                make_side(g, g->stack[i], k, made_count);
        }
    return seen;
}

static void add_point(dry_hull_growth *g, int triangle, int point)
{
    int made_count;
    DRY_ASSERT(point >= 0 && g->vertex_count < g->vertices_max);
    g->vertex[g->vertex_count] = point;
    const int seen = replace_seen(g, triangle, point, &made_count);
    for (int i = 0; i < made_count; i++) {
        dry_hull_triangle *t = &g->triangle[g->made[i]];
        t->neighbor[1] = g->starting[t->vertex[1]];
        g->triangle[t->neighbor[1]].neighbor[2] = g->made[i];
    }
    g->vertex_count++;
    for (int i = 0; i < seen; i++) {
        dry_hull_triangle *old = &g->triangle[g->stack[i]];
        for (int p = old->first, next; p >= 0; p = next) {
            next = g->next[p];
            if (p != point)
                assign_point(g, g->made, made_count, p);
        }
        old->neighbor[0] = -1;
        old->farthest = 0.0;
        old->first = -1;
        g->free[g->free_count++] = g->stack[i];
    }
    DRY_ASSERT(made_count >= 3 && g->triangle_count - g->free_count <= 2 * g->vertex_count - 4);
}

/* Returns the triangle with the point that is most distant from the hull beyond the tolerance, or -1. A known
 * distance is an upper bound, since the hull grows: that of the chosen triangle is found anew. */
static int choose_strayed(dry_hull_growth *g)
{
    double least = 0.0;
    for (int k = 0; k < 3; k++) {
        const double m = g->cloud->tolerance[k] * g->cloud->unit[k];
        least += m * m;
    }
    for (;;) {
        double farthest = sqrt(least);
        int chosen = -1;
        for (int i = 0; i < g->triangle_count; i++) {
            dry_hull_triangle *t = &g->triangle[i];
            if (t->first < 0)
                continue;
            if (t->strayed_at == 0) {
                t->strayed = dry_hull_find_strayed(g, i, &t->strayed_m);
                t->strayed_at = g->vertex_count;
            }
            if (t->strayed_m > farthest) {
                farthest = t->strayed_m;
                chosen = i;
            }
        }
        if (chosen < 0 || g->triangle[chosen].strayed_at == g->vertex_count)
            return chosen;
        g->triangle[chosen].strayed_at = 0;
        g->triangle[chosen].strayed_m = 0.0;
    }
}

bool dry_hull_grow(dry_hull_growth *g, int vertices)
{
    for (;;) {
        int point, chosen = choose_triangle(g);
        if (chosen >= 0) {
            if (g->vertex_count == vertices)
                return true;
            point = choose_point(g, &g->triangle[chosen]);
        } else {
            chosen = choose_strayed(g);
            if (chosen < 0 || g->vertex_count == vertices)
                return chosen >= 0;
            point = g->triangle[chosen].strayed;
        }
        add_point(g, chosen, point);
    }
}

/* Polytopes in double for the tests of hulls: separations by every axis, distances by every pair of parts,
 * heights of points over all planes. It shares no code with the engine; it takes a hull's topology and
 * computes all else. */
#ifndef TESTS_NARROWPHASE_POLYTOPE_ORACLE_H
#define TESTS_NARROWPHASE_POLYTOPE_ORACLE_H

#include "geometry/hull.h"
#include "tests/test_world.h"

typedef struct solid {
    int vertices, faces, edges, triangles;
    d3 vertex[DRY_HULL_VERTICES_MAX];
    d3 normal[DRY_HULL_FACES_MAX];
    double offset[DRY_HULL_FACES_MAX];
    int edge[DRY_HULL_HALF_EDGES_MAX / 2][2];
    int triangle[DRY_HULL_HALF_EDGES_MAX][3];
} solid;

static inline void solid_make(solid *s, const dry_hull *hull, dry_vec3 scale, const dry_transform *pose)
{
    const double sign = (scale.x < 0) ^ (scale.y < 0) ^ (scale.z < 0) ? -1 : 1;
    s->vertices = hull->vertex_count;
    s->faces = hull->face_count;
    s->edges = hull->half_edge_count / 2;
    s->triangles = 0;
    for (int i = 0; i < s->vertices; i++) {
        const dry_vec3 v = dry_hull_vertex(hull, i);
        const d3 p = {(double)v.x * (double)scale.x, (double)v.y * (double)scale.y,
                      (double)v.z * (double)scale.z};
        s->vertex[i] = d3_add(d3_of(pose->position), d3_turn(pose->orientation, p));
    }
    const uint8_t *origin = dry_hull_origins(hull);
    const uint16_t *next = dry_hull_nexts(hull);
    for (int e = 0; e < s->edges; e++)
        s->edge[e][0] = origin[2 * e], s->edge[e][1] = origin[2 * e + 1];
    for (int f = 0; f < s->faces; f++) {
        const int first = dry_hull_firsts(hull)[f];
        const d3 from = s->vertex[origin[first]];
        d3 sum = {0, 0, 0};
        for (int h = next[first]; next[h] != first; h = next[h]) {
            const d3 u = d3_sub(s->vertex[origin[h]], from), v = d3_sub(s->vertex[origin[next[h]]], from);
            sum = d3_add(sum, d3_cross(u, v));
            int *t = s->triangle[s->triangles++];
            t[0] = origin[first], t[1] = origin[h], t[2] = origin[next[h]];
        }
        s->normal[f] = d3_scale(d3_unit(sum), sign);
        s->offset[f] = -INFINITY;
        for (int i = 0; i < s->vertices; i++)
            s->offset[f] = fmax(s->offset[f], d3_dot(s->normal[f], s->vertex[i]));
    }
}

/* Returns the separation along a unit normal from a to b. */
static inline double solid_separation_along(const solid *a, const solid *b, d3 n)
{
    double high = -INFINITY, low = INFINITY;
    for (int i = 0; i < a->vertices; i++)
        high = fmax(high, d3_dot(n, a->vertex[i]));
    for (int i = 0; i < b->vertices; i++)
        low = fmin(low, d3_dot(n, b->vertex[i]));
    return low - high;
}

/* Returns the largest separation along any normal of a face or of two edges: of shapes that overlap the
 * depth, negative. */
static inline double solid_separation(const solid *a, const solid *b)
{
    double best = -INFINITY;
    for (int f = 0; f < a->faces; f++)
        best = fmax(best, solid_separation_along(a, b, a->normal[f]));
    for (int f = 0; f < b->faces; f++)
        best = fmax(best, solid_separation_along(a, b, d3_scale(b->normal[f], -1)));
    for (int i = 0; i < a->edges; i++)
        for (int j = 0; j < b->edges; j++) {
            const d3 u = d3_sub(a->vertex[a->edge[i][1]], a->vertex[a->edge[i][0]]),
                     v = d3_sub(b->vertex[b->edge[j][1]], b->vertex[b->edge[j][0]]);
            const d3 n = d3_cross(u, v);
            if (d3_dot(n, n) <= 1e-14 * d3_dot(u, u) * d3_dot(v, v))
                continue;
            best = fmax(best, solid_separation_along(a, b, d3_unit(n)));
            best = fmax(best, solid_separation_along(a, b, d3_scale(d3_unit(n), -1)));
        }
    return best;
}

/* Returns the distance of two segments: the ends against the other, and the crossing. */
static inline double point_segment(d3 p, d3 a, d3 b)
{
    const d3 u = d3_sub(b, a);
    const double t = fmin(1, fmax(0, d3_dot(d3_sub(p, a), u) / fmax(d3_dot(u, u), 1e-300)));
    const d3 d = d3_sub(p, d3_add(a, d3_scale(u, t)));
    return sqrt(d3_dot(d, d));
}

static inline double segment_segment(d3 a, d3 b, d3 c, d3 d)
{
    double best = fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                       fmin(point_segment(c, a, b), point_segment(d, a, b)));
    const d3 u = d3_sub(b, a), v = d3_sub(d, c), w = d3_sub(c, a);
    const double uu = d3_dot(u, u), vv = d3_dot(v, v), uv = d3_dot(u, v);
    const double determinant = uu * vv - uv * uv;
    if (determinant > 1e-12 * uu * vv) {
        const double t = (d3_dot(w, u) * vv - d3_dot(w, v) * uv) / determinant,
                     r = (d3_dot(w, u) * uv - d3_dot(w, v) * uu) / determinant;
        if (t > 0 && t < 1 && r > 0 && r < 1) {
            const d3 n = d3_unit(d3_cross(u, v));
            best = fmin(best, fabs(d3_dot(n, w)));
        }
    }
    return best;
}

/* Returns the height of a point over a triangle that it lies straight over, or infinity. */
static inline double point_over_triangle(d3 p, d3 a, d3 b, d3 c)
{
    const d3 cross = d3_cross(d3_sub(b, a), d3_sub(c, a));
    if (d3_dot(cross, cross) <= 0)
        return INFINITY;
    const d3 n = d3_unit(cross);
    const d3 corner[3] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        const d3 side = d3_sub(corner[(i + 1) % 3], corner[i]);
        if (d3_dot(d3_cross(side, d3_sub(p, corner[i])), n) < 0)
            return INFINITY;
    }
    return fabs(d3_dot(n, d3_sub(p, a)));
}

static inline double vertices_over_faces(const solid *a, const solid *b)
{
    double best = INFINITY;
    for (int i = 0; i < b->vertices; i++)
        for (int t = 0; t < a->triangles; t++) {
            const int *c = a->triangle[t];
            best = fmin(best,
                        point_over_triangle(b->vertex[i], a->vertex[c[0]], a->vertex[c[1]], a->vertex[c[2]]));
        }
    return best;
}

/* Returns the distance of two solids that do not overlap. */
static inline double solid_distance(const solid *a, const solid *b)
{
    double best = fmin(vertices_over_faces(a, b), vertices_over_faces(b, a));
    for (int i = 0; i < a->edges; i++)
        for (int j = 0; j < b->edges; j++)
            best = fmin(best, segment_segment(a->vertex[a->edge[i][0]], a->vertex[a->edge[i][1]],
                                              b->vertex[b->edge[j][0]], b->vertex[b->edge[j][1]]));
    return best;
}

/* Returns the height of a point over the plane that it lies highest over: negative inside. */
static inline double solid_height(const solid *s, d3 p)
{
    double best = -INFINITY;
    for (int f = 0; f < s->faces; f++)
        best = fmax(best, d3_dot(s->normal[f], p) - s->offset[f]);
    return best;
}

/* Returns the distance of a segment that crosses no face from a solid. */
static inline double solid_segment_distance(const solid *s, d3 p, d3 q)
{
    double best = INFINITY;
    for (int t = 0; t < s->triangles; t++) {
        const int *c = s->triangle[t];
        best = fmin(best, point_over_triangle(p, s->vertex[c[0]], s->vertex[c[1]], s->vertex[c[2]]));
        best = fmin(best, point_over_triangle(q, s->vertex[c[0]], s->vertex[c[1]], s->vertex[c[2]]));
    }
    for (int e = 0; e < s->edges; e++)
        best = fmin(best, segment_segment(s->vertex[s->edge[e][0]], s->vertex[s->edge[e][1]], p, q));
    return best;
}

#endif

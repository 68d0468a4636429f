/* Checks of a hull beside its cloud by plain code in double: closed, convex, made of the points, around them.
 */
#ifndef TESTS_GEOMETRY_HULL_SOUND_H
#define TESTS_GEOMETRY_HULL_SOUND_H

#include "geometry/hull_build.h"
#include "tests/blocks.h"
#include "tests/geometry/hull_clouds.h"

/* A point may be this share of the size farther from the hull than the report says. */
static const double promised = 1e-5;

static inline d3 normal_of(const dry_hull *hull, int face)
{
    return d3_of(dry_hull_normal(hull, face));
}

/* How far a point is outside of a face's plane. */
static inline double above_face(const dry_hull *hull, int face, d3 p)
{
    const float *c = hull->measures.center;
    return d3_dot(normal_of(hull, face), d3_sub(p, (d3){c[0], c[1], c[2]})) - dry_hull_offset(hull, face);
}

static inline d3 origin_at(const dry_hull *hull, int h)
{
    return d3_of(dry_hull_vertex(hull, dry_hull_origins(hull)[h]));
}

/* Each directed edge lies on one face, and runs the other way on its neighbor: counted without the twins. */
static inline void assert_closed(const dry_hull *hull)
{
    static uint8_t runs[DRY_HULL_VERTICES_MAX][DRY_HULL_VERTICES_MAX];
    memset(runs, 0, sizeof runs);
    int edges = 0, corners = 0;
    for (int face = 0; face < hull->face_count; face++) {
        int h = dry_hull_firsts(hull)[face];
        do {
            const int next = dry_hull_nexts(hull)[h];
            runs[dry_hull_origins(hull)[h]][dry_hull_origins(hull)[next]]++;
            corners++;
            assert_true(corners <= hull->half_edge_count);
            h = next;
        } while (h != dry_hull_firsts(hull)[face]);
    }
    for (int a = 0; a < hull->vertex_count; a++) {
        int leaving = 0;
        for (int b = 0; b < hull->vertex_count; b++) {
            assert_true(runs[a][b] <= 1 && runs[a][b] == runs[b][a]);
            leaving += runs[a][b];
        }
        assert_true(leaving >= 3);
        edges += leaving;
    }
    assert_int_equal(edges, hull->half_edge_count);
    assert_int_equal(hull->vertex_count - edges / 2 + hull->face_count, 2);
}

/* No vertex lies outside of a face; a face's own vertices lie in it, and each corner turns left. */
static inline void assert_convex(const dry_hull *hull, double size)
{
    for (int face = 0; face < hull->face_count; face++) {
        const d3 n = normal_of(hull, face);
        assert_near(d3_dot(n, n), 1, 1e-6);
        for (int v = 0; v < hull->vertex_count; v++)
            assert_true(above_face(hull, face, d3_of(dry_hull_vertex(hull, v))) <= 1e-15 * size);
        int h = dry_hull_firsts(hull)[face];
        do {
            const int next = dry_hull_nexts(hull)[h], after = dry_hull_nexts(hull)[next];
            const d3 a = origin_at(hull, h), b = origin_at(hull, next), c = origin_at(hull, after);
            assert_true(above_face(hull, face, b) >= -promised * size);
            /* A vertex that merging kept stands out of its face's outline, if less than rounding moves it. */
            assert_true(d3_dot(n, d3_cross(d3_sub(b, a), d3_sub(c, b))) >=
                        -1e-6 * size * d3_length(d3_sub(c, a)));
            h = next;
        } while (h != dry_hull_firsts(hull)[face]);
    }
}

static inline void assert_made_of(const dry_hull *hull, const cloud *c)
{
    for (int v = 0; v < hull->vertex_count; v++) {
        const dry_vec3 p = dry_hull_vertex(hull, v);
        bool found = false;
        for (int i = 0; i < c->count && !found; i++)
            found = p.x == c->at[i].x && p.y == c->at[i].y && p.z == c->at[i].z;
        assert_true(found);
        for (int w = 0; w < v; w++) {
            const dry_vec3 q = dry_hull_vertex(hull, w);
            assert_false(p.x == q.x && p.y == q.y && p.z == q.z);
        }
    }
}

/* The nearest point of a segment, and its distance. */
static inline double distance_to_segment(d3 p, d3 a, d3 b)
{
    const d3 u = d3_sub(b, a), v = d3_sub(p, a);
    const double share = fmin(1, fmax(0, d3_dot(u, v) / d3_dot(u, u)));
    return d3_length(d3_sub(v, d3_scale(u, share)));
}

static inline double distance_to_triangle(d3 p, d3 a, d3 b, d3 c)
{
    const d3 n = d3_cross(d3_sub(b, a), d3_sub(c, a));
    const bool over = d3_dot(n, d3_cross(d3_sub(b, a), d3_sub(p, a))) >= 0 &&
                      d3_dot(n, d3_cross(d3_sub(c, b), d3_sub(p, b))) >= 0 &&
                      d3_dot(n, d3_cross(d3_sub(a, c), d3_sub(p, c))) >= 0;
    if (over && d3_length(n) > 0)
        return fabs(d3_dot(d3_sub(p, a), n)) / d3_length(n);
    return fmin(distance_to_segment(p, a, b),
                fmin(distance_to_segment(p, b, c), distance_to_segment(p, c, a)));
}

/* The distance from a point to a hull, by all triangles of its faces' fans; 0 inside. */
static inline double distance_to_hull(const dry_hull *hull, d3 p)
{
    double nearest = INFINITY;
    bool inside = true;
    for (int face = 0; face < hull->face_count; face++) {
        inside = inside && above_face(hull, face, p) <= 0;
        const int first = dry_hull_firsts(hull)[face];
        for (int h = dry_hull_nexts(hull)[first]; dry_hull_nexts(hull)[h] != first;
             h = dry_hull_nexts(hull)[h])
            nearest = fmin(nearest, distance_to_triangle(p, origin_at(hull, first), origin_at(hull, h),
                                                         origin_at(hull, dry_hull_nexts(hull)[h])));
    }
    return inside ? 0 : nearest;
}

/* All points are as near as the report says, and one is as far where no side became flat. `every`: of how
 * many points one is measured. */
static inline void assert_around(const dry_hull *hull, const cloud *c, const dry_hull_report *report,
                                 int every)
{
    const double size = cloud_size(c), cut = report->cut_m + report->flat_m;
    double farthest = 0;
    for (int i = 0; i < c->count; i++) {
        assert_at_most(outside_of_hull(hull, AT(c->at[i])), cut + promised * size);
        if (i % every == 0)
            farthest = fmax(farthest, distance_to_hull(hull, d3_of(c->at[i])));
    }
    assert_at_most(farthest, cut + promised * size);
    if (every == 1 && report->flat_m == 0)
        assert_at_most(cut, farthest + promised * size);
}

/* The hull reaches as far as the cloud does in any direction, but for what was cut and became flat. */
static inline void assert_reaches(const dry_hull *hull, const cloud *c, const dry_hull_report *report,
                                  uint64_t *seed)
{
    const double size = cloud_size(c);
    for (int i = 0; i < 50; i++) {
        const d3 d = cloud_direction(seed);
        double cloud_reach = -INFINITY, hull_reach = -INFINITY;
        for (int k = 0; k < c->count; k++)
            cloud_reach = fmax(cloud_reach, d3_dot(d, d3_of(c->at[k])));
        for (int v = 0; v < hull->vertex_count; v++)
            hull_reach = fmax(hull_reach, d3_dot(d, d3_of(dry_hull_vertex(hull, v))));
        assert_true(hull_reach <= cloud_reach + (report->flat_m > 0 ? report->flat_m + 1e-7 * size : 0));
        assert_at_most(cloud_reach, hull_reach + report->cut_m + report->flat_m + promised * size);
    }
}

static inline void assert_sound(const dry_hull *hull, const cloud *c, const dry_hull_report *report,
                                int every, uint64_t *seed)
{
    assert_true(dry_hull_check(hull, hull->bytes));
    const float *center = hull->measures.center;
    assert_true(dry_hull_contains(hull, (dry_vec3){1, 1, 1}, (dry_double3){center[0], center[1], center[2]}));
    assert_closed(hull);
    assert_convex(hull, cloud_size(c));
    if (report->flat_m == 0)
        assert_made_of(hull, c);
    assert_around(hull, c, report, every);
    assert_reaches(hull, c, report, seed);
}

#endif

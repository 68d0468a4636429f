/* Convex shapes in double for the tests of queries: how far they reach along a direction, and how far a point
 * is from their surface. It shares no code with the engine; it takes a hull's topology and computes all else.
 *
 * A distance is certain by two proofs: points of both shapes that far apart, and a plane across the way
 * between them that parts the shapes by as much. A depth is the least one if no direction has less. */
#ifndef TESTS_NARROWPHASE_CONVEX_ORACLE_H
#define TESTS_NARROWPHASE_CONVEX_ORACLE_H

#include "tests/narrowphase/polytope_oracle.h"

typedef enum convex_kind {
    CONVEX_ROUND,
    CONVEX_CYLINDER,
    CONVEX_BOX,
    CONVEX_HULL,
    CONVEX_TRIANGLE
} convex_kind;

typedef struct convex {
    convex_kind kind;
    d3 center; /* of the frame that the tests take */
    dry_quat turn;
    d3 half;            /* box */
    double radius, arm; /* round: about a segment of half length `arm` along y; cylinder: half its length */
    solid hull;         /* placed */
    d3 corner[3];       /* triangle, placed */
    double size;        /* of a ball about the center that holds the shape */
} convex;

/* Returns the largest n . x over the shape. */
static inline double convex_reach(const convex *c, d3 n)
{
    double best = -INFINITY;
    if (c->kind == CONVEX_HULL) {
        for (int i = 0; i < c->hull.vertices; i++)
            best = fmax(best, d3_dot(n, c->hull.vertex[i]));
        return best;
    }
    if (c->kind == CONVEX_TRIANGLE) {
        for (int i = 0; i < 3; i++)
            best = fmax(best, d3_dot(n, c->corner[i]));
        return best;
    }
    const d3 m = d3_turn_back(c->turn, n);
    const double middle = d3_dot(n, c->center);
    if (c->kind == CONVEX_BOX)
        return middle + fabs(m.x) * c->half.x + fabs(m.y) * c->half.y + fabs(m.z) * c->half.z;
    if (c->kind == CONVEX_CYLINDER)
        return middle + fabs(m.y) * c->arm + c->radius * sqrt(m.x * m.x + m.z * m.z);
    return middle + fabs(m.y) * c->arm + c->radius * d3_length(n);
}

/* Returns the separation along a unit direction from a to b. */
static inline double convex_separation(const convex *a, const convex *b, d3 n)
{
    return -convex_reach(b, d3_scale(n, -1)) - convex_reach(a, n);
}

/* Returns the distance of a point from the surface: negative inside; of a hull outside, that of a plane. */
static inline double convex_distance(const convex *c, d3 p)
{
    d3 q = d3_turn_back(c->turn, d3_sub(p, c->center));
    double best = -INFINITY;
    switch (c->kind) {
    case CONVEX_ROUND:
        q.y -= fmax(-c->arm, fmin(c->arm, q.y));
        return d3_length(q) - c->radius;
    case CONVEX_CYLINDER: {
        const double across = sqrt(q.x * q.x + q.z * q.z) - c->radius, along = fabs(q.y) - c->arm;
        return fmin(fmax(across, along), 0) + hypot(fmax(across, 0), fmax(along, 0));
    }
    case CONVEX_BOX: {
        const d3 d = {fabs(q.x) - c->half.x, fabs(q.y) - c->half.y, fabs(q.z) - c->half.z};
        return fmin(fmax(d.x, fmax(d.y, d.z)), 0) + d3_length((d3){fmax(d.x, 0), fmax(d.y, 0), fmax(d.z, 0)});
    }
    case CONVEX_TRIANGLE:
        best = point_over_triangle(p, c->corner[0], c->corner[1], c->corner[2]);
        for (int i = 0; i < 3; i++)
            best = fmin(best, point_segment(p, c->corner[i], c->corner[(i + 1) % 3]));
        return best;
    default:
        for (int f = 0; f < c->hull.faces; f++)
            best = fmax(best, d3_dot(c->hull.normal[f], p) - c->hull.offset[f]);
        return best;
    }
}

/* Moves a shape. */
static inline convex convex_moved(const convex *c, d3 way)
{
    convex moved = *c;
    moved.center = d3_add(c->center, way);
    for (int i = 0; i < 3; i++)
        moved.corner[i] = d3_add(c->corner[i], way);
    if (c->kind == CONVEX_HULL) {
        for (int i = 0; i < c->hull.vertices; i++)
            moved.hull.vertex[i] = d3_add(c->hull.vertex[i], way);
        for (int f = 0; f < c->hull.faces; f++)
            moved.hull.offset[f] += d3_dot(c->hull.normal[f], way);
    }
    return moved;
}

/* Goes from a direction to where the separation is largest nearby. */
static inline double convex_climb(const convex *a, const convex *b, d3 n, double best)
{
    double step = 0.1;
    for (int i = 0; i < 40; i++) {
        const d3 u = d3_unit(fabs(n.x) < 0.6 ? d3_cross(n, (d3){1, 0, 0}) : d3_cross(n, (d3){0, 1, 0}));
        const d3 v = d3_cross(n, u);
        const double before = best;
        for (int k = 0; k < 4; k++) {
            const d3 tried = d3_unit(d3_add(n, d3_scale(k < 2 ? u : v, k & 1 ? step : -step)));
            const double separation = convex_separation(a, b, tried);
            if (separation > best) {
                best = separation;
                n = tried;
            }
        }
        step *= best > before ? 1 : 0.6;
    }
    return best;
}

/* Returns the largest separation along many directions, and near the best of them: minus the depth. */
static inline double convex_best_separation(const convex *a, const convex *b)
{
    enum { DIRECTIONS = 600, TAKEN = 5 };
    d3 best[TAKEN];
    double value[TAKEN];
    for (int k = 0; k < TAKEN; k++)
        value[k] = -INFINITY;
    for (int i = 0; i < DIRECTIONS; i++) {
        const double y = 1 - 2 * (i + 0.5) / DIRECTIONS, angle = 2.39996322972865332 * i, r = sqrt(1 - y * y);
        const d3 n = {r * cos(angle), y, r * sin(angle)};
        const double separation = convex_separation(a, b, n);
        int place = TAKEN;
        while (place > 0 && separation > value[place - 1])
            place--;
        for (int k = TAKEN - 1; k > place; k--) {
            value[k] = value[k - 1];
            best[k] = best[k - 1];
        }
        if (place < TAKEN) {
            value[place] = separation;
            best[place] = n;
        }
    }
    double largest = -INFINITY;
    for (int k = 0; k < TAKEN; k++)
        largest = fmax(largest, convex_climb(a, b, best[k], value[k]));
    return largest;
}

/* An answer that the tests judge. */
typedef struct convex_answer {
    double distance;
    d3 normal, on_a, on_b;
} convex_answer;

/* Judges a signed distance: shares of the size by which it may be off. */
static inline void assert_distance(const convex *a, const convex *b, const convex_answer *r)
{
    const double size = a->size + b->size, tolerance = (r->distance > 0 ? 1e-5 : 1e-4) * size;
    assert_near(d3_length(r->normal), 1, 1e-5);
    assert_near(convex_separation(a, b, r->normal), r->distance, tolerance);
    const d3 between = d3_sub(r->on_b, r->on_a);
    assert_at_most(d3_length(d3_sub(between, d3_scale(r->normal, r->distance))), tolerance);
    assert_at_most(fabs(convex_distance(a, r->on_a)), tolerance);
    assert_at_most(fabs(convex_distance(b, r->on_b)), tolerance);
    if (r->distance < 0)
        assert_at_most(convex_best_separation(a, b), r->distance + tolerance);
}

#endif

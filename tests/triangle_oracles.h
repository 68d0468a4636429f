/* One triangle in plain double arithmetic, which shares no code with the engine: tests compare with it. */
#ifndef TESTS_TRIANGLE_ORACLES_H
#define TESTS_TRIANGLE_ORACLES_H

#include "geometry/mesh_tree.h"
#include "tests/test_world.h"

typedef struct triangle3 {
    d3 at[3];
} triangle3;

static inline d3 triangle_normal(triangle3 t)
{
    return d3_cross(d3_sub(t.at[1], t.at[0]), d3_sub(t.at[2], t.at[0]));
}

/* Solves o + f d = a + v (b - a) + w (c - a) by Cramer's rule. Returns whether there is one solution. */
static inline bool solve_hit(triangle3 t, d3 o, d3 d, double *f, double weight[3])
{
    const d3 u = d3_sub(t.at[1], t.at[0]), v = d3_sub(t.at[2], t.at[0]);
    const d3 n = triangle_normal(t), from = d3_sub(o, t.at[0]);
    const double facing = -d3_dot(n, d);
    if (facing == 0)
        return false;
    *f = d3_dot(n, from) / facing;
    const d3 side = d3_cross(from, d);
    weight[1] = d3_dot(v, side) / facing;
    weight[2] = -d3_dot(u, side) / facing;
    weight[0] = 1 - weight[1] - weight[2];
    return true;
}

static inline double least_of(const double weight[3])
{
    return fmin(weight[0], fmin(weight[1], weight[2]));
}

static inline d3 nearest_on_segment(d3 a, d3 b, d3 p)
{
    const d3 e = d3_sub(b, a);
    const double share = d3_dot(d3_sub(p, a), e) / d3_dot(e, e);
    return d3_add(a, d3_scale(e, fmin(fmax(share, 0), 1)));
}

/* Returns the distance of a point from a triangle: to the plane where the foot lies inside, else to an edge.
 */
static inline double triangle_distance(triangle3 t, d3 p)
{
    const d3 n = d3_unit(triangle_normal(t));
    const double height = d3_dot(n, d3_sub(p, t.at[0]));
    const d3 foot = d3_sub(p, d3_scale(n, height));
    double best = INFINITY;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        const d3 a = t.at[i], b = t.at[(i + 1) % 3];
        best = fmin(best, d3_length(d3_sub(nearest_on_segment(a, b, p), p)));
        inside = inside && d3_dot(n, d3_cross(d3_sub(b, a), d3_sub(foot, a))) >= 0;
    }
    return inside ? fmin(best, fabs(height)) : best;
}

#endif

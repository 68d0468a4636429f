/* One impact by Newton's law of restitution with Coulomb's cone [Spook 1-7], in double precision and in the
 * world's axes: the oracle of tests that bounce bodies. */
#ifndef TESTS_SOLVER_IMPACT_LAW_H
#define TESTS_SOLVER_IMPACT_LAW_H

#include "tests/test_world.h"

/* One body of an impact. */
typedef struct impact_side {
    double inverse_mass;
    double inverse_inertia[3][3]; /* world */
    d3 r, v, w;
} impact_side;

static inline d3 law_times(const double m[3][3], d3 v)
{
    return (d3){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

static inline void law_invert(const double a[3][3], double out[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const int p = (i + 1) % 3, q = (i + 2) % 3, r = (k + 1) % 3, s = (k + 2) % 3;
            const int u = 0, v = 1, w = 2;
            const double determinant = a[u][u] * (a[v][v] * a[w][w] - a[v][w] * a[w][v]) -
                                       a[u][v] * (a[v][u] * a[w][w] - a[v][w] * a[w][u]) +
                                       a[u][w] * (a[v][u] * a[w][v] - a[v][v] * a[w][u]);
            out[k][i] = (a[p][r] * a[q][s] - a[p][s] * a[q][r]) / determinant;
        }
}

static inline impact_side side_of(const dry_world *world, dry_body_id id, d3 point)
{
    const dry_mass mass = mass_of(world, id);
    impact_side s = {.inverse_mass = 1.0 / mass.mass, .v = velocity_of(world, id), .w = spin_of(world, id)};
    const dry_quat q = pose_of(world, id).orientation;
    double local[3][3], inverse[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            local[i][k] = (double)mass.inertia[i][k];
    law_invert((const double(*)[3])local, inverse);
    const d3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        const d3 column = d3_turn(q, law_times((const double(*)[3])inverse, d3_turn_back(q, axes[k])));
        s.inverse_inertia[0][k] = column.x;
        s.inverse_inertia[1][k] = column.y;
        s.inverse_inertia[2][k] = column.z;
    }
    s.r = d3_sub(point, center_of(world, id));
    return s;
}

static inline d3 speed_of(const impact_side *s)
{
    return d3_add(s->v, d3_cross(s->w, s->r));
}

/* Applies an impulse [Spook 6-7]. */
static inline void apply(impact_side *s, d3 impulse)
{
    s->v = d3_add(s->v, d3_scale(impulse, s->inverse_mass));
    s->w = d3_add(s->w, law_times((const double(*)[3])s->inverse_inertia, d3_cross(s->r, impulse)));
}

/* The collision matrix of a body that is free to move: column by column, the speed that a unit impulse gives.
 */
static inline void add_matrix(const impact_side *s, double k[3][3])
{
    const d3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3; ++i) {
        impact_side unit = *s;
        unit.v = unit.w = (d3){0, 0, 0};
        apply(&unit, axes[i]);
        const d3 u = speed_of(&unit);
        k[0][i] += u.x;
        k[1][i] += u.y;
        k[2][i] += u.z;
    }
}

typedef struct law {
    double e, mu;
    int sticks, slides, neutral; /* how often each side of the law was taken */
} law;

/* Returns the impulse on b of an impact along the normal n from a to b [Spook 1-5]. The energy-neutral one
 * where this one gains energy. */
static inline d3 impulse_of(law *l, const double k[3][3], d3 u, d3 n)
{
    const double approach = d3_dot(u, n);
    const d3 ut = d3_sub(u, d3_scale(n, approach));
    double inverse[3][3];
    law_invert(k, inverse);
    d3 j = law_times((const double(*)[3])inverse, d3_sub(d3_scale(n, -l->e * approach), u));
    d3 jt = d3_sub(j, d3_scale(n, d3_dot(j, n)));
    if (d3_length(jt) <= l->mu * d3_dot(j, n)) {
        l->sticks++;
    } else {
        const d3 t = d3_length(ut) > 1e-5 * fabs(approach) && d3_dot(ut, jt) < 0 ? d3_unit(ut)
                                                                                 : d3_scale(d3_unit(jt), -1);
        const d3 direction = d3_sub(n, d3_scale(t, l->mu));
        j = d3_scale(direction, -(1 + l->e) * approach / d3_dot(n, law_times(k, direction)));
        l->slides++;
    }
    const double work = d3_dot(u, j), square = d3_dot(j, law_times(k, j));
    if (work + square / 2 > 1e-9 * fabs(work)) {
        j = d3_scale(j, -2 * work / square);
        l->neutral++;
    }
    return j;
}

#endif

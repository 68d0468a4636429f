/* Declares what the tests of the kernels' results share: bodies and constraint rows in double precision with
 * masses, levers and world-space velocities - no whitening, no lanes, none of the kernels' code - and how
 * they are whitened into bundles.
 *
 * [Spook 25-34] per row: S = G M^-1 G^T, dlambda = -(G W + a q - (1 - b) G W0 + eps lambda) / (S + eps), the
 * total clamped, W += M^-1 G^T dlambda. Solving takes the sweep's share of dlambda [Waterson 4.73]. */
#ifndef TESTS_SOLVER_KERNEL_EQUATIONS_H
#define TESTS_SOLVER_KERNEL_EQUATIONS_H

#include "tests/solver/kernel_data.h"

/* Some 100 products lie on the way to a result; each rounds by at most half of FLT_EPSILON of its size, which
 * is at most `magnitude`. Independent errors add up like the root of their number, to 5 of them, and inverse
 * masses of up to 6 multiply those. */
#define ROUNDINGS 30.0

typedef struct body {
    double inverse_mass;       /* 0: static or kinematic */
    double inverse_inertia[3]; /* principal */
    d3 axes[3];                /* of the principal frame, in the world */
    d3 v, w;                   /* m/s, rad/s */
    d3 x, rotation;            /* displacement since the step began, m and rad */
} body;

static inline d3 random_unit(uint64_t *seed)
{
    for (;;) {
        d3 v = random_d3(seed, 1);
        double length = sqrt(d3_dot(v, v));
        if (length > 0.1 && length < 1)
            return d3_scale(v, 1 / length);
    }
}

static inline d3 any_perpendicular(d3 n)
{
    d3 other = fabs(n.x) < 0.5 ? (d3){1, 0, 0} : (d3){0, 1, 0};
    return d3_unit(d3_cross(n, other));
}

static inline body random_body(uint64_t *seed, bool fixed, bool kinematic, double time)
{
    body b = {0};
    b.axes[0] = random_unit(seed);
    b.axes[1] = any_perpendicular(b.axes[0]);
    b.axes[2] = d3_cross(b.axes[0], b.axes[1]);
    if (!fixed) {
        b.inverse_mass = random_in(seed, 0.3, 2);
        for (int i = 0; i < 3; i++)
            b.inverse_inertia[i] = b.inverse_mass * random_in(seed, 1, 4);
    }
    if (!fixed || kinematic) {
        b.v = random_d3(seed, 3);
        b.w = random_d3(seed, 3);
    }
    b.x = fixed ? d3_scale(b.v, time) : random_d3(seed, 0.02);
    b.rotation = fixed ? d3_scale(b.w, time) : random_d3(seed, 0.02);
    return b;
}

static inline d3 angular_change(const body *b, d3 torque) /* I^-1 torque */
{
    d3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        sum = d3_add(sum, d3_scale(b->axes[i], b->inverse_inertia[i] * d3_dot(b->axes[i], torque)));
    return sum;
}

/* A row G of [Spook 25]: along `direction` at levers ra and rb, or about it. */
typedef struct row {
    d3 direction, ra, rb;
    bool about;
} row;

static inline d3 row_torque(const row *g, d3 lever)
{
    return g->about ? g->direction : d3_cross(lever, g->direction);
}

static inline double row_of(const row *g, d3 va, d3 wa, d3 vb, d3 wb)
{
    double linear = g->about ? 0 : d3_dot(g->direction, d3_sub(vb, va));
    return linear + d3_dot(row_torque(g, g->rb), wb) - d3_dot(row_torque(g, g->ra), wa);
}

static inline double row_speed(const row *g, const body *a, const body *b)
{
    return row_of(g, a->v, a->w, b->v, b->w);
}

static inline double row_displacement(const row *g, const body *a, const body *b)
{
    return row_of(g, a->x, a->rotation, b->x, b->rotation);
}

/* G_i M^-1 G_j^T; Jacobi: with each body's mass divided by how many share it. */
static inline double row_mass(const row *i, const row *j, const body *a, const body *b, const double share[2])
{
    double linear = i->about || j->about ? 0 : d3_dot(i->direction, j->direction);
    return share[0] * (linear * a->inverse_mass +
                       d3_dot(row_torque(i, i->ra), angular_change(a, row_torque(j, j->ra)))) +
           share[1] * (linear * b->inverse_mass +
                       d3_dot(row_torque(i, i->rb), angular_change(b, row_torque(j, j->rb))));
}

/* W += M^-1 G^T lambda [Spook 34]. */
static inline void row_apply(const row *g, body *a, body *b, double lambda, const double share[2])
{
    if (!g->about) {
        a->v = d3_sub(a->v, d3_scale(g->direction, lambda * share[0] * a->inverse_mass));
        b->v = d3_add(b->v, d3_scale(g->direction, lambda * share[1] * b->inverse_mass));
    }
    a->w = d3_sub(a->w, d3_scale(angular_change(a, row_torque(g, g->ra)), lambda * share[0]));
    b->w = d3_add(b->w, d3_scale(angular_change(b, row_torque(g, g->rb)), lambda * share[1]));
}

/* Whitening: u = M^(1/2) W, g = G M^(-1/2). */

static inline void put_row(dry_solver_row *out, const body *b)
{
    double mass = 1 / sqrt(b->inverse_mass);
    const double linear[6] = {b->v.x, b->v.y, b->v.z, b->x.x, b->x.y, b->x.z};
    for (int i = 0; i < 3; i++) {
        double root = 1 / sqrt(b->inverse_inertia[i]);
        out->ul[i] = (float)(mass * linear[i]);
        out->dl[i] = (float)(mass * linear[3 + i]);
        out->inv_sqrt_inertia[i] = (float)sqrt(b->inverse_inertia[i]);
        out->ua[i] = (float)(root * d3_dot(b->axes[i], b->w));
        out->da[i] = (float)(root * d3_dot(b->axes[i], b->rotation));
    }
    out->inv_sqrt_mass = (float)sqrt(b->inverse_mass);
}

static inline void put_start(dry_start_row *out, const body *b)
{
    dry_solver_row whole;
    put_row(&whole, b);
    memcpy(out->u, whole.u, sizeof out->u);
}

static inline void take_row(const dry_solver_row *in, const body *b, d3 *v, d3 *w)
{
    *v = d3_scale((d3){in->ul[0], in->ul[1], in->ul[2]}, sqrt(b->inverse_mass));
    *w = (d3){0, 0, 0};
    for (int i = 0; i < 3; i++)
        *w = d3_add(*w, d3_scale(b->axes[i], sqrt(b->inverse_inertia[i]) * (double)in->ua[i]));
}

/* The frame of a contact: two tangents and the normal n. The shortest rotation that takes the world's z axis
 * to n takes x and y to the tangents; where n points down, the one that takes -z to it, and y is negative
 * then. */
static inline void frame_of(d3 n, d3 axis[3])
{
    d3 from = {0, 0, n.z < 0 ? -1 : 1}, about = d3_cross(from, n);
    const d3 units[2] = {{1, 0, 0}, {0, n.z < 0 ? -1 : 1, 0}};
    for (int k = 0; k < 2; k++) {
        d3 once = d3_cross(about, units[k]), twice = d3_cross(about, once);
        axis[k] = d3_add(units[k], d3_add(once, d3_scale(twice, 1 / (1 + d3_dot(from, n)))));
    }
    axis[2] = n;
}

static inline void put_frame(float (*lanes)[3][DRY_BUNDLE], int lane, const d3 axis[3], const body *b)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            lanes[k][i][lane] = (float)(sqrt(b->inverse_inertia[i]) * d3_dot(b->axes[i], axis[k]));
}

static inline d3 in_frame(const d3 axis[3], d3 v)
{
    return (d3){d3_dot(axis[0], v), d3_dot(axis[1], v), d3_dot(axis[2], v)};
}

static inline void put_lever(dry_lanes *a_lanes, dry_lanes *b_lanes, int lane, const row *g, const body *a,
                             const body *b)
{
    for (int i = 0; i < 3; i++) {
        a_lanes[i][lane] = (float)(-sqrt(a->inverse_inertia[i]) * d3_dot(a->axes[i], row_torque(g, g->ra)));
        b_lanes[i][lane] = (float)(sqrt(b->inverse_inertia[i]) * d3_dot(b->axes[i], row_torque(g, g->rb)));
    }
}

static inline void put_d3(dry_lanes *lanes, int lane, d3 v)
{
    lanes[0][lane] = (float)v.x;
    lanes[1][lane] = (float)v.y;
    lanes[2][lane] = (float)v.z;
}

/* Fills the linear lanes of a row. A rotation has none: its lanes stay zero. */
static inline void put_linear(dry_lanes *a_lanes, dry_lanes *b_lanes, int lane, const row *g, const body *a,
                              const body *b)
{
    if (g->about)
        return;
    put_d3(a_lanes, lane, d3_scale(g->direction, -sqrt(a->inverse_mass)));
    put_d3(b_lanes, lane, d3_scale(g->direction, sqrt(b->inverse_mass)));
}

/* The sweep that a test of a joint's kernel expects. */
typedef enum pass { WARM, SOLVE, RELAX } pass;

/* One lane of any kind. */
typedef struct pair {
    body a, b;
    body begin_a, begin_b; /* when the substep began: other velocities, unless no impulse moves them */
    int32_t row_a, row_b;
    double share[2];
    double magnitude;
} pair;

static inline void random_pair(uint64_t *seed, pair *p, int lane, bool summed, double time)
{
    int kind = random_below(seed, 6); /* 0: a static; 1: b static; 2: a kinematic; 3: b kinematic */
    p->a = random_body(seed, kind == 0 || kind == 2, kind == 2, time);
    p->b = random_body(seed, kind == 1 || kind == 3, kind == 3, time);
    p->begin_a = p->a, p->begin_b = p->b;
    uint64_t other = ~*seed;
    if (p->a.inverse_mass > 0)
        p->begin_a.v = random_d3(&other, 3), p->begin_a.w = random_d3(&other, 3);
    if (p->b.inverse_mass > 0)
        p->begin_b.v = random_d3(&other, 3), p->begin_b.w = random_d3(&other, 3);
    p->row_a = p->a.inverse_mass > 0 ? 1 + 2 * lane : 0;
    p->row_b = p->b.inverse_mass > 0 ? 2 + 2 * lane : 0;
    for (int side = 0; side < 2; side++)
        p->share[side] = summed ? 1 + random_below(seed, 6) : 1;
    p->magnitude = 1;
}

/* Puts a lane's bodies into the rows, and their rows' numbers into its bundle. */
static inline void put_pair(kernel_data *data, const pair *p, int lane, int32_t *row_a, int32_t *row_b)
{
    row_a[lane] = p->row_a;
    row_b[lane] = p->row_b;
    if (p->row_a)
        put_row(&data->rows[p->row_a], &p->a), put_start(&data->start[p->row_a - 1], &p->begin_a);
    if (p->row_b)
        put_row(&data->rows[p->row_b], &p->b), put_start(&data->start[p->row_b - 1], &p->begin_b);
}

static inline bool is_kinematic(const body *b)
{
    return b->inverse_mass == 0 && d3_dot(b->v, b->v) > 0;
}

/* Returns the velocity that a kinematic body adds to a row; the kernel sees such a body as static. */
static inline double row_kinematic(const row *g, const pair *p)
{
    body still = {0};
    return row_speed(g, is_kinematic(&p->a) ? &p->a : &still, is_kinematic(&p->b) ? &p->b : &still);
}

static inline double magnitude_of(double so_far, double number)
{
    return fabs(number) > so_far ? fabs(number) : so_far;
}

static inline void assert_close(const pair *p, double actual, double expected, const char *what,
                                const char *kernel)
{
    double tolerance = ROUNDINGS * FLT_EPSILON * p->magnitude;
    if (!(fabs(actual - expected) <= tolerance)) {
        print_error("%s: %s is %.9g, by the equations %.9g, tolerance %.2g\n", kernel, what, actual, expected,
                    tolerance);
        fail();
    }
}

static inline void assert_bodies(pair *p, const body *a, const body *b, const kernel_data *data,
                                 const char *kernel, bool summed)
{
    const body *before[] = {&p->a, &p->b}, *after[] = {a, b};
    const int32_t rows[] = {p->row_a, p->row_b};
    for (int side = 0; side < 2; side++) {
        if (rows[side] == 0)
            continue;
        d3 v, w, dv = d3_sub(after[side]->v, before[side]->v), dw = d3_sub(after[side]->w, before[side]->w);
        take_row(summed ? &data->sums[rows[side]] : &data->rows[rows[side]], before[side], &v, &w);
        if (summed) {
            /* The sums are what the copies' changes average to. */
            dv = d3_scale(dv, 1 / p->share[side]);
            dw = d3_scale(dw, 1 / p->share[side]);
        } else {
            dv = d3_add(dv, before[side]->v);
            dw = d3_add(dw, before[side]->w);
        }
        const double found[] = {v.x, v.y, v.z, w.x, w.y, w.z};
        const double expected[] = {dv.x, dv.y, dv.z, dw.x, dw.y, dw.z};
        for (int i = 0; i < 6; i++)
            p->magnitude = magnitude_of(p->magnitude, expected[i]);
        for (int i = 0; i < 6; i++)
            assert_close(p, found[i], expected[i], i < 3 ? "linear velocity" : "angular velocity", kernel);
    }
}

static inline const kernel_entry *kernel_named(const char *name)
{
    for (int k = 0; k < COUNT_OF(all_kernels); k++)
        if (strcmp(all_kernels[k].name, name) == 0)
            return &all_kernels[k];
    fail_msg("no kernel %s", name);
    return NULL;
}

/* About the values of a 30 Hz contact at 240 substeps a second. */
static inline dry_sweep random_sweep(uint64_t *seed)
{
    dry_sweep s = {0};
    s.substep = 1.0f / 240.0f;
    s.time = (float)random_in(seed, 0, 0.016);
    s.acceleration_time = (float)random_in(seed, -0.008, 0.008);
    s.rate_free = 240.0f;
    s.rate = (float)random_in(seed, 10, 60);
    float softness = (float)random_in(seed, 0.05, 1);
    s.relative_softness = softness;
    s.softness = (float)random_in(seed, 0.05, 1);
    s.approach_scale = (float)random_in(seed, 0, 1);
    s.bias_speed_max = s.joint_speed_max = (float)random_in(seed, 0.5, 2);
    s.relaxation = (float)random_in(seed, 0.4, 1.6);
    s.bounce_speed = 0.5f;
    s.prefetch_rows = random_below(seed, 2);
    s.prefetch_end = random_below(seed, 2); /* fetching ahead changes nothing */
    return s;
}

enum { ROUNDS = 60 };

/* The share of the coupling that a pair of points is solved with, so that two points of one place have a
 * solution. */
#define PAIR_COUPLING (1.0 - 1.0 / 64.0)

#endif

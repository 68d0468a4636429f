/* What the kernels compute, against the equations written down in double precision with masses, levers and
 * world-space velocities: no whitening, no lanes, none of the kernels' code.
 *
 * [Spook 27-34] per row: S = G M^-1 G^T, dlambda = -(G W + a q - (1 - b) G W0 + eps lambda) / (S + eps), the
 * total clamped, W += M^-1 G^T dlambda. Each test draws bodies and constraints, whitens them into a bundle,
 * and compares velocities and impulses after one sweep. */
#include "tests/kernel_data.h"

/* Roundings. A kernel's result is a sum of some hundred products, each of which rounds by half of
 * FLT_EPSILON of its size at most; the sizes are at most `magnitude`, the largest number on the way. Their
 * errors are independent, and 100 of them together stay within 50; twice that leaves room for what inverse
 * masses (up to 4) do to them. */
#define ROUNDINGS 100.0

typedef struct body {
    double inverse_mass;       /* 0: static or kinematic */
    double inverse_inertia[3]; /* principal */
    d3 axes[3];                /* of the principal frame, in the world */
    d3 v, w;                   /* m/s, rad/s */
    d3 x, turn;                /* displacement since the step began, m and rad */
} body;

static d3 random_unit(uint64_t *seed)
{
    for (;;) {
        d3 v = random_d3(seed, 1);
        double length = sqrt(d3_dot(v, v));
        if (length > 0.1 && length < 1)
            return d3_scale(v, 1 / length);
    }
}

static d3 any_perpendicular(d3 n)
{
    d3 other = fabs(n.x) < 0.5 ? (d3){1, 0, 0} : (d3){0, 1, 0};
    return d3_unit(d3_cross(n, other));
}

static body random_body(uint64_t *seed, bool fixed, bool driven, double time)
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
    if (!fixed || driven) {
        b.v = random_d3(seed, 3);
        b.w = random_d3(seed, 3);
    }
    b.x = fixed ? d3_scale(b.v, time) : random_d3(seed, 0.02);
    b.turn = fixed ? d3_scale(b.w, time) : random_d3(seed, 0.02);
    return b;
}

static d3 turn_by(const body *b, d3 torque) /* I^-1 torque */
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

static d3 row_torque(const row *g, d3 lever)
{
    return g->about ? g->direction : d3_cross(lever, g->direction);
}

static double row_of(const row *g, d3 va, d3 wa, d3 vb, d3 wb)
{
    double linear = g->about ? 0 : d3_dot(g->direction, d3_sub(vb, va));
    return linear + d3_dot(row_torque(g, g->rb), wb) - d3_dot(row_torque(g, g->ra), wa);
}

static double row_speed(const row *g, const body *a, const body *b)
{
    return row_of(g, a->v, a->w, b->v, b->w);
}

static double row_displacement(const row *g, const body *a, const body *b)
{
    return row_of(g, a->x, a->turn, b->x, b->turn);
}

/* G_i M^-1 G_j^T; Jacobi: with each body's mass divided by how many share it. */
static double row_mass(const row *i, const row *j, const body *a, const body *b, const double share[2])
{
    double linear = i->about ? 0 : d3_dot(i->direction, j->direction);
    return share[0] * (linear * a->inverse_mass + d3_dot(row_torque(i, i->ra), turn_by(a, row_torque(j, j->ra)))) +
           share[1] * (linear * b->inverse_mass + d3_dot(row_torque(i, i->rb), turn_by(b, row_torque(j, j->rb))));
}

/* W += M^-1 G^T lambda [Spook 34]. */
static void row_apply(const row *g, body *a, body *b, double lambda, const double share[2])
{
    if (!g->about) {
        a->v = d3_sub(a->v, d3_scale(g->direction, lambda * share[0] * a->inverse_mass));
        b->v = d3_add(b->v, d3_scale(g->direction, lambda * share[1] * b->inverse_mass));
    }
    a->w = d3_sub(a->w, d3_scale(turn_by(a, row_torque(g, g->ra)), lambda * share[0]));
    b->w = d3_add(b->w, d3_scale(turn_by(b, row_torque(g, g->rb)), lambda * share[1]));
}

/* Whitening: u = M^(1/2) W, g = G M^(-1/2). */

static void put_row(dry_solver_row *out, const body *b)
{
    double mass = 1 / sqrt(b->inverse_mass);
    const double linear[6] = {b->v.x, b->v.y, b->v.z, b->x.x, b->x.y, b->x.z};
    for (int i = 0; i < 3; i++) {
        double root = 1 / sqrt(b->inverse_inertia[i]);
        out->ul[i] = (float)(mass * linear[i]);
        out->dl[i] = (float)(mass * linear[3 + i]);
        out->ua[i] = (float)(root * d3_dot(b->axes[i], b->w));
        out->da[i] = (float)(root * d3_dot(b->axes[i], b->turn));
    }
}

static void take_row(const dry_solver_row *in, const body *b, d3 *v, d3 *w)
{
    *v = d3_scale((d3){in->ul[0], in->ul[1], in->ul[2]}, sqrt(b->inverse_mass));
    *w = (d3){0, 0, 0};
    for (int i = 0; i < 3; i++)
        *w = d3_add(*w, d3_scale(b->axes[i], sqrt(b->inverse_inertia[i]) * (double)in->ua[i]));
}

static void put_lever(dry_lanes *a_lanes, dry_lanes *b_lanes, int lane, const row *g, const body *a, const body *b)
{
    for (int i = 0; i < 3; i++) {
        a_lanes[i][lane] = (float)(-sqrt(a->inverse_inertia[i]) * d3_dot(a->axes[i], row_torque(g, g->ra)));
        b_lanes[i][lane] = (float)(sqrt(b->inverse_inertia[i]) * d3_dot(b->axes[i], row_torque(g, g->rb)));
    }
}

static void put_d3(dry_lanes *lanes, int lane, d3 v)
{
    lanes[0][lane] = (float)v.x;
    lanes[1][lane] = (float)v.y;
    lanes[2][lane] = (float)v.z;
}

/* One lane of any kind. */
typedef struct pair {
    body a, b;
    int32_t row_a, row_b;
    double share[2];
    double magnitude;
} pair;

static void random_pair(uint64_t *seed, pair *p, int lane, bool jacobi, double time)
{
    int kind = random_below(seed, 6); /* 0: a static; 1: b static; 2: a kinematic; 3: b kinematic */
    p->a = random_body(seed, kind == 0 || kind == 2, kind == 2, time);
    p->b = random_body(seed, kind == 1 || kind == 3, kind == 3, time);
    p->row_a = p->a.inverse_mass > 0 ? 1 + 2 * lane : 0;
    p->row_b = p->b.inverse_mass > 0 ? 2 + 2 * lane : 0;
    for (int side = 0; side < 2; side++)
        p->share[side] = jacobi ? 1 + random_below(seed, 6) : 1;
    p->magnitude = 1;
}

static bool is_kinematic(const body *b)
{
    return b->inverse_mass == 0 && d3_dot(b->v, b->v) > 0;
}

/* What a kinematic body adds to a row's speed; the kernel sees such a body as static. */
static double row_driven(const row *g, const pair *p)
{
    body still = {0};
    return row_speed(g, is_kinematic(&p->a) ? &p->a : &still, is_kinematic(&p->b) ? &p->b : &still);
}

static double magnitude_of(double so_far, double number)
{
    return fabs(number) > so_far ? fabs(number) : so_far;
}

static void assert_close(const pair *p, double actual, double expected, const char *what, const char *kernel)
{
    double tolerance = ROUNDINGS * FLT_EPSILON * p->magnitude;
    if (!(fabs(actual - expected) <= tolerance)) {
        print_error("%s: %s is %.9g, by the equations %.9g, tolerance %.2g\n", kernel, what, actual, expected,
                    tolerance);
        fail();
    }
}

static void assert_bodies(pair *p, const body *a, const body *b, const kernel_data *data, const char *kernel,
                          bool jacobi)
{
    const body *before[] = {&p->a, &p->b}, *after[] = {a, b};
    const int32_t rows[] = {p->row_a, p->row_b};
    for (int side = 0; side < 2; side++) {
        if (rows[side] == 0)
            continue;
        d3 v, w, dv = d3_sub(after[side]->v, before[side]->v), dw = d3_sub(after[side]->w, before[side]->w);
        take_row(jacobi ? &data->sums[rows[side]] : &data->rows[rows[side]], before[side], &v, &w);
        if (jacobi) {
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
            assert_close(p, found[i], expected[i], i < 3 ? "linear velocity" : "angular velocity", kernel);
    }
}

/* Contacts. */

typedef struct contact {
    pair p;
    int points;
    row normal[4], tangent[2], twist;
    double separation[4], approach[4], met[4], peak[4], impulse[4], friction_impulse[2], twist_impulse;
    double mu, reach, restitution, box;
} contact;

static void random_contact(uint64_t *seed, contact *c, int lane, bool jacobi, double time)
{
    memset(c, 0, sizeof *c);
    random_pair(seed, &c->p, lane, jacobi, time);
    d3 n = random_unit(seed), t = any_perpendicular(n), apart = random_d3(seed, 1);
    d3 center_a = {0, 0, 0}, center_b = {0, 0, 0};
    c->points = 1 + random_below(seed, 4);
    for (int i = 0; i < c->points; i++) {
        d3 ra = random_d3(seed, 1), rb = d3_sub(ra, apart);
        c->normal[i] = (row){n, ra, rb, false};
        center_a = d3_add(center_a, d3_scale(ra, 1.0 / c->points));
        center_b = d3_add(center_b, d3_scale(rb, 1.0 / c->points));
        c->separation[i] = (float)random_in(seed, -0.05, 0.03);
        c->impulse[i] = random_below(seed, 3) ? (float)random_in(seed, 0, 2) : 0;
        c->approach[i] = (float)random_in(seed, -4, 1);
        c->met[i] = (float)random_in(seed, -4, 1);
        c->peak[i] = random_below(seed, 3) ? (float)random_in(seed, 0.1, 2) : 0;
    }
    c->tangent[0] = (row){t, center_a, center_b, false};
    c->tangent[1] = (row){d3_cross(n, t), center_a, center_b, false};
    c->twist = (row){n, center_a, center_b, true};
    for (int k = 0; k < 2; k++)
        c->friction_impulse[k] = (float)random_in(seed, -0.5, 0.5);
    c->twist_impulse = (float)random_in(seed, -0.3, 0.3);
    c->mu = (float)random_in(seed, 0, 1.5);
    c->reach = (float)random_in(seed, 0, 1);
    c->restitution = random_below(seed, 4) ? (float)random_in(seed, 0.1, 1) : 0;
    c->box = (float)random_in(seed, 0, 100);
}

static void put_contact(contact *c, kernel_data *data, int lane)
{
    dry_contact_bundle *out = &data->contact[0];
    dry_contact_bundle_rare *rare = &data->rare[0];
    const pair *p = &c->p;
    out->row_a[lane] = p->row_a;
    out->row_b[lane] = p->row_b;
    if (p->row_a)
        put_row(&data->rows[p->row_a], &p->a);
    if (p->row_b)
        put_row(&data->rows[p->row_b], &p->b);
    put_d3(out->normal, lane, c->normal[0].direction);
    put_d3(out->tangent, lane, c->tangent[0].direction);
    out->lin_a[lane] = (float)sqrt(p->a.inverse_mass);
    out->lin_b[lane] = (float)sqrt(p->b.inverse_mass);
    for (int i = 0; i < c->points; i++) {
        put_lever(out->ang_a[i], out->ang_b[i], lane, &c->normal[i], &p->a, &p->b);
        double s = row_mass(&c->normal[i], &c->normal[i], &p->a, &p->b, p->share);
        out->inverse_mass[i][lane] = (float)(1 / s);
        out->separation[i][lane] = (float)c->separation[i];
        out->impulse[i][lane] = (float)c->impulse[i];
        rare->approach[i][lane] = (float)c->approach[i];
        rare->met[i][lane] = (float)c->met[i];
        rare->peak[i][lane] = (float)c->peak[i];
        rare->driven_normal[i][lane] = (float)row_driven(&c->normal[i], p);
    }
    double k[2][2];
    for (int i = 0; i < 2; i++) {
        put_lever(out->friction_a[i], out->friction_b[i], lane, &c->tangent[i], &p->a, &p->b);
        out->friction_impulse[i][lane] = (float)c->friction_impulse[i];
        rare->driven_friction[i][lane] = (float)row_driven(&c->tangent[i], p);
        for (int j = 0; j < 2; j++)
            k[i][j] = row_mass(&c->tangent[i], &c->tangent[j], &p->a, &p->b, p->share);
    }
    double determinant = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    out->friction_mass[0][lane] = (float)(k[1][1] / determinant);
    out->friction_mass[1][lane] = (float)(-k[0][1] / determinant);
    out->friction_mass[2][lane] = (float)(k[0][0] / determinant);
    put_lever(out->twist_a, out->twist_b, lane, &c->twist, &p->a, &p->b);
    out->twist_mass[lane] = (float)(1 / row_mass(&c->twist, &c->twist, &p->a, &p->b, p->share));
    out->twist_impulse[lane] = (float)c->twist_impulse;
    rare->driven_twist[lane] = (float)row_driven(&c->twist, p);
    out->friction[lane] = (float)c->mu;
    out->reach[lane] = (float)c->reach;
    rare->restitution[lane] = (float)c->restitution;
    rare->friction_box[lane] = (float)c->box;
    rare->share_a[lane] = (float)p->share[0];
    rare->share_b[lane] = (float)p->share[1];
    rare->contact[lane] = lane;
    if (is_kinematic(&p->a) || is_kinematic(&p->b))
        rare->flags |= DRY_BUNDLE_DRIVEN;
}

typedef struct variant {
    const char *kernel;
    bool position, spook, jacobi;
    dry_friction friction;
} variant;

static double sum4(const double *v)
{
    return v[0] + v[1] + v[2] + v[3];
}

static void expect_friction(contact *c, body *a, body *b, const variant *v, const dry_sweep *s, double normal)
{
    pair *p = &c->p;
    double wanted[2], speed[2], k[2][2];
    for (int i = 0; i < 2; i++) {
        speed[i] = row_speed(&c->tangent[i], a, b);
        for (int j = 0; j < 2; j++)
            k[i][j] = row_mass(&c->tangent[i], &c->tangent[j], &p->a, &p->b, p->share);
    }
    double determinant = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    if (v->friction == DRY_FRICTION_VELOCITY) {
        /* One mass for both directions: the mean of the inverse block's diagonal. */
        double mass = 0.5 * (k[0][0] + k[1][1]) / determinant;
        for (int i = 0; i < 2; i++)
            wanted[i] = c->friction_impulse[i] - mass * speed[i];
    } else {
        /* K d = -speed, by Cramer's rule. */
        wanted[0] = c->friction_impulse[0] + (k[0][1] * speed[1] - k[1][1] * speed[0]) / determinant;
        wanted[1] = c->friction_impulse[1] + (k[1][0] * speed[0] - k[0][0] * speed[1]) / determinant;
    }
    double limit = c->mu * normal, size = hypot(wanted[0], wanted[1]);
    for (int i = 0; i < 2; i++) {
        p->magnitude = magnitude_of(p->magnitude, speed[i] * (k[0][0] + k[1][1]) / determinant);
        double total = wanted[i];
        if (v->friction == DRY_FRICTION_SCALED_BOX) {
            double box = normal > 0 ? c->box * (double)s->substep : 0;
            total = fmax(-box, fmin(box, total));
        } else if (size > limit) {
            total *= limit / size;
        }
        row_apply(&c->tangent[i], a, b, total - c->friction_impulse[i], p->share);
        c->friction_impulse[i] = total;
    }
    double mass = row_mass(&c->twist, &c->twist, &p->a, &p->b, p->share);
    double twist = c->twist_impulse - row_speed(&c->twist, a, b) / mass;
    p->magnitude = magnitude_of(p->magnitude, twist);
    twist = fmax(-limit * c->reach, fmin(limit * c->reach, twist));
    row_apply(&c->twist, a, b, twist - c->twist_impulse, p->share);
    c->twist_impulse = twist;
}

static void expect_normals(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    pair *p = &c->p;
    for (int i = 0; i < c->points; i++) {
        const row *g = &c->normal[i];
        double speed = row_speed(g, a, b), q = c->separation[i] + row_displacement(g, &p->a, &p->b);
        double mass = row_mass(g, g, &p->a, &p->b, p->share), lambda = c->impulse[i];
        double eps = 0, bias = 0;
        if (v->position)
            c->met[i] = fmin(c->met[i], speed);
        if (q > 0) {
            bias = q * (double)s->rate_free;
        } else if (v->position) {
            bias = fmax(q * (double)s->rate, -(double)s->push_speed_max);
            /* As a frequency: eps is that share of S. */
            double share = (double)s->impulse_scale / (double)s->mass_scale;
            eps = v->spook ? (double)s->softness : share * mass;
            if (v->spook)
                bias -= (double)s->approach_scale * c->approach[i];
        }
        double change = -(speed + bias + eps * lambda) / (mass + eps);
        p->magnitude = magnitude_of(magnitude_of(p->magnitude, (fabs(speed) + fabs(bias)) / mass), lambda);
        double total = fmax(0, lambda + change);
        row_apply(g, a, b, total - lambda, p->share);
        c->impulse[i] = total;
    }
}

static void assert_contact(contact *c, const body *a, const body *b, const kernel_data *data, int lane,
                           const variant *v)
{
    const dry_contact_bundle *found = &data->contact[0];
    for (int i = 0; i < 4; i++)
        assert_close(&c->p, (double)found->impulse[i][lane], c->impulse[i], "normal impulse", v->kernel);
    for (int i = 0; i < 2; i++)
        assert_close(&c->p, (double)found->friction_impulse[i][lane], c->friction_impulse[i], "friction impulse",
                     v->kernel);
    assert_close(&c->p, (double)found->twist_impulse[lane], c->twist_impulse, "torsion impulse", v->kernel);
    assert_bodies(&c->p, a, b, data, v->kernel, v->jacobi);
}

static const kernel_entry *kernel_named(const char *name)
{
    for (int k = 0; k < COUNT_OF(all_kernels); k++)
        if (strcmp(all_kernels[k].name, name) == 0)
            return &all_kernels[k];
    fail_msg("no kernel %s", name);
    return NULL;
}

/* What a 30 Hz contact at 240 substeps a second has, about. */
static dry_sweep random_sweep(uint64_t *seed)
{
    dry_sweep s = {0};
    s.substep = 1.0f / 240.0f;
    s.time = (float)random_in(seed, 0, 0.016);
    s.turn_speed = (float)random_in(seed, -0.008, 0.008);
    s.turn_gap = (float)random_in(seed, -1e-4, 1e-4);
    s.rate_free = 240.0f;
    s.rate = (float)random_in(seed, 10, 60);
    float softness = (float)random_in(seed, 0.05, 1);
    s.mass_scale = 1.0f / (1.0f + softness);
    s.impulse_scale = softness * s.mass_scale;
    s.softness = (float)random_in(seed, 0.05, 1);
    s.approach_scale = (float)random_in(seed, 0, 1);
    s.push_speed_max = (float)random_in(seed, 0.5, 2);
    s.restitution_speed = 1.0f;
    return s;
}

/* Where the rule has a jump, rounding may fall on its other side: such a draw is drawn again. */
static bool near_a_jump(const contact *c)
{
    for (int i = 0; i < c->points; i++)
        if (fabs(c->separation[i] + row_displacement(&c->normal[i], &c->p.a, &c->p.b)) < 1e-5 ||
            fabs(c->met[i] + 1.0) < 1e-5)
            return true;
    return false;
}

enum { ROUNDS = 60 };

/* How often each side of each rule was taken, so that no test passes by never reaching one. */
typedef struct seen {
    int gap, overlap, clamped, pushing, sliding, sticking, twisting, bounced, driven;
} seen;

static void note(seen *n, const contact *c, const contact *before)
{
    for (int i = 0; i < c->points; i++) {
        double q = c->separation[i] + row_displacement(&c->normal[i], &c->p.a, &c->p.b);
        n->gap += q > 0;
        n->overlap += q < 0;
        n->clamped += c->impulse[i] == 0;
        n->pushing += c->impulse[i] > 0;
        n->bounced += c->impulse[i] != before->impulse[i];
    }
    double size = hypot(c->friction_impulse[0], c->friction_impulse[1]);
    double limits[] = {c->mu * sum4(before->impulse), c->mu * sum4(c->impulse)};
    bool slides = fabs(size - limits[0]) < 1e-9 || fabs(size - limits[1]) < 1e-9;
    n->sliding += slides;
    n->sticking += !slides;
    n->twisting += c->twist_impulse != before->twist_impulse;
    n->driven += is_kinematic(&c->p.a) || is_kinematic(&c->p.b);
}

static void expect_sweep(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    double normal = sum4(c->impulse);
    if (v->friction == DRY_FRICTION_TWO_PHASE) {
        expect_normals(c, a, b, v, s);
        expect_friction(c, a, b, v, s, sum4(c->impulse));
    } else {
        expect_friction(c, a, b, v, s, normal);
        expect_normals(c, a, b, v, s);
    }
}

static void check_contact_kernel(const variant *v, seen *n,
                                 void (*expect)(contact *c, body *a, body *b, const variant *v, const dry_sweep *s))
{
    static kernel_data data;
    static contact contacts[DRY_BUNDLE];
    const kernel_entry *kernel = kernel_named(v->kernel);
    uint64_t seed = 20260731;
    for (int round = 0; round < ROUNDS; round++) {
        memset(&data, 0, sizeof data);
        data.sweep = random_sweep(&seed);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            do
                random_contact(&seed, &contacts[lane], lane, v->jacobi, (double)data.sweep.time);
            while (near_a_jump(&contacts[lane]));
            put_contact(&contacts[lane], &data, lane);
        }
        data.rare[0].flags |= DRY_BUNDLE_IMPACT;
        kernel_run(kernel, &dry_kernels_scalar, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            contact *c = &contacts[lane], before = *c;
            body a = c->p.a, b = c->p.b;
            expect(c, &a, &b, v, &data.sweep);
            assert_contact(c, &a, &b, &data, lane, v);
            for (int i = 0; i < c->points && expect == expect_sweep; i++) {
                assert_close(&c->p, (double)data.rare[0].peak[i][lane], fmax(before.peak[i], c->impulse[i]),
                             "peak impulse", v->kernel);
                assert_close(&c->p, (double)data.rare[0].met[i][lane], c->met[i], "meeting speed", v->kernel);
            }
            note(n, c, &before);
        }
    }
}

static void test_contact_sweeps(void **state)
{
    (void)state;
    static const variant variants[] = {
        {"contact_solve_cone", true, false, false, DRY_FRICTION_CONE},
        {"contact_solve_cone_spook", true, true, false, DRY_FRICTION_CONE},
        {"contact_relax_cone", false, false, false, DRY_FRICTION_CONE},
        {"contact_solve_box", true, false, false, DRY_FRICTION_SCALED_BOX},
        {"contact_relax_box", false, false, false, DRY_FRICTION_SCALED_BOX},
        {"contact_solve_two_phase", true, false, false, DRY_FRICTION_TWO_PHASE},
        {"contact_relax_two_phase", false, false, false, DRY_FRICTION_TWO_PHASE},
        {"contact_solve_velocity", true, false, false, DRY_FRICTION_VELOCITY},
        {"contact_relax_velocity", false, false, false, DRY_FRICTION_VELOCITY},
        {"jacobi_contact_solve", true, false, true, DRY_FRICTION_CONE},
        {"jacobi_contact_relax", false, false, true, DRY_FRICTION_CONE},
    };
    for (int i = 0; i < COUNT_OF(variants); i++) {
        seen n = {0};
        check_contact_kernel(&variants[i], &n, expect_sweep);
        assert_true(n.gap > 100 && n.overlap > 100 && n.clamped > 100 && n.pushing > 100);
        assert_true(n.twisting > 100 && n.driven > 100 && n.sticking > 50);
        assert_true(n.sliding > 50 || variants[i].friction == DRY_FRICTION_SCALED_BOX);
    }
}

/* Warm starting applies what is stored, and changes none of it. */
static void expect_warm(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    (void)v;
    (void)s;
    for (int i = 0; i < c->points; i++)
        row_apply(&c->normal[i], a, b, c->impulse[i], c->p.share);
    for (int i = 0; i < 2; i++)
        row_apply(&c->tangent[i], a, b, c->friction_impulse[i], c->p.share);
    row_apply(&c->twist, a, b, c->twist_impulse, c->p.share);
}

static void test_contact_warm(void **state)
{
    (void)state;
    seen n = {0};
    check_contact_kernel(&(variant){.kernel = "contact_warm"}, &n, expect_warm);
}

/* u' = -e u0 [Spook 1] where a point met faster than the threshold and pushed, going round the points so
 * often; then friction in the cone of what the normal gave [Spook 3-5]. */
enum { IMPACT_PASSES = 8 };

static void expect_impact(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    for (int pass = 0; pass < IMPACT_PASSES; pass++)
        for (int i = 0; i < c->points; i++) {
            if (c->met[i] >= -(double)s->restitution_speed || c->peak[i] <= 0 || c->restitution <= 0)
                continue;
            const row *g = &c->normal[i];
            double mass = row_mass(g, g, &c->p.a, &c->p.b, c->p.share), old = c->impulse[i];
            double leave = -c->restitution * c->met[i], speed = row_speed(g, a, b);
            c->impulse[i] = fmax(0, old + (leave - speed) / mass);
            c->p.magnitude = magnitude_of(c->p.magnitude, (fabs(leave) + fabs(speed)) / mass);
            row_apply(g, a, b, c->impulse[i] - old, c->p.share);
            /* Right after its own impulse the point leaves with that speed, or is not held. */
            assert_true(c->impulse[i] == 0 || fabs(row_speed(g, a, b) - leave) < 1e-9);
        }
    expect_friction(c, a, b, v, s, sum4(c->impulse));
}

static void test_contact_impact(void **state)
{
    (void)state;
    seen n = {0};
    check_contact_kernel(&(variant){.kernel = "contact_impact"}, &n, expect_impact);
    assert_true(n.bounced > 100 && n.sliding > 50 && n.sticking > 50 && n.clamped > 50);
}

/* A bundle in which nothing may bounce is left as it is. */
static void test_impact_needs_the_flag(void **state)
{
    (void)state;
    static kernel_data data, before;
    uint64_t seed = 3;
    data.sweep = random_sweep(&seed);
    for (int lane = 0; lane < DRY_BUNDLE; lane++) {
        contact c;
        random_contact(&seed, &c, lane, false, 0);
        put_contact(&c, &data, lane);
    }
    before = data;
    kernel_run(kernel_named("contact_impact"), &dry_kernels_scalar, &data, 0, 1);
    assert_true(data_all_same(&before, &data));
}

/* Joints. */

typedef struct joint {
    pair p;
    row rows[3];
    double error[3], turning[3], impulse[3], rate, softness, shrink, inverse[3][3];
    bool rigid;
} joint;

typedef enum pass { WARM, SOLVE, RELAX } pass;

static void invert3(double k[3][3], double inverse[3][3])
{
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        determinant += k[0][i] * (k[1][(i + 1) % 3] * k[2][(i + 2) % 3] - k[1][(i + 2) % 3] * k[2][(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inverse[j][i] = (k[(i + 1) % 3][(j + 1) % 3] * k[(i + 2) % 3][(j + 2) % 3] -
                             k[(i + 1) % 3][(j + 2) % 3] * k[(i + 2) % 3][(j + 1) % 3]) /
                            determinant;
}

/* Rows along the three axes of the world, or one along a line. A rigid joint's softness is taken off the
 * impulse as a share of it; a spring's is eps [Spook 11]. */
static void random_joint(uint64_t *seed, joint *j, int count, int lane, bool jacobi, bool relax, double time)
{
    memset(j, 0, sizeof *j);
    random_pair(seed, &j->p, lane, jacobi, time);
    d3 ra = random_d3(seed, 1), rb = random_d3(seed, 1), line = random_unit(seed);
    const d3 world[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    j->rigid = random_below(seed, 2);
    j->rate = (float)random_in(seed, 10, 60);
    double eps = (float)random_in(seed, 0.05, 1), k[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    j->softness = eps;
    for (int i = 0; i < count; i++) {
        j->rows[i] = (row){count == 3 ? world[i] : line, ra, rb, false};
        j->error[i] = (float)random_in(seed, -0.05, 0.05);
        j->turning[i] = (float)random_in(seed, -20, 20);
        j->impulse[i] = (float)random_in(seed, -2, 2);
    }
    for (int i = 0; i < count; i++)
        for (int l = 0; l < count; l++) {
            k[i][l] = row_mass(&j->rows[i], &j->rows[l], &j->p.a, &j->p.b, j->p.share);
            if (i == l && !(relax && j->rigid))
                k[i][l] += eps;
        }
    invert3(k, j->inverse);
    if (j->rigid && count == 3) {
        j->softness = 0;
        j->shrink = (float)random_in(seed, 0, 0.5);
    }
}

static void expect_joint(joint *j, int count, body *a, body *b, pass when, const dry_sweep *s)
{
    double wanted[3] = {0}, change[3] = {0};
    bool hard = when == RELAX && j->rigid;
    for (int i = 0; i < count; i++) {
        double speed = row_speed(&j->rows[i], a, b) + j->turning[i] * (double)s->turn_speed;
        double q = j->error[i] + row_displacement(&j->rows[i], a, b) - j->turning[i] * (double)s->turn_gap;
        wanted[i] = -(speed + (hard ? 0 : j->rate * q + j->softness * j->impulse[i]));
        j->p.magnitude = magnitude_of(j->p.magnitude, wanted[i] * (j->inverse[0][0] + j->inverse[1][1]));
    }
    for (int i = 0; i < count; i++) {
        for (int l = 0; l < count; l++)
            change[i] += j->inverse[i][l] * wanted[l];
        if (when == SOLVE)
            change[i] -= j->shrink * j->impulse[i];
        if (when == WARM)
            change[i] = j->impulse[i];
    }
    for (int i = 0; i < count; i++) {
        row_apply(&j->rows[i], a, b, change[i], j->p.share);
        j->impulse[i] += when == WARM ? 0 : change[i];
    }
}

static void put_joint(const joint *j, kernel_data *data, int count, int lane)
{
    dry_ball_bundle *ball = &data->ball[0];
    dry_distance_bundle *distance = &data->distance[0];
    const pair *p = &j->p;
    if (p->row_a)
        put_row(&data->rows[p->row_a], &p->a);
    if (p->row_b)
        put_row(&data->rows[p->row_b], &p->b);
    float lin[] = {(float)sqrt(p->a.inverse_mass), (float)sqrt(p->b.inverse_mass)};
    if (count == 3) {
        static const int order[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
        ball->row_a[lane] = p->row_a, ball->row_b[lane] = p->row_b;
        ball->lin_a[lane] = lin[0], ball->lin_b[lane] = lin[1];
        for (int i = 0; i < 3; i++) {
            put_lever(ball->ang_a[i], ball->ang_b[i], lane, &j->rows[i], &p->a, &p->b);
            ball->error[i][lane] = (float)j->error[i];
            ball->turning[i][lane] = (float)j->turning[i];
            ball->driven[i][lane] = (float)row_driven(&j->rows[i], p);
            ball->impulse[i][lane] = (float)j->impulse[i];
        }
        for (int i = 0; i < 6; i++)
            ball->inverse[i][lane] = ball->relax_inverse[i][lane] = (float)j->inverse[order[i][0]][order[i][1]];
        ball->rate[lane] = (float)j->rate, ball->softness[lane] = (float)j->softness;
        ball->shrink[lane] = (float)j->shrink, ball->rigid[lane] = j->rigid ? 1.0f : 0.0f;
        ball->share_a[lane] = (float)p->share[0], ball->share_b[lane] = (float)p->share[1];
        return;
    }
    distance->row_a[lane] = p->row_a, distance->row_b[lane] = p->row_b;
    distance->lin_a[lane] = lin[0], distance->lin_b[lane] = lin[1];
    put_d3(distance->axis, lane, j->rows[0].direction);
    put_lever(distance->ang_a, distance->ang_b, lane, &j->rows[0], &p->a, &p->b);
    distance->error[lane] = (float)j->error[0], distance->turning[lane] = (float)j->turning[0];
    distance->driven[lane] = (float)row_driven(&j->rows[0], p);
    distance->inverse[lane] = distance->relax_inverse[lane] = (float)j->inverse[0][0];
    distance->rate[lane] = (float)j->rate, distance->softness[lane] = (float)j->softness;
    distance->rigid[lane] = j->rigid ? 1.0f : 0.0f;
    distance->impulse[lane] = (float)j->impulse[0];
    distance->share_a[lane] = (float)p->share[0], distance->share_b[lane] = (float)p->share[1];
}

static void check_joint_kernel(const char *name, int count, pass when)
{
    static kernel_data data;
    const kernel_entry *kernel = kernel_named(name);
    bool jacobi = kernel_is_jacobi(kernel);
    uint64_t seed = 8128;
    for (int round = 0; round < ROUNDS; round++) {
        joint joints[DRY_BUNDLE];
        memset(&data, 0, sizeof data);
        data.sweep = random_sweep(&seed);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            random_joint(&seed, &joints[lane], count, lane, jacobi, when == RELAX, (double)data.sweep.time);
            put_joint(&joints[lane], &data, count, lane);
        }
        kernel_run(kernel, &dry_kernels_scalar, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            joint *j = &joints[lane];
            body a = j->p.a, b = j->p.b;
            expect_joint(j, count, &a, &b, when, &data.sweep);
            for (int i = 0; i < count; i++)
                assert_close(&j->p, (double)(count == 3 ? data.ball[0].impulse[i] : data.distance[0].impulse)[lane],
                             j->impulse[i], "impulse", name);
            assert_bodies(&j->p, &a, &b, &data, name, jacobi);
        }
    }
}

static void test_ball_kernels(void **state)
{
    (void)state;
    check_joint_kernel("ball_warm", 3, WARM);
    check_joint_kernel("ball_solve", 3, SOLVE);
    check_joint_kernel("ball_relax", 3, RELAX);
    check_joint_kernel("jacobi_ball_solve", 3, SOLVE);
    check_joint_kernel("jacobi_ball_relax", 3, RELAX);
}

static void test_distance_kernels(void **state)
{
    (void)state;
    check_joint_kernel("distance_warm", 1, WARM);
    check_joint_kernel("distance_solve", 1, SOLVE);
    check_joint_kernel("distance_relax", 1, RELAX);
    check_joint_kernel("jacobi_distance_solve", 1, SOLVE);
    check_joint_kernel("jacobi_distance_relax", 1, RELAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_sweeps),
        cmocka_unit_test(test_contact_warm),
        cmocka_unit_test(test_contact_impact),
        cmocka_unit_test(test_impact_needs_the_flag),
        cmocka_unit_test(test_ball_kernels),
        cmocka_unit_test(test_distance_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

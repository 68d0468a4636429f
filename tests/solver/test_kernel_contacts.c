/* Tests the results of the contact kernels against the equations in double precision (kernel_equations.h):
 * each test draws bodies and manifolds, whitens them into a bundle, runs the scalar kernel once, and compares
 * impulses and velocities. That every other instruction set gives the same is test_kernels.c's matter. */
#include "tests/solver/kernel_equations.h"

#include "solver/data/contacts/mode.h"

typedef struct contact {
    pair p;
    int points;
    d3 frame[3];
    row normal[4], tangent[2], torsion, rolling[2];
    double separation[4], impulse[4], friction_impulse[2], torsion_impulse;
    double other_impulse[4], other_friction[2], other_torsion, other_rolling[2]; /* of the other phase */
    double mu, patch_radius, box, compliance;
    double rolling_limit, rolling_impulse[2]; /* limit over the normal impulse; 0: does not resist rolling */
    bool sprung;                              /* its stiffness is given as k */
    double rate, softness, approach_scale;    /* of that spring */
    double before[2], sustained, fall;        /* of its past, by pairs of points */
} contact;

static void random_contact(uint64_t *seed, contact *c, int lane, bool summed, double time)
{
    memset(c, 0, sizeof *c);
    random_pair(seed, &c->p, lane, summed, time);
    d3 n = random_unit(seed), apart = random_d3(seed, 1);
    frame_of(n, c->frame);
    d3 center_a = {0, 0, 0}, center_b = {0, 0, 0};
    c->points = 1 + random_below(seed, 4);
    for (int i = 0; i < c->points; i++) {
        d3 ra = random_d3(seed, 1), rb = d3_sub(ra, apart);
        c->normal[i] = (row){n, ra, rb, false};
        center_a = d3_add(center_a, d3_scale(ra, 1.0 / c->points));
        center_b = d3_add(center_b, d3_scale(rb, 1.0 / c->points));
        c->separation[i] = (float)random_in(seed, -0.05, 0.03);
        c->impulse[i] = random_below(seed, 3) ? (float)random_in(seed, 0, 2) : 0;
        c->other_impulse[i] = random_below(seed, 3) ? (float)random_in(seed, 0, 2) : 0;
    }
    for (int k = 0; k < 2; k++)
        c->tangent[k] = (row){c->frame[k], center_a, center_b, false};
    c->torsion = (row){n, center_a, center_b, true};
    for (int k = 0; k < 2; k++) {
        c->friction_impulse[k] = (float)random_in(seed, -0.5, 0.5);
        c->other_friction[k] = (float)random_in(seed, -0.5, 0.5);
    }
    c->torsion_impulse = (float)random_in(seed, -0.3, 0.3);
    c->other_torsion = (float)random_in(seed, -0.3, 0.3);
    c->compliance = (float)random_in(seed, 1, 3);
    c->mu = (float)random_in(seed, 0, 1.5);
    c->patch_radius = (float)random_in(seed, 0, 1);
    c->box = (float)random_in(seed, 0, 100);
    for (int k = 0; k < 2; k++)
        c->rolling[k] = (row){c->frame[k], center_a, center_b, true};
    if (random_below(seed, 2) == 0)
        return;
    c->rolling_limit = (float)random_in(seed, 0.01, 1);
    for (int k = 0; k < 2; k++) {
        c->rolling_impulse[k] = (float)random_in(seed, -0.3, 0.3);
        c->other_rolling[k] = (float)random_in(seed, -0.3, 0.3);
    }
}

static double coupling_of(const contact *c, int i, int j)
{
    return row_mass(&c->normal[i], &c->normal[j], &c->p.a, &c->p.b, c->p.share);
}

static double pair_coupling(const contact *c, int i)
{
    return (i ^ 1) < c->points ? PAIR_COUPLING * coupling_of(c, i, i ^ 1) : 0;
}

/* Stores the inverse of a symmetric 2x2 block. */
static void put_inverse(dry_lanes inverse[3], int lane, double k[2][2])
{
    const double determinant = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    inverse[0][lane] = (float)(k[1][1] / determinant);
    inverse[1][lane] = (float)(-k[0][1] / determinant);
    inverse[2][lane] = (float)(k[0][0] / determinant);
}

static void put_contact(contact *c, kernel_data *data, int lane)
{
    dry_contact_bundle *out = &data->contact[0];
    dry_contact_cold *cold = &data->cold[0];
    const pair *p = &c->p;
    put_pair(data, p, lane, out->row_a, out->row_b);
    put_d3(out->normal, lane, c->normal[0].direction);
    put_frame(out->axis_a, lane, c->frame, &p->a);
    put_frame(out->axis_b, lane, c->frame, &p->b);
    put_d3(out->lever_arm_a, lane, in_frame(c->frame, c->torsion.ra));
    put_d3(out->lever_arm_b, lane, in_frame(c->frame, c->torsion.rb));
    for (int i = 0; i < c->points; i++) {
        d3 offset = in_frame(c->frame, d3_sub(c->normal[i].rb, c->torsion.rb));
        if (i < 3)
            out->offset[i][0][lane] = (float)offset.x, out->offset[i][1][lane] = (float)offset.y;
        for (int j = 2; j < c->points && i < 2; j++)
            out->coupling[i][j - 2][lane] =
                (float)row_mass(&c->normal[i], &c->normal[j], &p->a, &p->b, p->share);
        out->inverse_mass[i][lane] = (float)(1 / coupling_of(c, i, i));
        out->pair_coupling[i / 2][lane] = (float)pair_coupling(c, i);
        out->separation[i][lane] = (float)c->separation[i];
        out->impulse[i][lane] = (float)c->impulse[i];
        cold->other_impulse[i][lane] = (float)c->other_impulse[i];
        cold->kinematic_normal[i][lane] = (float)row_kinematic(&c->normal[i], p);
    }
    double k[2][2];
    for (int i = 0; i < 2; i++) {
        out->friction_impulse[i][lane] = (float)c->friction_impulse[i];
        cold->other_friction[i][lane] = (float)c->other_friction[i];
        cold->other_rolling[i][lane] = (float)c->other_rolling[i];
        cold->kinematic_tangent[i][lane] = (float)row_kinematic(&c->tangent[i], p);
        for (int j = 0; j < 2; j++)
            k[i][j] = row_mass(&c->tangent[i], &c->tangent[j], &p->a, &p->b, p->share);
    }
    put_inverse(out->friction_mass, lane, k);
    for (int i = 0; i < 2; i++) {
        cold->rolling_impulse[i][lane] = (float)c->rolling_impulse[i];
        cold->kinematic_rolling[i][lane] = (float)row_kinematic(&c->rolling[i], p);
        for (int j = 0; j < 2; j++)
            k[i][j] = row_mass(&c->rolling[i], &c->rolling[j], &p->a, &p->b, p->share);
    }
    put_inverse(cold->rolling_mass, lane, k);
    cold->rolling_limit[lane] = (float)c->rolling_limit;
    if (c->rolling_limit > 0)
        cold->flags |= DRY_BUNDLE_ROLLING;
    out->torsion_impulse[lane] = (float)c->torsion_impulse;
    cold->other_torsion[lane] = (float)c->other_torsion;
    cold->kinematic_torsion[lane] = (float)row_kinematic(&c->torsion, p);
    out->friction[lane] = (float)c->mu;
    data->compliance[0].lane[lane] = (float)c->compliance;
    out->patch_radius[lane] = (float)c->patch_radius;
    cold->friction_box[lane] = (float)c->box;
    cold->share_a[lane] = (float)p->share[0];
    cold->share_b[lane] = (float)p->share[1];
    if (is_kinematic(&p->a) || is_kinematic(&p->b))
        cold->flags |= DRY_BUNDLE_KINEMATIC;
}

typedef struct variant {
    const char *kernel;
    bool position, spook, summed;
    dry_friction friction;
    bool frictionless;
    bool springs; /* pairs have springs of their own, some of them or all */
} variant;

/* Returns the share of its error that a row removes. The fastest kernels are those of shares of 1. */
static double share_of(const variant *v, const dry_sweep *s)
{
    return v->position && strcmp(v->kernel, "contact_solve_cone") != 0 ? (double)s->relaxation : 1;
}

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
    double determinant = k[0][0] * k[1][1] - k[0][1] * k[1][0], share = share_of(v, s);
    /* K d = -speed, by Cramer's rule. */
    wanted[0] = c->friction_impulse[0] + share * (k[0][1] * speed[1] - k[1][1] * speed[0]) / determinant;
    wanted[1] = c->friction_impulse[1] + share * (k[1][0] * speed[0] - k[0][0] * speed[1]) / determinant;
    double limit = c->mu * normal;
    const bool box = contact_friction_is_box(v->friction), along = v->friction == DRY_FRICTION_VELOCITY;
    const bool slides = hypot(wanted[0], wanted[1]) > limit && !box && !along;
    if (slides || along) {
        /* Against the sliding; the velocity model with the mass along it, |speed|^2 / (speed^T K speed). */
        double square = 0, block = 0;
        for (int i = 0; i < 2; i++) {
            square += speed[i] * speed[i];
            for (int j = 0; j < 2; j++)
                block += speed[i] * k[i][j] * speed[j];
        }
        double mass = along ? share * square / block : 2 / (k[0][0] + k[1][1]);
        for (int i = 0; i < 2; i++)
            wanted[i] = c->friction_impulse[i] - mass * speed[i];
    }
    double size = hypot(wanted[0], wanted[1]);
    for (int i = 0; i < 2; i++) {
        p->magnitude = magnitude_of(p->magnitude, speed[i] * (k[0][0] + k[1][1]) / determinant);
        double total = wanted[i];
        if (box) {
            double bound = normal > 0 ? c->box * (double)s->substep : 0;
            total = fmax(-bound, fmin(bound, total));
        } else if (slides || size > limit) {
            total *= limit / size;
        }
        row_apply(&c->tangent[i], a, b, total - c->friction_impulse[i], p->share);
        c->friction_impulse[i] = total;
    }
    double mass = row_mass(&c->torsion, &c->torsion, &p->a, &p->b, p->share);
    double torsion = c->torsion_impulse - share * row_speed(&c->torsion, a, b) / mass;
    p->magnitude = magnitude_of(p->magnitude, torsion);
    torsion = fmax(-limit * c->patch_radius, fmin(limit * c->patch_radius, torsion));
    row_apply(&c->torsion, a, b, torsion - c->torsion_impulse, p->share);
    c->torsion_impulse = torsion;
}

/* The moment stops the relative rotation about the tangents, and is at most its limit times the normal
 * impulse. */
static void expect_rolling(contact *c, body *a, body *b, double share, double normal)
{
    pair *p = &c->p;
    double k[2][2], speed[2], moment[2];
    for (int i = 0; i < 2; i++) {
        speed[i] = row_speed(&c->rolling[i], a, b);
        for (int j = 0; j < 2; j++)
            k[i][j] = row_mass(&c->rolling[i], &c->rolling[j], &p->a, &p->b, p->share);
    }
    const double determinant = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    moment[0] = c->rolling_impulse[0] - share * (k[1][1] * speed[0] - k[0][1] * speed[1]) / determinant;
    moment[1] = c->rolling_impulse[1] - share * (k[0][0] * speed[1] - k[0][1] * speed[0]) / determinant;
    /* What the larger diagonal takes off the smaller's digits. */
    p->magnitude =
        magnitude_of(p->magnitude, (fabs(moment[0]) + fabs(moment[1])) * k[0][0] * k[1][1] / determinant);
    const double limit = c->rolling_limit * normal;
    const bool rolls = hypot(moment[0], moment[1]) > limit;
    for (int i = 0; i < 2 && rolls; i++)
        moment[i] = c->rolling_impulse[i] - 2 / (k[0][0] + k[1][1]) * speed[i];
    const double size = hypot(moment[0], moment[1]);
    for (int i = 0; i < 2; i++) {
        const double total = rolls ? moment[i] * limit / size : moment[i];
        row_apply(&c->rolling[i], a, b, total - c->rolling_impulse[i], p->share);
        c->rolling_impulse[i] = total;
    }
}

/* One row of a pair: residual + diagonal dlambda + coupling dlambda_j = 0. */
typedef struct pair_row {
    double old, residual, diagonal;
} pair_row;

static pair_row normal_row(contact *c, const body *a, const body *b, const variant *v, const dry_sweep *s,
                           int i)
{
    const row *g = &c->normal[i];
    double speed = row_speed(g, a, b), q = c->separation[i] + row_displacement(g, &c->p.a, &c->p.b);
    double mass = coupling_of(c, i, i), lambda = c->impulse[i];
    double eps = 0, bias = 0;
    if (q > 0 && !c->sprung) {
        bias = q * (double)s->rate_free;
    } else if (v->position || c->sprung) {
        /* As a frequency: eps is that share of S. */
        eps = c->sprung ? c->softness : c->compliance * (double)s->relative_softness * mass;
        bias = q * (c->sprung ? c->rate : (double)s->rate) + eps * lambda;
        const double most = -(double)s->bias_speed_max;
        if (c->sprung) {
            /* Bounded is what the impulse leaves of it, and then the row has no softness. */
            speed -= c->approach_scale * row_speed(g, &c->p.begin_a, &c->p.begin_b);
            if (bias - eps * (speed + bias) / (mass + eps) < most)
                bias = most, eps = 0;
        } else {
            bias = fmax(bias, most);
        }
    }
    c->p.magnitude = magnitude_of(magnitude_of(c->p.magnitude, speed), (fabs(speed) + fabs(bias)) / mass);
    return (pair_row){lambda, share_of(v, s) * (speed + bias), mass + eps};
}

/* Solves the complementarity problem of two rows, or of one if `both` is false, by trying each set of
 * impulses that are 0. */
static void solve_pair(const pair_row r[2], double coupling, bool both, double change[2])
{
    double best = INFINITY;
    for (int set = 0; set < 4; set++) {
        double d[2] = {-r[0].old, -r[1].old};
        if (!both && set >= 2)
            break;
        if (set == 3) {
            double det = r[0].diagonal * r[1].diagonal - coupling * coupling;
            d[0] = (coupling * r[1].residual - r[1].diagonal * r[0].residual) / det;
            d[1] = (coupling * r[0].residual - r[0].diagonal * r[1].residual) / det;
        } else if (set) {
            int i = set - 1;
            d[i] = -(r[i].residual + (both ? coupling * d[i ^ 1] : 0)) / r[i].diagonal;
        }
        /* How far the set is from a solution. */
        double violation = 0;
        for (int i = 0; i < 1 + both; i++) {
            double w = r[i].residual + r[i].diagonal * d[i] + (both ? coupling * d[i ^ 1] : 0);
            violation = fmax(violation, -(r[i].old + d[i]) * r[i].diagonal);
            violation = fmax(violation, set >> i & 1 ? 0 : -w);
        }
        if (violation < best) {
            best = violation;
            change[0] = d[0], change[1] = both ? d[1] : 0;
        }
    }
}

static void apply_pair(contact *c, body *a, body *b, const double change[4], int first)
{
    for (int i = first; i < first + 2 && i < c->points; i++) {
        row_apply(&c->normal[i], a, b, change[i], c->p.share);
        c->impulse[i] += change[i];
    }
}

static void expect_normals(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    /* Relaxing leaves springs as they are, solving takes them twice. */
    const bool act = v->position || (v->frictionless && !v->spook);
    for (int k = 0; k < (!c->sprung ? 2 : act ? 4 : 0); k++) {
        const int first = k % 2 * 2;
        if (first >= c->points)
            continue;
        double change[4] = {0};
        const bool both = first + 1 < c->points;
        pair_row r[2] = {normal_row(c, a, b, v, s, first)};
        if (both)
            r[1] = normal_row(c, a, b, v, s, first + 1);
        const double coupling = pair_coupling(c, first);
        solve_pair(r, coupling, both, change + first);
        if (both) {
            /* Rounding is relative to the terms of Cramer's rule, and to their effect on the other pair. */
            double determinant = r[0].diagonal * r[1].diagonal - coupling * coupling;
            double largest = fmax(r[0].diagonal, r[1].diagonal);
            double term = largest * (fabs(r[0].residual) + fabs(r[1].residual)) / determinant;
            c->p.magnitude = magnitude_of(magnitude_of(c->p.magnitude, term), term * largest);
        }
        apply_pair(c, a, b, change, first);
    }
}

static void assert_contact(contact *c, const body *a, const body *b, const kernel_data *data, int lane,
                           const variant *v)
{
    const dry_contact_bundle *found = &data->contact[0];
    for (int i = 0; i < 4; i++)
        assert_close(&c->p, (double)found->impulse[i][lane], c->impulse[i], "normal impulse", v->kernel);
    for (int i = 0; i < 2; i++)
        assert_close(&c->p, (double)found->friction_impulse[i][lane], c->friction_impulse[i],
                     "friction impulse", v->kernel);
    assert_close(&c->p, (double)found->torsion_impulse[lane], c->torsion_impulse, "torsion impulse",
                 v->kernel);
    for (int i = 0; i < 2; i++)
        assert_close(&c->p, (double)data->cold[0].rolling_impulse[i][lane], c->rolling_impulse[i],
                     "rolling impulse", v->kernel);
    const dry_contact_cold *cold = &data->cold[0];
    for (int i = 0; i < c->points; i++)
        assert_true(cold->other_impulse[i][lane] == (float)c->other_impulse[i]);
    for (int i = 0; i < 2; i++)
        assert_true(cold->other_friction[i][lane] == (float)c->other_friction[i] &&
                    cold->other_rolling[i][lane] == (float)c->other_rolling[i]);
    assert_true(cold->other_torsion[lane] == (float)c->other_torsion);
    assert_bodies(&c->p, a, b, data, v->kernel, v->summed);
}

/* At a jump of the rule rounding may fall on the other side: such a draw is repeated. */
static bool near_a_jump(const contact *c)
{
    for (int i = 0; i < c->points; i++)
        if (fabs(c->separation[i] + row_displacement(&c->normal[i], &c->p.a, &c->p.b)) < 1e-5)
            return true;
    return false;
}

/* How often each side of each rule was taken, so that no test passes by never reaching one. */
typedef struct seen {
    int gap, overlap, clamped, pushing, sliding, sticking, torsion_changed, pushed, kinematic, rolling, held;
} seen;

static void count_rules(seen *n, const contact *c, const contact *before)
{
    for (int i = 0; i < c->points; i++) {
        double q = c->separation[i] + row_displacement(&c->normal[i], &c->p.a, &c->p.b);
        n->gap += q > 0;
        n->overlap += q < 0;
        n->clamped += c->impulse[i] == 0;
        n->pushing += c->impulse[i] > 0;
        n->pushed += c->impulse[i] != before->impulse[i];
    }
    double size = hypot(c->friction_impulse[0], c->friction_impulse[1]);
    const double sums[] = {sum4(before->impulse), sum4(c->impulse), sum4(c->other_impulse)};
    const double moment = hypot(c->rolling_impulse[0], c->rolling_impulse[1]);
    bool slides = false, rolls = false;
    for (int i = 0; i < COUNT_OF(sums); i++) {
        slides |= fabs(size - c->mu * sums[i]) < 1e-9;
        rolls |= fabs(moment - c->rolling_limit * sums[i]) < 1e-9;
    }
    n->sliding += slides;
    n->sticking += !slides;
    n->torsion_changed += c->torsion_impulse != before->torsion_impulse;
    n->rolling += c->rolling_limit > 0 && rolls;
    n->held += c->rolling_limit > 0 && !rolls;
    n->kinematic += is_kinematic(&c->p.a) || is_kinematic(&c->p.b);
}

static void expect_sweep(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    bool two_phase = v->friction == DRY_FRICTION_TWO_PHASE;
    double normal = sum4(two_phase ? c->other_impulse : c->impulse);
    /* Relaxing is solving's mirror: normals before friction. */
    if (v->frictionless) {
        expect_normals(c, a, b, v, s);
    } else if (!v->position) {
        expect_normals(c, a, b, v, s);
        expect_friction(c, a, b, v, s, two_phase ? normal : sum4(c->impulse));
        expect_rolling(c, a, b, 1, two_phase ? normal : sum4(c->impulse));
    } else {
        expect_friction(c, a, b, v, s, normal);
        expect_rolling(c, a, b, share_of(v, s), normal);
        expect_normals(c, a, b, v, s);
    }
}

/* Gives a contact the spring of the sweep, or one of its own, or none. */
static void put_spring(contact *c, const variant *v, kernel_data *data, uint64_t *seed, int lane)
{
    const dry_sweep *s = &data->sweep;
    dry_contact_spring *spring = &data->springs[0];
    c->sprung = v->springs ? v->spook || random_below(seed, 2) : v->spook;
    spring->given[lane] = c->sprung ? 1 : 0;
    spring->rate[lane] = v->springs ? (float)random_in(seed, 1, 100) : s->rate;
    spring->softness[lane] = v->springs ? (float)random_in(seed, 0.05, 1) : s->softness;
    spring->approach[lane] = v->springs ? (float)random_in(seed, 0, 1) : s->approach_scale;
    c->rate = (double)spring->rate[lane];
    c->softness = (double)spring->softness[lane];
    c->approach_scale = (double)spring->approach[lane];
}

/* Gives a contact a past. */
static void put_past(contact *c, kernel_data *data, uint64_t *seed, int lane)
{
    dry_contact_past *past = &data->past[0];
    for (int k = 0; k < 2; k++)
        c->before[k] = (double)(past->impulse[k][lane] = (float)random_in(seed, 0, 4));
    c->sustained = (double)(past->sustained[lane] = (float)random_in(seed, 0, 0.5));
    c->fall = (double)(past->fall[lane] = (float)random_in(seed, 0, 1));
    data->headers[0].falls = true;
}

static void check_contact_kernel(const variant *v, seen *n,
                                 void (*expect)(contact *c, body *a, body *b, const variant *v,
                                                const dry_sweep *s))
{
    static kernel_data data;
    static contact contacts[DRY_BUNDLE];
    const kernel_entry *kernel = kernel_named(v->kernel);
    uint64_t seed = 20260731;
    for (int round = 0; round < ROUNDS; round++) {
        memset(&data, 0, sizeof data);
        data.sweep = random_sweep(&seed);
        data.sweep.friction = v->friction;
        data.sweep.spook = v->spook;
        data.sweep.frictionless = v->frictionless;
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            do
                random_contact(&seed, &contacts[lane], lane, v->summed, (double)data.sweep.time);
            while (near_a_jump(&contacts[lane]));
            if (round % 2) /* one compliance for all lanes */
                contacts[lane].compliance = contacts[0].compliance;
            put_contact(&contacts[lane], &data, lane);
            put_spring(&contacts[lane], v, &data, &seed, lane);
            put_past(&contacts[lane], &data, &seed, lane);
        }
        data.cold[0].flags |= v->springs ? DRY_BUNDLE_SPRING : 0;
        data.headers[0].lanes = DRY_BUNDLE;
        data.headers[0].compliance = (float)contacts[0].compliance;
        data.headers[0].mixed = round % 2 == 0;
        kernel_run(kernel, DRY_LEVEL_SCALAR, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            contact *c = &contacts[lane], before = *c;
            body a = c->p.a, b = c->p.b;
            expect(c, &a, &b, v, &data.sweep);
            assert_contact(c, &a, &b, &data, lane, v);
            count_rules(n, c, &before);
        }
    }
}

/* Returns the load that a contact's impulses put on both bodies, m/s^2: that of the most loaded point, times
 * its share of the points' mean. */
static double load_of(const dry_contact_bundle *c, int lane, double h)
{
    double largest = 0.0, sum = 0.0, points = 0.0;
    for (int i = 0; i < 4; i++) {
        const double mass = (double)c->inverse_mass[i][lane];
        if (mass <= 0.0)
            continue;
        const double load = (double)c->impulse[i][lane] / (h * mass);
        largest = fmax(largest, load);
        sum += load;
        points += 1.0;
    }
    return sum > 0.0 ? largest * largest * points / sum : 0.0;
}

/* A body's load is that of its most loaded contact; the row of fixed bodies has none. */
static void test_loads(void **state)
{
    (void)state;
    static kernel_data data;
    const kernel_entry *kernel = kernel_named("contact_relax_cone");
    uint64_t seed = 12;
    for (int round = 0; round < ROUNDS; round++) {
        memset(&data, 0, sizeof data);
        data.sweep = random_sweep(&seed);
        double expected[DATA_ROWS] = {0.0};
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            contact c;
            random_contact(&seed, &c, lane, false, (double)data.sweep.time);
            put_contact(&c, &data, lane);
        }
        data.headers[0].lanes = DRY_BUNDLE;
        kernel_run(kernel, DRY_LEVEL_SCALAR, &data, 0, 1);
        for (int lane = 0; lane < DRY_BUNDLE; lane++) {
            const double load = load_of(&data.contact[0], lane, (double)data.sweep.substep);
            const int rows[] = {data.contact[0].row_a[lane], data.contact[0].row_b[lane]};
            for (int k = 0; k < 2; k++)
                expected[rows[k]] = fmax(expected[rows[k]], rows[k] > 0 ? load : 0.0);
        }
        for (int r = 1; r < DATA_ROWS; r++) {
            float load;
            memcpy(&load, &data.loads[r - 1], sizeof load);
            assert_true(fabs((double)load - expected[r]) <= 1e-5 * expected[r]);
        }
    }
}

static void check_variant(const variant *v)
{
    seen n = {0};
    check_contact_kernel(v, &n, expect_sweep);
    assert_true(n.gap > 100 && n.overlap > 100 && n.clamped > 100 && n.pushing > 100 && n.kinematic > 100);
    if (v->frictionless)
        assert_int_equal(n.torsion_changed, 0);
    else
        assert_true(n.torsion_changed > 100 && n.sticking > 50 && n.rolling > 50 && n.held > 10);
    assert_true(n.sliding > 50 || v->frictionless || contact_friction_is_box(v->friction));
}

static void test_default_sweeps(void **state)
{
    (void)state;
    check_variant(&(variant){"contact_solve_cone", true, false, false, DRY_FRICTION_CONE, false, false});
    check_variant(&(variant){"contact_relax_cone", false, false, false, DRY_FRICTION_CONE, false, false});
}

/* Each kernel of other settings than the default, with both kinds of stiffness and both destinations of
 * changes. */
static void check_any(const char *solve, const char *relax, bool summed, dry_friction friction,
                      bool frictionless)
{
    for (int i = 0; i < 4; i++) {
        const bool spook = i % 2, springs = i / 2;
        check_variant(&(variant){solve, true, spook, summed, friction, frictionless, springs});
        check_variant(&(variant){relax, false, spook, summed, friction, frictionless, springs});
    }
}

static void test_sweeps_of_any_settings(void **state)
{
    (void)state;
    check_any("contact_solve_any", "contact_relax_any", false, DRY_FRICTION_CONE, false);
    check_any("contact_solve_summed", "contact_relax_summed", true, DRY_FRICTION_CONE, false);
}

/* Every model of friction, and the phase without any. */
static void test_models_of_friction(void **state)
{
    (void)state;
    for (int i = 0; i <= DRY_FRICTION_COUNT; i++) {
        const bool frictionless = i == DRY_FRICTION_COUNT;
        const dry_friction friction = frictionless ? DRY_FRICTION_TWO_PHASE : (dry_friction)i;
        check_any("contact_solve_model", "contact_relax_model", false, friction, frictionless);
        check_any("contact_solve_model_summed", "contact_relax_model_summed", true, friction, frictionless);
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
    row_apply(&c->torsion, a, b, c->torsion_impulse, c->p.share);
    for (int i = 0; i < 2; i++)
        row_apply(&c->rolling[i], a, b, c->rolling_impulse[i], c->p.share);
}

static void test_contact_warm(void **state)
{
    (void)state;
    seen n = {0};
    check_contact_kernel(&(variant){.kernel = "contact_warm"}, &n, expect_warm);
}

/* A pair of points carries what it bears, less a share of its last fall, and its sustained impulse at least.
 * Friction loses the share that the whole does. */
static void expect_carry(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    (void)v;
    (void)s;
    double all = 0, lost = 0, change[4] = {0};
    for (int k = 0; k < c->points; k += 2) {
        double now = 0, mass = 0;
        for (int i = k; i < k + 2 && i < c->points; i++)
            now += c->impulse[i], mass += 1 / coupling_of(c, i, i);
        const double next = fmax(now - c->fall * (c->before[k / 2] - now), c->sustained * mass);
        for (int i = k; i < k + 2 && i < c->points && next < now; i++)
            change[i] = c->impulse[i] * (next - now) / now;
        all += now;
        lost += fmin(next - now, 0);
    }
    const double part = lost < 0 ? lost / all : 0;
    for (int i = 0; i < c->points; i++) {
        row_apply(&c->normal[i], a, b, change[i], c->p.share);
        c->impulse[i] += change[i];
    }
    for (int i = 0; i < 2; i++) {
        row_apply(&c->tangent[i], a, b, part * c->friction_impulse[i], c->p.share);
        c->friction_impulse[i] *= 1 + part;
    }
    row_apply(&c->torsion, a, b, part * c->torsion_impulse, c->p.share);
    c->torsion_impulse *= 1 + part;
}

static void test_contact_carry(void **state)
{
    (void)state;
    seen n = {0};
    check_contact_kernel(&(variant){.kernel = "contact_carry"}, &n, expect_carry);
}

static void exchange(double *impulse, double *other, int count)
{
    for (int i = 0; i < count; i++) {
        double now = impulse[i];
        impulse[i] = other[i];
        other[i] = now;
    }
}

/* Takes back one phase's impulses, applies the other's, and keeps those for the next exchange. */
static void expect_exchange(contact *c, body *a, body *b, const variant *v, const dry_sweep *s)
{
    const contact before = *c;
    exchange(c->impulse, c->other_impulse, c->points);
    exchange(c->friction_impulse, c->other_friction, 2);
    exchange(&c->torsion_impulse, &c->other_torsion, 1);
    exchange(c->rolling_impulse, c->other_rolling, 2);
    contact change = *c;
    for (int i = 0; i < c->points; i++)
        change.impulse[i] -= before.impulse[i];
    for (int i = 0; i < 2; i++) {
        change.friction_impulse[i] -= before.friction_impulse[i];
        change.rolling_impulse[i] -= before.rolling_impulse[i];
    }
    change.torsion_impulse -= before.torsion_impulse;
    expect_warm(&change, a, b, v, s);
}

static void test_contact_exchange(void **state)
{
    (void)state;
    seen n = {0};
    check_contact_kernel(&(variant){.kernel = "contact_exchange"}, &n, expect_exchange);
    assert_true(n.pushed > 100 && n.torsion_changed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_sweeps),     cmocka_unit_test(test_sweeps_of_any_settings),
        cmocka_unit_test(test_models_of_friction), cmocka_unit_test(test_loads),
        cmocka_unit_test(test_contact_warm),       cmocka_unit_test(test_contact_carry),
        cmocka_unit_test(test_contact_exchange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Integrators on a free body with three unequal moments of inertia: rates of drift against their closed
 * forms, the documents' steps in double precision, and the exact motion. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"

#include <math.h>
#include <string.h>

const char lab_integrators_text[] =
    "A box of 1 x 0.6 x 0.3 m without forces, spun at (0.4, 3, 0.6) rad/s, which is near its middle "
    "axis, so that it tumbles. *Exact* is the document's step in double precision, *measured* the "
    "engine with one substep, and *predicted* the first order of the step's drift. With g = w x I w, "
    "each step of the explicit torque [Waterson 4.4] adds h^2 g . I^-1 g / 2 to the energy, and no "
    "higher order; the implicit torque takes as much, with g at the step's end. Steps that keep the "
    "momentum L and rotate by I^-1 L [Tamis 3.2, 12.4.1, CSE169] add the same to first order: a "
    "constant momentum is no constant energy. All four therefore drift at one rate, h / 2 times the "
    "mean of g . I^-1 g, and differ in what bounds them. The momentum bounds the energy by L^2 / 2 "
    "I_min, that of rotation about the longest axis, where fast tops end. The implicit torque brakes "
    "them. The explicit one has no bound, as [Waterson 4.1] warns: a top of 30 rad/s at 60 Hz goes "
    "into quarantine. These two change the momentum, too.\n\n"
    "[Tamis 3.2.4] turns by 2 atan(w h / 2) a step, short of w h by (w h)^3 / 12; [12.4.1] turns a "
    "sphere exactly. The orientation's error is of first order with all four, and less than half as "
    "large here with a gyroscopic torque as with a momentum. That of the engine's default is "
    "rounding: Runge-Kutta, which [Tamis 3.2] calls an easy extension, is worth four digits. The "
    "document fears that constraints resolve poorly with it; the engine solves them for velocities, "
    "and then moves bodies by these. The reference is the same method in double precision in steps of "
    "1/20,000 s; its rates agree with Jacobi's elliptic functions.\n";

static const double tau = 6.28318530717958647692;
static const double half[3] = {0.5, 0.3, 0.15};
static const dry_vec3 slow = {0.4f, 3.0f, 0.6f}, fast = {3.0f, 30.0f, 4.0f};

static const struct {
    const char *name, *source;
    dry_integrator integrator;
    double sign; /* of the drift of energy */
} ways[] = {
    {"Runge-Kutta", "Tamis 3.2", DRY_INTEGRATOR_RUNGE_KUTTA, 0.0},
    {"semi-implicit Euler", "Tamis 3.2.4", DRY_INTEGRATOR_EULER, 1.0},
    {"exponential", "Tamis 12.4.1, CSE169", DRY_INTEGRATOR_EXPONENTIAL, 1.0},
    {"explicit torque", "Waterson 4.4", DRY_INTEGRATOR_EXPLICIT, 1.0},
    {"implicit torque", "Waterson 4.1", DRY_INTEGRATOR_IMPLICIT, -1.0},
};

enum { WAYS = sizeof ways / sizeof *ways };

/* A free top: principal moments, orientation x, y, z, w, and rates in its own frame. */
typedef struct top {
    double inertia[3], q[4], rate[3];
} top;

static void cross(const double a[3], const double b[3], double c[3])
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y, c[2] = z;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Writes a b. */
static void multiply(const double a[4], const double b[4], double c[4])
{
    double out[4];
    cross(a, b, out);
    for (int k = 0; k < 3; k++)
        out[k] += a[3] * b[k] + b[3] * a[k];
    out[3] = a[3] * b[3] - dot(a, b);
    memcpy(c, out, sizeof out);
}

static void normalize(double q[4])
{
    const double length = sqrt(dot(q, q) + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= length;
}

/* Turns a vector by q, or back where `sign` is -1. */
static void turn(const double q[4], const double v[3], double sign, double out[3])
{
    const double u[3] = {sign * q[0], sign * q[1], sign * q[2]};
    double t[3], s[3];
    cross(u, v, t);
    for (int k = 0; k < 3; k++)
        t[k] *= 2.0;
    cross(u, t, s);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + q[3] * t[k] + s[k];
}

/* g = w x I w. */
static void gyroscopic(const top *t, const double w[3], double g[3])
{
    const double l[3] = {t->inertia[0] * w[0], t->inertia[1] * w[1], t->inertia[2] * w[2]};
    cross(w, l, g);
}

static double energy_of(const top *t)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += 0.5 * t->inertia[k] * t->rate[k] * t->rate[k];
    return sum;
}

/* Writes the momentum in the world. */
static void momentum_of(const top *t, double l[3])
{
    const double own[3] = {t->inertia[0] * t->rate[0], t->inertia[1] * t->rate[1],
                           t->inertia[2] * t->rate[2]};
    turn(t->q, own, 1.0, l);
}

/* Gives a top this momentum of the world. */
static void set_momentum(top *t, const double l[3])
{
    turn(t->q, l, -1.0, t->rate);
    for (int k = 0; k < 3; k++)
        t->rate[k] /= t->inertia[k];
}

/* Rotates a top by |w| h about w, which is in its own frame: o exp(w h / 2). */
static void rotate(top *t, const double w[3], double h)
{
    const double angle = sqrt(dot(w, w)) * h, share = angle > 0.0 ? sin(0.5 * angle) * h / angle : 0.0;
    const double by[4] = {share * w[0], share * w[1], share * w[2], cos(0.5 * angle)};
    multiply(t->q, by, t->q);
    normalize(t->q);
}

/* Solves a 3x3 system by Cramer's rule; the columns of m are given. */
static void solve3(double m[3][3], const double b[3], double x[3])
{
    double c[3];
    cross(m[1], m[2], c);
    const double determinant = dot(m[0], c);
    for (int k = 0; k < 3; k++) {
        cross(m[(k + 1) % 3], m[(k + 2) % 3], c);
        x[k] = dot(b, c) / determinant;
    }
}

/* One step of Newton's method on I (w' - w) + h w' x I w' = 0 from w' = w. */
static void implicit_rates(top *t, double h)
{
    double g[3], columns[3][3], change[3];
    gyroscopic(t, t->rate, g);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {0.0, 0.0, 0.0}, l[3], first[3], second[3];
        unit[k] = 1.0;
        for (int i = 0; i < 3; i++)
            l[i] = t->inertia[i] * t->rate[i];
        cross(unit, l, first);
        unit[k] = t->inertia[k];
        cross(t->rate, unit, second);
        for (int i = 0; i < 3; i++)
            columns[k][i] = h * (first[i] + second[i]) + (i == k ? t->inertia[k] : 0.0);
    }
    solve3(columns, g, change);
    for (int k = 0; k < 3; k++)
        t->rate[k] -= h * change[k];
}

/* The derivative of orientation and rates: q' = q w / 2, I w' = -w x I w. */
static void slope(const top *t, double out[7])
{
    const double w[4] = {t->rate[0], t->rate[1], t->rate[2], 0.0};
    double g[3];
    multiply(t->q, w, out);
    gyroscopic(t, t->rate, g);
    for (int k = 0; k < 4; k++)
        out[k] *= 0.5;
    for (int k = 0; k < 3; k++)
        out[4 + k] = -g[k] / t->inertia[k];
}

/* Adds a slope times `time` to orientation and rates. */
static void add_slope(top *t, const double k[7], double time)
{
    for (int j = 0; j < 4; j++)
        t->q[j] += time * k[j];
    for (int j = 0; j < 3; j++)
        t->rate[j] += time * k[4 + j];
}

static void runge_kutta(top *t, double h)
{
    static const double share[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    double k[4][7];
    for (int s = 0; s < 4; s++) {
        top at = *t;
        if (s > 0)
            add_slope(&at, k[s - 1], share[s] * h);
        slope(&at, k[s]);
    }
    for (int s = 0; s < 4; s++)
        add_slope(t, k[s], weight[s] * h / 6.0);
    normalize(t->q);
}

/* One step of a document's. Those with a momentum keep it in the world. */
static void advance(top *t, dry_integrator integrator, double h)
{
    double l[3], g[3], w[4] = {0.0}, by[4];
    switch (integrator) {
    case DRY_INTEGRATOR_EULER:
        momentum_of(t, l);
        memcpy(w, t->rate, 3 * sizeof *w);
        multiply(t->q, w, by);
        for (int k = 0; k < 4; k++)
            t->q[k] += 0.5 * h * by[k];
        normalize(t->q);
        set_momentum(t, l);
        break;
    case DRY_INTEGRATOR_EXPONENTIAL:
        momentum_of(t, l);
        rotate(t, t->rate, h);
        set_momentum(t, l);
        break;
    case DRY_INTEGRATOR_EXPLICIT:
        gyroscopic(t, t->rate, g);
        for (int k = 0; k < 3; k++)
            t->rate[k] -= h * g[k] / t->inertia[k];
        rotate(t, t->rate, h);
        break;
    case DRY_INTEGRATOR_IMPLICIT:
        implicit_rates(t, h);
        rotate(t, t->rate, h);
        break;
    default:
        runge_kutta(t, h);
        break;
    }
}

/* Advances in the reference's steps. */
static void advance_exactly(top *t, double time)
{
    const int steps = (int)ceil(20000.0 * time);
    for (int i = 0; i < steps; i++)
        runge_kutta(t, time / steps);
}

/* The angle between two orientations, rad. */
static double angle_between(const double a[4], const double b[4])
{
    const double back[4] = {-a[0], -a[1], -a[2], a[3]};
    double between[4];
    multiply(back, b, between);
    const double sine = fmin(sqrt(dot(between, between)), 1.0);
    return 2.0 * asin(sine);
}

/* How far a top has gone wrong. */
typedef struct drift {
    double energy, momentum, angle; /* share gained; length of the change, share; rad */
} drift;

static drift drift_of(const top *now, const top *start, const top *exact)
{
    double from[3], to[3];
    momentum_of(start, from);
    momentum_of(now, to);
    const double length = sqrt(dot(from, from));
    for (int k = 0; k < 3; k++)
        to[k] -= from[k];
    return (drift){energy_of(now) / energy_of(start) - 1.0, sqrt(dot(to, to)) / length,
                   angle_between(now->q, exact->q)};
}

/* Adds the box to a new world, and reads it as a top. */
static dry_body_id add_top(lab_run *run, dry_integrator integrator, dry_vec3 spin, top *t)
{
    dry_settings settings = lab_settings(1);
    settings.method.integrator = integrator;
    dry_world *world = lab_world(run, &settings);
    dry_shape_def box = lab_shape(DRY_SHAPE_BOX, 0.5);
    box.half_extents = (dry_vec3){(float)half[0], (float)half[1], (float)half[2]};
    const dry_vec3 still = {0.0f, 0.0f, 0.0f};
    const dry_body_id id = lab_add_body(run, world, &box, 1.0, (dry_position){0.0, 0.0, 0.0}, still);
    lab_check(run, dry_body_set_velocity(world, id, (dry_velocity){still, spin}));
    *t = (top){.q = {0.0, 0.0, 0.0, 1.0}, .rate = {(double)spin.x, (double)spin.y, (double)spin.z}};
    for (int k = 0; k < 3; k++) {
        const double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
        t->inertia[k] = (a * a + b * b) / 3.0;
    }
    return id;
}

static void read_top(lab_run *run, dry_body_id id, top *t)
{
    dry_pose pose;
    dry_velocity v;
    lab_check(run, dry_body_get_pose(run->world, id, &pose));
    lab_check(run, dry_body_get_velocity(run->world, id, &v));
    const double q[4] = {(double)pose.orientation.x, (double)pose.orientation.y, (double)pose.orientation.z,
                         (double)pose.orientation.w},
                 w[3] = {(double)v.angular.x, (double)v.angular.y, (double)v.angular.z};
    memcpy(t->q, q, sizeof q);
    normalize(t->q);
    turn(t->q, w, -1.0, t->rate);
}

/* Runs the engine and the document's step side by side for `steps` steps. */
static void compare(lab_run *run, int way, dry_vec3 spin, double h, int steps, drift *exact, drift *engine)
{
    top start;
    const dry_body_id id = add_top(run, ways[way].integrator, spin, &start);
    const float step = (float)h;
    top document = start, reference = start, now = start;
    for (int i = 0; i < steps; i++) {
        lab_check(run, dry_world_step(run->world, step));
        advance(&document, ways[way].integrator, (double)step);
    }
    advance_exactly(&reference, (double)step * steps);
    read_top(run, id, &now);
    *exact = drift_of(&document, &start, &reference);
    *engine = drift_of(&now, &start, &reference);
}

/* Returns the mean of g . I^-1 g over the exact motion, over twice its energy: drift a second for each second
 * of the step. */
static double drift_rate(const top *start, double time)
{
    const int parts = 2000;
    top t = *start;
    double sum = 0.0;
    for (int i = 0; i < parts; i++) {
        double g[3];
        runge_kutta(&t, 0.5 * time / parts);
        gyroscopic(&t, t.rate, g);
        for (int k = 0; k < 3; k++)
            sum += g[k] * g[k] / t.inertia[k];
        runge_kutta(&t, 0.5 * time / parts);
    }
    return 0.5 * sum / parts / energy_of(start);
}

/* Jacobi's sn, cn and dn of u by the arithmetic-geometric mean. */
static void jacobi(double u, double modulus2, double *sn, double *cn, double *dn)
{
    enum { LEVELS = 12 };
    double a[LEVELS + 1] = {1.0}, c[LEVELS + 1] = {sqrt(modulus2)}, b = sqrt(1.0 - modulus2), scale = 1.0;
    int n = 0;
    for (; n < LEVELS && fabs(c[n]) > 1e-16; n++) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        scale *= 2.0;
    }
    double phase = scale * a[n] * u, before = phase;
    for (; n > 0; n--) {
        before = phase;
        phase = 0.5 * (phase + asin(c[n] / a[n] * sin(phase)));
    }
    *sn = sin(phase);
    *cn = cos(phase);
    *dn = modulus2 > 0.0 ? cos(phase) / cos(before - phase) : 1.0;
}

/* The rates of a top with moments I1 < I2 < I3 that begins at w2 = 0, by Jacobi's functions, against the
 * reference. Its momentum is that of rotation about the longest axis: L^2 < 2 E I2. */
static void elliptic(lab_run *run)
{
    top t;
    add_top(run, DRY_INTEGRATOR_RUNGE_KUTTA, slow, &t);
    const double w1 = 2.0, w3 = 0.5, time = 10.0, *i = t.inertia;
    const double start[3] = {w1, 0.0, w3};
    memcpy(t.rate, start, sizeof start);
    /* w1 = a dn(p t), w2 = b sn(p t), w3 = c cn(p t) solve Euler's equations with these b, p and modulus. */
    const double b = -w3 * sqrt(i[2] * (i[2] - i[0]) / (i[1] * (i[1] - i[0]))),
                 p = w1 * sqrt((i[2] - i[0]) * (i[1] - i[0]) / (i[1] * i[2])),
                 modulus2 = w3 * w3 * i[2] * (i[2] - i[1]) / (w1 * w1 * i[0] * (i[1] - i[0]));
    double sn, cn, dn, worst = 0.0;
    advance_exactly(&t, time);
    jacobi(p * time, modulus2, &sn, &cn, &dn);
    const double wanted[3] = {w1 * dn, b * sn, w3 * cn};
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(fabs(wanted[k]) - fabs(t.rate[k])));
    lab_add(run, "Jacobi", 0.0, 0.0, worst, 1e-9,
            "rates after 10 s, the reference against elliptic functions, rad/s");
}

/* Adds a row of a tumbling top. Single precision moves each by up to 2e-6 in the 240 steps of a second. */
static void tumble_row(lab_run *run, int way, int steps, double predicted, double exact, double measured,
                       const char *what)
{
    const double rounding = 2e-6;
    lab_add(run, ways[way].source, predicted, exact, measured,
            exact == 0.0 ? rounding : rounding / fabs(exact), "1 s in steps of 1/%d s, %s: %s", steps,
            ways[way].name, what);
}

/* Rows of a tumbling top: a second at one step. */
static void tumble(lab_run *run, double h)
{
    const int steps = (int)lround(1.0 / h);
    for (int way = 0; way < WAYS; way++) {
        drift exact, engine;
        top start;
        add_top(run, ways[way].integrator, slow, &start);
        const double predicted = ways[way].sign * h * drift_rate(&start, 1.0);
        compare(run, way, slow, h, steps, &exact, &engine);
        const bool first_order = way > 0, keeps = way <= 2;
        tumble_row(run, way, steps, predicted, first_order ? exact.energy : 0.0, engine.energy,
                   "energy gained, share");
        tumble_row(run, way, steps, keeps ? 0.0 : NAN, keeps ? 0.0 : exact.momentum, engine.momentum,
                   "change of the momentum, share");
        tumble_row(run, way, steps, NAN, first_order ? exact.angle : 0.0, engine.angle,
                   "error of the orientation, rad");
    }
}

/* The orders of convergence, and the first order of the drift, by the documents' steps in double. */
static void orders(lab_run *run)
{
    enum { STEPS = 7 };
    lab_plot *plot =
        lab_add_plot(run, "orders", "A tumbling box after 1 s", "step, s", "error of the orientation, rad");
    plot->log_x = plot->log_y = true;
    for (int way = 0; way < WAYS; way++) {
        double h[STEPS], exact[STEPS], engine[STEPS];
        drift d[2] = {{0.0, 0.0, 0.0}}, e = {0.0, 0.0, 0.0};
        for (int i = 0; i < STEPS; i++) {
            const int steps = 30 << i;
            h[i] = 1.0 / steps;
            d[0] = d[1];
            compare(run, way, slow, h[i], steps, &d[1], &e);
            exact[i] = d[1].angle;
            engine[i] = e.angle;
        }
        lab_add_curve(run, ways[way].name, h, engine, STEPS);
        top start;
        add_top(run, ways[way].integrator, slow, &start);
        if (way == 0) {
            lab_add(run, "Tamis 3.2", 4.0, NAN, log2(exact[1] / exact[2]), 0.05,
                    "order of the orientation's error, %s in double precision", ways[way].name);
            continue;
        }
        lab_add(run, ways[way].source, 1.0, NAN, log2(exact[STEPS - 2] / exact[STEPS - 1]), 0.05,
                "order of the orientation's error, %s", ways[way].name);
        lab_add(run, ways[way].source, ways[way].sign * drift_rate(&start, 1.0), NAN,
                d[1].energy / h[STEPS - 1], 0.03,
                "drift of energy for each second of the step, step 1/%d s, %s, share", 30 << (STEPS - 1),
                ways[way].name);
    }
}

/* Drifts over time at 60 Hz. */
static void over_time(lab_run *run)
{
    enum { LOOKS = 60 };
    const double h = (double)(1.0f / 60.0f);
    const int each = run->options->quick ? 1 : 10;
    double time[LOOKS], angle[WAYS][LOOKS], energy[WAYS][LOOKS];
    for (int way = 0; way < WAYS; way++) {
        top start;
        const dry_body_id id = add_top(run, ways[way].integrator, slow, &start);
        top reference = start, now = start;
        for (int i = 0; i < LOOKS; i++) {
            for (int k = 0; k < each; k++)
                lab_check(run, dry_world_step(run->world, (float)h));
            advance_exactly(&reference, each * h);
            read_top(run, id, &now);
            const drift d = drift_of(&now, &start, &reference);
            time[i] = (i + 1) * each * h;
            angle[way][i] = d.angle;
            energy[way][i] = energy_of(&now) / energy_of(&start);
        }
    }
    lab_add_plot(run, "orientation", "A tumbling box at 60 Hz", "time, s", "error of the orientation, rad")
        ->log_y = true;
    for (int way = 0; way < WAYS; way++)
        lab_add_curve(run, ways[way].name, time, angle[way], LOOKS);
    lab_add_plot(run, "energy", "A tumbling box at 60 Hz", "time, s", "energy over that of the begin");
    for (int way = 0; way < WAYS; way++)
        lab_add_curve(run, ways[way].name, time, energy[way], LOOKS);
}

/* A top of 30 rad/s at 60 Hz for 10 s: what bounds the drift. */
static void fast_top(lab_run *run)
{
    for (int way = 0; way < WAYS; way++) {
        top start, now;
        const dry_body_id id = add_top(run, ways[way].integrator, fast, &start);
        double l[3], largest = 1.0;
        momentum_of(&start, l);
        const double most = 0.5 * dot(l, l) / start.inertia[0] / energy_of(&start);
        now = start;
        int step = 0;
        for (; step < 600 && dry_world_statistics(run->world).quarantined_bodies == 0; step++) {
            lab_check(run, dry_world_step(run->world, 1.0f / 60.0f));
            read_top(run, id, &now);
            if (dry_world_statistics(run->world).quarantined_bodies > 0)
                break;
            largest = fmax(largest, energy_of(&now) / energy_of(&start));
        }
        const double bound = way == 0 || way == 4 ? 1.0 : way == 3 ? NAN : most;
        lab_row *row = lab_add(run, ways[way].source, bound, NAN, largest, 1e-3,
                               "30 rad/s at 60 Hz, %s, %s: largest energy over the first",
                               step < 600 ? "until quarantine" : "10 s", ways[way].name);
        if (!isnan(bound))
            lab_bound(row, LAB_AT_MOST);
    }
}

/* Rotations of a sphere: each step's angle is closed. */
static void sphere(lab_run *run)
{
    static const double rates[] = {3.0, 15.0, 60.0};
    const double h = (double)(1.0f / 60.0f);
    for (int r = 0; r < 3; r++)
        for (int way = 1; way <= 2; way++) {
            dry_settings settings = lab_settings(1);
            settings.method.integrator = ways[way].integrator;
            dry_world *world = lab_world(run, &settings);
            const dry_shape_def ball = lab_shape(DRY_SHAPE_SPHERE, 0.5);
            const dry_vec3 still = {0.0f, 0.0f, 0.0f}, spin = {0.0f, (float)rates[r], 0.0f};
            const dry_body_id id = lab_add_body(run, world, &ball, 1.0, (dry_position){0.0, 0.0, 0.0}, still);
            lab_check(run, dry_body_set_velocity(world, id, (dry_velocity){still, spin}));
            const double wh = rates[r] * h, each = way == 1 ? 2.0 * atan(0.5 * wh) : wh;
            enum { STEPS = 10 };
            for (int step = 0; step < STEPS; step++)
                lab_check(run, dry_world_step(world, (float)h));
            dry_pose pose;
            lab_check(run, dry_body_get_pose(world, id, &pose));
            const double angle = 2.0 * atan2((double)pose.orientation.y, (double)pose.orientation.w);
            const double nearest = angle + tau * round((STEPS * each - angle) / tau);
            lab_add(run, ways[way].source, way == 1 ? wh - wh * wh * wh / 12.0 : wh, each, nearest / STEPS,
                    1e-6, "rotation of a sphere in a step, %g rad/s at 60 Hz, %s, rad", rates[r],
                    ways[way].name);
        }
}

void lab_integrators(lab_run *run)
{
    lab_part(run);
    elliptic(run);
    sphere(run);
    lab_part(run);
    tumble(run, 1.0 / 60.0);
    tumble(run, 1.0 / 240.0);
    lab_part(run);
    orders(run);
    lab_part(run);
    over_time(run);
    fast_top(run);
}

/* Stretch of a chain that hangs, over sweeps, step and relaxation, by solver [Waterson 4.13, 6.4, 4.73]. */
#include "tools/lab/stretch.h"
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/system.h"

#include <math.h>
#include <string.h>

const char lab_stretch_text[] =
    "Ten bodies of 1 kg hang below each other, 1 m apart, on springs of 10 kN/m or on rigid rods. Springs "
    "stretch by 55 m g / k in closed form, 0.0540 m, which *predicted* has for XPBD. *Exact* is that for "
    "solvers that keep their impulses. For methods that solve for positions it is the rest of a substep's "
    "sweeps: joints begin each substep without impulses, so that n sweeps from 0 have to find the whole "
    "load anew. Sweeps go always forward, unless a row says *by color*.\n\n"
    "**PBD with k.** The stiffness k of classical PBD is a relaxation [Waterson 4.13], which the engine's "
    "PBD takes. The chain then stretches nearly as 1 / n with n sweeps, and as the square of the step. k' "
    "is to take the sweeps out of it. The document prints 1 - (1 - k)^n, which grows with n. After n "
    "sweeps 1 - k of an error is left by 1 - (1 - k)^(1/n). One rod then stretches by h^2 g (1 - k) / k "
    "whatever n is, and the chain of ten, too, within 0.6 %: with k = 0.25 each sweep hands so little on "
    "that a substep of n sweeps does what one sweep does. The square of the step stays. Masses are in "
    "neither: k is no stiffness of a material.\n\n"
    "**XPBD** has a stiffness, and its stretch goes to that of the springs as sweeps converge. It is said "
    "to be that at any number of sweeps [Waterson 6.4], and is not. In 1/60 s the chain stretches by 3.5 "
    "times as much with one sweep, by 1.3 times with four, by 1.003 times with 16; by color, the default, "
    "by 1.8 and 1.05 times with four and 16. In substeps of 1/240 s one sweep leaves 1.15 times. A "
    "shorter step makes each row's compliance larger beside its bodies' masses, and sweeps converge "
    "faster.\n\n"
    "**AVBD, Gauss-Seidel and direct joints** keep their impulses from step to step, and stretch as the "
    "springs do, with one sweep as with many. In 1/60 s a spring of 10 kN/m is stiffer than sweeps "
    "converge on. Gauss-Seidel then has springs of 0.19 of the substep rate, and AVBD takes the joint as "
    "rigid.\n\n"
    "**Relaxation** [Waterson 4.73, 6.35]. Above 1 fewer sweeps carry the load: relaxed by 1.6 the rigid "
    "chain stretches by 0.22 times as much with four sweeps, and by 0.11 times with 16. XPBD's springs "
    "come out too short with four sweeps, by 8 %. Velocities follow from positions, so that an overshoot "
    "goes on as motion: with G the matrix of a sweep, a chain's errors go by e'' = G^n (2 e' - e). One "
    "rod that one sweep relaxes by xi has 1 - xi for G, and swings up from xi = 4/3 on. More sweeps bear "
    "more. Rods that turn bear less: see [methods.md](methods.md#relaxation).\n\n"
    "**Motion.** A chain that is let go at its length falls, stretches and swings. PBD with k and XPBD, "
    "written again in double precision, do the same at every step. What is left of PBD's difference is the "
    "softness of a rigid row here, 1e-4 of its mass. A chain that k makes soft opens its joints by more "
    "than an overlap closes in a step, and gets back what the open joints took of its energy.\n\n"
    "**Figure 2** has the sweeps that remove a fraction of the error of a free chain of ten, here of its "
    "slowest mode. Gauss-Seidel takes half of Jacobi's sweeps, as [8.14] and [8.29] say. With the best "
    "relaxation [8.24] promises 1.1 sweeps for half of the error, and 7.3 for 99 %; they are 3 and 12, since "
    "the root is double [8.22].\n";

enum { LINKS = 10, DAMPED = 600, FREE = 300, MEAN = 60 };
static const double g = 9.81, spring = 1e4;
static const float dt = 1.0f / 60.0f;

/* How a chain is solved. */
typedef struct way {
    dry_solver solver;
    dry_joint_solver joints;
    double k;          /* of each joint, N/m; 0: rigid */
    double relaxation; /* xi */
    int links, substeps, sweeps;
    bool alternate; /* by color, forward and backward in turn; else forward always */
} way;

static const way xpbd = {DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE, 1e4, 1.0, LINKS, 1, 1, false};
static const way pbd = {DRY_SOLVER_PBD, DRY_JOINT_SOLVER_ITERATIVE, 0.0, 1.0, LINKS, 1, 1, false};

static double step_of(const way *w)
{
    return (double)dt / w->substeps;
}

static bool takes_relaxation(const way *w)
{
    return w->solver == DRY_SOLVER_PBD || w->solver == DRY_SOLVER_XPBD;
}

/* Builds a chain. Sweeps that alternate do the same in each substep of one step alone. */
static dry_world *hang(lab_run *run, const way *w, dry_body_id id[LINKS])
{
    dry_settings settings = dry_default_settings();
    settings.method.solver = w->solver;
    settings.joint_solver = w->joints;
    settings.method.order =
        w->alternate || w->solver == DRY_SOLVER_AVBD ? DRY_ORDER_COLOR : DRY_ORDER_FORWARD;
    settings.substeps = w->substeps;
    settings.sweeps = w->sweeps;
    settings.sleep = false;
    if (takes_relaxation(w))
        settings.method.relaxation = (float)w->relaxation;
    dry_world *world = lab_world(run, &settings);
    const dry_shape_def ball = lab_shape(DRY_SHAPE_SPHERE, 0.1);
    for (int i = 0; i < w->links; i++) {
        const dry_position at = {0.0, -1.0 - i, 0.0};
        id[i] = lab_add_body(run, world, &ball, 1.0, at, (dry_vec3){0.0f, 0.0f, 0.0f});
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
        def.body_b = id[i];
        if (i > 0)
            def.body_a = id[i - 1];
        def.stiffness = (float)w->k;
        lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    }
    return world;
}

/* Returns the stretch of springs: joint i bears the links below it. */
static double spring_stretch(int links, double k)
{
    return 0.5 * links * (links + 1) * g / k;
}

/* The rows of a chain that is solved for positions, A + eps, in single units of 1 / m, and the order by
 * color: even rods, then odd ones. A rigid row has a softness of 1e-4 of its own. */
static lab_problem rows_of(lab_run *run, const way *w, int order[LINKS])
{
    const double h = step_of(w);
    lab_problem p = lab_problem_of(run, w->links);
    for (int i = 0; i < p.n; i++) {
        const double diagonal = i > 0 ? 2.0 : 1.0;
        p.a[i * p.n + i] = diagonal + (w->k > 0.0 ? 1.0 / (h * h * w->k) : 1e-4 * diagonal);
        if (i > 0)
            p.a[i * p.n + i - 1] = p.a[(i - 1) * p.n + i] = -1.0;
    }
    for (int parity = 0, at = 0; parity < 2; parity++)
        for (int i = parity; i < p.n; i += 2)
            order[at++] = i;
    return p;
}

/* Returns the stretch where a substep of sweeps over positions leaves the bodies where they are. From rest,
 * forces give u = h g, and n sweeps solve (A + eps) l = b - a q from l = 0 [Waterson 6.35], with b = -J u,
 * a = 1 / h and eps = 1 / (h^2 k). They leave l = (1 - G^n) l', with l' the solution and G the matrix of a
 * sweep. Bodies stay if l is the load of the rods, L with A L = b. Then l' is the sum of all G^(n j) L, and
 * q = (b - (A + eps) l') / a. NAN if that sum does not converge. */
static double rest_of(lab_run *run, const way *w)
{
    int order[LINKS];
    const lab_problem p = rows_of(run, w, order);
    const lab_method sweep = {
        .kind = LAB_GAUSS_SEIDEL, .relaxation = w->relaxation, .order = order, .alternate = w->alternate};
    const double h = step_of(w);
    double *x = lab_doubles(run, p.n), *sum = lab_doubles(run, p.n), *work = lab_doubles(run, p.n);
    for (int i = 0; i < p.n; i++)
        x[i] = -h * g * (p.n - i);
    const double first = fabs(x[0]);
    for (double size = first; size > 1e-13 * first;) {
        if (size > 1e6 * first)
            return NAN;
        size = 0.0;
        for (int i = 0; i < p.n; i++)
            sum[i] += x[i];
        for (int k = 0; k < w->sweeps; k++) /* of a right side of 0: x becomes G^n x */
            lab_sweep(&p, &sweep, k, x, work);
        for (int i = 0; i < p.n; i++)
            size = fmax(size, fabs(x[i]));
    }
    double q = 0.0;
    for (int i = 0; i < p.n; i++)
        q += h * ((i == 0 ? -h * g : 0.0) - lab_dot(&p.a[i * p.n], sum, p.n));
    return q;
}

/* Returns the factor by which a rigid chain's deviation from rest grows in a substep. The share of an
 * error that n sweeps leave, G^n, goes on as motion: e'' = G^n (2 e' - e). */
static double growth_of(lab_run *run, const way *w)
{
    int order[LINKS];
    const lab_problem p = rows_of(run, w, order);
    const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = w->relaxation, .order = order};
    const int n = p.n, wide = 2 * n;
    double *two = lab_doubles(run, wide * wide), *x = lab_doubles(run, n), *work = lab_doubles(run, n);
    for (int j = 0; j < n; j++) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[j] = 1.0;
        for (int k = 0; k < w->sweeps; k++)
            lab_sweep(&p, &sweep, k, x, work);
        for (int i = 0; i < n; i++) {
            two[i * wide + j] = 2.0 * x[i];
            two[i * wide + n + j] = -x[i];
        }
        two[(n + j) * wide + j] = 1.0;
    }
    return lab_radius(run, two, wide);
}

/* Returns the steps in which a chain's deviation from rest shrinks to 1e-5 of itself. Springs get bodies with
 * damping, until the last FREE steps; sweeps over rigid rows damp by themselves. */
static int steps_of(lab_run *run, const way *w)
{
    const double most = run->options->quick ? 2 * DAMPED : 10 * DAMPED;
    const double growth = w->k > 0.0 ? 0.0 : growth_of(run, w);
    const double substeps = growth > 0.0 && growth < 1.0 ? log(1e-5) / log(growth) : 0.0;
    return (int)fmin(fmax(substeps / w->substeps, DAMPED), most) + FREE;
}

/* Returns by how much a chain is too long at rest, m, and the largest speed of its lowest body in the last
 * second. */
static double stretch_of(lab_run *run, const way *w, double *speed)
{
    dry_body_id id[LINKS];
    dry_world *world = hang(run, w, id);
    const int steps = steps_of(run, w);
    double sum = 0.0, fastest = 0.0;
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < w->links && w->k > 0.0; i++)
            lab_check(run, dry_body_set_damping(world, id[i], step < steps - FREE ? 2.0f : 0.0f, 0.0f));
        lab_check(run, dry_world_step(world, dt));
        if (step < steps - MEAN)
            continue;
        dry_velocity v;
        lab_check(run, dry_body_get_velocity(world, id[w->links - 1], &v));
        fastest = fmax(fastest, fabs((double)v.linear.y));
        sum += -lab_position(run, world, id[w->links - 1]).y - w->links;
    }
    if (speed)
        *speed = fastest;
    return dry_world_statistics(world).quarantined_bodies > 0 ? INFINITY : sum / MEAN;
}

/* Returns the ending of a plural. */
static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* Adds the stretch of a chain. The engine measures lengths of 1 m in single precision. */
static void add_row(lab_run *run, const way *w, const char *name, const char *source, double predicted,
                    double exact)
{
    const double rounding = w->links * 2.4e-7;
    lab_add(run, source, predicted, exact, stretch_of(run, w, NULL),
            exact > 0.0 ? 1e-3 + rounding / exact : 1e-3,
            "stretch, %s, %d rod%s, %d substep%s of %d sweep%s, m", name, w->links, plural(w->links),
            w->substeps, plural(w->substeps), w->sweeps, plural(w->sweeps));
}

/* Returns the relaxation of n sweeps that leaves of one rod what one sweep by k leaves: k' of the PBD paper,
 * which [Waterson 4.13] prints with n for 1 / n. */
static double corrected(double k, int sweeps)
{
    return 1.0 - pow(1.0 - k, 1.0 / sweeps);
}

/* Returns the stretch of Gauss-Seidel's springs, which are no stiffer than 0.19 of the substep rate on the
 * reduced mass of their bodies. */
static double swept_springs(const way *w)
{
    const double omega = 2.0 * 3.14159265358979323846 * 0.19 / step_of(w);
    double sum = 0.0;
    for (int i = 0; i < w->links; i++)
        sum += (w->links - i) * g / fmin(w->k, omega * omega / (i > 0 ? 2.0 : 1.0));
    return sum;
}

enum { WAYS = 6 };
static const double stiffness_of_pbd = 0.25;
static const struct {
    const char *name;
    way way;
} ways[WAYS] = {
    {"XPBD", {DRY_SOLVER_XPBD, DRY_JOINT_SOLVER_ITERATIVE, 1e4, 1.0, LINKS, 1, 1, false}},
    {"PBD, k = 0.25", {DRY_SOLVER_PBD, DRY_JOINT_SOLVER_ITERATIVE, 0.0, 0.25, LINKS, 1, 1, false}},
    {"PBD, k' of k = 0.25", {DRY_SOLVER_PBD, DRY_JOINT_SOLVER_ITERATIVE, 0.0, 0.0, LINKS, 1, 1, false}},
    {"AVBD", {DRY_SOLVER_AVBD, DRY_JOINT_SOLVER_ITERATIVE, 1e4, 1.0, LINKS, 1, 1, false}},
    {"Gauss-Seidel", {DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_ITERATIVE, 1e4, 1.0, LINKS, 1, 1, false}},
    {"direct", {DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_DIRECT, 1e4, 1.0, LINKS, 1, 1, false}},
};

/* Returns one of the ways with so many substeps and sweeps. */
static way way_with(int i, int substeps, int sweeps)
{
    way w = ways[i].way;
    w.substeps = substeps;
    w.sweeps = sweeps;
    if (!(w.relaxation > 0.0))
        w.relaxation = corrected(stiffness_of_pbd, sweeps);
    return w;
}

/* The stretch of one of the ways, with the document's prediction. XPBD's springs are to be those of k at any
 * number of sweeps, and k' is to do in n sweeps as k in one. */
static void add_way(lab_run *run, int i, int substeps, int sweeps)
{
    const way w = way_with(i, substeps, sweeps);
    if (w.solver == DRY_SOLVER_XPBD)
        add_row(run, &w, ways[i].name, "Waterson 6.4", spring_stretch(LINKS, w.k), rest_of(run, &w));
    else if (w.solver == DRY_SOLVER_PBD) {
        const way one = way_with(i, substeps, 1);
        const bool is_corrected = !(ways[i].way.relaxation > 0.0);
        add_row(run, &w, ways[i].name, "Waterson 4.13", is_corrected ? rest_of(run, &one) : NAN,
                rest_of(run, &w));
    } else if (w.joints == DRY_JOINT_SOLVER_DIRECT)
        add_row(run, &w, ways[i].name, "-", NAN, spring_stretch(LINKS, w.k));
    else if (w.solver == DRY_SOLVER_AVBD)
        add_row(run, &w, ways[i].name, "Waterson 7.2", NAN, substeps > 1 ? spring_stretch(LINKS, w.k) : 0.0);
    else
        add_row(run, &w, ways[i].name, "-", NAN, swept_springs(&w));
}

/* Draws the stretch of each way over sweeps or over the step, beside that of the springs. */
static void draw(lab_run *run, bool over_steps)
{
    static const int counts[] = {1, 2, 4, 8, 16};
    enum { SAMPLES = sizeof counts / sizeof *counts };
    const int samples = run->options->quick ? 2 : SAMPLES;
    lab_plot *plot = over_steps ? lab_add_plot(run, "step", "A chain of ten, 4 sweeps a substep",
                                               "substep, s", "stretch at rest, m")
                                : lab_add_plot(run, "sweeps", "A chain of ten, substeps of 1/120 s",
                                               "sweeps a substep", "stretch at rest, m");
    plot->log_x = plot->log_y = true;
    double x[SAMPLES], y[SAMPLES];
    for (int k = 0; k < samples; k++) {
        x[k] = over_steps ? (double)dt / counts[k] : counts[k];
        y[k] = spring_stretch(LINKS, spring);
    }
    lab_add_curve(run, "springs of 10 kN/m, closed form", x, y, samples);
    for (int i = 0; i < WAYS; i++) {
        for (int k = 0; k < samples; k++) {
            const way w = way_with(i, over_steps ? counts[k] : 2, over_steps ? 4 : counts[k]);
            y[k] = stretch_of(run, &w, NULL);
        }
        lab_add_curve(run, ways[i].name, x, y, samples);
    }
}

static void over_sweeps(lab_run *run)
{
    static const int substeps[] = {1, 4}, sweeps[] = {1, 4, 16};
    for (int s = run->options->quick; s < 2; s++)
        for (int i = 0; i < WAYS; i++) {
            const int last = run->options->quick || ways[i].way.solver == DRY_SOLVER_AVBD ? 2 : 3;
            for (int k = 0; k < last; k++)
                add_way(run, i, substeps[s], sweeps[k]);
        }
    for (int k = 1; k < (run->options->quick ? 2 : 3); k++) {
        way w = xpbd;
        w.sweeps = sweeps[k];
        w.alternate = true;
        add_row(run, &w, "XPBD by color", "Waterson 6.4", spring_stretch(LINKS, w.k), rest_of(run, &w));
    }
    for (int k = 0; k < 3; k++) { /* one rod: what k' is made for */
        way w = way_with(2, 1, sweeps[k]);
        w.links = 1;
        const double h = step_of(&w);
        add_row(run, &w, ways[2].name, "Waterson 4.13",
                h * h * g * (1.0 - stiffness_of_pbd) / stiffness_of_pbd, rest_of(run, &w));
    }
    draw(run, false);
}

static void over_steps(lab_run *run)
{
    static const int substeps[] = {2, 8, 16};
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < (run->options->quick ? 1 : 3); s++)
            add_way(run, i, substeps[s], 4);
    draw(run, true);
}

static void relaxed(lab_run *run)
{
    static const double relaxations[] = {0.5, 0.75, 1.0, 1.25, 1.5, 1.6};
    enum { SAMPLES = sizeof relaxations / sizeof *relaxations };
    static const int sweeps[] = {4, 16};
    lab_plot *plot = lab_add_plot(run, "relaxation", "A chain of ten, substeps of 1/240 s", "relaxation",
                                  "stretch at rest, m");
    plot->log_y = true;
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < (run->options->quick ? 1 : 2); k++) {
            way w = m ? xpbd : pbd;
            const char *name = m ? "XPBD, springs of 10 kN/m" : "PBD, rigid";
            double y[SAMPLES];
            char curve[64];
            w.substeps = 4;
            w.sweeps = sweeps[k];
            for (int i = 0; i < SAMPLES; i++) {
                char of[64];
                w.relaxation = relaxations[i];
                snprintf(of, sizeof of, "%s, relaxed by %g", name, w.relaxation);
                y[i] = stretch_of(run, &w, NULL);
                if (i != 1 && i != 3)
                    add_row(run, &w, of, m ? "Waterson 6.35" : "Waterson 4.73",
                            m ? spring_stretch(LINKS, w.k) : 0.0, rest_of(run, &w));
            }
            snprintf(curve, sizeof curve, "%s, %d sweeps", name, sweeps[k]);
            lab_add_curve(run, curve, relaxations, y, SAMPLES);
        }
}

/* Returns whether a chain comes to rest. */
static bool rests(lab_run *run, const way *w)
{
    double speed;
    const double stretch = stretch_of(run, w, &speed);
    return isfinite(stretch) && speed < 1e-3;
}

/* Returns the largest relaxation at which the model's deviations shrink. */
static double largest_of(lab_run *run, way w)
{
    double low = 1.0, high = 1.0;
    while (high < 1.99) {
        w.relaxation = high = high + 0.01;
        if (growth_of(run, &w) > 1.0)
            break;
        low = high;
    }
    for (int k = 0; k < 10; k++) {
        w.relaxation = 0.5 * (low + high);
        if (growth_of(run, &w) > 1.0)
            high = w.relaxation;
        else
            low = w.relaxation;
    }
    return 0.5 * (low + high);
}

/* Adds the largest relaxations at which a chain rests, since overshoots go on as motion. */
static void limits(lab_run *run)
{
    static const struct {
        int links, sweeps;
        double predicted;
    } cases[] = {{1, 1, 4.0 / 3.0}, {LINKS, 1, NAN}, {LINKS, 2, NAN}, {LINKS, 4, NAN}};
    for (int c = 0; c < (run->options->quick ? 1 : 4); c++) {
        way w = pbd;
        w.links = cases[c].links;
        w.sweeps = cases[c].sweeps;
        w.substeps = 4;
        const double exact = largest_of(run, w);
        double low = exact - 0.1, high = fmin(exact + 0.1, 1.999);
        for (int k = 0; k < 5; k++) {
            w.relaxation = 0.5 * (low + high);
            if (rests(run, &w))
                low = w.relaxation;
            else
                high = w.relaxation;
        }
        lab_add(run, "here", cases[c].predicted, exact, 0.5 * (low + high), 0.02,
                "largest relaxation at which PBD rests, %d rod%s, %d sweep%s", w.links, plural(w.links),
                w.sweeps, plural(w.sweeps));
    }
}

void lab_stretch(lab_run *run)
{
    lab_part(run);
    over_sweeps(run);
    lab_part(run);
    over_steps(run);
    lab_part(run);
    relaxed(run);
    lab_part(run);
    limits(run);
    lab_part(run);
    lab_stretch_motion(run);
    lab_part(run);
    lab_stretch_fractions(run);
}

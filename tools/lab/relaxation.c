/* Under-, over- and adaptive relaxation of sweeps [Waterson 4.9]. */
#include "tools/lab/bodies.h"
#include "tools/lab/chain.h"
#include "tools/lab/experiments.h"

#include <math.h>
#include <string.h>

const char lab_relaxation_text[] =
    "A sweep relaxed by xi removes the share xi of each row's error [Waterson 4.73]. The chain is that of "
    "ten equal bodies, whose rows are ordered consistently: Young's relation [8.17] gives the radius of "
    "each xi, the larger root of l^2 - (xi^2 mu^2 - 2 (xi - 1)) l + (xi - 1)^2 = 0 below the best xi and "
    "xi - 1 above. Sweeps converge for 0 < xi < 2 [4.75]; at 2 the error stays, and beyond it grows. A "
    "visit takes xi (2 - xi) of the energy that it could take [4.74].\n\n"
    "**The best xi.** [4.79] has the radius of Jacobi where it needs its square: 1.638 instead of 1.528, "
    "with a radius of 0.638 instead of 0.528.\n\n"
    "**Under-relaxation** slows Gauss-Seidel down, which needs no help: A is positive definite, and every "
    "xi between 0 and 2 converges. The bound [4.77], 1 - xi (1 - r) with the dominance r, holds on a "
    "chain with softness, and is far off: it is Jacobi's. Jacobi is what [4.9.1] describes. On n equal "
    "bodies that hang on one by parallel rods the largest eigenvalue of D^-1 A is (1 + n) / 2, so that "
    "plain Jacobi diverges for n > 3, and relaxed by less than 4 / (1 + n) it converges. The engine's "
    "Jacobi divides each body's mass among its joints instead, and needs no xi.\n\n"
    "**Positions.** [4.73] is written for sweeps over positions, and PBD and XPBD take it: their impulses "
    "are those of the same sweeps in double precision, to the rounding of lengths over the step. The gain "
    "of their chains is in the chapter on [a chain that "
    "hangs](#a-chain-that-hangs-over-sweeps-and-step).\n\n"
    "**Adaptive.** [4.9.3] says to raise xi while the error falls and to lower it while it grows. In "
    "steps of 0.05 that takes equal bodies to 0.001 of their first error in 21 sweeps, as it passes the "
    "best xi on its way, and a chain with ends of 10 kg in 188. The engine takes the ratio of the changes "
    "of two sweeps for the root of Young's relation, solves it for mu^2, and takes the best xi for that: "
    "15 to 23 sweeps and 124 to 152, where the best fixed xi takes 12 and 32, and none 54 and more than "
    "250. That is half of the sweeps or less where nothing is known of the scene, but not what the best "
    "xi is worth: the ratio is the root only once the slowest mode is alone, and each change of xi stirs "
    "the other modes. With ends of 100 kg only the best xi gets there within 250 sweeps. The engine goes "
    "the same way as the rule in double precision, sweep by sweep. Where sweeps go forward and backward "
    "in turn Young's relation does not hold: see "
    "[quality.md](quality.md#order-and-relaxation-of-sweeps).\n";

static const double pi = 3.14159265358979323846;

enum { BODIES = 10, ROWS = BODIES - 1, SWEEPS = 250 };

/* Returns the radius of a relaxed sweep for the radius `mu` of Jacobi's, by Young's relation. */
static double young(double xi, double mu)
{
    const double half = 0.5 * (xi * xi * mu * mu - 2.0 * (xi - 1.0)),
                 square = half * half - (xi - 1.0) * (xi - 1.0);
    return square > 0.0 ? half + sqrt(square) : fabs(xi - 1.0);
}

static lab_chain chain_of_all_modes(double heavy)
{
    lab_chain chain = lab_chain_of(BODIES, 1.0, heavy);
    for (int i = 0; i < BODIES; i++)
        chain.speed[i] = (i * i) % 7 - 3.0;
    return chain;
}

static double largest_difference(const double *x, const double *y, int n)
{
    double difference = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        difference = fmax(difference, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return difference / size;
}

static void fixed_relaxations(lab_run *run)
{
    static const double shares[] = {0.25, 0.5, 0.75, 1.0, 1.25, 1.4, 1.6, 1.75, 1.9, 2.0, 2.05};
    enum { SHARES = sizeof shares / sizeof *shares, COMPARED = 20 };
    const lab_chain chain = chain_of_all_modes(1.0);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    const int *order = lab_chain_colors(run, ROWS);
    const double mu = cos(pi / BODIES);
    double radius[SHARES], document[SHARES], *lengths = lab_doubles(run, COMPARED + 1),
                                             *impulses = lab_doubles(run, (COMPARED + 1) * ROWS);
    for (int i = 0; i < SHARES; i++) {
        const lab_method method = {.kind = LAB_GAUSS_SEIDEL, .relaxation = shares[i], .order = order};
        document[i] = young(shares[i], mu);
        radius[i] = lab_sweep_radius(run, &p, &method);
        lab_add(run, "Waterson 8.17", document[i], radius[i], lab_sweep_power_radius(run, &p, &method, 4000),
                1e-3, "radius, relaxed by %g", shares[i]);
        if (shares[i] >= 2.0)
            continue;
        dry_settings settings = lab_settings(1);
        settings.method.order = DRY_ORDER_FORWARD;
        settings.method.relaxation = (float)shares[i];
        lab_chain_engine(run, &chain, settings, COMPARED, lengths, impulses);
        double x[ROWS] = {0.0}, work[ROWS];
        for (int k = 0; k < COMPARED; k++)
            lab_sweep(&p, &method, k, x, work);
        lab_add(run, "Waterson 4.73", NAN, 0.0, largest_difference(&impulses[COMPARED * ROWS], x, ROWS), 1e-5,
                "impulses after %d sweeps relaxed by %g, the engine's against double precision", COMPARED,
                shares[i]);
    }
    lab_add_plot(run, "radius", "Chain of 10 equal bodies", "relaxation", "radius of a sweep");
    lab_add_curve(run, "Young's relation", shares, document, SHARES);
    lab_add_curve(run, "measured", shares, radius, SHARES);
}

/* The same sweeps over positions: PBD and XPBD on rigid rods, which have a softness of 1e-4 of their own. */
static void over_positions(lab_run *run)
{
    static const struct {
        const char *name;
        dry_solver solver;
    } methods[] = {{"PBD", DRY_SOLVER_PBD}, {"XPBD", DRY_SOLVER_XPBD}};
    static const double shares[] = {0.5, 1.0, 1.4, 1.75};
    enum { COMPARED = 20 };
    lab_chain chain = chain_of_all_modes(1.0);
    chain.stiffness = chain.damping = 0.0;
    const dry_settings none = lab_settings(1);
    const lab_spook rigid = {.approach = 1.0};
    const lab_system system = lab_system_of(run, lab_chain_world(run, &chain, &none));
    lab_problem p = lab_system_problem(run, &system, &rigid, none.gravity, chain.step);
    for (int i = 0; i < p.n; i++)
        p.a[i * p.n + i] *= 1.0 + 1e-4;
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 4; i++) {
            const lab_method method = {
                .kind = LAB_GAUSS_SEIDEL, .relaxation = shares[i], .order = lab_chain_colors(run, p.n)};
            dry_settings settings = lab_settings(COMPARED);
            settings.method.solver = methods[m].solver;
            settings.relax_sweeps = 1; /* of contacts alone */
            settings.method.order = DRY_ORDER_FORWARD;
            settings.method.relaxation = (float)shares[i];
            double *found = lab_doubles(run, p.n), *x = lab_doubles(run, p.n), *work = lab_doubles(run, p.n);
            dry_world *world = lab_chain_world(run, &chain, &settings);
            lab_check(run, dry_world_step(world, (float)chain.step));
            lab_system_impulses(run, &system, world, found);
            for (int k = 0; k < COMPARED; k++)
                lab_sweep(&p, &method, k, x, work);
            /* A rod of 1 m is measured to 6e-8 m, and its error divided by the step: 6e-6 m/s of some 3. */
            lab_add(run, "Waterson 4.73", NAN, 0.0, largest_difference(found, x, p.n), 2e-5,
                    "impulses after %d sweeps relaxed by %g, %s's against double precision", COMPARED,
                    shares[i], methods[m].name);
        }
}

/* Returns the relaxation of the smallest radius between two, by golden sections. */
static double best_relaxation(lab_run *run, const lab_problem *p, double low, double high)
{
    const double golden = 0.5 * (sqrt(5.0) - 1.0);
    for (int k = 0; k < 30; k++) {
        const double a = high - golden * (high - low), b = low + golden * (high - low);
        const lab_method at_a = {.kind = LAB_GAUSS_SEIDEL, .relaxation = a},
                         at_b = {.kind = LAB_GAUSS_SEIDEL, .relaxation = b};
        if (lab_sweep_radius(run, p, &at_a) < lab_sweep_radius(run, p, &at_b))
            high = b;
        else
            low = a;
    }
    return 0.5 * (low + high);
}

static void formulas(lab_run *run)
{
    const lab_chain chain = chain_of_all_modes(1.0);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    const double mu = cos(pi / BODIES), printed = 2.0 / (1.0 + sqrt(1.0 - mu)),
                 meant = 2.0 / (1.0 + sqrt(1.0 - mu * mu));
    const lab_method as_printed = {.kind = LAB_GAUSS_SEIDEL, .relaxation = printed};
    lab_add(run, "Waterson 4.79", printed, meant, best_relaxation(run, &p, 1.0, 1.95), 1e-3,
            "relaxation of the smallest radius");
    lab_add(run, "Waterson 4.79", young(printed, mu), printed - 1.0,
            lab_sweep_power_radius(run, &p, &as_printed, 4000), 1e-3, "radius, relaxed by %.3f, as printed",
            printed);

    /* A pair of bodies is one row: its residual is the root of the energy that the row may still take. */
    lab_chain pair = lab_chain_of(2, 1.0, 1.0);
    pair.speed[1] = 1.0;
    static const double shares[] = {0.5, 1.0, 1.5, 1.9};
    for (int i = 0; i < 4; i++) {
        double lengths[2];
        dry_settings settings = lab_settings(1);
        settings.method.relaxation = (float)shares[i];
        lab_chain_engine(run, &pair, settings, 1, lengths, NULL);
        const double taken = 1.0 - lengths[1] * lengths[1] / (lengths[0] * lengths[0]),
                     share = 2.0 * shares[i] * (1.0 - 0.5 * shares[i]);
        lab_add(run, "Waterson 4.74", share, share, taken, 1e-5,
                "energy that a visit relaxed by %g takes, share, the engine", shares[i]);
    }
}

/* [4.77] on a chain whose rows have softness, so that each is dominated by its diagonal. */
static void bound(lab_run *run)
{
    const lab_chain chain = chain_of_all_modes(1.0);
    lab_system system;
    lab_problem p = lab_chain_problem(run, &chain, &system);
    for (int i = 0; i < ROWS; i++)
        p.a[i * ROWS + i] *= 1.1;
    const double r = lab_dominance(&p);
    for (int i = 1; i <= 4; i++) {
        const lab_method method = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 0.25 * i},
                         jacobi = {.kind = LAB_JACOBI, .relaxation = 0.25 * i};
        const double most = 1.0 - method.relaxation * (1.0 - r);
        const double of_gauss_seidel = lab_sweep_radius(run, &p, &method),
                     of_jacobi = lab_sweep_radius(run, &p, &jacobi);
        lab_bound(lab_add(run, "Waterson 4.77", most, NAN, of_gauss_seidel, 0.0,
                          "radius, softness 0.1, relaxed by %g", method.relaxation),
                  LAB_AT_MOST);
        lab_bound(lab_add(run, "Waterson 4.77", most, NAN, of_jacobi, 0.0, "the same, Jacobi, relaxed by %g",
                          method.relaxation),
                  LAB_AT_MOST);
    }
}

/* n balls of 1 kg in a line, each on a rod to the same one. */
static lab_problem parallel_rods(lab_run *run, int n)
{
    const dry_settings settings = lab_settings(1);
    dry_world *world = lab_world(run, &settings);
    const dry_shape_def ball = lab_shape(DRY_SHAPE_SPHERE, 0.1);
    const dry_vec3 still = {0.0f, 0.0f, 0.0f};
    const dry_body_id hub = lab_add_body(run, world, &ball, 1.0, (dry_position){0.0, 0.0, 0.0}, still);
    for (int i = 1; i <= n; i++) {
        const dry_body_id other = lab_add_body(run, world, &ball, 1.0, (dry_position){i, 0.0, 0.0}, still);
        lab_add_rod(run, world, &hub, (dry_position){0.0, 0.0, 0.0}, other, i);
    }
    const lab_system system = lab_system_of(run, world);
    const lab_spook rigid = {.approach = 1.0};
    return lab_system_problem(run, &system, &rigid, settings.gravity, 0.01);
}

/* Jacobi's radius is the largest |1 - xi l| of the eigenvalues l of D^-1 A, here 1/2 and (1 + n) / 2. */
static void under(lab_run *run)
{
    static const int counts[] = {2, 4, 8};
    for (int i = 0; i < 3; i++) {
        const int n = counts[i];
        const lab_problem p = parallel_rods(run, n);
        const double least = 0.5, most = 0.5 * (1 + n), limit = 2.0 / most, best = 2.0 / (least + most);
        const struct {
            const char *name;
            double xi;
        } ways[] = {{"plain", 1.0}, {"at the limit 4 / (1 + n)", limit}, {"best", best}};
        for (int k = 0; k < 3; k++) {
            const lab_method jacobi = {.kind = LAB_JACOBI, .relaxation = ways[k].xi};
            const double closed = fmax(fabs(1.0 - ways[k].xi * least), fabs(1.0 - ways[k].xi * most));
            lab_add(run, "Waterson 4.9.1", closed, lab_sweep_radius(run, &p, &jacobi),
                    lab_sweep_power_radius(run, &p, &jacobi, 400), 1e-6,
                    "radius, Jacobi on %d parallel rods, %s: relaxed by %.3f", n, ways[k].name, ways[k].xi);
        }
    }
}

/* How the relaxation of the next sweep follows. */
typedef enum rule_kind { KEEP, UP_OR_DOWN, YOUNG } rule_kind;

/* The relaxation that follows from the present one and the ratio of two changes. */
static double next_of(rule_kind rule, double xi, double ratio)
{
    if (rule == KEEP)
        return xi;
    if (rule == UP_OR_DOWN)
        return fmin(fmax(ratio < 1.0 ? xi + 0.05 : xi - 0.05, 0.05), 1.95);
    double next;
    if (!(ratio < 1.0)) { /* grows: half of what is above 1, or a tenth */
        next = xi > 1.0 ? 0.5 * (xi + 1.0) : 0.9 * xi;
    } else if (ratio <= xi - 1.0) { /* no real root: too large a xi */
        next = xi > 1.0 ? 1.0 + 0.9 * (xi - 1.0) : xi;
    } else {
        const double mu = (ratio + xi - 1.0) / (xi * sqrt(ratio));
        next = 2.0 / (1.0 + sqrt(mu < 1.0 ? 1.0 - mu * mu : 0.0));
    }
    return fmin(fmax(next, 0.05), 1.9);
}

/* Sweeps from 0 by a rule. Writes the distance from the solution after each sweep, in impulses of the largest
 * one. */
static void follow(lab_run *run, const lab_problem *p, rule_kind rule, double start, const double *solution,
                   double *errors)
{
    const int n = p->n, *order = lab_chain_colors(run, n);
    double *x = lab_doubles(run, n), *old = lab_doubles(run, n), *work = lab_doubles(run, n), before = 0.0;
    lab_method method = {.kind = LAB_GAUSS_SEIDEL, .relaxation = start, .order = order};
    for (int k = 0; k <= SWEEPS; k++) {
        errors[k] = largest_difference(x, solution, n);
        memcpy(old, x, (size_t)n * sizeof *old);
        lab_sweep(p, &method, k, x, work);
        double energy = 0.0;
        for (int i = 0; i < n; i++)
            old[i] = x[i] - old[i];
        for (int i = 0; i < n; i++)
            energy += old[i] * lab_dot(&p->a[i * n], old, n);
        const double change = sqrt(energy);
        if (before > 0.0)
            method.relaxation = next_of(rule, method.relaxation, change / before);
        before = change;
    }
}

/* Returns the sweeps to a thousandth of the first error; SWEEPS + 1 if that many do not reach it. */
static int reached(const double *errors)
{
    int k = 0;
    while (k <= SWEEPS && errors[k] > 1e-3 * errors[0])
        k++;
    return k;
}

/* Writes the engine's distances from the solution, likewise. */
static void engine_errors(lab_run *run, const lab_chain *chain, double start, bool adaptive,
                          const double *solution, double *errors)
{
    double *lengths = lab_doubles(run, SWEEPS + 1), *impulses = lab_doubles(run, (SWEEPS + 1) * ROWS);
    dry_settings settings = lab_settings(1);
    settings.method.order = DRY_ORDER_FORWARD;
    settings.method.relaxation = (float)start;
    settings.method.relaxation_adaptive = adaptive;
    lab_chain_engine(run, chain, settings, SWEEPS, lengths, impulses);
    for (int k = 0; k <= SWEEPS; k++)
        errors[k] = largest_difference(&impulses[k * ROWS], solution, ROWS);
}

static void adapt(lab_run *run, double heavy)
{
    static const double starts[] = {0.25, 1.0, 1.75};
    const lab_chain chain = chain_of_all_modes(heavy);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    const lab_method jacobi = {.kind = LAB_JACOBI, .relaxation = 1.0};
    const double mu = lab_sweep_radius(run, &p, &jacobi), best = 2.0 / (1.0 + sqrt(1.0 - mu * mu));
    double solution[ROWS], exact[SWEEPS + 1], engine[SWEEPS + 1];
    lab_solve(run, &p, solution);
    char name[32], title[LAB_TEXT];
    snprintf(name, sizeof name, "adaptive-%g", heavy);
    snprintf(title, sizeof title, "Chain of 10 with ends of %g kg, always forward", heavy);
    lab_add_plot(run, name, title, "sweeps", "error of the impulses, share of the largest")->log_y = true;
    for (int kept = 0; kept < 2; kept++) {
        const double xi = kept ? best : 1.0;
        follow(run, &p, KEEP, xi, solution, exact);
        engine_errors(run, &chain, xi, false, solution, engine);
        snprintf(title, sizeof title, "relaxed by %.3f", xi);
        lab_add_sequence(run, title, 0.0, engine, SWEEPS + 1);
        lab_add(run, kept ? "Waterson 4.79" : "-", NAN, reached(exact), reached(engine), 0.0,
                "sweeps to 0.001 (%d: more than %d), ends of %g kg, relaxed by %.3f", SWEEPS + 1, SWEEPS,
                heavy, xi);
    }
    follow(run, &p, UP_OR_DOWN, 1.0, solution, exact);
    lab_add_sequence(run, "up while it falls, down while it grows", 0.0, exact, SWEEPS + 1);
    lab_add(run, "Waterson 4.9.3", NAN, NAN, reached(exact), 0.0,
            "the same, up by 0.05 while the error falls and down while it grows, double precision");
    for (int i = 0; i < 3; i++) {
        follow(run, &p, YOUNG, starts[i], solution, exact);
        engine_errors(run, &chain, starts[i], true, solution, engine);
        snprintf(title, sizeof title, "adaptive from %g", starts[i]);
        lab_add_sequence(run, title, 0.0, engine, SWEEPS + 1);
        lab_add(run, "Waterson 4.9.3, 8.17", NAN, reached(exact), reached(engine), 0.0,
                "the same, adaptive from %g", starts[i]);
    }
}

void lab_relaxation(lab_run *run)
{
    lab_part(run);
    fixed_relaxations(run);
    lab_part(run);
    formulas(run);
    over_positions(run);
    bound(run);
    under(run);
    for (double heavy = 1.0; heavy <= 100.0; heavy *= 10.0) {
        lab_part(run);
        adapt(run, heavy);
    }
}

/* Chains of equal bodies in a line [Waterson 8.2]. */
#include "tools/lab/chain.h"
#include "tools/lab/experiments.h"

#include <math.h>
#include <string.h>

const char lab_chains_text[] =
    "N bodies of 1 kg in a line, joined by N - 1 rigid distance joints and free at both ends, have the "
    "matrix A of [Waterson 8.9]: 2 on the diagonal, -1 beside it. The radii are those of one sweep. The "
    "exact ones come from the norm of a high power of the iteration matrix, the measured ones from "
    "power iteration on a vector, or from the residuals b - A x of the engine's impulses after one step "
    "of k sweeps, for k up to 200.\n\n"
    "[8.16] counts N + 1 bodies where [8.11] counts N: the exact values follow [8.11], cos(pi / N). "
    "Colors do not change the radius of a sweep. The engine's Gauss-Seidel goes through the colors "
    "forward and backward in turn, unless its order is another. With two colors the last color of a "
    "sweep is then the first one of the next, where it finds nothing left to do: a sweep of the engine "
    "is worth half a sweep, and its radius is Jacobi's, cos(pi / N). Only the first sweep is whole. "
    "Always forward it has the radius of Gauss-Seidel, and relaxed by [8.21] it takes 11 sweeps by "
    "color, 12 row by row. The engine's Jacobi divides each body's mass among its joints, and sweeps "
    "twice.\n\n"
    "[8.24] takes the error of optimal relaxation to fall as the root's power from the start, but the "
    "root is double [8.22] and the error falls as k times that power: 12 sweeps, not 7.3. Blocks: "
    "[8.32] neglects that the ends are free. The chain then moves as a whole, and its slowest mode is "
    "the constant one, with the mass matrix alone against it: (2 (N - 1) s / (N m + 2 (N - 1) s))^2.\n";

static const double pi = 3.14159265358979323846;

/* The diagonal when each body's mass is divided among its joints. */
static double *split_diagonal(lab_run *run, const lab_system *s)
{
    double *diagonal = lab_doubles(run, s->rows);
    int *joints = lab_take(run, (size_t)s->bodies, sizeof *joints);
    for (int i = 0; i < s->rows; i++)
        joints[s->row[i].a]++, joints[s->row[i].b]++;
    for (int i = 0; i < s->rows; i++)
        diagonal[i] = joints[s->row[i].a] * s->inverse_mass[s->row[i].a] +
                      joints[s->row[i].b] * s->inverse_mass[s->row[i].b];
    return diagonal;
}

static void radii(lab_run *run, int count)
{
    lab_chain chain = lab_chain_of(count, 1.0, 1.0);
    lab_chain_slowest(&chain);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    const lab_method
        gauss_seidel = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0},
        jacobi = {.kind = LAB_JACOBI, .relaxation = 1.0},
        colored = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0, .order = lab_chain_colors(run, p.n)},
        engine = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0, .order = colored.order, .alternate = true},
        split = {.kind = LAB_JACOBI, .relaxation = 1.0, .diagonal = split_diagonal(run, &system)};
    const double c = cos(pi / count);
    const int steps = 40 * count * count;
    lab_add(run, "Waterson 8.11", c * c, lab_sweep_radius(run, &p, &gauss_seidel),
            lab_sweep_power_radius(run, &p, &gauss_seidel, steps), 1e-4, "radius, Gauss-Seidel, N = %d",
            count);
    lab_add(run, "Waterson 8.11", c * c, lab_sweep_radius(run, &p, &colored),
            lab_sweep_power_radius(run, &p, &colored, steps), 1e-4, "radius, Gauss-Seidel by color, N = %d",
            count);
    lab_add(run, "Waterson 8.27", c, lab_sweep_radius(run, &p, &jacobi),
            lab_sweep_power_radius(run, &p, &jacobi, steps), 1e-4, "radius, Jacobi, N = %d", count);
    double *lengths = lab_doubles(run, 201);
    dry_settings settings = lab_settings(1);
    lab_chain_engine(run, &chain, settings, 200, lengths, NULL);
    lab_add(run, "8.11, half sweeps", c, lab_sweep_radius(run, &p, &engine),
            lab_tail_rate(lengths, 201, 0.5, 1e-4), 0.01, "radius, the engine's Gauss-Seidel, N = %d", count);
    const double once = lab_sweep_radius(run, &p, &split);
    settings.method.order = DRY_ORDER_FORWARD;
    lab_chain_engine(run, &chain, settings, 200, lengths, NULL);
    lab_add(run, "Waterson 8.11", c * c, lab_sweep_radius(run, &p, &colored),
            lab_tail_rate(lengths, 201, 0.5, 1e-4), 0.01, "radius, the engine's Gauss-Seidel forward, N = %d",
            count);
    settings.method.order = DRY_ORDER_COLOR;
    settings.method.solver = DRY_SOLVER_JACOBI;
    lab_chain_engine(run, &chain, settings, 200, lengths, NULL);
    lab_add(run, "-", NAN, once * once, lab_tail_rate(lengths, 201, 0.5, 1e-4), 0.01,
            "radius, the engine's Jacobi, N = %d", count);
}

/* Returns the number of sweeps that take an error, the slowest mode of equal masses, to 1 % of itself: of the
 * solver on x from 0, or of the iteration matrix on the error. */
static int sweeps_to_percent(lab_run *run, const lab_problem *p, const lab_method *method, bool by_solver)
{
    const int n = p->n;
    lab_problem solved = lab_problem_of(run, n);
    double *x = lab_doubles(run, n), *mode = lab_doubles(run, n), *error = lab_doubles(run, n),
           *work = lab_doubles(run, n);
    memcpy(solved.a, p->a, (size_t)n * (size_t)n * sizeof *p->a);
    for (int i = 0; i < n; i++)
        mode[i] = sin((i + 1) * pi / (n + 1));
    for (int i = 0; i < n; i++) {
        x[i] = by_solver ? 0.0 : -mode[i];
        solved.b[i] = by_solver ? lab_dot(&p->a[i * n], mode, n) : 0.0;
    }
    for (int k = 0; k < 10000; k++) {
        for (int i = 0; i < n; i++)
            error[i] = by_solver ? x[i] - mode[i] : x[i];
        if (lab_length(error, n) <= 0.01 * lab_length(mode, n))
            return k;
        lab_sweep(&solved, method, k, x, work);
    }
    return 10000;
}

/* Returns the same for the engine, whose chain's impulses are the slowest mode. */
static int engine_to_percent(lab_run *run, const dry_settings *settings)
{
    enum { N = 10, SWEEPS = 150, ROWS = N - 1 };
    lab_chain chain = lab_chain_of(N, 1.0, 1.0);
    lab_chain_slowest(&chain);
    double *impulses = lab_doubles(run, (SWEEPS + 1) * ROWS), *lengths = lab_doubles(run, SWEEPS + 1),
           solution[ROWS];
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    lab_solve(run, &p, solution);
    lab_chain_engine(run, &chain, *settings, SWEEPS, lengths, impulses);
    for (int k = 0; k <= SWEEPS; k++) {
        double error[ROWS];
        for (int i = 0; i < ROWS; i++)
            error[i] = impulses[k * ROWS + i] - solution[i];
        if (lab_length(error, ROWS) <= 0.01 * lab_length(solution, ROWS))
            return k;
    }
    return SWEEPS;
}

static void sweeps(lab_run *run)
{
    enum { N = 10 };
    const lab_chain chain = lab_chain_of(N, 1.0, 1.0);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    const double relaxation = 2.0 / (1.0 + sin(pi / N)), percent = log(100.0);
    const lab_method gauss_seidel = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0},
                     jacobi = {.kind = LAB_JACOBI, .relaxation = 1.0},
                     relaxed = {.kind = LAB_GAUSS_SEIDEL, .relaxation = relaxation};
    lab_add(run, "Waterson 8.14", N * N / (pi * pi) * percent,
            sweeps_to_percent(run, &p, &gauss_seidel, false), sweeps_to_percent(run, &p, &gauss_seidel, true),
            0.0, "sweeps to 1 %% of the slowest mode, Gauss-Seidel");
    lab_add(run, "Waterson 8.29", 2 * N * N / (pi * pi) * percent, sweeps_to_percent(run, &p, &jacobi, false),
            sweeps_to_percent(run, &p, &jacobi, true), 0.0, "sweeps to 1 %% of the slowest mode, Jacobi");
    lab_add(run, "Waterson 8.24", N / (2 * pi) * percent, sweeps_to_percent(run, &p, &relaxed, false),
            sweeps_to_percent(run, &p, &relaxed, true), 0.0,
            "sweeps to 1 %% of the slowest mode, relaxed by %.3f", relaxation);
    const int *colors = lab_chain_colors(run, p.n);
    const lab_method colored = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0, .order = colors},
                     turning = {.kind = LAB_GAUSS_SEIDEL,
                                .relaxation = 1.0,
                                .order = colors,
                                .alternate = true},
                     over = {.kind = LAB_GAUSS_SEIDEL, .relaxation = relaxation, .order = colors};
    dry_settings settings = lab_settings(1);
    lab_add(run, "8.14, half sweeps", 2 * N * N / (pi * pi) * percent,
            sweeps_to_percent(run, &p, &turning, false), engine_to_percent(run, &settings), 0.0,
            "sweeps to 1 %% of the slowest mode, the engine");
    settings.method.order = DRY_ORDER_FORWARD;
    lab_add(run, "Waterson 8.14", N * N / (pi * pi) * percent, sweeps_to_percent(run, &p, &colored, false),
            engine_to_percent(run, &settings), 0.0, "sweeps to 1 %% of the slowest mode, the engine forward");
    settings.method.relaxation = (float)relaxation;
    lab_add(run, "Waterson 8.24", N / (2 * pi) * percent, sweeps_to_percent(run, &p, &over, false),
            engine_to_percent(run, &settings), 0.0,
            "sweeps to 1 %% of the slowest mode, the engine forward, relaxed by %.3f", relaxation);
    lab_add(run, "Waterson 8.22", relaxation - 1.0, lab_sweep_radius(run, &p, &relaxed),
            lab_sweep_power_radius(run, &p, &relaxed, 4000), 0.01, "radius, Gauss-Seidel relaxed by %.3f",
            relaxation);
}

/* Records the residuals of `count` sweeps from 0. */
static void record(lab_run *run, const lab_problem *p, const lab_method *method, int count, const char *name,
                   double *x)
{
    double *r = lab_doubles(run, p->n), *work = lab_doubles(run, p->n),
           *lengths = lab_doubles(run, count + 1);
    memset(x, 0, (size_t)p->n * sizeof *x);
    for (int k = 0; k <= count; k++) {
        lengths[k] = lab_residual(p, x, r);
        if (k < count)
            lab_sweep(p, method, k, x, work);
    }
    if (name)
        lab_add_sequence(run, name, 0.0, lengths, count + 1);
}

static void curves(lab_run *run)
{
    enum { N = 10, SWEEPS = 100 };
    lab_chain chain = lab_chain_of(N, 1.0, 1.0);
    for (int i = 0; i < N; i++) /* all modes */
        chain.speed[i] = i % 3 - 1.0;
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    const lab_method gauss_seidel = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0},
                     jacobi = {.kind = LAB_JACOBI, .relaxation = 1.0},
                     relaxed = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 2.0 / (1.0 + sin(pi / N))},
                     engine = {.kind = LAB_GAUSS_SEIDEL,
                               .relaxation = 1.0,
                               .order = lab_chain_colors(run, p.n),
                               .alternate = true};
    double *x = lab_doubles(run, p.n), *of_engine = lab_doubles(run, (SWEEPS + 1) * p.n),
           *lengths = lab_doubles(run, SWEEPS + 1);
    lab_add_plot(run, "residuals", "Chain of 10 equal bodies", "sweeps", "residual, m/s")->log_y = true;
    record(run, &p, &gauss_seidel, SWEEPS, "Gauss-Seidel", x);
    record(run, &p, &jacobi, SWEEPS, "Jacobi", x);
    record(run, &p, &relaxed, SWEEPS, "Gauss-Seidel, relaxed by 1.528", x);
    memset(x, 0, (size_t)p.n * sizeof *x);
    const int steps = lab_conjugate_gradients(run, &p, true, x, p.n + 2, lengths);
    lab_add_sequence(run, "conjugate gradients", 0.0, lengths, steps + 1);
    double *exact = lab_doubles(run, p.n);
    lab_solve(run, &p, exact);
    double largest = 0.0, size = 0.0;
    for (int i = 0; i < p.n; i++) {
        largest = fmax(largest, fabs(x[i] - exact[i]));
        size = fmax(size, fabs(exact[i]));
    }
    lab_add(run, "-", NAN, 0.0, largest / size, 1e-10, "%d steps of conjugate gradients against L D L^T",
            steps);
    dry_settings settings = lab_settings(1);
    settings.method.solver = DRY_SOLVER_JACOBI;
    lab_chain_engine(run, &chain, settings, SWEEPS, lengths, NULL);
    lab_add_sequence(run, "the engine's Jacobi", 0.0, lengths, SWEEPS + 1);
    settings.method.solver = DRY_SOLVER_GAUSS_SEIDEL;
    lab_chain_engine(run, &chain, settings, SWEEPS, lengths, of_engine);
    lab_add_sequence(run, "the engine's Gauss-Seidel", 0.0, lengths, SWEEPS + 1);
    record(run, &p, &engine, 7, NULL, x);
    largest = 0.0;
    for (int i = 0; i < p.n; i++)
        largest = fmax(largest, fabs(x[i] - of_engine[7 * p.n + i]) / size);
    lab_add(run, "Spook 17-20", NAN, 0.0, largest, 1e-5,
            "impulses after 7 sweeps, the engine's against double precision, N = 10");
    settings.method.order = DRY_ORDER_FORWARD;
    lab_chain_engine(run, &chain, settings, SWEEPS, lengths, NULL);
    lab_add_sequence(run, "the engine's, forward", 0.0, lengths, SWEEPS + 1);
    settings.method.relaxation = (float)relaxed.relaxation;
    lab_chain_engine(run, &chain, settings, SWEEPS, lengths, NULL);
    lab_add_sequence(run, "the engine's, forward, relaxed by 1.528", 0.0, lengths, SWEEPS + 1);
}

static void blocks(lab_run *run)
{
    enum { N = 10 };
    const lab_chain chain = lab_chain_of(N, 1.0, 1.0);
    const lab_method descent = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
    static const double stiffness[] = {0.1, 1.0, 10.0, 100.0, 1000.0};
    for (int i = 0; i < 5; i++) {
        const double s = stiffness[i], c = cos(pi / (N + 1)), beta = 2 * s / (1 + 2 * s);
        const double free = 2 * (N - 1) * s / (N + 2 * (N - 1) * s);
        const lab_problem h = lab_chain_blocks(run, &chain, s);
        const double exact = lab_sweep_radius(run, &h, &descent);
        lab_add(run, "Waterson 8.32", beta * beta * c * c, exact,
                lab_sweep_power_radius(run, &h, &descent, 20000), 1e-4, "radius, blocks, s = %g m", s);
        if (s >= 10.0) /* stiff enough that the chain moves as a whole */
            lab_add(run, "here", free * free, exact, free * free, 0.005,
                    "the same, against (2 (N - 1) s / (N m + 2 (N - 1) s))^2");
    }
}

void lab_chains(lab_run *run)
{
    static const int counts[] = {5, 10, 20, 50};
    lab_part(run);
    for (int i = 0; i < (run->options->quick ? 2 : 3); i++)
        radii(run, counts[i]);
    lab_part(run);
    sweeps(run);
    lab_part(run);
    curves(run);
    lab_part(run);
    blocks(run);
}

/* Chains with heavy ends [Waterson 8.3]. */
#include "tools/lab/chain.h"
#include "tools/lab/experiments.h"

#include <math.h>
#include <string.h>

const char lab_heavy_ends_text[] =
    "Chains of N bodies whose two ends have M times the mass of the others. The figures are sweeps an "
    "e-fold of the error, -1 / ln(radius), which show small differences of radii that are close to 1. "
    "Of the N - 1 rows two are end rows, so that N - 3 have a 2 on the diagonal, where [8.39] counts N "
    "- 2. The quotient is m / M over N - 2 + m / M, not over N: at 100:1 and N = 10 that gives 400 "
    "sweeps instead of 500, and the exact value is 405. [8.45] inherits the error under its root.\n\n"
    "A chain with one heavy end is half of a free chain of twice the length, as the heavy end is nearly "
    "held: 30.5 sweeps, not 405. Blocks with M = s = 1000 m: [8.49] leaves out how long an error takes "
    "to cross the chain. It cannot be faster than with both ends held, beta^2 cos^2(pi / (N - 1)).\n";

static const double pi = 3.14159265358979323846;

static double efold(double radius)
{
    return -1.0 / log(radius);
}

/* Returns the equation of a chain whose rows have no softness at all: the little that the engine's rods need,
 * 2.5e-9 of the diagonal, would be seen in the fourth digit of 24,000 sweeps. */
static lab_problem rigid_chain(lab_run *run, const lab_chain *chain)
{
    static const lab_spook rigid = {.approach = 1.0};
    const dry_settings settings = lab_settings(1);
    const lab_system system = lab_system_of(run, lab_chain_world(run, chain, &settings));
    return lab_system_problem(run, &system, &rigid, settings.gravity, chain->step);
}

/* Returns how far rounding puts a residual off: impulses are numbers of single precision. */
static double residual_error(const lab_problem *p, const double *x)
{
    double square = 0.0;
    for (int i = 0; i < p->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < p->n; j++)
            sum += fabs(p->a[i * p->n + j] * x[j]);
        square += sum * sum;
    }
    return ldexp(sqrt(square), -24);
}

/* Measures the engine's sweeps an e-fold over the second half of its residuals. The error is that of one
 * rounding, or the difference from the same sweeps in double precision, and the difference of these from the
 * radius. */
static void engine_row(lab_run *run, const lab_chain *chain, const lab_problem *p, dry_order order,
                       lab_row *row)
{
    enum { SWEEPS = 256 };
    const double least = 1e-4;
    const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL,
                              .relaxation = 1.0,
                              .order = lab_chain_colors(run, p->n),
                              .alternate = order == DRY_ORDER_COLOR};
    dry_settings settings = lab_settings(1);
    settings.method.order = order;
    double *lengths = lab_doubles(run, SWEEPS + 1), *impulses = lab_doubles(run, (SWEEPS + 1) * p->n);
    double *exact = lab_doubles(run, SWEEPS + 1), *x = lab_doubles(run, p->n), *work = lab_doubles(run, p->n);
    lab_chain_engine(run, chain, settings, SWEEPS, lengths, impulses);
    int end = 0;
    while (end < SWEEPS && lengths[end + 1] > least * lengths[0])
        end++;
    for (int k = 0; k <= end; k++) {
        exact[k] = lab_residual(p, x, work);
        lab_sweep(p, &sweep, k, x, work);
    }
    const double found = efold(lab_tail_rate(lengths, end + 1, 0.5, 0.0)),
                 wanted = efold(lab_tail_rate(exact, end + 1, 0.5, 0.0)),
                 rounding = residual_error(p, &impulses[end * p->n]) / lengths[end] / (0.5 * end);
    row->measured = found;
    lab_uncertain(row, fmax(found * found * rounding, fabs(found - wanted)) + fabs(wanted - row->exact));
}

static void ratio_rows(lab_run *run, int count, double ratio)
{
    lab_chain chain = lab_chain_of(count, 1.0, ratio);
    lab_chain_slowest(&chain);
    const lab_problem p = rigid_chain(run, &chain);
    const lab_method gauss_seidel = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0},
                     jacobi = {.kind = LAB_JACOBI, .relaxation = 1.0};
    const double gamma = 1.0 / ratio, quotient = gamma / (gamma + count - 2);
    const double radius = lab_sweep_radius(run, &p, &gauss_seidel);
    const int steps = (int)fmin(2e5, 20.0 * efold(radius) + 1000.0);
    lab_add(run, "Waterson 8.42", count / (2.0 * gamma), efold(radius),
            efold(lab_sweep_power_radius(run, &p, &gauss_seidel, steps)), 1e-3,
            "sweeps an e-fold, Gauss-Seidel, N = %d, %g:1", count, ratio);
    if (ratio >= 100.0)
        lab_add(run, "8.39, with N - 3", efold((1.0 - quotient) * (1.0 - quotient)), efold(radius),
                efold((1.0 - quotient) * (1.0 - quotient)), 0.15, "the same with the quotient");
    const double relaxation = 2.0 / (1.0 + sqrt(1.0 - radius)); /* 8.43: radius = rho(G_J)^2 */
    const lab_method relaxed = {.kind = LAB_GAUSS_SEIDEL, .relaxation = relaxation};
    lab_add(run, "Waterson 8.45", 0.5 * sqrt(count / (2.0 * gamma)), efold(relaxation - 1.0),
            efold(lab_sweep_radius(run, &p, &relaxed)), 2e-3,
            "sweeps an e-fold, relaxed by %.3f, N = %d, %g:1", relaxation, count, ratio);
    /* The engine's sweep is half a sweep here, so that an e-fold takes as many as Jacobi's. */
    if (count > 20 || ratio > 100.0)
        return;
    engine_row(run, &chain, &p, DRY_ORDER_COLOR,
               lab_add(run, "8.42, half sweeps", count / gamma, efold(lab_sweep_radius(run, &p, &jacobi)),
                       NAN, 0.01, "sweeps an e-fold, the engine, N = %d, %g:1", count, ratio));
    engine_row(run, &chain, &p, DRY_ORDER_FORWARD,
               lab_add(run, "Waterson 8.42", count / (2.0 * gamma), efold(radius), NAN, 0.01,
                       "sweeps an e-fold, the engine forward, N = %d, %g:1", count, ratio));
}

static void one_end(lab_run *run)
{
    enum { N = 10 };
    lab_chain chain = lab_chain_of(N, 1.0, 100.0);
    chain.mass[N - 1] = 1.0;
    const lab_problem p = rigid_chain(run, &chain);
    const lab_method gauss_seidel = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
    /* The heavy end is nearly held: the slowest mode is that of a chain of 2 N - 1 bodies, of which it is
     * half. */
    const double held = cos(pi / (2 * (N - 1)));
    lab_add(run, "cos^2(pi / (2N - 2))", efold(held * held), efold(lab_sweep_radius(run, &p, &gauss_seidel)),
            efold(lab_sweep_power_radius(run, &p, &gauss_seidel, 4000)), 1e-3,
            "sweeps an e-fold, Gauss-Seidel, N = 10, one end 100:1");
}

static void blocks(lab_run *run, int count, double ratio)
{
    const lab_chain chain = lab_chain_of(count, 1.0, ratio);
    const double s = 1000.0, beta = 2 * s / (1 + 2 * s), c = cos(pi / (count - 1));
    const lab_problem h = lab_chain_blocks(run, &chain, s);
    const lab_method descent = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
    const double radius = lab_sweep_radius(run, &h, &descent);
    lab_add(run, "Waterson 8.49", s * count / (2.0 * ratio), efold(radius),
            efold(lab_sweep_power_radius(run, &h, &descent, 40000)), 1e-3,
            "sweeps an e-fold, blocks, s = 1000 m, N = %d, %g:1", count, ratio);
    lab_bound(lab_add(run, "8.33, 8.11", NAN, efold(beta * beta * c * c), efold(radius), 0.0,
                      "the same, both ends held"),
              LAB_AT_LEAST);
}

static void draw(lab_run *run)
{
    static const int counts[] = {10, 20, 50};
    static const double ratios[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    enum { RATIOS = 10 };
    lab_plot *plot =
        lab_add_plot(run, "ratios", "Chains with heavy ends", "mass of the ends / mass", "sweeps an e-fold");
    plot->log_x = plot->log_y = true;
    for (int i = 0; i < (run->options->quick ? 1 : 3); i++) {
        double plain[RATIOS], relaxed[RATIOS];
        char name[64];
        for (int k = 0; k < RATIOS; k++) {
            const lab_chain chain = lab_chain_of(counts[i], 1.0, ratios[k]);
            const lab_problem p = rigid_chain(run, &chain);
            const lab_method gauss_seidel = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
            const double radius = lab_sweep_radius(run, &p, &gauss_seidel);
            plain[k] = efold(radius);
            relaxed[k] = efold(2.0 / (1.0 + sqrt(1.0 - radius)) - 1.0);
        }
        snprintf(name, sizeof name, "Gauss-Seidel, N = %d", counts[i]);
        lab_add_curve(run, name, ratios, plain, RATIOS);
        snprintf(name, sizeof name, "relaxed, N = %d", counts[i]);
        lab_add_curve(run, name, ratios, relaxed, RATIOS);
    }
}

void lab_heavy_ends(lab_run *run)
{
    static const int counts[] = {10, 20, 50};
    static const double ratios[] = {1.0, 10.0, 100.0, 1000.0};
    for (int i = 0; i < 3; i++) {
        lab_part(run);
        for (int k = 0; k < 4 && (i == 0 || !run->options->quick); k++)
            ratio_rows(run, counts[i], ratios[k]);
    }
    lab_part(run);
    one_end(run);
    blocks(run, 10, 1000.0);
    if (!run->options->quick) {
        blocks(run, 20, 1000.0);
        blocks(run, 50, 1000.0);
    }
    draw(run);
}

/* Chains with heavy ends [Waterson 8.3]. */
#include "lab/chain.h"
#include "lab/experiments.h"

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
    "to cross the chain. It cannot be faster than with both ends held, beta^2 cos^2(pi / (N - 1)), "
    "which the rows \"floor\" compare.\n";

static const double pi = 3.14159265358979323846;

static double efold(double radius)
{
    return -1.0 / log(radius);
}

static void ratio_rows(lab_run *run, int count, double ratio)
{
    lab_chain chain = lab_chain_of(count, 1.0, ratio);
    lab_chain_slowest(&chain);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
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
    double *lengths = lab_doubles(run, 257);
    lab_chain_engine(run, &chain, lab_settings(1), 256, lengths, NULL);
    lab_add(run, "8.42, half sweeps", count / gamma, efold(lab_sweep_radius(run, &p, &jacobi)),
            efold(lab_tail_rate(lengths, 257, 0.5, 1e-4)), 0.01, "sweeps an e-fold, the engine, N = %d, %g:1",
            count, ratio);
    dry_settings settings = lab_settings(1);
    settings.order = DRY_ORDER_FORWARD;
    lab_chain_engine(run, &chain, settings, 256, lengths, NULL);
    lab_add(run, "Waterson 8.42", count / (2.0 * gamma), efold(radius),
            efold(lab_tail_rate(lengths, 257, 0.5, 1e-4)), 0.01,
            "sweeps an e-fold, the engine forward, N = %d, %g:1", count, ratio);
}

static void one_end(lab_run *run)
{
    enum { N = 10 };
    lab_chain chain = lab_chain_of(N, 1.0, 100.0);
    chain.mass[N - 1] = 1.0;
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
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
    lab_add(run, "8.33, 8.11", NAN, efold(radius), fmax(efold(radius), efold(beta * beta * c * c)), 1e-9,
            "the same, no less than the floor %.4g", efold(beta * beta * c * c));
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
            lab_system system;
            const lab_problem p = lab_chain_problem(run, &chain, &system);
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

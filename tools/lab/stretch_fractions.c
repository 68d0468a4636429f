/* The sweeps that remove a fraction of the error of a chain of ten: Gauss-Seidel, Jacobi, and Gauss-Seidel
 * with the best relaxation [Waterson, Figure 2]. */
#include "tools/lab/chain.h"
#include "tools/lab/stretch.h"

#include <math.h>
#include <string.h>

enum { N = 10, ROWS = N - 1, SWEEPS = 150, FRACTIONS = 25 };
static const double pi = 3.14159265358979323846;

/* A method, and what the document says that it takes. */
typedef struct method {
    const char *name, *source;
    lab_kind kind;
    double relaxation;
    double rate; /* sweeps for each e-fold [Waterson 8.14, 8.29, 8.24] */
} method;

/* Returns the sweeps after which an error is down to 1 - fraction of itself. */
static int sweeps_to(const double *lengths, double fraction)
{
    int k = 0;
    while (k < SWEEPS && lengths[k] > (1.0 - fraction) * lengths[0])
        k++;
    return k;
}

/* Writes the lengths of an error after 0 to SWEEPS sweeps, which begins as the slowest mode: of x, if it is
 * the error itself, or of x - mode, if the sweeps solve for the mode. */
static void sweep_mode(lab_run *run, const lab_problem *p, const lab_method *by, bool solves, double *lengths)
{
    lab_problem of = *p;
    double x[ROWS], mode[ROWS], error[ROWS], *work = lab_doubles(run, ROWS);
    of.b = lab_doubles(run, ROWS);
    for (int i = 0; i < ROWS; i++)
        mode[i] = sin((i + 1) * pi / N);
    for (int i = 0; i < ROWS; i++) {
        x[i] = solves ? 0.0 : -mode[i];
        of.b[i] = solves ? lab_dot(&p->a[i * ROWS], mode, ROWS) : 0.0;
    }
    for (int k = 0; k <= SWEEPS; k++) {
        for (int i = 0; i < ROWS; i++)
            error[i] = solves ? x[i] - mode[i] : x[i];
        lengths[k] = lab_length(error, ROWS);
        lab_sweep(&of, by, k, x, work);
    }
}

/* Writes the same of the engine's impulses, which it sweeps by color, forward. */
static void sweep_engine(lab_run *run, double relaxation, double *lengths)
{
    lab_chain chain = lab_chain_of(N, 1.0, 1.0);
    lab_chain_slowest(&chain);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    double solution[ROWS], error[ROWS], *impulses = lab_doubles(run, (SWEEPS + 1) * ROWS),
                                        *residuals = lab_doubles(run, SWEEPS + 1);
    lab_solve(run, &p, solution);
    dry_settings settings = lab_settings(1);
    settings.method.order = DRY_ORDER_FORWARD;
    settings.method.relaxation = (float)relaxation;
    lab_chain_engine(run, &chain, settings, SWEEPS, residuals, impulses);
    for (int k = 0; k <= SWEEPS; k++) {
        for (int i = 0; i < ROWS; i++)
            error[i] = impulses[k * ROWS + i] - solution[i];
        lengths[k] = lab_length(error, ROWS);
    }
}

/* Adds curves over the fraction: what the document says, and the sweeps counted. */
static void draw(lab_run *run, const method *m, const double *lengths, const double *engine)
{
    double fraction[FRACTIONS], said[FRACTIONS], counted[FRACTIONS], of_engine[FRACTIONS];
    char name[LAB_TEXT];
    for (int i = 0; i < FRACTIONS; i++) {
        fraction[i] = i < FRACTIONS - 1 ? i / (FRACTIONS - 1.0) : 0.99;
        said[i] = -m->rate * log(1.0 - fraction[i]);
        counted[i] = sweeps_to(lengths, fraction[i]);
        of_engine[i] = engine ? sweeps_to(engine, fraction[i]) : 0.0;
    }
    snprintf(name, sizeof name, "%s, %s", m->name, m->source);
    lab_add_curve(run, name, fraction, said, FRACTIONS);
    lab_add_curve(run, m->name, fraction, counted, FRACTIONS);
    snprintf(name, sizeof name, "%s, the engine", m->name);
    if (engine)
        lab_add_curve(run, name, fraction, of_engine, FRACTIONS);
}

void lab_stretch_fractions(lab_run *run)
{
    static const double fractions[] = {0.5, 0.9, 0.99};
    const method methods[] = {
        {"Gauss-Seidel", "Waterson 8.14", LAB_GAUSS_SEIDEL, 1.0, N * N / (pi * pi)},
        {"Jacobi", "Waterson 8.29", LAB_JACOBI, 1.0, 2.0 * N * N / (pi * pi)},
        {"relaxed by 1.528", "Waterson 8.24", LAB_GAUSS_SEIDEL, 2.0 / (1.0 + sin(pi / N)), N / (2.0 * pi)}};
    const lab_chain chain = lab_chain_of(N, 1.0, 1.0);
    lab_system system;
    const lab_problem p = lab_chain_problem(run, &chain, &system);
    const int *colors = lab_chain_colors(run, ROWS);
    lab_add_plot(run, "fractions", "Sweeps that remove a fraction of the error, chain of ten [Figure 2]",
                 "fraction of the error", "sweeps");
    for (int m = 0; m < 3; m++) {
        const bool swept = methods[m].kind == LAB_GAUSS_SEIDEL; /* the engine's Jacobi divides masses */
        const lab_method by_row = {.kind = methods[m].kind, .relaxation = methods[m].relaxation},
                         by_color = {
                             .kind = methods[m].kind, .relaxation = methods[m].relaxation, .order = colors};
        double of_error[SWEEPS + 1], solved[SWEEPS + 1], colored[SWEEPS + 1], engine[SWEEPS + 1];
        sweep_mode(run, &p, &by_row, false, of_error);
        sweep_mode(run, &p, &by_row, true, solved);
        sweep_mode(run, &p, &by_color, false, colored);
        if (swept)
            sweep_engine(run, methods[m].relaxation, engine);
        for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
            const double said = -methods[m].rate * log(1.0 - fractions[i]);
            lab_add(run, methods[m].source, said, sweeps_to(of_error, fractions[i]),
                    sweeps_to(solved, fractions[i]), 0.0, "sweeps that remove %g of the slowest mode, %s",
                    fractions[i], methods[m].name);
            if (swept)
                lab_add(run, methods[m].source, said, sweeps_to(colored, fractions[i]),
                        sweeps_to(engine, fractions[i]), 0.0, "the same, the engine by color, forward");
        }
        draw(run, &methods[m], of_error, swept ? engine : NULL);
    }
}

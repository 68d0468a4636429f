/* The order of sweeps, and conjugate gradients with and without contacts [Spook p. 9]. */
#include "tools/lab/chain.h"
#include "tools/lab/experiments.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char lab_orders_text[] =
    "**Order.** A tower of n spheres under gravity, from impulses of 0, in double precision. The notes "
    "expect the order to improve convergence dramatically [Spook p. 9]. For a tower it does not: "
    "upward, downward and by color have the same radius, cos^2(pi / 2n), as the rows are consistently "
    "ordered, and reach 1 % within 1 % of the same number of sweeps. Orders that turn back are slower: "
    "up and down in turn by 6 %, colors forward and backward in turn, as the engine's default does, by "
    "a factor of 2, since each turn repeats a color. The engine has all of these orders; the chapter on "
    "dominance compares its towers with them. Shuffled rows are consistently ordered by chance only.\n\n"
    "**Conjugate gradients** end after as many steps as there are rows, whatever the masses: the exact "
    "values of the first rows are those numbers. With contacts, which bound impulses from below, the "
    "plain method pulls where it should not. A projected one clamps each step, and starts again where a "
    "contact opens or closes. The notes expect the projection to ruin the rate; on a tower of 20 "
    "spheres, part of whose contacts open, it takes 11 steps where Gauss-Seidel takes 96 sweeps.\n";

static const double pi = 3.14159265358979323846;

/* The rows of n equal spheres on each other, the lowest contact first: 1 on the diagonal of the lowest, 2 on
 * those above, -1 beside it. The impulses carry the weights above, from n down to 1. */
static lab_problem tower(lab_run *run, int n)
{
    lab_problem p = lab_problem_of(run, n);
    for (int i = 0; i < n; i++) {
        p.a[i * n + i] = i == 0 ? 1.0 : 2.0;
        if (i > 0)
            p.a[i * n + i - 1] = p.a[(i - 1) * n + i] = -1.0;
    }
    p.b[0] = 1.0; /* all fall alike: only the lowest contact closes */
    return p;
}

enum { UP, DOWN, COLOR, SHUFFLED };

/* Fills the order of sweep k. */
static void order_of(int kind, int n, uint32_t *random, int *order)
{
    int count = 0;
    for (int i = 0; i < n && kind != COLOR; i++)
        order[count++] = kind == DOWN ? n - 1 - i : i;
    for (int parity = 0; parity < 2 && kind == COLOR; parity++)
        for (int i = parity; i < n; i += 2)
            order[count++] = i;
    for (int i = n - 1; i > 0 && kind == SHUFFLED; i--) {
        *random = *random * 1664525u + 1013904223u;
        const int other = (int)((uint64_t)*random * (uint64_t)(i + 1) >> 32), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

/* Sweeps from 0, drawn anew each time if shuffled, and adds the curve. Returns the sweeps to 1 % of the
 * error. */
static int run_order(lab_run *run, const lab_problem *p, int kind, bool alternate, int count,
                     const char *name, double *rate)
{
    const int n = p->n;
    int *order = lab_take(run, (size_t)n, sizeof *order), reached = -1;
    double *x = lab_doubles(run, n), *work = lab_doubles(run, n), *lengths = lab_doubles(run, count + 1);
    uint32_t random = 1;
    order_of(kind == SHUFFLED ? UP : kind, n, &random, order);
    const lab_method method = {
        .kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0, .order = order, .alternate = alternate};
    for (int k = 0; k <= count; k++) {
        for (int i = 0; i < n; i++)
            work[i] = n - i - x[i];
        lengths[k] = lab_length(work, n);
        if (reached < 0 && lengths[k] <= 0.01 * lengths[0])
            reached = k;
        if (kind == SHUFFLED)
            order_of(kind, n, &random, order);
        lab_sweep(p, &method, k, x, work);
    }
    *rate = pow(lengths[count] / lengths[count / 2], 1.0 / (count - count / 2));
    lab_add_sequence(run, name, 0.0, lengths, count + 1);
    return reached;
}

static void orders(lab_run *run)
{
    enum { N = 20, SWEEPS = 2000 };
    static const struct {
        const char *name;
        int kind;
        bool alternate;
    } rows[] = {
        {"up", UP, false},
        {"down", DOWN, false},
        {"up and down in turn", UP, true},
        {"colors", COLOR, false},
        {"colors, forward and backward in turn", COLOR, true},
        {"shuffled in each sweep", SHUFFLED, false},
    };
    const lab_problem p = tower(run, N);
    const double c = cos(pi / (2 * N));
    lab_add_plot(run, "tower", "Tower of 20 spheres, from impulses of 0", "sweeps", "error of the impulses")
        ->log_y = true;
    for (int i = 0; i < 6; i++) {
        double rate;
        const int reached = run_order(run, &p, rows[i].kind, rows[i].alternate, SWEEPS, rows[i].name, &rate);
        double exact = NAN;
        if (rows[i].kind != SHUFFLED) {
            int *order = lab_take(run, N, sizeof *order);
            order_of(rows[i].kind, N, NULL, order);
            const lab_method method = {
                .kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0, .order = order, .alternate = rows[i].alternate};
            exact = lab_sweep_radius(run, &p, &method);
        }
        /* A random order lies between Gauss-Seidel and Jacobi, which takes twice as many sweeps. */
        const bool drawn = rows[i].kind == SHUFFLED;
        lab_add(run, "cos^2(pi / 2n)", -1.0 / log(c * c), -1.0 / log(exact), -1.0 / log(rate),
                drawn ? 1.0 : 1e-3, "sweeps an e-fold, %s", rows[i].name);
        lab_add(run, "cos^2(pi / 2n)", lab_sweeps_to(c * c, 0.01), lab_sweeps_to(exact, 0.01), reached,
                drawn ? 1.0 : 0.02, "sweeps to 1 %%, %s", rows[i].name);
    }
}

/* Returns the steps of conjugate gradients to 1e-9 of the first residual. */
static int steps_of(const double *lengths, int steps)
{
    int k = 0;
    while (k < steps && lengths[k] > 1e-9 * lengths[0])
        k++;
    return k;
}

static void without_contacts(lab_run *run)
{
    static const double ratios[] = {1.0, 100.0, 10000.0};
    for (int i = 0; i < 3; i++) {
        lab_chain chain = lab_chain_of(20, 1.0, ratios[i]);
        for (int k = 0; k < chain.count; k++)
            chain.speed[k] = (k * k) % 7 - 3.0; /* no symmetry, which would halve the steps */
        lab_system system;
        const lab_problem p = lab_chain_problem(run, &chain, &system);
        double *x = lab_doubles(run, p.n), *lengths = lab_doubles(run, 2 * p.n + 1);
        const int steps = lab_conjugate_gradients(run, &p, false, x, 2 * p.n, lengths);
        const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
        lab_add(run, "-", p.n, p.n, steps_of(lengths, steps), 0.1,
                "steps of conjugate gradients to 1e-9, N = 20, %g:1 (Gauss-Seidel: %.0f sweeps)", ratios[i],
                lab_sweeps_to(lab_sweep_radius(run, &p, &sweep), 1e-9));
    }
}

/* Conjugate gradients whose steps are clamped; they start again when the set of free rows changes. Returns
 * the steps to `fraction` of the first residual. */
static int projected_gradients(lab_run *run, const lab_problem *p, double *x, double fraction, int steps)
{
    const int n = p->n;
    double *r = lab_doubles(run, n), *s = lab_doubles(run, n), *as = lab_doubles(run, n),
           *map = lab_doubles(run, n);
    const lab_problem free = {.n = n, .a = p->a, .b = p->b};
    bool *held = lab_take(run, (size_t)n, sizeof *held), restart = true;
    const double first = lab_residual(p, x, map);
    double before = 0.0;
    for (int k = 0; k < steps; k++) {
        if (lab_residual(p, x, map) <= fraction * first)
            return k;
        lab_residual(&free, x, r);
        for (int i = 0; i < n; i++) {
            const bool holds = x[i] <= p->lo[i] && r[i] <= 0.0;
            restart = restart || holds != held[i];
            held[i] = holds;
            r[i] = holds ? 0.0 : r[i];
        }
        const double now = lab_dot(r, r, n);
        for (int i = 0; i < n; i++)
            s[i] = r[i] + (restart ? 0.0 : now / before * s[i]);
        for (int i = 0; i < n; i++)
            as[i] = lab_dot(&p->a[i * n], s, n);
        const double step = lab_dot(r, s, n) / lab_dot(s, as, n);
        before = now;
        restart = false;
        for (int i = 0; i < n; i++) {
            x[i] += step * s[i];
            restart = restart || x[i] < p->lo[i];
            x[i] = fmax(x[i], p->lo[i]);
        }
    }
    return steps;
}

/* A tower whose spheres have vertical speeds of all kinds, so that part of the contacts opens. */
static void with_contacts(lab_run *run)
{
    enum { N = 20, MOST = 100000 };
    lab_problem p = tower(run, N);
    double *x = lab_doubles(run, N), *plain = lab_doubles(run, N), *work = lab_doubles(run, N),
           *r = lab_doubles(run, N);
    const lab_problem free = p;
    for (int i = 0; i < N; i++)
        p.b[i] = (i * i) % 7 - 2.0;
    p.lo = lab_doubles(run, N);
    p.hi = lab_doubles(run, N);
    for (int i = 0; i < N; i++)
        p.hi[i] = DBL_MAX;
    const lab_method sweep = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
    const double first = lab_residual(&p, x, r);
    int sweeps = 0;
    for (; sweeps < MOST && lab_residual(&p, x, r) > 1e-9 * first; sweeps++)
        lab_sweep(&p, &sweep, sweeps, x, work);
    lab_solve(run, &free, plain);
    double lowest = 0.0, largest = 0.0, apart = 0.0;
    for (int i = 0; i < N; i++) {
        lowest = fmin(lowest, plain[i]);
        largest = fmax(largest, fabs(x[i]));
    }
    memset(plain, 0, N * sizeof *plain);
    const int steps = projected_gradients(run, &p, plain, 1e-9, MOST);
    for (int i = 0; i < N; i++)
        apart = fmax(apart, fabs(x[i] - plain[i]));
    lab_add(run, "-", NAN, 0.0, apart / largest, 1e-6, "projected gradients against projected Gauss-Seidel");
    lab_bound(
        lab_add(run, "-", NAN, sweeps, steps, 0.0, "their steps to 1e-9, against the sweeps of Gauss-Seidel"),
        LAB_AT_MOST);
    lab_unbounded(lab_add(run, "-", 0.0, 0.0, lowest / largest, INFINITY,
                          "most negative impulse without bounds, share of the largest"),
                  "conjugate gradients without bounds pull where contacts cannot");
}

void lab_orders(lab_run *run)
{
    lab_part(run);
    orders(run);
    lab_part(run);
    without_contacts(run);
    lab_part(run);
    with_contacts(run);
}

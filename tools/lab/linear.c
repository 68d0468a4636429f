/* Dense linear algebra and iterations (linear.h). */
#include "tools/lab/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

double lab_dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double lab_length(const double *x, int n)
{
    return sqrt(lab_dot(x, x, n));
}

lab_problem lab_problem_of(lab_run *run, int n)
{
    return (lab_problem){.n = n, .a = lab_doubles(run, n * n), .b = lab_doubles(run, n)};
}

static double clamp(const lab_problem *p, int i, double x)
{
    if (!p->lo)
        return x;
    return fmin(fmax(x, p->lo[i]), p->hi[i]);
}

/* Returns the value of row i that solves it from x, relaxed and projected. */
static double solve_row(const lab_problem *p, const lab_method *method, int i, const double *x)
{
    const double *row = &p->a[(size_t)i * (size_t)p->n];
    const double diagonal = method->diagonal ? method->diagonal[i] : row[i];
    if (diagonal <= 0.0)
        return x[i];
    return clamp(p, i, x[i] + method->relaxation * (p->b[i] - lab_dot(row, x, p->n)) / diagonal);
}

/* Solves two rows together. */
static void solve_pair(const lab_problem *p, const lab_method *method, int i, int j, double *x)
{
    const int n = p->n;
    const double *ai = &p->a[(size_t)i * (size_t)n], *aj = &p->a[(size_t)j * (size_t)n];
    const double ri = method->relaxation * (p->b[i] - lab_dot(ai, x, n)),
                 rj = method->relaxation * (p->b[j] - lab_dot(aj, x, n));
    const double share = method->coupling > 0.0 ? method->coupling : 1.0, aij = share * ai[j],
                 aji = share * aj[i];
    const double determinant = ai[i] * aj[j] - aij * aji, old_i = x[i], old_j = x[j];
    const double both_i = old_i + (aj[j] * ri - aij * rj) / determinant,
                 both_j = old_j + (ai[i] * rj - aji * ri) / determinant;
    /* A row whose impulse leaves its bounds in the solution of both stays there, and the other one is alone.
     */
    const double end_i = clamp(p, i, both_i), end_j = clamp(p, j, both_j);
    const double x_i = end_j != both_j ? old_i + (ri - aij * (end_j - old_j)) / ai[i] : both_i,
                 x_j = end_i != both_i ? old_j + (rj - aji * (end_i - old_i)) / aj[j] : both_j;
    x[i] = clamp(p, i, x_i);
    x[j] = clamp(p, j, x_j);
}

void lab_sweep(const lab_problem *p, const lab_method *method, int k, double *x, double *work)
{
    const bool backward = method->alternate && k % 2;
    const double *from = x;
    if (method->kind == LAB_JACOBI)
        from = memcpy(work, x, (size_t)p->n * sizeof *x);
    const int count = method->order_count > 0 ? method->order_count : p->n;
    for (int at = 0; at < count; at++) {
        const int place = backward && !method->back ? count - 1 - at : at;
        const int i = !method->order             ? place
                      : backward && method->back ? method->back[place]
                                                 : method->order[place];
        if (method->partner && method->partner[i] >= 0)
            solve_pair(p, method, i, method->partner[i], x);
        else
            x[i] = solve_row(p, method, i, from);
    }
}

double lab_residual(const lab_problem *p, const double *x, double *r)
{
    for (int i = 0; i < p->n; i++) {
        const double *row = &p->a[(size_t)i * (size_t)p->n];
        r[i] = p->b[i] - lab_dot(row, x, p->n);
        if (p->lo && row[i] > 0.0)
            r[i] = (clamp(p, i, x[i] + r[i] / row[i]) - x[i]) * row[i];
    }
    return lab_length(r, p->n);
}

int lab_solve(lab_run *run, const lab_problem *p, double *x)
{
    const int n = p->n;
    double *l = lab_doubles(run, n * n), *d = lab_doubles(run, n);
    double largest = 0.0;
    int redundant = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, p->a[i * n + i]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = p->a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= l[i * n + k] * d[k] * l[j * n + k];
            if (j < i)
                l[i * n + j] = d[j] > 0.0 ? sum / d[j] : 0.0;
            else
                d[i] = sum > 1e-12 * largest ? sum : 0.0;
        }
        redundant += d[i] == 0.0;
    }
    for (int i = 0; i < n; i++) {
        x[i] = p->b[i];
        for (int k = 0; k < i; k++)
            x[i] -= l[i * n + k] * x[k];
    }
    for (int i = 0; i < n; i++)
        x[i] = d[i] > 0.0 ? x[i] / d[i] : 0.0;
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= l[k * n + i] * x[k];
        x[i] = d[i] > 0.0 ? x[i] : 0.0;
    }
    return redundant;
}

/* z = r, divided by the diagonal if asked. */
static void precondition(const lab_problem *p, bool asked, const double *r, double *z)
{
    for (int i = 0; i < p->n; i++) {
        const double diagonal = p->a[i * p->n + i];
        z[i] = asked && diagonal > 0.0 ? r[i] / diagonal : r[i];
    }
}

int lab_conjugate_gradients(lab_run *run, const lab_problem *p, bool preconditioned, double *x, int steps,
                            double *lengths)
{
    const int n = p->n;
    double *r = lab_doubles(run, n), *z = lab_doubles(run, n), *s = lab_doubles(run, n),
           *as = lab_doubles(run, n);
    const lab_problem free = {.n = n, .a = p->a, .b = p->b};
    lengths[0] = lab_residual(&free, x, r);
    precondition(p, preconditioned, r, z);
    memcpy(s, z, (size_t)n * sizeof *s);
    double product = lab_dot(r, z, n);
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < n; i++)
            as[i] = lab_dot(&p->a[(size_t)i * (size_t)n], s, n);
        const double curvature = lab_dot(s, as, n);
        if (!(curvature > 0.0))
            return k;
        const double step = product / curvature;
        for (int i = 0; i < n; i++) {
            x[i] += step * s[i];
            r[i] -= step * as[i];
        }
        lengths[k + 1] = lab_length(r, n);
        precondition(p, preconditioned, r, z);
        const double next = lab_dot(r, z, n), beta = next / product;
        for (int i = 0; i < n; i++)
            s[i] = z[i] + beta * s[i];
        product = next;
    }
    return steps;
}

double *lab_iteration_matrix(lab_run *run, const lab_problem *p, const lab_method *method)
{
    const int n = p->n;
    double *g = lab_doubles(run, n * n), *x = lab_doubles(run, n), *work = lab_doubles(run, n);
    const lab_problem free = {.n = n, .a = p->a, .b = lab_doubles(run, n)};
    for (int j = 0; j < n; j++) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[j] = 1.0;
        lab_sweep(&free, method, 0, x, work);
        lab_sweep(&free, method, 1, x, work);
        for (int i = 0; i < n; i++)
            g[i * n + j] = x[i];
    }
    return g;
}

double lab_power_radius(lab_run *run, const double *g, int n, int steps)
{
    double *x = lab_doubles(run, n), *y = lab_doubles(run, n), logarithm = 0.0;
    /* A start that is no eigenvector: numbers in (0.5, 1.5) without a pattern. */
    for (int i = 0; i < n; i++)
        x[i] = 0.5 + fmod(0.618033988749895 * (i + 1), 1.0);
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < n; i++)
            y[i] = lab_dot(&g[(size_t)i * (size_t)n], x, n);
        const double length = lab_length(y, n), before = lab_length(x, n);
        if (length <= DBL_MIN)
            return 0.0;
        if (k >= steps / 2)
            logarithm += log(length / before);
        for (int i = 0; i < n; i++)
            x[i] = y[i] / length;
    }
    return exp(logarithm / (steps - steps / 2));
}

double lab_radius(lab_run *run, const double *g, int n)
{
    enum { SQUARINGS = 30 };
    const size_t bytes = (size_t)n * (size_t)n * sizeof *g;
    double *a = memcpy(lab_doubles(run, n * n), g, bytes), *square = lab_doubles(run, n * n);
    double logarithm = 0.0, weight = 1.0;
    for (int k = 0; k <= SQUARINGS; k++) {
        const double length = lab_length(a, n * n);
        if (length <= DBL_MIN)
            return 0.0;
        logarithm += weight * log(length);
        weight *= 0.5;
        for (int i = 0; i < n * n; i++)
            a[i] /= length;
        memset(square, 0, bytes);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int m = 0; m < n; m++)
                    square[i * n + m] += a[i * n + j] * a[j * n + m];
        memcpy(a, square, bytes);
    }
    return exp(logarithm);
}

double lab_sweep_radius(lab_run *run, const lab_problem *p, const lab_method *method)
{
    return sqrt(lab_radius(run, lab_iteration_matrix(run, p, method), p->n));
}

double lab_sweep_power_radius(lab_run *run, const lab_problem *p, const lab_method *method, int steps)
{
    return sqrt(lab_power_radius(run, lab_iteration_matrix(run, p, method), p->n, steps));
}

double lab_dominance(const lab_problem *p)
{
    double largest = 0.0;
    for (int i = 0; i < p->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < p->n; j++)
            sum += j == i ? 0.0 : fabs(p->a[i * p->n + j]);
        if (p->a[i * p->n + i] > 0.0)
            largest = fmax(largest, sum / p->a[i * p->n + i]);
    }
    return largest;
}

double lab_tail_rate(const double *lengths, int count, double share, double floor)
{
    int end = 0;
    while (end < count && lengths[end] > floor * lengths[0])
        end++;
    int span = (int)(share * end);
    span -= span % 2;
    if (span < 2)
        return NAN;
    return pow(lengths[end - 1] / lengths[end - 1 - span], 1.0 / span);
}

double lab_sweeps_to(double radius, double fraction)
{
    return log(fraction) / log(radius);
}

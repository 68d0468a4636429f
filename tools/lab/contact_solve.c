/* A non-smooth Gauss-Seidel for frictional contacts (contact_solve.h). */
#include "tools/lab/contact_solve.h"

#include <math.h>
#include <string.h>

enum { ANDERSON_SWEEPS = 16 };

/* A sliding point as a function of its slip a: (A + a) r_T = -b, where A and b are W and q with the normal
 * impulse eliminated, u_N = 0, and u_T = -a r_T. */
typedef struct slide {
    double a[2][2], b[2];          /* A, b */
    double normal[2], at_rest, mu; /* r_N = at_rest - normal . r_T */
} slide;

/* Writes the impulse of a slip. Returns |r_T| - mu r_N, which the true slip makes 0. */
static double slide_impulse(const slide *s, double slip, double r[3])
{
    const double a = s->a[0][0] + slip, d = s->a[1][1] + slip, c = s->a[0][1], determinant = a * d - c * c;
    r[1] = (c * s->b[1] - d * s->b[0]) / determinant;
    r[2] = (c * s->b[0] - a * s->b[1]) / determinant;
    r[0] = s->at_rest - s->normal[0] * r[1] - s->normal[1] * r[2];
    return hypot(r[1], r[2]) - s->mu * r[0];
}

void lab_contact_solve_point(const double w[3][3], const double q[3], double mu, double r[3])
{
    memset(r, 0, 3 * sizeof *r);
    if (q[0] >= 0.0)
        return; /* leaves by itself */
    slide s = {.at_rest = -q[0] / w[0][0], .mu = mu};
    for (int i = 0; i < 2; i++) {
        s.normal[i] = w[0][1 + i] / w[0][0];
        s.b[i] = q[1 + i] - s.normal[i] * q[0];
        for (int j = 0; j < 2; j++)
            s.a[i][j] = w[1 + i][1 + j] - w[0][1 + j] * s.normal[i];
    }
    double low = 0.0, high = w[0][0] + w[1][1] + w[2][2];
    if (slide_impulse(&s, 0.0, r) <= 0.0)
        return; /* sticks: u = 0 */
    while (slide_impulse(&s, high, r) > 0.0 && high < 1e300)
        low = high, high *= 4.0;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        *(slide_impulse(&s, middle, r) > 0.0 ? &low : &high) = middle;
    }
    slide_impulse(&s, high, r);
}

/* u of a point without its own impulse, and W of the point with itself. */
static void point_of(const lab_contact_problem *p, const double *impulse, int i, double w[3][3], double u[3])
{
    for (int c = 0; c < 3; c++) {
        const int column = 3 * i + c;
        u[c] = p->q[column];
        memset(w[c], 0, 3 * sizeof w[c][0]);
        for (int k = p->w.start[column]; k < p->w.start[column + 1]; k++) {
            const int row = p->w.row[k];
            if (row / 3 == i)
                w[c][row % 3] = p->w.value[k];
            else
                u[c] += p->w.value[k] * impulse[row];
        }
    }
}

static void sweep_points(const lab_contact_problem *p, double *impulse)
{
    for (int i = 0; i < p->points; i++) {
        double w[3][3], u[3];
        point_of(p, impulse, i, w, u);
        lab_contact_solve_point((const double(*)[3])w, u, p->mu[i], &impulse[3 * i]);
    }
}

/* Anderson's acceleration: of the last sweeps, the combination whose changes cancel best.
 *
 * `change[i]` and `result[i]` are differences of consecutive sweeps' changes and results. */
typedef struct anderson {
    int unknowns, held, next;
    double *change[ANDERSON_SWEEPS], *result[ANDERSON_SWEEPS];
    double *last_change, *last_result;
} anderson;

static anderson anderson_of(lab_run *run, int unknowns)
{
    anderson a = {.unknowns = unknowns, .held = -1};
    for (int i = 0; i < ANDERSON_SWEEPS; i++) {
        a.change[i] = lab_doubles(run, unknowns);
        a.result[i] = lab_doubles(run, unknowns);
    }
    a.last_change = lab_doubles(run, unknowns);
    a.last_result = lab_doubles(run, unknowns);
    return a;
}

/* Takes note of a sweep from x to `result`, and replaces x by the combination. */
static void anderson_mix(lab_run *run, anderson *a, const double *result, double *x, lab_problem *least)
{
    const size_t bytes = (size_t)a->unknowns * sizeof *x;
    double weight[ANDERSON_SWEEPS];
    for (int k = 0; k < a->unknowns; k++)
        x[k] = result[k] - x[k]; /* the change */
    if (a->held >= 0) {
        for (int k = 0; k < a->unknowns; k++) {
            a->change[a->next][k] = x[k] - a->last_change[k];
            a->result[a->next][k] = result[k] - a->last_result[k];
        }
        a->next = (a->next + 1) % ANDERSON_SWEEPS;
    }
    a->held = a->held < ANDERSON_SWEEPS ? a->held + 1 : ANDERSON_SWEEPS;
    memcpy(a->last_change, x, bytes);
    memcpy(a->last_result, result, bytes);
    memcpy(x, result, bytes);
    least->n = a->held;
    for (int i = 0; i < a->held; i++) {
        least->b[i] = lab_dot(a->change[i], a->last_change, a->unknowns);
        for (int j = 0; j < a->held; j++)
            least->a[i * a->held + j] = lab_dot(a->change[i], a->change[j], a->unknowns);
    }
    lab_solve(run, least, weight);
    for (int i = 0; i < a->held; i++)
        for (int k = 0; k < a->unknowns; k++)
            x[k] -= weight[i] * a->result[i][k];
}

double lab_contact_solve(lab_run *run, const lab_contact_problem *p, double tolerance, int sweeps,
                         double *impulse)
{
    const int unknowns = 3 * p->points;
    const size_t bytes = (size_t)unknowns * sizeof(double);
    double *velocity = lab_doubles(run, unknowns + 1), *swept = lab_doubles(run, unknowns + 1),
           *best = lab_doubles(run, unknowns + 1);
    anderson mix = anderson_of(run, unknowns);
    lab_problem least = lab_problem_of(run, ANDERSON_SWEEPS);
    memcpy(best, impulse, bytes);
    int plain = 0, rest = 16;
    double least_residual = lab_contact_problem_residual(p, impulse, p->force, velocity);
    for (int sweep = 0; sweep < sweeps && least_residual > tolerance; sweep++) {
        memcpy(swept, impulse, bytes);
        sweep_points(p, swept);
        const double residual = lab_contact_problem_residual(p, swept, p->force, velocity);
        if (residual < least_residual) {
            least_residual = residual;
            memcpy(best, swept, bytes);
        }
        if (plain > 0) {
            plain--;
            memcpy(impulse, swept, bytes);
        } else if (residual > 10.0 * least_residual) { /* astray: on from the best, with plain sweeps first */
            memcpy(impulse, best, bytes);
            mix.held = -1;
            mix.next = 0;
            plain = rest;
            rest = rest < 10000 ? 2 * rest : rest;
        } else {
            anderson_mix(run, &mix, swept, impulse, &least);
        }
    }
    memcpy(impulse, best, bytes);
    return least_residual;
}

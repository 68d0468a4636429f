/* Dense linear algebra in double precision, and the iterations that the source documents name. Matrices are
 * stored row by row. Sizes are those of an experiment, at most some hundred rows. */
#ifndef TOOLS_LAB_LINEAR_H
#define TOOLS_LAB_LINEAR_H

#include "tools/lab/run.h"

/* The problem A x = b with lo <= x <= hi, which an iteration solves row by row. */
typedef struct lab_problem {
    int n;
    double *a, *b;
    double *lo, *hi; /* null: no bounds */
} lab_problem;

/* The iterations. */
typedef enum lab_kind { LAB_GAUSS_SEIDEL, LAB_JACOBI } lab_kind;

typedef struct lab_method {
    lab_kind kind;
    double relaxation;      /* xi [Waterson 4.73]; 1 */
    const int *order;       /* rows in the order of a sweep; null: as they are numbered */
    const int *back;        /* the order of backward sweeps; null: the same from its end */
    int order_count;        /* of them, if a sweep takes some twice or not; 0: all */
    const int *partner;     /* the row that is solved with each one; -1: none. Null: none at all */
    double coupling;        /* the share of a pair's coupling that its solution takes; 0 takes all */
    const double *diagonal; /* what a row divides by; null: the diagonal of A */
    bool alternate;         /* every second sweep goes backward */
} lab_method;

/* Returns a zero problem with n rows and without bounds. */
lab_problem lab_problem_of(lab_run *run, int n);

/* Does sweep number `k` of an iteration on x. `work` has room for n numbers. */
void lab_sweep(const lab_problem *p, const lab_method *method, int k, double *x, double *work);

/* r = b - A x; with bounds, the part of it that may still change x: the natural map's residual,
 * x - clamp(x + r / A_ii), times A_ii. Returns the length. */
double lab_residual(const lab_problem *p, const double *x, double *r);

/* Solves A x = b for a symmetric matrix by L D L^T. A pivot below 1e-12 of the largest diagonal element
 * belongs to a redundant row, whose x stays 0. Returns the number of such rows. */
int lab_solve(lab_run *run, const lab_problem *p, double *x);

/* Does up to `steps` steps of conjugate gradients, preconditioned with the diagonal if asked, from x. Writes
 * the length of the residual before each step to `lengths`, which has room for steps + 1. Returns the number
 * of steps. */
int lab_conjugate_gradients(lab_run *run, const lab_problem *p, bool precondition, double *x, int steps,
                            double *lengths);

/* Computes the iteration matrix of two sweeps of a method: for an alternating one the pair repeats. */
double *lab_iteration_matrix(lab_run *run, const lab_problem *p, const lab_method *method);

/* Returns the spectral radius of a matrix by power iteration on a vector, from the growth over the last half
 * of `steps` steps. */
double lab_power_radius(lab_run *run, const double *g, int n, int steps);
/* Returns it from the norm of g^(2^30), by squaring: exact for double roots, too. */
double lab_radius(lab_run *run, const double *g, int n);

/* Returns the spectral radius of one sweep of a method: the root of that of two. */
double lab_sweep_radius(lab_run *run, const lab_problem *p, const lab_method *method);
double lab_sweep_power_radius(lab_run *run, const lab_problem *p, const lab_method *method, int steps);

/* Returns the largest sum of |A_ij| off the diagonal over A_ii [Waterson 4.71]. */
double lab_dominance(const lab_problem *p);

double lab_length(const double *x, int n);
double lab_dot(const double *x, const double *y, int n);

/* Returns the factor a step by which a sequence of lengths shrinks, from its tail: the last `share` of those
 * above `floor` times the first. NAN if fewer than three are left. Even and odd elements may differ. */
double lab_tail_rate(const double *lengths, int count, double share, double floor);

/* Returns how many sweeps an error that shrinks by `radius` a sweep takes to `fraction` of itself. */
double lab_sweeps_to(double radius, double fraction);

#endif

/* Linear complementarity problems, dense and small: impulses that do not attract, and gaps that they open. */
#ifndef SOLVER_DIRECT_COMPLEMENTARITY_H
#define SOLVER_DIRECT_COMPLEMENTARITY_H

#include <stdbool.h>

/* Most rows of a problem. */
enum { DRY_COMPLEMENTARITY_MAX = 96 };

/* Finds impulses f >= 0 with S f + gap >= 0, one of which is 0 in each row. S has n by n elements, is
 * symmetric and loses no energy; `factor` has room for as many. Begins with the rows whose impulses are
 * positive. Returns false if the search takes too long, or rows contradict each other. */
bool dry_complementarity_solve(int n, const double *s, const double *gap, double *factor, double *impulse);
/* Finds impulses f with S f + gap = 0, of either sign. Returns false if rows contradict each other. */
bool dry_complementarity_solve_all(int n, const double *s, const double *gap, double *factor,
                                   double *impulse);

#endif

/* Solves a frictional contact problem point by point, in double precision: a non-smooth Gauss-Seidel whose
 * single points are solved exactly. */
#ifndef TOOLS_LAB_CONTACT_SOLVE_H
#define TOOLS_LAB_CONTACT_SOLVE_H

#include "tools/lab/contact_problem.h"

/* Solves one point: u = W r + q with u + (mu |u_T|, 0, 0) orthogonal to r in the cone of mu. W is symmetric
 * and positive definite. */
void lab_contact_solve_point(const double w[3][3], const double q[3], double mu, double r[3]);

/* Solves a problem without equations, from `impulse`, until the natural map's residual is at most `tolerance`
 * or `sweeps` are done. Returns the residual. */
double lab_contact_solve(lab_run *run, const lab_contact_problem *p, double tolerance, int sweeps,
                         double *impulse);

#endif

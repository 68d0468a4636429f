/* Siconos, whose non-smooth Gauss-Seidel solves the same problem as contact_solve.h, where it is installed.
 */
#ifndef TOOLS_LAB_SICONOS_H
#define TOOLS_LAB_SICONOS_H

#include "tools/lab/contact_problem.h"

/* Tells whether this build knows Siconos. The library itself is loaded at the first use. */
bool lab_siconos_available(void);

/* Solves a problem without equations, from 0, until Siconos's own error is at most `tolerance` or `sweeps`
 * are done. Returns false where the library is missing, fails or takes longer than SECONDS. Siconos runs in a
 * child process: it may end its process, and its libraries start threads. */
enum { LAB_SICONOS_SECONDS = 100 };
bool lab_siconos_solve(const lab_contact_problem *p, double tolerance, int sweeps, double *impulse);

#endif

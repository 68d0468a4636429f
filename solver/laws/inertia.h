/* Rotations of several bodies as one. */
#ifndef SOLVER_LAWS_INERTIA_H
#define SOLVER_LAWS_INERTIA_H

#include "core/inertia.h"

#include <stdbool.h>

/* Computes I^-1 v with Cramer's rule. False if the inertia is singular. */
static inline bool dry_inertia_solve(const dry_inertia *inertia, const double v[3], double x[3])
{
    const double(*a)[3] = inertia->m;
    double c[3][3];
    for (int i = 0; i < 3; i++)
        for (int p = 0; p < 3; p++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3, q = (p + 1) % 3, r = (p + 2) % 3;
            c[i][p] = a[j][q] * a[k][r] - a[j][r] * a[k][q];
        }
    const double determinant = a[0][0] * c[0][0] + a[0][1] * c[0][1] + a[0][2] * c[0][2];
    if (!(determinant > 0.0))
        return false;
    for (int i = 0; i < 3; i++)
        x[i] = (c[0][i] * v[0] + c[1][i] * v[1] + c[2][i] * v[2]) / determinant;
    return true;
}

#endif

/* Projected Jacobi: all constraints see the same velocities. Their changes are summed, then applied. Each
 * body's mass is split among its constraints, so that the sum does not overshoot. */
#include "solver/methods/method.h"

/* With split masses the iteration has eigenvalues l from 0 to 1, and with relaxation 1 - xi (1 - l). The
 * ratio tells the largest l; the best xi makes those of 0 and of l equal, but for their sign. */
static double jacobi_relaxation(const dry_settings *settings, double present, double ratio)
{
    (void)settings;
    return 2.0 / (1.0 + (1.0 - ratio) / present);
}

static const char *jacobi_refuses(const dry_settings *settings)
{
    return settings->method.order != DRY_ORDER_COLOR
               ? "jacobi solves all constraints at once: order must be color"
               : NULL;
}

const dry_method dry_method_jacobi = {
    .splits_masses = true,
    .update = {[DRY_SWEEP_SOLVE] = DRY_UPDATE_SUMMED, [DRY_SWEEP_RELAX] = DRY_UPDATE_SUMMED},
    .sweeps_joints = true,
    .no_geometric_stiffness = "solver jacobi solves for velocities: geometric_stiffness must be false",
    /* A sweep moves a load half as far as one of Gauss-Seidel: with as many, a tower of 10 never rests. */
    .each = {2, 2},
    .relaxation = jacobi_relaxation,
    .refuses = jacobi_refuses,
};

/* The limits of valid motion. A body beyond them, or not finite, goes to quarantine. */
#ifndef SOLVER_BODIES_INVALID_H
#define SOLVER_BODIES_INVALID_H

#include "solver/data/solver_row.h"

#include <stdbool.h>

/* 1e5 m/s crosses a kilometer in a step of 10 ms. Beyond it single precision has nothing left for the
 * contacts of a body's neighbors. */
#define DRY_SPEED_MAX 1e5f         /* m/s */
#define DRY_ANGULAR_SPEED_MAX 1e4f /* rad/s */

/* Returns false if a speed, given by its square, exceeds its limit or is not a number. */
static inline bool dry_speeds_are_valid(float linear_squared, float angular_squared)
{
    return linear_squared <= DRY_SPEED_MAX * DRY_SPEED_MAX &&
           angular_squared <= DRY_ANGULAR_SPEED_MAX * DRY_ANGULAR_SPEED_MAX;
}

/* Tells whether the motion that a row holds is valid. */
static inline bool dry_row_is_valid(const dry_solver_row *r)
{
    float linear = 0.0f, angular = 0.0f;
    for (int k = 0; k < 3; k++) {
        const float v = r->ul[k] * r->inv_sqrt_mass, w = r->ua[k] * r->inv_sqrt_inertia[k];
        linear += v * v;
        angular += w * w;
    }
    return dry_speeds_are_valid(linear, angular);
}

#endif

/* The limits of valid motion. A body beyond them, or not finite, goes to quarantine. */
#ifndef SOLVER_BODIES_INVALID_H
#define SOLVER_BODIES_INVALID_H

#include "state/bodies.h"
#include "state/settings.h"

#include <math.h>

/* 1e5 m/s crosses a kilometer in a step of 10 ms. Beyond it single precision has nothing left for the
 * contacts of a body's neighbors. A small body may spin faster than 1e4 rad/s, by up to 1e3 m/s at its radius
 * of gyration: a ball that rolls at 300 m/s does. dry_settings.spin_max limits that where a step ends. */
#define DRY_SPEED_MAX 1e5f         /* m/s */
#define DRY_ANGULAR_SPEED_MAX 1e4f /* rad/s */
#define DRY_SPIN_SPEED_MAX (DRY_SPEED_MAX / 100)

typedef enum dry_motion_fault { DRY_VALID, DRY_TOO_FAST, DRY_TOO_FAR, DRY_NOT_FINITE } dry_motion_fault;

/* Returns what is wrong with speeds, given by their squares, of a body of a mass. */
static inline dry_motion_fault dry_speeds_fault(float v2, float w2, const dry_body_mass *mass)
{
    if (v2 <= DRY_SPEED_MAX * DRY_SPEED_MAX &&
        (w2 <= DRY_ANGULAR_SPEED_MAX * DRY_ANGULAR_SPEED_MAX ||
         (w2 <= DRY_SPIN_MAX * DRY_SPIN_MAX &&
          w2 * mass->inverse_mass <=
              DRY_SPIN_SPEED_MAX * DRY_SPIN_SPEED_MAX * vec3_least(mass->inverse_inertia))))
        return DRY_VALID;
    return isfinite(v2 + w2) ? DRY_TOO_FAST : DRY_NOT_FINITE;
}

#endif

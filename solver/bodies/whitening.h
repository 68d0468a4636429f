/* Whitening of single bodies: for joints, locked axes in the substeps, and momentum. The kernels of bodies
 * have the same in lanes (body_lanes.h). */
#ifndef SOLVER_BODIES_WHITENING_H
#define SOLVER_BODIES_WHITENING_H

#include "core/gyroscopic.h"
#include "core/shared.h"
#include "solver/data/solver_row.h"
#include "state/bodies.h"

#define DRY_LOCKS_LINEAR (DRY_LOCK_LINEAR_X | DRY_LOCK_LINEAR_Y | DRY_LOCK_LINEAR_Z)
#define DRY_LOCKS_ANGULAR (DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z)

/* Returns the whitening of a body whose row the step has begun. */
DRY_SHARED dry_whitening dry_whitening_of(const dry_solver_row *row, dry_quat orientation);

/* Returns the whitened axis k in the world. */
static inline dry_double3 dry_whitening_axis(const dry_whitening *w, int k)
{
    return (dry_double3){(double)w->axes[k][0], (double)w->axes[k][1], (double)w->axes[k][2]};
}

/* Fills a body's half of a row, times a number, from the row itself. */
static inline void dry_whitening_half(const dry_whitening *w, double times, dry_double3 linear,
                                      dry_double3 angular, double half[6])
{
    const double scale = times * (double)w->inv_sqrt_mass;
    half[0] = scale * linear.x, half[1] = scale * linear.y, half[2] = scale * linear.z;
    for (int k = 0; k < 3; k++)
        half[3 + k] = times * double3_dot(angular, dry_whitening_axis(w, k));
}

/* Returns the world angular vector of a whitened one: W^T u. */
DRY_SHARED dry_vec3 dry_whitening_to_world(const dry_whitening *w, const float u[3]);

/* Takes the locked world axes out of a whitened vector. */
void dry_whitening_lock(const dry_whitening *w, uint32_t locks, float ul[3], float ua[3]);

#endif

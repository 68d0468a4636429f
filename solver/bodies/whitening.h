/* Whitening of single bodies: for joints, locked axes in the substeps, and momentum. The kernels of bodies
 * have the same in lanes (body_lanes.h). */
#ifndef SOLVER_BODIES_WHITENING_H
#define SOLVER_BODIES_WHITENING_H

#include "core/math.h"
#include "solver/data/solver_row.h"
#include "state/bodies.h"

#define DRY_LOCKS_LINEAR (DRY_LOCK_LINEAR_X | DRY_LOCK_LINEAR_Y | DRY_LOCK_LINEAR_Z)
#define DRY_LOCKS_ANGULAR (DRY_LOCK_ANGULAR_X | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_Z)

/* Returns the whitening of a body whose row the step has begun. */
dry_whitening dry_whitening_of(const dry_solver_row *row, dry_quat orientation);

/* Returns the world angular vector of a whitened one: W^T u. */
dry_vec3 dry_whitening_to_world(const dry_whitening *w, const float u[3]);

/* Takes the locked world axes out of a whitened vector. */
void dry_whitening_lock(const dry_whitening *w, uint32_t locks, float ul[3], float ua[3]);

#endif

/* Bodies that move as one rigid body, by their momenta. */
#ifndef SOLVER_LAWS_RIGID_MOTION_H
#define SOLVER_LAWS_RIGID_MOTION_H

#include "core/inertia.h"
#include "core/shared.h"
#include "solver/bodies/whitening.h"

struct dry_solver_step;

typedef struct dry_rigid_motion {
    dry_position origin; /* of lengths, near the bodies */
    double mass;
    dry_double3 center;
    dry_double3 velocity; /* of the center of mass; the linear momentum until that is divided, N s */
    dry_double3 kept;     /* likewise, the one that bodies get */
    dry_double3 angular;  /* angular momentum about the center of mass, N m s */
    dry_inertia inertia;  /* about the center of mass */
    dry_double3 rotation; /* what every body's rotation gets, rad/s */
    double share;         /* of its relative motion that a body keeps */
} dry_rigid_motion;

/* Returns the place of a body relative to the origin, m, as the step began and where its row is now. */
dry_double3 dry_rigid_begin(const struct dry_solver_step *step, int row, const dry_rigid_motion *m);
dry_double3 dry_rigid_place(const struct dry_solver_step *step, int row, const dry_rigid_motion *m);
/* Returns the whitened angular velocity of one in the world, and the angular momentum in the world of a
 * whitened one. */
dry_double3 dry_rigid_whiten(const dry_whitening *w, dry_double3 angular);
dry_double3 dry_rigid_momentum(const dry_whitening *w, dry_double3 whitened);
/* Adds a body's mass and momentum. */
DRY_SHARED void dry_rigid_add_mass(const struct dry_solver_step *step, int row, dry_rigid_motion *m);
/* Divides momenta by the mass. */
DRY_SHARED void dry_rigid_divide(dry_rigid_motion *m);
/* Adds a body's inertia and angular momentum about the center of mass. */
DRY_SHARED void dry_rigid_add_inertia(const struct dry_solver_step *step, int row, dry_rigid_motion *m);
/* Gives a body its share of its velocity and of the center's, the change of that, and the rotation. */
DRY_SHARED void dry_rigid_move(const struct dry_solver_step *step, int row, const dry_rigid_motion *m);
/* Scales all of the motion of a body. */
DRY_SHARED void dry_rigid_scale(const struct dry_solver_step *step, int row, double share);

#endif

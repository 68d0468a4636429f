/* Bodies that move as one rigid body, by their momenta. */
#ifndef SOLVER_LAWS_RIGID_MOTION_H
#define SOLVER_LAWS_RIGID_MOTION_H

#include "core/inertia.h"
#include "core/shared.h"
#include "state/bodies.h"

#include <stdbool.h>

struct dry_solver_step;

typedef struct dry_rigid_motion {
    dry_position origin; /* of lengths, near the bodies */
    double mass, center[3];
    double velocity[3];  /* of the center of mass; the linear momentum until that is divided, N s */
    double kept[3];      /* likewise, the one that bodies get */
    double angular[3];   /* angular momentum about the center of mass, N m s */
    dry_inertia inertia; /* about the center of mass */
    double rotation[3];  /* what every body's rotation gets, rad/s */
    double share;        /* of its relative motion that a body keeps */
} dry_rigid_motion;

/* Computes where the row of a body is, relative to the origin, m. */
void dry_rigid_place(const struct dry_solver_step *step, int row, const dry_rigid_motion *m, double x[3]);
/* Adds a body's mass and momentum. */
DRY_SHARED void dry_rigid_add_mass(const struct dry_solver_step *step, int row, dry_rigid_motion *m);
/* Divides momenta by the mass. */
DRY_SHARED void dry_rigid_divide(dry_rigid_motion *m);
/* Adds a body's inertia and angular momentum about the center of mass. */
DRY_SHARED void dry_rigid_add_inertia(const struct dry_solver_step *step, int row, dry_rigid_motion *m);
/* Computes I^-1 v with Cramer's rule. False if the inertia is singular. */
DRY_SHARED bool dry_inertia_solve(const dry_inertia *inertia, const double v[3], double x[3]);
/* Gives a body its share of its velocity and of the center's, the change of that, and the rotation. */
DRY_SHARED void dry_rigid_move(const struct dry_solver_step *step, int row, const dry_rigid_motion *m);
/* Scales all of the motion of a body. */
DRY_SHARED void dry_rigid_scale(const struct dry_solver_step *step, int row, double share);

#endif

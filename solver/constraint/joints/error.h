/* How far a joint is from where its rigid rows would have it. */
#ifndef SOLVER_CONSTRAINT_JOINTS_ERROR_H
#define SOLVER_CONSTRAINT_JOINTS_ERROR_H

#include "solver/constraint/joints/joint_type.h"

/* A joint is open beyond this, m and rad. */
#define DRY_GAP_OPEN 1e-2
#define DRY_TURN_OPEN 0.1

typedef struct dry_joint_error {
    double gap;  /* of rows that part the bodies, m */
    double turn; /* of rows that only turn them, rad */
} dry_joint_error;

/* Returns the error of a joint where its bodies are; springs have none. */
dry_joint_error dry_joint_error_now(const dry_bodies *bodies, const dry_joints *joints, int joint);

/* Returns the value of a joint with one row over four bodies where its bodies are. */
dry_quad_value dry_joint_quad_now(const dry_bodies *bodies, const dry_joints *joints, int joint);

/* Tells whether that is beyond the bounds. */
bool dry_joint_is_open(const dry_bodies *bodies, const dry_joints *joints, int joint);

/* Returns how far a coordinate is beyond its hard stops, with its sign. */
double dry_joint_beyond_stops(const dry_joint_axis *acts, double value);

#endif

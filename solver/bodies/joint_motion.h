/* The motion of the bodies of joints within a step (constraint/joints/frames.h), and which turn far. */
#ifndef SOLVER_BODIES_JOINT_MOTION_H
#define SOLVER_BODIES_JOINT_MOTION_H

#include "core/shared.h"
#include "solver/constraint/joints/frames.h"
#include "solver/data/constraint.h"

struct dry_solver_step;

/* Returns the motion of a joint's body at a moment of a step. A body that cannot be integrated is taken as at
 * rest, so that no neighbor sees it. */
DRY_SHARED dry_side_motion dry_side_motion_in(const struct dry_solver_step *step, int joint, int side,
                                              dry_moment at);
/* Tells whether a body of the joint in slot `joint`, the line between its bodies, or that between the anchors
 * of a distance joint turns by more than `angle` rad within the step. */
DRY_SHARED bool dry_joint_turns(const struct dry_solver_step *step, int joint, float angle);

#endif

/* Which joints turn far within a step. */
#ifndef SOLVER_BODIES_TURNING_H
#define SOLVER_BODIES_TURNING_H

#include <stdbool.h>

struct dry_solver_step;

/* Tells whether a body of the joint in slot `joint`, the line between its bodies, or that between the anchors
 * of a distance joint turns by more than `angle` rad within the step. */
bool dry_joint_turns(const struct dry_solver_step *step, int joint, float angle);

/* Sets which tiers have rows of joints for each substep. */
void dry_joints_find_turning(struct dry_solver_step *step);

#endif

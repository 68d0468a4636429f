/* Rows of springs: how far they are from rest, and the equation of the joint correction. */
#ifndef SOLVER_DIRECT_SPRING_ROWS_H
#define SOLVER_DIRECT_SPRING_ROWS_H

#include "solver/constraint/joints/frames.h"
#include "solver/direct/linkage.h"

/* A row with this in Sigma takes no impulse. */
#define DRY_SPRING_NO_IMPULSE 1e30

/* Returns -1 if the anchors of a distance joint have passed each other within the substep: its row points the
 * other way then. */
static inline double dry_spring_sign(const dry_articulated_spring *spring, dry_double3 linear)
{
    return spring->coordinate < 0 && double3_dot(spring->direction, linear) < 0.0 ? -1.0 : 1.0;
}

/* Turns the errors of a joint's springs, which are coordinates, into how far they are from rest. */
void dry_springs_measure(const dry_linkage *l, const dry_articulated_joint *joint, dry_joint_row *rows);

/* Returns what is left of the equation of elongations of row `i` of a joint, a spring, m or rad. */
double dry_spring_left(const dry_linkage *l, const dry_articulated_joint *joint, int i,
                       const dry_joint_row *row);

#endif

/* One body of a joint, as stage "prepare" sees it. */
#ifndef SOLVER_CONSTRAINT_JOINTS_SIDE_H
#define SOLVER_CONSTRAINT_JOINTS_SIDE_H

#include "core/math.h"
#include "solver/data/solver_row.h"

#include <stdbool.h>

/* One body's side of a joint. */
typedef struct dry_joint_side {
    dry_whitening w;
    int32_t row;                 /* in the solver's rows; 0: nothing pushes the body */
    float mass_share;            /* how many constraints split the mass where changes are summed, else 1 */
    bool shared;                 /* other constraints push the body too */
    bool damped;                 /* springs are implicit ones: side a says so for the joint */
    dry_position center;         /* of mass, where errors are measured */
    dry_vec3 lever_arm;          /* from the center of mass to the anchor, world, likewise, m */
    dry_vec3 kinematic_velocity; /* of the anchor if the body is kinematic and awake, else 0, m/s */
    dry_vec3 acceleration;       /* w x (w x r): of the anchor as the body rotates, m/s^2 */
    dry_vec3 velocity;           /* of the anchor, m/s */
} dry_joint_side;

#endif

/* One body of a joint, as stage "prepare" sees it. */
#ifndef SOLVER_CONSTRAINT_JOINTS_SIDE_H
#define SOLVER_CONSTRAINT_JOINTS_SIDE_H

#include "core/math.h"
#include "solver/data/solver_row.h"

#include <stdbool.h>

/* One body's side of a joint.
 *
 * Methods that solve for positions have the rows of the substep's beginning, and measure errors at its end:
 * SHAKE, the correction of poses in RATTLE [Tomcin 3]. A center moves along its own momentum, so
 * that an impulse with the lever arms of the beginning changes the angular momentum at the end by as much.
 * Both sides of a joint have their arms lead to one point: the impulses of any number of sweeps, converged or
 * not, change no angular momentum. */
typedef struct dry_joint_side {
    dry_whitening w;
    int32_t row;                 /* in the solver's rows; 0: nothing pushes the body */
    float mass_share;            /* how many constraints split the mass where changes are summed, else 1 */
    bool shared;                 /* other constraints push the body too */
    bool damped;                 /* springs are implicit ones: side a says so for the joint */
    dry_position center;         /* of mass, where errors are measured */
    dry_vec3 lever_arm;          /* from the center of mass to the anchor, world, likewise, m */
    dry_vec3 mean_lever_arm;     /* the same where rows are made */
    dry_vec3 drift;              /* the displacement of the center of mass until then, m */
    dry_vec3 kinematic_velocity; /* of the anchor if the body is kinematic and awake, else 0, m/s */
    dry_vec3 acceleration;       /* w x (w x r): of the anchor as the body rotates, m/s^2 */
    dry_vec3 velocity;           /* of the anchor, m/s */
} dry_joint_side;

#endif

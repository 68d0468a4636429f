/* The place and the motion of a body of a joint: at the step's beginning, or in the midst of its substeps. */
#ifndef SOLVER_BODIES_SIDE_MOTION_H
#define SOLVER_BODIES_SIDE_MOTION_H

#include "state/joints.h"

struct dry_solver_step;

typedef struct dry_side_motion {
    dry_position center;
    dry_quat orientation;    /* of the principal frame */
    dry_vec3 velocity, spin; /* of the center, m/s; rad/s */
} dry_side_motion;

/* Returns it in double. */
static inline dry_precise_motion dry_precise_of(dry_side_motion m)
{
    return (dry_precise_motion){m.center, rotation_from_quat(m.orientation), double3_of(m.velocity),
                                double3_of(m.spin)};
}

/* Returns the motion of a body between two steps; slot -1: of the world, whose origin is the target of the
 * joint. */
dry_side_motion dry_side_motion_of(const dry_bodies *bodies, int body, const dry_joint_def *def);
/* Returns its motion in a step: when the step begins, or by the rows where they are refreshed. A body that
 * cannot be integrated is taken as at rest, so that no neighbor sees it. */
dry_side_motion dry_side_motion_in(const struct dry_solver_step *step, int joint, int side);
/* Returns its motion at the place of the rows: where joints are solved for positions, errors are measured
 * `dry_solver_step.ahead` seconds later. */
dry_side_motion dry_side_motion_of_rows(const struct dry_solver_step *step, int joint, int side);

#endif

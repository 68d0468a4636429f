/* The place and the motion of a body of a joint. */
#ifndef SOLVER_CONSTRAINT_JOINTS_SIDE_MOTION_H
#define SOLVER_CONSTRAINT_JOINTS_SIDE_MOTION_H

#include "state/joints.h"

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
static inline dry_side_motion dry_side_motion_of(const dry_bodies *bodies, int body, const dry_joint_def *def)
{
    dry_side_motion m = {.orientation = quat_identity()};
    if (body < 0) {
        m.center = def->target;
        return m;
    }
    const int row = dry_bodies_row(bodies, body);
    m.center = bodies->pose[row].position;
    m.orientation = bodies->pose[row].orientation;
    if (row < bodies->awake_count) {
        m.velocity = bodies->velocity[row].linear;
        m.spin = bodies->velocity[row].angular;
    }
    return m;
}

#endif

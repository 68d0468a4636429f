/* The motion of the bodies of joints between two steps. Reads joints, poses, velocities. */
#include "solver/constraint/joints/side_motion.h"

#include "core/rotation.h"

dry_side_motion dry_side_motion_of(const dry_bodies *bodies, int body, const dry_joint_def *def)
{
    dry_side_motion m = {.center = def->target, .orientation = quat_identity()};
    if (body < 0)
        return m;
    const int row = dry_bodies_row(bodies, body);
    m.center = bodies->pose[row].position;
    m.orientation = bodies->pose[row].orientation;
    if (row < bodies->awake_count) {
        m.velocity = bodies->velocity[row].linear;
        m.spin = bodies->velocity[row].angular;
    }
    return m;
}

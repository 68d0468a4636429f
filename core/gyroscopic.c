/* Rotations that few bodies need: compiled once and for size, not with the kernels of every level. */
#include "core/gyroscopic.h"

#include "core/angle.h"
#include "core/rotation.h"

dry_quat dry_quat_of_rotation(dry_vec3 v)
{
    return quat_from_rotation(v);
}

dry_vec3 dry_rotation_vector(dry_rotation q)
{
    const double sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    const double angle = q.w < 0.0 ? -2.0 * dry_angle_of(sine, -q.w) : 2.0 * dry_angle_of(sine, q.w);
    const double by = sine > 0.0 ? angle / sine : 0.0;
    return vec3((float)(by * q.x), (float)(by * q.y), (float)(by * q.z));
}

dry_double3 dry_gyro_give_back(const dry_gyro *g, dry_quat begin, bool fast, float dt, dry_quat *orientation)
{
    if (fast)
        *orientation = gyro_orientation_after(g, begin, dt);
    const dry_double3 w = gyro_velocity(g, *orientation);
    /* After many radians: the parts of the motion are too long. */
    return gyro_gains_energy(g, w) ? gyro_limited_velocity(g, *orientation) : w;
}

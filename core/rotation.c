/* Rotations that few bodies need: compiled once and for size. */
#include "core/rotation.h"

#include "core/angle.h"

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

/* Euler's equations where few bodies need them: compiled once and for size. */
#include "core/gyroscopic.h"

dry_double3 dry_gyro_give_back(const dry_gyro *g, dry_quat begin, bool fast, float dt, dry_quat *orientation)
{
    if (fast)
        *orientation = gyro_orientation_after(g, begin, dt);
    const dry_double3 w = gyro_velocity(g, *orientation);
    /* After many radians: the parts of the motion are too long. */
    return gyro_gains_energy(g, w) ? gyro_limited_velocity(g, *orientation) : w;
}

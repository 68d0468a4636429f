/* Rotation vectors to quaternions without libm: the same bits everywhere. */
#ifndef CORE_ROTATION_H
#define CORE_ROTATION_H

#include "core/math.h"

/* sin(x) / x and cos(x) for |x| <= pi: Taylor series to double precision's last few bits. */
static inline void dry_sinc_cos(double x2, double *sinc, double *cosine)
{
    double s = 1.0, c = 1.0;
    for (int k = 14; k >= 1; k--) {
        s = 1.0 - x2 / (double)((2 * k) * (2 * k + 1)) * s;
        c = 1.0 - x2 / (double)((2 * k - 1) * (2 * k)) * c;
    }
    *sinc = s;
    *cosine = c;
}

/* The rotation by |v| radians about v: exp(v / 2) [CSE169]. */
static inline dry_quat quat_from_rotation(dry_vec3 v)
{
    double x = v.x, y = v.y, z = v.z;
    double angle2 = x * x + y * y + z * z;
    double scale = 0.5;
    const double turn = 6.283185307179586;
    if (angle2 > turn * turn * 0.25) {
        /* Whole turns taken away, to within half a turn. */
        double angle = sqrt(angle2);
        double rest = angle - turn * (double)(int64_t)(angle / turn + 0.5);
        scale = 0.5 * rest / angle;
    }
    double sinc, cosine;
    dry_sinc_cos(angle2 * scale * scale, &sinc, &cosine);
    double s = scale * sinc;
    return (dry_quat){(float)(x * s), (float)(y * s), (float)(z * s), (float)cosine};
}

#endif

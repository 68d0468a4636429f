/* Rotation vectors to quaternions without libm: the same bits everywhere. */
#ifndef CORE_ROTATION_H
#define CORE_ROTATION_H

#include "core/gyroscopic.h"
#include "core/shared.h"

/* Computes sin(x) / x and cos(x) from `terms` terms of their series. Constant factors instead of quotients: a
 * fifth of the cost. */
static DRY_ALWAYS_INLINE void dry_sinc_cos_series(double x2, int terms, double *sinc, double *cosine)
{
    double s = 1.0, c = 1.0;
    for (int k = terms; k >= 1; k--) {
        s = 1.0 - x2 * (1.0 / (double)((2 * k) * (2 * k + 1))) * s;
        c = 1.0 - x2 * (1.0 / (double)((2 * k - 1) * (2 * k))) * c;
    }
    *sinc = s;
    *cosine = c;
}

/* Below this square of an angle, in rad^2, six terms are as exact as fourteen. */
#define DRY_SMALL_ANGLE2 0.015625

/* Computes sin(x) / x and cos(x) for |x| <= pi: Taylor series to double precision's last few bits. */
static inline void dry_sinc_cos(double x2, double *sinc, double *cosine)
{
    if (x2 < DRY_SMALL_ANGLE2)
        dry_sinc_cos_series(x2, 6, sinc, cosine);
    else
        dry_sinc_cos_series(x2, 14, sinc, cosine);
}

static inline double dry_rotation_angle_squared(dry_vec3 v)
{
    double x = v.x, y = v.y, z = v.z;
    return x * x + y * y + z * z;
}

/* Returns true for a rotation by less than a quarter of a radian: most bodies in most steps. */
static inline bool dry_rotation_is_small(dry_vec3 v)
{
    return dry_rotation_angle_squared(v) * 0.25 < DRY_SMALL_ANGLE2;
}

/* quat_from_rotation of a small rotation, without branches. */
static inline dry_quat quat_from_small_rotation(dry_vec3 v)
{
    double sinc, cosine;
    dry_sinc_cos_series(dry_rotation_angle_squared(v) * 0.5 * 0.5, 6, &sinc, &cosine);
    double s = 0.5 * sinc;
    return (dry_quat){(float)((double)v.x * s), (float)((double)v.y * s), (float)((double)v.z * s),
                      (float)cosine};
}

/* Beyond this angle in radians the fraction of a full turn is lost to rounding. */
#define DRY_ANGLE_MAX 1e9

/* Returns by what a rotation vector of this square is scaled to half the angle, without whole turns: to
 * within a quarter of a turn. */
static DRY_ALWAYS_INLINE double dry_half_scale(double angle2)
{
    const double turn = 6.283185307179586;
    if (!(angle2 > turn * turn * 0.25))
        return 0.5;
    const double angle = sqrt(angle2);
    return 0.5 * (angle - turn * (double)(int64_t)(angle / turn + 0.5)) / angle;
}

/* Returns the rotation by |v| radians about v: exp(v / 2) [CSE169]. Not a number beyond DRY_ANGLE_MAX. */
static inline dry_quat quat_from_rotation(dry_vec3 v)
{
    double x = v.x, y = v.y, z = v.z;
    double angle2 = dry_rotation_angle_squared(v);
    if (!(angle2 <= DRY_ANGLE_MAX * DRY_ANGLE_MAX))
        return (dry_quat){NAN, NAN, NAN, NAN};
    double scale = dry_half_scale(angle2), sinc, cosine;
    dry_sinc_cos(angle2 * scale * scale, &sinc, &cosine);
    double s = scale * sinc;
    return (dry_quat){(float)(x * s), (float)(y * s), (float)(z * s), (float)cosine};
}

/* quat_from_rotation, for callers that seldom need it: not inlined. */
DRY_SHARED DRY_COLD dry_quat dry_quat_of_rotation(dry_vec3 v);
/* Returns the vector of a rotation by at most pi, rad. */
DRY_COLD dry_vec3 dry_rotation_vector(dry_rotation q);

/* rotation_from_vector of a small rotation, without branches. */
static DRY_ALWAYS_INLINE dry_rotation rotation_from_small_vector(dry_double3 v)
{
    double sinc, cosine;
    dry_sinc_cos_series(double3_dot(v, v) * 0.5 * 0.5, 6, &sinc, &cosine);
    return (dry_rotation){v.x * 0.5 * sinc, v.y * 0.5 * sinc, v.z * 0.5 * sinc, cosine};
}

/* Returns the rotation by a vector of |v| rad; none beyond the angle that still has digits. */
static inline dry_rotation rotation_from_vector(dry_double3 v)
{
    const double angle2 = double3_dot(v, v);
    if (!(angle2 <= DRY_ANGLE_MAX * DRY_ANGLE_MAX))
        return (dry_rotation){0.0, 0.0, 0.0, 1.0};
    double scale = dry_half_scale(angle2), sinc, cosine;
    dry_sinc_cos(angle2 * scale * scale, &sinc, &cosine);
    return (dry_rotation){v.x * scale * sinc, v.y * scale * sinc, v.z * scale * sinc, cosine};
}

#endif

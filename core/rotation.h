/* Rotation vectors to quaternions without libm: the same bits everywhere. */
#ifndef CORE_ROTATION_H
#define CORE_ROTATION_H

#include "core/math.h"

/* sin(x) / x and cos(x), so many terms of their series. Constant factors, not quotients: they cost a fifth.
 */
static inline __attribute__((always_inline)) void dry_sinc_cos_series(double x2, int terms, double *sinc,
                                                                      double *cosine)
{
    double s = 1.0, c = 1.0;
    for (int k = terms; k >= 1; k--) {
        s = 1.0 - x2 * (1.0 / (double)((2 * k) * (2 * k + 1))) * s;
        c = 1.0 - x2 * (1.0 / (double)((2 * k - 1) * (2 * k))) * c;
    }
    *sinc = s;
    *cosine = c;
}

/* Below this square of an angle six terms are as exact as fourteen. */
#define DRY_SMALL_ANGLE2 0.015625

/* sin(x) / x and cos(x) for |x| <= pi: Taylor series to double precision's last few bits. */
static inline void dry_sinc_cos(double x2, double *sinc, double *cosine)
{
    if (x2 < DRY_SMALL_ANGLE2)
        dry_sinc_cos_series(x2, 6, sinc, cosine);
    else
        dry_sinc_cos_series(x2, 14, sinc, cosine);
}

static inline double dry_square_of_turn(dry_vec3 v)
{
    double x = v.x, y = v.y, z = v.z;
    return x * x + y * y + z * z;
}

/* Under a quarter of a radian: the turn of most bodies in most steps. */
static inline bool dry_is_slow_turn(dry_vec3 v)
{
    return dry_square_of_turn(v) * 0.25 < DRY_SMALL_ANGLE2;
}

/* quat_from_rotation, of a slow turn: without branches. */
static inline dry_quat quat_from_slow_rotation(dry_vec3 v)
{
    double sinc, cosine;
    dry_sinc_cos_series(dry_square_of_turn(v) * 0.5 * 0.5, 6, &sinc, &cosine);
    double s = 0.5 * sinc;
    return (dry_quat){(float)((double)v.x * s), (float)((double)v.y * s), (float)((double)v.z * s),
                      (float)cosine};
}

/* Beyond so many radians whole turns can no longer be told from parts of one. */
#define DRY_ANGLE_MAX 1e9

/* The rotation by |v| radians about v: exp(v / 2) [CSE169]. Not a number beyond DRY_ANGLE_MAX. */
static inline dry_quat quat_from_rotation(dry_vec3 v)
{
    double x = v.x, y = v.y, z = v.z;
    double angle2 = dry_square_of_turn(v);
    if (!(angle2 <= DRY_ANGLE_MAX * DRY_ANGLE_MAX))
        return (dry_quat){NAN, NAN, NAN, NAN};
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

/* Vectors, quaternions and matrices of lanes: the only ones, for all kernels.
 *
 * Every product and every sum is rounded, in the order of core/math.h: lanes give the bits of the scalar
 * functions. Kernel files only. */
#ifndef SIMD_LANE_VECTORS_H
#define SIMD_LANE_VECTORS_H

#include "core/gyroscopic.h"
#include "simd/lanes.h"

#ifdef DRY_LANE_DOUBLE
typedef dry_double3 lane_vec3;
#else
typedef struct lane_vec3 {
    lane x, y, z;
} lane_vec3;
#endif

typedef struct lane_quat {
    lane x, y, z, w;
} lane_quat;

/* By columns, as dry_mat3. */
typedef struct lane_mat3 {
    lane_vec3 x, y, z;
} lane_mat3;

/* Loads and stores. Components lie `stride` floats apart. */

LANE_INLINE lane_vec3 lane_vec3_load(const float *p, int stride)
{
    return (lane_vec3){lane_load(p), lane_load(p + stride), lane_load(p + 2 * stride)};
}

LANE_INLINE void lane_vec3_store(float *p, int stride, lane_vec3 v)
{
    lane_store(p, v.x);
    lane_store(p + stride, v.y);
    lane_store(p + 2 * stride, v.z);
}

LANE_INLINE lane_quat lane_quat_load(const float *p, int stride)
{
    return (lane_quat){lane_load(p), lane_load(p + stride), lane_load(p + 2 * stride),
                       lane_load(p + 3 * stride)};
}

LANE_INLINE void lane_quat_store(float *p, int stride, lane_quat q)
{
    lane_store(p, q.x);
    lane_store(p + stride, q.y);
    lane_store(p + 2 * stride, q.z);
    lane_store(p + 3 * stride, q.w);
}

/* Scalars. */

LANE_INLINE lane lane_add3(lane a, lane b, lane c)
{
    return lane_add(lane_add(a, b), c);
}

/* Returns 0 for a number that is only what rounding has left beside a larger one, and other numbers as they
 * are. Products with it may be subnormal, and a processor takes some 150 cycles for each of these. */
LANE_INLINE lane lane_without_noise(lane x, lane beside)
{
    const lane_mask noise = lane_less(lane_abs(x), lane_mul(lane_set(DRY_NOISE), beside));
#if DRY_LANES == 4 || DRY_LANES == 8
    return lane_mask_without(x, noise); /* takes fewer operations than a blend */
#else
    return lane_select(noise, lane_zero(), x);
#endif
}

/* sum + a b, sum - a b */
LANE_INLINE lane lane_add_mul(lane sum, lane a, lane b)
{
    return lane_add(sum, lane_mul(a, b));
}

LANE_INLINE lane lane_sub_mul(lane sum, lane a, lane b)
{
    return lane_sub(sum, lane_mul(a, b));
}

LANE_INLINE lane lane_clamp(lane x, lane low, lane high)
{
    return lane_max(low, lane_min(x, high));
}

/* Returns 0 for numbers that are not positive. */
LANE_INLINE lane lane_inverse_or_zero(lane x)
{
    lane_mask positive = lane_less(lane_zero(), x);
    return lane_select(positive, lane_div(lane_set(1.0f), lane_select(positive, x, lane_set(1.0f))),
                       lane_zero());
}

/* Vectors. */

LANE_INLINE lane_vec3 lane_vec3_set(float x, float y, float z)
{
    return (lane_vec3){lane_set(x), lane_set(y), lane_set(z)};
}

/* Returns one vector in all lanes. */
LANE_INLINE lane_vec3 lane_vec3_spread(dry_vec3 v)
{
    return lane_vec3_set(v.x, v.y, v.z);
}

LANE_INLINE lane_vec3 lane_vec3_zero(void)
{
    return (lane_vec3){lane_zero(), lane_zero(), lane_zero()};
}

LANE_INLINE lane_vec3 lane_vec3_add(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_add(a.x, b.x), lane_add(a.y, b.y), lane_add(a.z, b.z)};
}

LANE_INLINE lane_vec3 lane_vec3_sub(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_sub(a.x, b.x), lane_sub(a.y, b.y), lane_sub(a.z, b.z)};
}

LANE_INLINE lane_vec3 lane_vec3_scale(lane_vec3 a, lane s)
{
    return (lane_vec3){lane_mul(a.x, s), lane_mul(a.y, s), lane_mul(a.z, s)};
}

LANE_INLINE lane_vec3 lane_vec3_mul(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_mul(a.x, b.x), lane_mul(a.y, b.y), lane_mul(a.z, b.z)};
}

LANE_INLINE lane_vec3 lane_vec3_abs(lane_vec3 a)
{
    return (lane_vec3){lane_abs(a.x), lane_abs(a.y), lane_abs(a.z)};
}

LANE_INLINE lane_vec3 lane_vec3_negate(lane_vec3 a)
{
    return (lane_vec3){lane_negate(a.x), lane_negate(a.y), lane_negate(a.z)};
}

/* Returns a vector of about unit length without components that are noise. */
LANE_INLINE lane_vec3 lane_vec3_without_noise(lane_vec3 v)
{
    const lane one = lane_set(1.0f);
    return (lane_vec3){lane_without_noise(v.x, one), lane_without_noise(v.y, one),
                       lane_without_noise(v.z, one)};
}

LANE_INLINE lane_vec3 lane_vec3_select(lane_mask mask, lane_vec3 yes, lane_vec3 no)
{
    return (lane_vec3){lane_select(mask, yes.x, no.x), lane_select(mask, yes.y, no.y),
                       lane_select(mask, yes.z, no.z)};
}

LANE_INLINE lane lane_vec3_dot(lane_vec3 a, lane_vec3 b)
{
    return lane_add3(lane_mul(a.x, b.x), lane_mul(a.y, b.y), lane_mul(a.z, b.z));
}

LANE_INLINE lane_vec3 lane_vec3_cross(lane_vec3 a, lane_vec3 b)
{
    return (lane_vec3){lane_sub(lane_mul(a.y, b.z), lane_mul(a.z, b.y)),
                       lane_sub(lane_mul(a.z, b.x), lane_mul(a.x, b.z)),
                       lane_sub(lane_mul(a.x, b.y), lane_mul(a.y, b.x))};
}

/* a + s b, a - s b */
LANE_INLINE lane_vec3 lane_vec3_add_scaled(lane_vec3 a, lane s, lane_vec3 b)
{
    return (lane_vec3){lane_add_mul(a.x, b.x, s), lane_add_mul(a.y, b.y, s), lane_add_mul(a.z, b.z, s)};
}

LANE_INLINE lane_vec3 lane_vec3_sub_scaled(lane_vec3 a, lane s, lane_vec3 b)
{
    return (lane_vec3){lane_sub_mul(a.x, b.x, s), lane_sub_mul(a.y, b.y, s), lane_sub_mul(a.z, b.z, s)};
}

/* Quaternions. */

LANE_INLINE lane lane_quat_length_squared(lane_quat q)
{
    return lane_add(lane_add3(lane_mul(q.x, q.x), lane_mul(q.y, q.y), lane_mul(q.z, q.z)),
                    lane_mul(q.w, q.w));
}

LANE_INLINE lane_quat lane_quat_normalize(lane_quat q)
{
    lane s = lane_div(lane_set(1.0f), lane_sqrt(lane_quat_length_squared(q)));
    return (lane_quat){lane_mul(q.x, s), lane_mul(q.y, s), lane_mul(q.z, s), lane_mul(q.w, s)};
}

LANE_INLINE lane_quat lane_quat_select(lane_mask mask, lane_quat yes, lane_quat no)
{
    return (lane_quat){lane_select(mask, yes.x, no.x), lane_select(mask, yes.y, no.y),
                       lane_select(mask, yes.z, no.z), lane_select(mask, yes.w, no.w)};
}

/* The rotation b followed by a. */
LANE_INLINE lane_quat lane_quat_mul(lane_quat a, lane_quat b)
{
    lane x = lane_add(lane_mul(a.w, b.x), lane_mul(a.x, b.w));
    lane y = lane_sub(lane_mul(a.w, b.y), lane_mul(a.x, b.z));
    lane z = lane_add(lane_mul(a.w, b.z), lane_mul(a.x, b.y));
    lane w = lane_sub(lane_mul(a.w, b.w), lane_mul(a.x, b.x));
    return (lane_quat){lane_sub(lane_add(x, lane_mul(a.y, b.z)), lane_mul(a.z, b.y)),
                       lane_add(lane_add(y, lane_mul(a.y, b.w)), lane_mul(a.z, b.x)),
                       lane_add(lane_sub(z, lane_mul(a.y, b.x)), lane_mul(a.z, b.w)),
                       lane_sub(lane_sub(w, lane_mul(a.y, b.y)), lane_mul(a.z, b.z))};
}

/* v + 2 w (u x v) + 2 u x (u x v). For a small rotation the error is a share of the term added to v; with a
 * matrix the error is a share of v. */
LANE_INLINE lane_vec3 lane_quat_rotate(lane_quat q, lane_vec3 v)
{
    lane_vec3 u = {q.x, q.y, q.z};
    lane_vec3 t = lane_vec3_scale(lane_vec3_cross(u, v), lane_set(2.0f));
    return lane_vec3_add(lane_vec3_add(v, lane_vec3_scale(t, q.w)), lane_vec3_cross(u, t));
}

/* Matrices. */

LANE_INLINE lane_mat3 lane_mat3_from_quat(lane_quat q)
{
    const lane one = lane_set(1.0f);
    const lane x2 = lane_add(q.x, q.x), y2 = lane_add(q.y, q.y), z2 = lane_add(q.z, q.z);
    const lane xx = lane_mul(x2, q.x), yy = lane_mul(y2, q.y), zz = lane_mul(z2, q.z);
    const lane xy = lane_mul(x2, q.y), xz = lane_mul(x2, q.z), yz = lane_mul(y2, q.z);
    const lane wx = lane_mul(x2, q.w), wy = lane_mul(y2, q.w), wz = lane_mul(z2, q.w);
    return (lane_mat3){
        {lane_sub(one, lane_add(yy, zz)), lane_add(xy, wz), lane_sub(xz, wy)},
        {lane_sub(xy, wz), lane_sub(one, lane_add(xx, zz)), lane_add(yz, wx)},
        {lane_add(xz, wy), lane_sub(yz, wx), lane_sub(one, lane_add(xx, yy))},
    };
}

LANE_INLINE lane_vec3 lane_mat3_mul(lane_mat3 m, lane_vec3 v)
{
    return (lane_vec3){lane_add3(lane_mul(m.x.x, v.x), lane_mul(m.y.x, v.y), lane_mul(m.z.x, v.z)),
                       lane_add3(lane_mul(m.x.y, v.x), lane_mul(m.y.y, v.y), lane_mul(m.z.y, v.z)),
                       lane_add3(lane_mul(m.x.z, v.x), lane_mul(m.y.z, v.y), lane_mul(m.z.z, v.z))};
}

/* The transpose of m times v. */
LANE_INLINE lane_vec3 lane_mat3_mul_transposed(lane_mat3 m, lane_vec3 v)
{
    return (lane_vec3){lane_vec3_dot(m.x, v), lane_vec3_dot(m.y, v), lane_vec3_dot(m.z, v)};
}

#endif

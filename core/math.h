/* Scalar vector mathematics for everything outside the kernels.
 *
 * Arithmetic contract: only + - * / sqrt and comparisons, compiled with -ffp-contract=off, so that
 * every compiler and machine gives the same bits. No libm call whose last bit varies. */
#ifndef CORE_MATH_H
#define CORE_MATH_H

#include <drystone/types.h>
#include <float.h>
#include <math.h>

static inline float dry_min(float a, float b)
{
    return a < b ? a : b;
}

static inline float dry_max(float a, float b)
{
    return a > b ? a : b;
}

static inline float dry_clamp(float x, float low, float high)
{
    return dry_max(low, dry_min(x, high));
}

/* Clamps x to [low, high]; low if x is no number. C leaves it to the compiler which zero fmin and fmax
 * return, so that the hash of what they clamp would follow from the level of optimization. */
static inline double dry_clamp_double(double x, double low, double high)
{
    const double least = x > low ? x : low;
    return least > high ? high : least;
}

static inline float dry_abs(float x)
{
    return fabsf(x);
}

/* The square of a float's precision: where terms of the size of 1 cancel, rounding leaves smaller numbers of
 * 0. */
#define DRY_NOISE 0x1p-46f

/* Returns 0 for noise beside 1, and other numbers as they are. */
static inline float dry_without_noise(float x)
{
    return dry_abs(x) < DRY_NOISE ? 0.0f : x;
}

static inline int dry_min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int dry_max_int(int a, int b)
{
    return a > b ? a : b;
}

/* Vectors. */

static inline dry_vec3 vec3(float x, float y, float z)
{
    return (dry_vec3){x, y, z};
}

static inline dry_vec3 vec3_add(dry_vec3 a, dry_vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline dry_vec3 vec3_sub(dry_vec3 a, dry_vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline dry_vec3 vec3_scale(dry_vec3 a, float s)
{
    return vec3(a.x * s, a.y * s, a.z * s);
}

static inline dry_vec3 vec3_mul(dry_vec3 a, dry_vec3 b)
{
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* Return a share of a motion: of a velocity, an impulse or a way, or of a component. All that scales
 * velocities or moves poses outside the solve calls these functions, and tests/test_weights counts the
 * callers. */
static inline double dry_scale_motion(double share, double component)
{
    return share * component;
}
static inline dry_vec3 dry_scale_motion3(float share, dry_vec3 v)
{
    return vec3_scale(v, share);
}

/* a + s b */
static inline dry_vec3 vec3_add_scaled(dry_vec3 a, float s, dry_vec3 b)
{
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline dry_vec3 vec3_neg(dry_vec3 a)
{
    return vec3(-a.x, -a.y, -a.z);
}

static inline float vec3_dot(dry_vec3 a, dry_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dry_vec3 vec3_cross(dry_vec3 a, dry_vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline bool vec3_is_zero(dry_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

static inline float vec3_length_squared(dry_vec3 a)
{
    return vec3_dot(a, a);
}

static inline float vec3_length(dry_vec3 a)
{
    return sqrtf(vec3_dot(a, a));
}

static inline float vec3_distance(dry_vec3 a, dry_vec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

/* A unit vector along a, or `fallback` where a is too short to have a direction. */
static inline dry_vec3 vec3_normalize_or(dry_vec3 a, dry_vec3 fallback)
{
    float length = vec3_length(a);
    return length > 1e-18f ? vec3_scale(a, 1.0f / length) : fallback;
}

static inline dry_vec3 vec3_abs(dry_vec3 a)
{
    return vec3(dry_abs(a.x), dry_abs(a.y), dry_abs(a.z));
}

static inline dry_vec3 vec3_min(dry_vec3 a, dry_vec3 b)
{
    return vec3(dry_min(a.x, b.x), dry_min(a.y, b.y), dry_min(a.z, b.z));
}

static inline dry_vec3 vec3_max(dry_vec3 a, dry_vec3 b)
{
    return vec3(dry_max(a.x, b.x), dry_max(a.y, b.y), dry_max(a.z, b.z));
}

/* Return the least and the largest component. */
static inline float vec3_least(dry_vec3 a)
{
    return dry_min(a.x, dry_min(a.y, a.z));
}

static inline float vec3_largest(dry_vec3 a)
{
    return dry_max(a.x, dry_max(a.y, a.z));
}

static inline bool vec3_is_finite(dry_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline float vec3_get(dry_vec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

/* A unit vector perpendicular to the unit vector n; a fixed function of n. */
static inline dry_vec3 vec3_perpendicular(dry_vec3 n)
{
    dry_vec3 p = dry_abs(n.x) < 0.57735f ? vec3(0.0f, n.z, -n.y) : vec3(n.y, -n.x, 0.0f);
    return vec3_scale(p, 1.0f / vec3_length(p));
}

/* Quaternions. */

static inline dry_quat quat_identity(void)
{
    return (dry_quat){0.0f, 0.0f, 0.0f, 1.0f};
}

static inline dry_quat quat_conjugate(dry_quat q)
{
    return (dry_quat){-q.x, -q.y, -q.z, q.w};
}

/* The rotation b followed by a. */
static inline dry_quat quat_mul(dry_quat a, dry_quat b)
{
    return (dry_quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

/* Tells whether a rotation is none, exactly; either sign of zero. */
static inline bool quat_is_identity(dry_quat q)
{
    return q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f;
}

static inline float quat_length_squared(dry_quat q)
{
    return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}

static inline dry_quat quat_normalize(dry_quat q)
{
    float s = 1.0f / sqrtf(quat_length_squared(q));
    return (dry_quat){q.x * s, q.y * s, q.z * s, q.w * s};
}

static inline dry_vec3 quat_rotate(dry_quat q, dry_vec3 v)
{
    dry_vec3 u = vec3(q.x, q.y, q.z);
    dry_vec3 t = vec3_scale(vec3_cross(u, v), 2.0f);
    return vec3_add(vec3_add_scaled(v, q.w, t), vec3_cross(u, t));
}

static inline dry_vec3 quat_rotate_inverse(dry_quat q, dry_vec3 v)
{
    return quat_rotate(quat_conjugate(q), v);
}

/* Matrices, by columns. */

typedef struct dry_mat3 {
    dry_vec3 x, y, z;
} dry_mat3;

static inline dry_mat3 mat3_from_quat(dry_quat q)
{
    const float x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const float xx = x2 * q.x, yy = y2 * q.y, zz = z2 * q.z;
    const float xy = x2 * q.y, xz = x2 * q.z, yz = y2 * q.z;
    const float wx = x2 * q.w, wy = y2 * q.w, wz = z2 * q.w;
    return (dry_mat3){
        vec3(1.0f - (yy + zz), xy + wz, xz - wy),
        vec3(xy - wz, 1.0f - (xx + zz), yz + wx),
        vec3(xz + wy, yz - wx, 1.0f - (xx + yy)),
    };
}

static inline dry_vec3 mat3_mul(const dry_mat3 *m, dry_vec3 v)
{
    return vec3(m->x.x * v.x + m->y.x * v.y + m->z.x * v.z, m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
                m->x.z * v.x + m->y.z * v.y + m->z.z * v.z);
}

/* The transpose of m times v: for a rotation, the inverse rotation. */
static inline dry_vec3 mat3_mul_transposed(const dry_mat3 *m, dry_vec3 v)
{
    return vec3(vec3_dot(m->x, v), vec3_dot(m->y, v), vec3_dot(m->z, v));
}

/* Poses. */

static inline dry_transform transform_identity(void)
{
    return (dry_transform){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
}

/* Exactly; either sign of zero. */
static inline bool transform_is_identity(const dry_transform *t)
{
    return t->position.x == 0.0f && t->position.y == 0.0f && t->position.z == 0.0f &&
           quat_is_identity(t->orientation);
}

static inline dry_vec3 transform_point(const dry_transform *t, dry_vec3 p)
{
    return vec3_add(t->position, quat_rotate(t->orientation, p));
}

/* b, given in a's frame, in the frame that a is given in. */
static inline dry_transform transform_mul(const dry_transform *a, const dry_transform *b)
{
    return (dry_transform){transform_point(a, b->position), quat_mul(a->orientation, b->orientation)};
}

/* b as seen from a, both given in one frame. */
static inline dry_transform transform_relative(const dry_transform *a, const dry_transform *b)
{
    return (dry_transform){quat_rotate_inverse(a->orientation, vec3_sub(b->position, a->position)),
                           quat_mul(quat_conjugate(a->orientation), b->orientation)};
}

/* World positions. */

/* a - b, exact to float's precision of the difference. */
static inline dry_vec3 position_sub(dry_position a, dry_position b)
{
    return vec3((float)(a.x - b.x), (float)(a.y - b.y), (float)(a.z - b.z));
}

static inline dry_position position_add(dry_position a, dry_vec3 b)
{
    return (dry_position){a.x + (double)b.x, a.y + (double)b.y, a.z + (double)b.z};
}

#endif

/* Vectors in double precision, for what needs more digits than a float has. The arithmetic contract of
 * core/math.h holds: only + - * / sqrt and comparisons. */
#ifndef CORE_DOUBLE3_H
#define CORE_DOUBLE3_H

#include "core/math.h"

typedef struct dry_double3 {
    double x, y, z;
} dry_double3;

static inline dry_double3 double3(double x, double y, double z)
{
    return (dry_double3){x, y, z};
}

static inline dry_double3 double3_of(dry_vec3 v)
{
    return double3((double)v.x, (double)v.y, (double)v.z);
}

static inline dry_double3 double3_of_floats(const float v[3])
{
    return double3((double)v[0], (double)v[1], (double)v[2]);
}

static inline double double3_get(dry_double3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static inline dry_vec3 vec3_of(dry_double3 v)
{
    return vec3((float)v.x, (float)v.y, (float)v.z);
}

static inline dry_double3 double3_sub(dry_double3 a, dry_double3 b)
{
    return double3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline dry_double3 double3_mul(dry_double3 a, dry_double3 b)
{
    return double3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline dry_double3 double3_neg(dry_double3 a)
{
    return double3(-a.x, -a.y, -a.z);
}

/* a + s b */
static inline dry_double3 double3_add_scaled(dry_double3 a, double s, dry_double3 b)
{
    return double3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline dry_double3 double3_add(dry_double3 a, dry_double3 b)
{
    return double3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline dry_double3 double3_scale(dry_double3 a, double s)
{
    return double3(a.x * s, a.y * s, a.z * s);
}

static inline dry_double3 double3_over(dry_double3 a, double s)
{
    return double3(a.x / s, a.y / s, a.z / s);
}

static inline double double3_dot(dry_double3 a, dry_double3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dry_double3 double3_cross(dry_double3 a, dry_double3 b)
{
    return double3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double double3_length(dry_double3 a)
{
    return sqrt(double3_dot(a, a));
}

/* Returns the transpose of m times v: for a rotation, the inverse rotation. */
static inline dry_double3 mat3_mul_transposed_double(const dry_mat3 *m, dry_double3 v)
{
    return double3(double3_dot(double3_of(m->x), v), double3_dot(double3_of(m->y), v),
                   double3_dot(double3_of(m->z), v));
}

/* Writes the axes of an orientation, whose quaternion need not be of unit length. */
static inline void double3_axes(dry_quat q, dry_double3 axis[3])
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double s = 2.0 / (x * x + y * y + z * z + w * w);
    axis[0] = double3(1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y));
    axis[1] = double3(s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x));
    axis[2] = double3(s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y));
}

/* Returns a vector that is given along axes; and one as it lies along axes. */
static inline dry_double3 double3_from_axes(const dry_double3 axis[3], dry_double3 v)
{
    return double3_add_scaled(double3_add_scaled(double3_scale(axis[0], v.x), v.y, axis[1]), v.z, axis[2]);
}

static inline dry_double3 double3_along_axes(const dry_double3 axis[3], dry_double3 v)
{
    return double3(double3_dot(axis[0], v), double3_dot(axis[1], v), double3_dot(axis[2], v));
}

static inline double double_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double double_max(double a, double b)
{
    return a > b ? a : b;
}

#endif

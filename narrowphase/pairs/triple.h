/* Vectors in double precision for pairs that need more digits than a float has. The arithmetic contract of
 * core/math.h holds: only + - * / sqrt and comparisons. */
#ifndef NARROWPHASE_PAIRS_TRIPLE_H
#define NARROWPHASE_PAIRS_TRIPLE_H

#include "core/math.h"

typedef struct dry_triple {
    double x, y, z;
} dry_triple;

static inline dry_triple triple(double x, double y, double z)
{
    return (dry_triple){x, y, z};
}

static inline dry_triple triple_of(dry_vec3 v)
{
    return triple((double)v.x, (double)v.y, (double)v.z);
}

static inline dry_vec3 triple_round(dry_triple v)
{
    return vec3((float)v.x, (float)v.y, (float)v.z);
}

static inline dry_triple triple_sub(dry_triple a, dry_triple b)
{
    return triple(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline dry_triple triple_neg(dry_triple a)
{
    return triple(-a.x, -a.y, -a.z);
}

/* a + s b */
static inline dry_triple triple_add_scaled(dry_triple a, double s, dry_triple b)
{
    return triple(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline dry_triple triple_scale(dry_triple a, double s)
{
    return triple(a.x * s, a.y * s, a.z * s);
}

static inline double triple_dot(dry_triple a, dry_triple b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dry_triple triple_cross(dry_triple a, dry_triple b)
{
    return triple(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double triple_length(dry_triple a)
{
    return sqrt(triple_dot(a, a));
}

/* Writes the axes of an orientation, whose quaternion need not be of unit length. */
static inline void triple_axes(dry_quat q, dry_triple axis[3])
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double s = 2.0 / (x * x + y * y + z * z + w * w);
    axis[0] = triple(1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y));
    axis[1] = triple(s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x));
    axis[2] = triple(s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y));
}

/* Returns a vector that is given along axes; and one as it lies along axes. */
static inline dry_triple triple_from_axes(const dry_triple axis[3], dry_triple v)
{
    return triple_add_scaled(triple_add_scaled(triple_scale(axis[0], v.x), v.y, axis[1]), v.z, axis[2]);
}

static inline dry_triple triple_along_axes(const dry_triple axis[3], dry_triple v)
{
    return triple(triple_dot(axis[0], v), triple_dot(axis[1], v), triple_dot(axis[2], v));
}

static inline double double_abs(double x)
{
    return fabs(x);
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

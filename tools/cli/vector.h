/* Double-precision vectors for the picture. */
#ifndef TOOLS_CLI_VECTOR_H
#define TOOLS_CLI_VECTOR_H

#include <drystone/types.h>
#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static inline vec vec_make(double x, double y, double z)
{
    return (vec){x, y, z};
}

static inline vec vec_add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec vec_sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec vec_scale(vec a, double s)
{
    return (vec){a.x * s, a.y * s, a.z * s};
}

/* Returns a + s b. */
static inline vec vec_along(vec a, double s, vec b)
{
    return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec_length(vec a)
{
    return sqrt(vec_dot(a, a));
}

static inline vec vec_unit(vec a)
{
    double length = vec_length(a);
    return length > 0.0 ? vec_scale(a, 1.0 / length) : vec_make(0.0, 1.0, 0.0);
}

static inline vec vec_from(dry_vec3 v)
{
    return (vec){(double)v.x, (double)v.y, (double)v.z};
}

static inline vec vec_rotate(dry_quat q, vec v)
{
    vec u = {(double)q.x, (double)q.y, (double)q.z};
    vec t = vec_scale(vec_cross(u, v), 2.0);
    return vec_add(vec_along(v, (double)q.w, t), vec_cross(u, t));
}

/* The smaller and the larger number, which compilers turn into one instruction; fmin and fmax are calls. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double clamp01(double x)
{
    return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

/* Returns 0 below `low`, 1 above `high`, and a smooth transition between. */
static inline double smooth_step(double low, double high, double x)
{
    double t = clamp01((x - low) / (high - low));
    return t * t * (3.0 - 2.0 * t);
}

#endif

/* Vectors of three doubles, for the files that compute with a scene's true geometry. */
#ifndef TOOLS_SCENES_DOUBLE3_H
#define TOOLS_SCENES_DOUBLE3_H

#include <math.h>

static inline double d3_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void d3_cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void d3_sub(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static inline double d3_length(const double *a)
{
    return sqrt(d3_dot(a, a));
}

#endif

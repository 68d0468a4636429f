/* Vectors of doubles for the kernels of panels: as wide as the level's registers, but at most a tile: panels
 * are narrow.
 *
 * A `wide` has PANEL_LANES doubles. C's own + - * / work on them, and between one and a double. */
#ifndef METHODS_SPARSE_PANEL_LANES_H
#define METHODS_SPARSE_PANEL_LANES_H

#include "core/compiler.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PANEL_INLINE static DRY_ALWAYS_INLINE

#if DRY_LANES == 1
enum { PANEL_LANES = 1 };
typedef double wide;

PANEL_INLINE wide wide_magnitude(wide a)
{
    return fabs(a);
}
#else
enum { PANEL_LANES = DRY_LANES >= 8 ? 4 : 2 };
typedef double wide DRY_VECTOR_OF(PANEL_LANES * sizeof(double));
typedef int64_t wide_bits DRY_VECTOR_OF(PANEL_LANES * sizeof(double));

PANEL_INLINE wide wide_magnitude(wide a)
{
    return (wide)((wide_bits)a & INT64_MAX);
}
#endif

PANEL_INLINE wide wide_load(const double *at)
{
    wide a;
    memcpy(&a, at, sizeof a);
    return a;
}

PANEL_INLINE void wide_store(double *at, wide a)
{
    memcpy(at, &a, sizeof a);
}

#endif

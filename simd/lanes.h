/* Lanes: DRY_LANES floats that go through a kernel side by side.
 *
 * A kernel file is compiled once per instruction set with DRY_LANES = 1, 4, 8 or 16 and uses only these types
 * and operations. Every operation gives the bits that C's has for floats, at every width: IEEE + - * / and
 * square roots, each rounded, in the order as written, and minimum and maximum that return the second operand
 * where the comparison fails. C's own + - * / work on lanes, and between a lane and a float, at every width.
 *
 * With DRY_LANES = 1 and DRY_LANE_DOUBLE a file takes rules of kernels for one lane in double precision. It
 * loads and stores floats. */
#ifndef SIMD_LANES_H
#define SIMD_LANES_H

#include "core/compiler.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A float passes through calls in a register, and compiles three times as fast; vectors go through memory. */
#ifdef DRY_LANE_DOUBLE
#define LANE_INLINE static DRY_MAYBE_UNUSED
#elif DRY_LANES == 1
#define LANE_INLINE static inline DRY_MAYBE_UNUSED
#else
#define LANE_INLINE static DRY_ALWAYS_INLINE
#endif

#if DRY_LANES == 1

#ifdef DRY_LANE_DOUBLE
typedef double lane;
#define LANE_SQRT sqrt
#else
typedef float lane;
#define LANE_SQRT sqrtf
#endif
typedef uint32_t lane_mask; /* 0 or all ones */

LANE_INLINE lane lane_load(const float *p)
{
    return *p;
}
LANE_INLINE void lane_store(float *p, lane a)
{
    *p = (float)a;
}
/* Stores past the caches if the level has such a store. Other threads see it after stream_end. */
LANE_INLINE void lane_stream(float *p, lane a)
{
    *p = (float)a;
}
LANE_INLINE lane lane_set(float a)
{
    return a;
}
LANE_INLINE lane lane_min(lane a, lane b)
{
    return a < b ? a : b;
}
LANE_INLINE lane lane_max(lane a, lane b)
{
    return a > b ? a : b;
}
LANE_INLINE lane lane_sqrt(lane a)
{
    return LANE_SQRT(a);
}
LANE_INLINE lane lane_abs(lane a)
{
    return (lane)fabs(a);
}
LANE_INLINE lane_mask lane_less(lane a, lane b)
{
    return a < b ? ~0u : 0u;
}
LANE_INLINE lane_mask lane_less_equal(lane a, lane b)
{
    return a <= b ? ~0u : 0u;
}
LANE_INLINE lane lane_select(lane_mask m, lane yes, lane no)
{
    return m ? yes : no;
}

#elif DRY_LANES == 4

#include "simd/fours.h"

typedef float4 lane;
typedef float4 lane_mask;

#define lane_load float4_load_aligned
#define lane_set float4_set
#define lane_min float4_min
#define lane_max float4_max
#define lane_sqrt float4_sqrt
#define lane_less_equal float4_less_equal
#define lane_mask_and float4_and
#define lane_mask_or float4_or
#define lane_store simde_mm_store_ps
#define lane_stream simde_mm_stream_ps
#define lane_less simde_mm_cmplt_ps

#define lane_abs(a) simde_mm_andnot_ps(simde_mm_set1_ps(-0.0f), a)
LANE_INLINE lane lane_select(lane_mask m, lane yes, lane no)
{
    return simde_mm_or_ps(simde_mm_and_ps(m, yes), simde_mm_andnot_ps(m, no));
}
#define lane_mask_without(a, b) simde_mm_andnot_ps(b, a)
#define lane_any(m) (simde_mm_movemask_ps(m) != 0)

#elif DRY_LANES == 8

#include <simde/x86/avx2.h>

typedef simde__m256 lane;
typedef simde__m256 lane_mask;

#define lane_load simde_mm256_load_ps
#define lane_store simde_mm256_store_ps
#define lane_stream simde_mm256_stream_ps
#define lane_set simde_mm256_set1_ps
#define lane_min simde_mm256_min_ps
#define lane_max simde_mm256_max_ps
#define lane_sqrt simde_mm256_sqrt_ps
#define lane_mask_and simde_mm256_and_ps
#define lane_mask_or simde_mm256_or_ps

#define lane_abs(a) simde_mm256_andnot_ps(simde_mm256_set1_ps(-0.0f), a)
#define lane_less(a, b) simde_mm256_cmp_ps(a, b, SIMDE_CMP_LT_OQ)
#define lane_less_equal(a, b) simde_mm256_cmp_ps(a, b, SIMDE_CMP_LE_OQ)
#define lane_select(m, yes, no) simde_mm256_blendv_ps(no, yes, m)
#define lane_mask_without(a, b) simde_mm256_andnot_ps(b, a)
#define lane_any(m) (simde_mm256_movemask_ps(m) != 0)

#elif DRY_LANES == 16

#include <simde/x86/avx512.h>

typedef simde__m512 lane;
typedef simde__mmask16 lane_mask;

#define lane_load simde_mm512_load_ps
#define lane_store simde_mm512_store_ps
#define lane_set simde_mm512_set1_ps
#define lane_min simde_mm512_min_ps
#define lane_max simde_mm512_max_ps
#define lane_sqrt simde_mm512_sqrt_ps
#define lane_abs simde_mm512_abs_ps

LANE_INLINE void lane_stream(float *p, lane a)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(p, a); /* SIMDe has none */
#else
    lane_store(p, a);
#endif
}
#define lane_less(a, b) simde_mm512_cmp_ps_mask(a, b, SIMDE_CMP_LT_OQ)
#define lane_less_equal(a, b) simde_mm512_cmp_ps_mask(a, b, SIMDE_CMP_LE_OQ)
#define lane_select(m, yes, no) simde_mm512_mask_blend_ps(m, no, yes)

#else
#error "DRY_LANES must be 1, 4, 8 or 16"
#endif

#if DRY_LANES == 1 || DRY_LANES == 16
LANE_INLINE lane_mask lane_mask_and(lane_mask a, lane_mask b)
{
    return (lane_mask)(a & b);
}
LANE_INLINE lane_mask lane_mask_or(lane_mask a, lane_mask b)
{
    return (lane_mask)(a | b);
}
/* a and not b */
LANE_INLINE lane_mask lane_mask_without(lane_mask a, lane_mask b)
{
    return (lane_mask)(a & ~b);
}
LANE_INLINE int lane_any(lane_mask m)
{
    return m != 0;
}
#endif

LANE_INLINE lane lane_add(lane a, lane b)
{
    return a + b;
}
LANE_INLINE lane lane_sub(lane a, lane b)
{
    return a - b;
}
LANE_INLINE lane lane_mul(lane a, lane b)
{
    return a * b;
}
LANE_INLINE lane lane_div(lane a, lane b)
{
    return a / b;
}
LANE_INLINE lane lane_zero(void)
{
    return lane_set(0.0f);
}
/* Returns a number as a store and a load leave it. */
LANE_INLINE lane lane_as_stored(lane a)
{
#ifdef DRY_LANE_DOUBLE
    return (float)a;
#else
    return a;
#endif
}
LANE_INLINE lane lane_negate(lane a)
{
    return -a;
}

#endif

/* Lanes: DRY_LANES floats that go through a kernel side by side.
 *
 * A kernel file is compiled once per instruction set with DRY_LANES = 1, 4, 8 or 16 and uses only these types
 * and operations. Every operation gives the same bits at every width: IEEE + - * / sqrt, minimum and maximum
 * that return the second operand where the comparison fails, and lane_fma. lane_fma is the exact fused
 * multiply-add everywhere: the hardware's where the level has it. SSE2 rounds a double-precision product and
 * sum to odd, which then rounds to float as the fused operation would. C's own + - * / work on lanes, and
 * between a lane and a float, at every width.
 *
 * With DRY_LANES = 1 and DRY_LANE_DOUBLE a file takes rules of kernels for one lane in double precision. It
 * loads and stores floats, and fuses nothing. */
#ifndef SIMD_LANES_H
#define SIMD_LANES_H

#include "core/compiler.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef DRY_LANE_DOUBLE
#define LANE_INLINE static DRY_MAYBE_UNUSED
#else
#define LANE_INLINE static DRY_ALWAYS_INLINE
#endif

#if DRY_LANES == 1

#ifdef DRY_LANE_DOUBLE
typedef double lane;
#define LANE_FMA(a, b, c) ((a) * (b) + (c))
#define LANE_SQRT sqrt
#else
typedef float lane;
#define LANE_FMA fmaf
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
LANE_INLINE lane lane_fma(lane a, lane b, lane c)
{
    return LANE_FMA(a, b, c);
}
/* The empty statement hides where `a` comes from: a compiler may fold the negation of a fused multiply-add
 * into one instruction whose zero has the other sign. */
LANE_INLINE lane lane_fnma(lane a, lane b, lane c)
{
#if defined(__FMA__)
    __asm__("" : "+x"(a));
#elif defined(__aarch64__)
    __asm__("" : "+w"(a));
#endif
    return LANE_FMA(-a, b, c);
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

LANE_INLINE void lane_store(float *p, lane a)
{
    simde_mm_store_ps(p, a);
}
LANE_INLINE void lane_stream(float *p, lane a)
{
    simde_mm_stream_ps(p, a);
}
#if defined(__aarch64__)
#include <arm_neon.h>
LANE_INLINE lane lane_fma(lane a, lane b, lane c)
{
    return simde__m128_from_neon_f32(
        vfmaq_f32(simde__m128_to_neon_f32(c), simde__m128_to_neon_f32(a), simde__m128_to_neon_f32(b)));
}
#else
/* Returns a b + c for two lanes. The product of floats is exact in double. The sum is rounded to odd: its
 * last bit is set if anything was lost. Therefore only the second rounding, to float, counts. */
LANE_INLINE simde__m128 lane_fma_half(simde__m128 a, simde__m128 b, simde__m128 c)
{
    simde__m128d product = simde_mm_mul_pd(simde_mm_cvtps_pd(a), simde_mm_cvtps_pd(b));
    simde__m128d addend = simde_mm_cvtps_pd(c);
    simde__m128d sum = simde_mm_add_pd(product, addend);
    simde__m128d part = simde_mm_sub_pd(sum, product);
    simde__m128d lost =
        simde_mm_add_pd(simde_mm_sub_pd(product, simde_mm_sub_pd(sum, part)), simde_mm_sub_pd(addend, part));
    simde__m128d zero = simde_mm_setzero_pd();
    simde__m128i lost_up = simde_mm_castpd_si128(simde_mm_cmplt_pd(zero, lost));
    simde__m128i lost_down = simde_mm_castpd_si128(simde_mm_cmplt_pd(lost, zero));
    simde__m128i negative = simde_mm_castpd_si128(simde_mm_cmplt_pd(sum, zero));
    simde__m128i bits = simde_mm_castpd_si128(sum);
    simde__m128i one = simde_mm_set1_epi64x(1);
    simde__m128i even = simde_mm_sub_epi64(simde_mm_and_si128(bits, one), one);
    /* Away from zero if the lost part has the sum's sign, towards zero otherwise. */
    simde__m128i toward = simde_mm_or_si128(
        simde_mm_and_si128(lost_down, simde_mm_andnot_si128(negative, simde_mm_set1_epi64x(-1))),
        simde_mm_and_si128(lost_up, negative));
    simde__m128i step = simde_mm_sub_epi64(simde_mm_xor_si128(one, toward), toward);
    simde__m128i change =
        simde_mm_and_si128(simde_mm_and_si128(step, even), simde_mm_or_si128(lost_up, lost_down));
    return simde_mm_cvtpd_ps(simde_mm_castsi128_pd(simde_mm_add_epi64(bits, change)));
}
/* Not inline: some forty instructions in thousands of places made the level's code twice as large, and gcc
 * needed 70 s for the kernels of contacts, now 9 s. */
static DRY_NOINLINE DRY_MAYBE_UNUSED lane lane_fma(lane a, lane b, lane c)
{
    simde__m128 low = lane_fma_half(a, b, c);
    simde__m128 high =
        lane_fma_half(simde_mm_movehl_ps(a, a), simde_mm_movehl_ps(b, b), simde_mm_movehl_ps(c, c));
    return simde_mm_movelh_ps(low, high);
}
#endif
LANE_INLINE lane lane_fnma(lane a, lane b, lane c)
{
    return lane_fma(simde_mm_xor_ps(a, simde_mm_set1_ps(-0.0f)), b, c);
}
LANE_INLINE lane lane_abs(lane a)
{
    return simde_mm_andnot_ps(simde_mm_set1_ps(-0.0f), a);
}
LANE_INLINE lane_mask lane_less(lane a, lane b)
{
    return simde_mm_cmplt_ps(a, b);
}
LANE_INLINE lane lane_select(lane_mask m, lane yes, lane no)
{
    return simde_mm_or_ps(simde_mm_and_ps(m, yes), simde_mm_andnot_ps(m, no));
}
LANE_INLINE lane_mask lane_mask_without(lane_mask a, lane_mask b)
{
    return simde_mm_andnot_ps(b, a);
}
LANE_INLINE int lane_any(lane_mask m)
{
    return simde_mm_movemask_ps(m) != 0;
}

#elif DRY_LANES == 8

#include <simde/x86/avx2.h>
#include <simde/x86/fma.h>

typedef simde__m256 lane;
typedef simde__m256 lane_mask;

LANE_INLINE lane lane_load(const float *p)
{
    return simde_mm256_load_ps(p);
}
LANE_INLINE void lane_store(float *p, lane a)
{
    simde_mm256_store_ps(p, a);
}
LANE_INLINE void lane_stream(float *p, lane a)
{
    simde_mm256_stream_ps(p, a);
}
LANE_INLINE lane lane_set(float a)
{
    return simde_mm256_set1_ps(a);
}
LANE_INLINE lane lane_fma(lane a, lane b, lane c)
{
    return simde_mm256_fmadd_ps(a, b, c);
}
LANE_INLINE lane lane_fnma(lane a, lane b, lane c)
{
    return simde_mm256_fnmadd_ps(a, b, c);
}
LANE_INLINE lane lane_min(lane a, lane b)
{
    return simde_mm256_min_ps(a, b);
}
LANE_INLINE lane lane_max(lane a, lane b)
{
    return simde_mm256_max_ps(a, b);
}
LANE_INLINE lane lane_sqrt(lane a)
{
    return simde_mm256_sqrt_ps(a);
}
LANE_INLINE lane lane_abs(lane a)
{
    return simde_mm256_andnot_ps(simde_mm256_set1_ps(-0.0f), a);
}
LANE_INLINE lane_mask lane_less(lane a, lane b)
{
    return simde_mm256_cmp_ps(a, b, SIMDE_CMP_LT_OQ);
}
LANE_INLINE lane_mask lane_less_equal(lane a, lane b)
{
    return simde_mm256_cmp_ps(a, b, SIMDE_CMP_LE_OQ);
}
LANE_INLINE lane lane_select(lane_mask m, lane yes, lane no)
{
    return simde_mm256_blendv_ps(no, yes, m);
}
LANE_INLINE lane_mask lane_mask_and(lane_mask a, lane_mask b)
{
    return simde_mm256_and_ps(a, b);
}
LANE_INLINE lane_mask lane_mask_or(lane_mask a, lane_mask b)
{
    return simde_mm256_or_ps(a, b);
}
LANE_INLINE lane_mask lane_mask_without(lane_mask a, lane_mask b)
{
    return simde_mm256_andnot_ps(b, a);
}
LANE_INLINE int lane_any(lane_mask m)
{
    return simde_mm256_movemask_ps(m) != 0;
}

#elif DRY_LANES == 16

#include <simde/x86/avx512.h>

typedef simde__m512 lane;
typedef simde__mmask16 lane_mask;

LANE_INLINE lane lane_load(const float *p)
{
    return simde_mm512_load_ps(p);
}
LANE_INLINE void lane_store(float *p, lane a)
{
    simde_mm512_store_ps(p, a);
}
LANE_INLINE void lane_stream(float *p, lane a)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(p, a); /* SIMDe has none */
#else
    lane_store(p, a);
#endif
}
LANE_INLINE lane lane_set(float a)
{
    return simde_mm512_set1_ps(a);
}
LANE_INLINE lane lane_fma(lane a, lane b, lane c)
{
    return simde_mm512_fmadd_ps(a, b, c);
}
LANE_INLINE lane lane_fnma(lane a, lane b, lane c)
{
    return simde_mm512_fnmadd_ps(a, b, c);
}
LANE_INLINE lane lane_min(lane a, lane b)
{
    return simde_mm512_min_ps(a, b);
}
LANE_INLINE lane lane_max(lane a, lane b)
{
    return simde_mm512_max_ps(a, b);
}
LANE_INLINE lane lane_sqrt(lane a)
{
    return simde_mm512_sqrt_ps(a);
}
LANE_INLINE lane lane_abs(lane a)
{
    return simde_mm512_abs_ps(a);
}
LANE_INLINE lane_mask lane_less(lane a, lane b)
{
    return simde_mm512_cmp_ps_mask(a, b, SIMDE_CMP_LT_OQ);
}
LANE_INLINE lane_mask lane_less_equal(lane a, lane b)
{
    return simde_mm512_cmp_ps_mask(a, b, SIMDE_CMP_LE_OQ);
}
LANE_INLINE lane lane_select(lane_mask m, lane yes, lane no)
{
    return simde_mm512_mask_blend_ps(m, no, yes);
}

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
#if DRY_LANES == 1 && !defined(DRY_LANE_DOUBLE)
/* The sign bit itself: a compiler may fold -0 - fma(x, y, z) into one instruction whose zero has the other
 * sign. */
LANE_INLINE lane lane_negate(lane a)
{
    uint32_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits ^= 0x80000000u;
    memcpy(&a, &bits, sizeof bits);
    return a;
}
#else
LANE_INLINE lane lane_negate(lane a)
{
    return lane_sub(lane_set(-0.0f), a);
}
#endif

#endif

/* Vectors of 16 bytes, which every supported processor has: four floats, two doubles, or bits. For files that
 * are compiled once and not for each instruction set. C's own + - * / work on floats and doubles, & | ^ on
 * bits. A minimum and a maximum return the second operand where the comparison fails. Comparisons return all
 * bits of a lane, or none. An operation that SIMDe has is another name of its function. */
#ifndef SIMD_FOURS_H
#define SIMD_FOURS_H

#include "core/compiler.h"

#include <simde/x86/sse2.h>
#include <stdint.h>
#include <string.h>

typedef simde__m128 float4;   /* floats, or lanes that are true or false */
typedef simde__m128d double2; /* doubles, likewise */
typedef simde__m128i bits4;   /* four numbers of 32 bits, or two of 64 */

#define float4_set simde_mm_set1_ps
#define float4_of simde_mm_setr_ps
#define float4_load_aligned simde_mm_load_ps
#define float4_min simde_mm_min_ps
#define float4_max simde_mm_max_ps
#define float4_sqrt simde_mm_sqrt_ps
#define float4_less_equal simde_mm_cmple_ps
#define float4_greater simde_mm_cmpgt_ps
#define float4_and simde_mm_and_ps
#define float4_or simde_mm_or_ps
/* Returns a bit for each lane that is true. */
#define float4_true simde_mm_movemask_ps
/* Loads from any address; float4_load_aligned from one that 16 divides. */
static DRY_ALWAYS_INLINE float4 float4_load(const void *at)
{
    return simde_mm_loadu_ps(at);
}
static DRY_ALWAYS_INLINE void float4_store(void *at, float4 a)
{
    simde_mm_storeu_ps(at, a);
}
/* Returns lane k, a constant, in all lanes. */
#define FLOAT4_EACH(a, k) simde_mm_shuffle_ps(a, a, SIMDE_MM_SHUFFLE(k, k, k, k))
/* Returns lanes 1, 2, 3, 0. */
static DRY_ALWAYS_INLINE float4 float4_rotate(float4 a)
{
    return simde_mm_shuffle_ps(a, a, SIMDE_MM_SHUFFLE(0, 3, 2, 1));
}
/* Returns four bytes as floats. */
static DRY_ALWAYS_INLINE float4 float4_of_bytes(const uint8_t bytes[4])
{
    int32_t word;
    memcpy(&word, bytes, sizeof word);
    const bits4 zero = simde_mm_setzero_si128();
    const bits4 halves = simde_mm_unpacklo_epi8(simde_mm_cvtsi32_si128(word), zero);
    return simde_mm_cvtepi32_ps(simde_mm_unpacklo_epi16(halves, zero));
}
/* Writes the whole parts of numbers. */
static DRY_ALWAYS_INLINE void float4_store_whole(int32_t at[4], float4 a)
{
    simde_mm_storeu_si128((bits4 *)(void *)at, simde_mm_cvttps_epi32(a));
}
/* Returns floats whose last two bits are the numbers of their lanes. */
static DRY_ALWAYS_INLINE float4 float4_number_lanes(float4 a)
{
    const float4 last = simde_mm_castsi128_ps(simde_mm_set1_epi32(3)),
                 numbers = simde_mm_castsi128_ps(simde_mm_setr_epi32(0, 1, 2, 3));
    return simde_mm_or_ps(simde_mm_andnot_ps(last, a), numbers);
}

#define double2_min simde_mm_min_pd
#define double2_max simde_mm_max_pd
/* Returns a bit for each lane in which a or b is zero. */
static DRY_ALWAYS_INLINE int double2_any_zero(double2 a, double2 b)
{
    const double2 zero = simde_mm_setzero_pd();
    return simde_mm_movemask_pd(simde_mm_or_pd(simde_mm_cmpeq_pd(a, zero), simde_mm_cmpeq_pd(b, zero)));
}
/* Returns the first three lanes of a and b as doubles, lane by lane. */
static DRY_ALWAYS_INLINE void double2_of_floats(float4 a, float4 b, double2 out[3])
{
    const float4 xy = simde_mm_unpacklo_ps(a, b);
    out[0] = simde_mm_cvtps_pd(xy);
    out[1] = simde_mm_cvtps_pd(simde_mm_movehl_ps(xy, xy));
    out[2] = simde_mm_cvtps_pd(simde_mm_unpackhi_ps(a, b));
}

static DRY_ALWAYS_INLINE bits4 bits4_set(uint32_t all)
{
    return simde_mm_set1_epi32((int32_t)all);
}
#define bits4_load simde_mm_loadu_si128
#define bits4_store simde_mm_storeu_si128
/* Tells whether no bit is set. */
static DRY_ALWAYS_INLINE int bits4_none(bits4 a)
{
    return simde_mm_movemask_epi8(simde_mm_cmpeq_epi8(a, simde_mm_setzero_si128())) == 0xffff;
}
/* Returns a bit for each number of 32 bits that is not zero. */
static DRY_ALWAYS_INLINE int bits4_nonzero(bits4 a)
{
    const bits4 empty = simde_mm_cmpeq_epi32(a, simde_mm_setzero_si128());
    return ~simde_mm_movemask_ps(simde_mm_castsi128_ps(empty)) & 15;
}
/* Add numbers of 64 bits; multiply the lower halves of them; return the upper halves as lower ones. */
#define bits4_add64 simde_mm_add_epi64
#define bits4_multiply simde_mm_mul_epu32
static DRY_ALWAYS_INLINE bits4 bits4_upper(bits4 a)
{
    return simde_mm_srli_epi64(a, 32);
}

/* Makes stores past the caches (lane_stream) visible to other threads before what follows. */
static DRY_ALWAYS_INLINE void stream_end(void)
{
    simde_mm_sfence();
}

#endif

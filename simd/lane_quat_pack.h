/* Unit quaternions in 48 bits, unpacked in lanes: to the bit as dry_quat_unpack. Kernel files only. */
#ifndef SIMD_LANE_QUAT_PACK_H
#define SIMD_LANE_QUAT_PACK_H

#include "core/quat_pack.h"
#include "simd/lane_vectors.h"

/* Returns the number that is in the bits of `mask` of each lane's word, from bit `shift` on. */
LANE_INLINE lane lane_bits(lane words, int shift, int mask)
{
#if DRY_LANES == 1
    uint32_t bits;
    memcpy(&bits, &words, sizeof bits);
    return (float)(int)(bits >> shift & (uint32_t)mask);
#elif DRY_LANES == 4
    const simde__m128i bits = simde_mm_srli_epi32(simde_mm_castps_si128(words), shift);
    return simde_mm_cvtepi32_ps(simde_mm_and_si128(bits, simde_mm_set1_epi32(mask)));
#elif DRY_LANES == 8
    const simde__m256i bits = simde_mm256_srli_epi32(simde_mm256_castps_si256(words), shift);
    return simde_mm256_cvtepi32_ps(simde_mm256_and_si256(bits, simde_mm256_set1_epi32(mask)));
#else
    const simde__m512i bits = simde_mm512_srli_epi32(simde_mm512_castps_si512(words), (unsigned)shift);
    return simde_mm512_cvtepu32_ps(simde_mm512_and_si512(bits, simde_mm512_set1_epi32(mask)));
#endif
}

/* Unpacks quaternions from two words each: `low` has packed[0] in its upper half, `high` has packed[1] and,
 * in its upper half, packed[2]. */
LANE_INLINE lane_quat lane_quat_unpack(lane low, lane high)
{
    const lane unit = lane_set(0.707106781f / DRY_QUAT_PACK_STEPS),
               zero = lane_set(DRY_QUAT_PACK_STEPS + 1.0f);
    const lane upper = lane_bits(high, 0, 0x3fff),
               across = lane_add(lane_add(upper, upper), lane_bits(low, 31, 1));
    const lane a = lane_mul(unit, lane_sub(lane_bits(high, 14, 0x7fff), zero));
    const lane b = lane_mul(unit, lane_sub(across, zero));
    const lane c = lane_mul(unit, lane_sub(lane_bits(low, 16, 0x7fff), zero));
    const lane square = lane_add(lane_add(lane_mul(a, a), lane_mul(b, b)), lane_mul(c, c));
    const lane largest = lane_sqrt(lane_max(lane_sub(lane_set(1.0f), square), lane_zero()));
    const lane index = lane_bits(high, 29, 3);
    const lane_mask x = lane_less(index, lane_set(0.5f)), xy = lane_less(index, lane_set(1.5f)),
                    xyz = lane_less(index, lane_set(2.5f));
    return (lane_quat){
        .x = lane_select(x, largest, lane_select(xy, c, lane_select(xyz, b, a))),
        .y = lane_select(x, a, lane_select(xy, largest, lane_select(xyz, c, b))),
        .z = lane_select(x, b, lane_select(xy, a, lane_select(xyz, largest, c))),
        .w = lane_select(x, c, lane_select(xy, b, lane_select(xyz, a, largest))),
    };
}

#endif

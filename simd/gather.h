/* Gathers a few floats from each lane's address, and scatters them back: loads of four floats and 4x4
 * transposes. Kernel files only. */
#ifndef SIMD_GATHER_H
#define SIMD_GATHER_H

#include "simd/lanes.h"

#include <stdbool.h>

#if DRY_LANES == 1

LANE_INLINE void lane_gather4(const float *const *p, int offset, lane out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = p[0][offset + i];
}

LANE_INLINE void lane_scatter4(float *const *p, int offset, const lane v[4])
{
    for (int i = 0; i < 4; i++)
        p[0][offset + i] = v[i];
}

LANE_INLINE void lane_scatter6(float *const *p, const lane v[6])
{
    for (int i = 0; i < 6; i++)
        p[0][i] = v[i];
}

#else

/* Transposes four vectors within each group of four lanes. */
LANE_INLINE void lane_transpose4(lane r[4])
{
#if DRY_LANES == 4
    lane a = simde_mm_unpacklo_ps(r[0], r[1]), b = simde_mm_unpackhi_ps(r[0], r[1]);
    lane c = simde_mm_unpacklo_ps(r[2], r[3]), d = simde_mm_unpackhi_ps(r[2], r[3]);
    r[0] = simde_mm_movelh_ps(a, c);
    r[1] = simde_mm_movehl_ps(c, a);
    r[2] = simde_mm_movelh_ps(b, d);
    r[3] = simde_mm_movehl_ps(d, b);
#elif DRY_LANES == 8
    lane a = simde_mm256_unpacklo_ps(r[0], r[1]), b = simde_mm256_unpackhi_ps(r[0], r[1]);
    lane c = simde_mm256_unpacklo_ps(r[2], r[3]), d = simde_mm256_unpackhi_ps(r[2], r[3]);
    r[0] = simde_mm256_shuffle_ps(a, c, 0x44);
    r[1] = simde_mm256_shuffle_ps(a, c, 0xee);
    r[2] = simde_mm256_shuffle_ps(b, d, 0x44);
    r[3] = simde_mm256_shuffle_ps(b, d, 0xee);
#else
    lane a = simde_mm512_unpacklo_ps(r[0], r[1]), b = simde_mm512_unpackhi_ps(r[0], r[1]);
    lane c = simde_mm512_unpacklo_ps(r[2], r[3]), d = simde_mm512_unpackhi_ps(r[2], r[3]);
    r[0] = simde_mm512_shuffle_ps(a, c, 0x44);
    r[1] = simde_mm512_shuffle_ps(a, c, 0xee);
    r[2] = simde_mm512_shuffle_ps(b, d, 0x44);
    r[3] = simde_mm512_shuffle_ps(b, d, 0xee);
#endif
}

/* Four floats from the address of each lane, one field per output. Vector k holds lanes k, k + 4, ... so that
 * the transpose within groups of four leaves the lanes in order. */
#if DRY_LANES == 4
#define LANE_FOUR(ADDRESS, k) simde_mm_loadu_ps(ADDRESS(k))
#elif DRY_LANES == 8
#define LANE_FOUR(ADDRESS, k)                                                                                \
    simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_loadu_ps(ADDRESS(k))),                    \
                              simde_mm_loadu_ps(ADDRESS((k) + 4)), 1)
#else
#define LANE_FOUR(ADDRESS, k) lane_join(LANE_EIGHT(ADDRESS, k), LANE_EIGHT(ADDRESS, (k) + 8))
#define LANE_EIGHT(ADDRESS, k)                                                                               \
    simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_loadu_ps(ADDRESS(k))),                    \
                              simde_mm_loadu_ps(ADDRESS((k) + 4)), 1)
LANE_INLINE lane lane_join(simde__m256 low, simde__m256 high)
{
    return simde_mm512_castsi512_ps(simde_mm512_inserti64x4(
        simde_mm512_castps_si512(simde_mm512_castps256_ps512(low)), simde_mm256_castps_si256(high), 1));
}
#endif

LANE_INLINE void lane_gather4(const float *const *p, int offset, lane out[4])
{
#define ADDRESS(k) (p[k] + offset)
    for (int k = 0; k < 4; k++)
        out[k] = LANE_FOUR(ADDRESS, k);
#undef ADDRESS
    lane_transpose4(out);
}

LANE_INLINE simde__m128 lane_quarter(lane a, int quarter)
{
#if DRY_LANES == 4
    (void)quarter;
    return a;
#elif DRY_LANES == 8
    return quarter ? simde_mm256_extractf128_ps(a, 1) : simde_mm256_castps256_ps128(a);
#else
    switch (quarter) {
    case 0:
        return simde_mm512_castps512_ps128(a);
    case 1:
        return simde_mm512_extractf32x4_ps(a, 1);
    case 2:
        return simde_mm512_extractf32x4_ps(a, 2);
    default:
        return simde_mm512_extractf32x4_ps(a, 3);
    }
#endif
}

/* The opposite of lane_gather4. */
LANE_INLINE void lane_scatter4(float *const *p, int offset, const lane v[4])
{
    lane r[4] = {v[0], v[1], v[2], v[3]};
    lane_transpose4(r);
    for (int quarter = 0; quarter < DRY_LANES / 4; quarter++)
        for (int k = 0; k < 4; k++)
            simde_mm_storeu_ps(p[quarter * 4 + k] + offset, lane_quarter(r[k], quarter));
}

/* The first six floats of each lane's row: a 16-byte and an 8-byte store. */
LANE_INLINE void lane_scatter6(float *const *p, const lane v[6])
{
    lane r[4] = {v[0], v[1], v[2], v[3]};
    lane_transpose4(r);
    lane s[4] = {v[4], v[5], v[4], v[5]};
    lane_transpose4(s);
    for (int quarter = 0; quarter < DRY_LANES / 4; quarter++)
        for (int k = 0; k < 4; k++) {
            simde_mm_storeu_ps(p[quarter * 4 + k], lane_quarter(r[k], quarter));
            simde_mm_storel_pi((simde__m64 *)(void *)(p[quarter * 4 + k] + 4), lane_quarter(s[k], quarter));
        }
}

#endif

/* Gathers six floats of each lane. */
LANE_INLINE void lane_gather6(const float *const *p, lane out[6])
{
    lane high[4];
    lane_gather4(p, 0, out);
    lane_gather4(p, 2, high);
    out[4] = high[2];
    out[5] = high[3];
}

/* Gathers three doubles, `offset` floats from the address of each lane, as floats. Reads a fourth one, too.
 */
LANE_INLINE void lane_gather3_doubles(const float *const *p, int offset, lane out[3])
{
    _Alignas(16) float numbers[DRY_LANES][4];
    const float *address[DRY_LANES];
    lane four[4];
    for (int i = 0; i < DRY_LANES; i++) {
        const double *from = (const double *)(const void *)(p[i] + offset);
#if DRY_LANES == 1
        for (int k = 0; k < 4; k++)
            numbers[i][k] = (float)from[k];
#elif DRY_LANES == 4
        simde_mm_store_ps(numbers[i], simde_mm_movelh_ps(simde_mm_cvtpd_ps(simde_mm_loadu_pd(from)),
                                                         simde_mm_cvtpd_ps(simde_mm_loadu_pd(from + 2))));
#else
        simde_mm_store_ps(numbers[i], simde_mm256_cvtpd_ps(simde_mm256_loadu_pd(from)));
#endif
        address[i] = numbers[i];
    }
    lane_gather4(address, 0, four);
    for (int k = 0; k < 3; k++)
        out[k] = four[k];
}

enum { LANE_ROW = 16 }; /* floats of a row, one cache line */

/* Rows, and the index of each lane's. An address is computed where it is used: sixteen pointers do not fit
 * into registers, and loading them back costs more than it saves. */
typedef struct lane_rows {
    float (*rows)[LANE_ROW];
    const int32_t *index;
} lane_rows;

LANE_INLINE float *lane_row(lane_rows p, int at)
{
    return p.rows[p.index[at]];
}

#if DRY_LANES == 1

LANE_INLINE void lane_gather_row4(lane_rows p, int offset, lane out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = lane_row(p, 0)[offset + i];
}

LANE_INLINE void lane_gather_row8(lane_rows p, int offset, lane out[8])
{
    for (int i = 0; i < 8; i++)
        out[i] = lane_row(p, 0)[offset + i];
}

LANE_INLINE void lane_scatter_row8(lane_rows p, const lane v[8], bool all)
{
    for (int i = 0; i < 8 && (all || p.index[0]); i++)
        lane_row(p, 0)[i] = v[i];
}

#else

LANE_INLINE void lane_gather_row4(lane_rows p, int offset, lane out[4])
{
#define ADDRESS(k) (lane_row(p, k) + offset)
    for (int k = 0; k < 4; k++)
        out[k] = LANE_FOUR(ADDRESS, k);
#undef ADDRESS
    lane_transpose4(out);
}

/* Eight floats at `offset` of each lane's row. */
LANE_INLINE void lane_gather_row8(lane_rows p, int offset, lane out[8])
{
#if DRY_LANES == 16
    lane a[4], b[4];
    for (int k = 0; k < 4; k++) {
        a[k] = lane_join(simde_mm256_load_ps(lane_row(p, k) + offset),
                         simde_mm256_load_ps(lane_row(p, k + 4) + offset));
        b[k] = lane_join(simde_mm256_load_ps(lane_row(p, k + 8) + offset),
                         simde_mm256_load_ps(lane_row(p, k + 12) + offset));
    }
    lane_transpose4(a);
    lane_transpose4(b);
    for (int k = 0; k < 4; k++) {
        out[k] = simde_mm512_shuffle_f32x4(a[k], b[k], 0x88);
        out[k + 4] = simde_mm512_shuffle_f32x4(a[k], b[k], 0xdd);
    }
#else
    lane_gather_row4(p, offset, out);
    lane_gather_row4(p, offset + 4, out + 4);
#endif
}

#if DRY_LANES >= 8
LANE_INLINE void lane_store_row8(lane_rows p, int at, bool all, simde__m256 eight)
{
    if (all || p.index[at])
        simde_mm256_store_ps(lane_row(p, at), eight);
}
#endif

/* Scatters the first eight floats of each row, skipping row 0 if asked. Whole-row stores let the next gather
 * forward from the store buffer. */
LANE_INLINE void lane_scatter_row8(lane_rows p, const lane v[8], bool all)
{
    lane r[4] = {v[0], v[1], v[2], v[3]}, s[4] = {v[4], v[5], v[6], v[7]};
    lane_transpose4(r);
    lane_transpose4(s);
#if DRY_LANES == 16
    /* From memory: GCC 12 puts a constant together from eight masked broadcasts, in every bundle anew. */
    static const _Alignas(64)
        int64_t order[2][8] = {{0, 1, 8, 9, 2, 3, 10, 11}, {4, 5, 12, 13, 6, 7, 14, 15}};
    const simde__m512i low = simde_mm512_load_si512(order[0]), high = simde_mm512_load_si512(order[1]);
    for (int k = 0; k < 4; k++) {
        simde__m512d x = simde_mm512_castps_pd(r[k]), y = simde_mm512_castps_pd(s[k]);
        simde__m512d a = simde_mm512_permutex2var_pd(x, low, y), b = simde_mm512_permutex2var_pd(x, high, y);
        lane_store_row8(p, k, all, simde_mm256_castpd_ps(simde_mm512_castpd512_pd256(a)));
        lane_store_row8(p, k + 4, all, simde_mm256_castpd_ps(simde_mm512_extractf64x4_pd(a, 1)));
        lane_store_row8(p, k + 8, all, simde_mm256_castpd_ps(simde_mm512_castpd512_pd256(b)));
        lane_store_row8(p, k + 12, all, simde_mm256_castpd_ps(simde_mm512_extractf64x4_pd(b, 1)));
    }
#elif DRY_LANES == 8
    for (int k = 0; k < 4; k++) {
        lane_store_row8(p, k, all, simde_mm256_permute2f128_ps(r[k], s[k], 0x20));
        lane_store_row8(p, k + 4, all, simde_mm256_permute2f128_ps(r[k], s[k], 0x31));
    }
#else
    for (int k = 0; k < 4; k++)
        if (all || p.index[k]) {
            simde_mm_store_ps(lane_row(p, k), r[k]);
            simde_mm_store_ps(lane_row(p, k) + 4, s[k]);
        }
#endif
}

#endif

/* True if a lane of [0, DRY_LANES) has row 0. */
LANE_INLINE int lane_any_fixed(const int32_t *index)
{
#if DRY_LANES == 16
    return simde_mm512_cmpeq_epi32_mask(simde_mm512_load_si512(index), simde_mm512_setzero_si512()) != 0;
#elif DRY_LANES == 8
    simde__m256i rows = simde_mm256_load_si256((const simde__m256i *)(const void *)index);
    return simde_mm256_movemask_epi8(simde_mm256_cmpeq_epi32(rows, simde_mm256_setzero_si256())) != 0;
#elif DRY_LANES == 4
    simde__m128i rows = simde_mm_load_si128((const simde__m128i *)(const void *)index);
    return simde_mm_movemask_epi8(simde_mm_cmpeq_epi32(rows, simde_mm_setzero_si128())) != 0;
#else
    return index[0] == 0;
#endif
}

#endif

/* Gathers bodies' solver rows into lanes and scatters them back.
 *
 * Reads rows[index[lane]]; writes only the velocities, and never row 0. Kernel files only. */
#ifndef SIMD_GATHER_H
#define SIMD_GATHER_H

#include "simd/lanes.h"
#include "simd/solver_row.h"

typedef struct lane_velocity {
    lane ul[3], ua[3];
} lane_velocity;

typedef struct lane_displacement {
    lane dl[3], da[3];
} lane_displacement;

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

/* Four floats at `offset` of each lane's row, one field per output. Vector k holds rows k, k + 4, ... so
 * that the transpose within groups of four leaves the lanes in order. */
LANE_INLINE void lane_gather4(const float *const *p, int offset, lane out[4])
{
    for (int k = 0; k < 4; k++) {
#if DRY_LANES == 4
        out[k] = simde_mm_loadu_ps(p[k] + offset);
#elif DRY_LANES == 8
        out[k] = simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_loadu_ps(p[k] + offset)),
                                           simde_mm_loadu_ps(p[k + 4] + offset), 1);
#else
        simde__m256 low =
            simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_loadu_ps(p[k] + offset)),
                                      simde_mm_loadu_ps(p[k + 4] + offset), 1);
        simde__m256 high =
            simde_mm256_insertf128_ps(simde_mm256_castps128_ps256(simde_mm_loadu_ps(p[k + 8] + offset)),
                                      simde_mm_loadu_ps(p[k + 12] + offset), 1);
        out[k] = simde_mm512_castsi512_ps(simde_mm512_inserti64x4(
            simde_mm512_castps_si512(simde_mm512_castps256_ps512(low)), simde_mm256_castps_si256(high), 1));
#endif
    }
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

LANE_INLINE void lane_gather_velocity(const dry_solver_row *rows, const int32_t *index, lane_velocity *v)
{
    const float *p[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = rows[index[i]].ul;
    lane g[8];
    lane_gather4(p, 0, g);
    lane_gather4(p, 4, g + 4);
    v->ul[0] = g[0], v->ul[1] = g[1], v->ul[2] = g[2];
    v->ua[0] = g[3], v->ua[1] = g[4], v->ua[2] = g[5];
}

LANE_INLINE void lane_gather_both(const dry_solver_row *rows, const int32_t *index, lane_velocity *v,
                                  lane_displacement *d)
{
    const float *p[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = rows[index[i]].ul;
    lane g[12];
    lane_gather4(p, 0, g);
    lane_gather4(p, 4, g + 4);
    lane_gather4(p, 8, g + 8);
    v->ul[0] = g[0], v->ul[1] = g[1], v->ul[2] = g[2];
    v->ua[0] = g[3], v->ua[1] = g[4], v->ua[2] = g[5];
    d->dl[0] = g[6], d->dl[1] = g[7], d->dl[2] = g[8];
    d->da[0] = g[9], d->da[1] = g[10], d->da[2] = g[11];
}

/* Lanes of row 0 go to a dump on the stack: a select is cheaper than a branch per lane. */
LANE_INLINE void lane_scatter_velocity(dry_solver_row *rows, const int32_t *index, const lane_velocity *v)
{
    _Alignas(16) float dump[16];
    float *p[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        p[i] = index[i] ? rows[index[i]].ul : dump;
    lane g[6] = {v->ul[0], v->ul[1], v->ul[2], v->ua[0], v->ua[1], v->ua[2]};
    lane_scatter6(p, g);
}

#endif

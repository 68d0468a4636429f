/* Gathers bodies' solver rows into lanes and scatters them back.
 *
 * Reads rows[index[lane]]. Writes only the velocities, and never row 0. Kernel files only. */
#ifndef SOLVER_BODIES_GATHER_H
#define SOLVER_BODIES_GATHER_H

#include "simd/gather.h"
#include "simd/lane_vectors.h"
#include "solver/data/solver_row.h"

#include <stdbool.h>

typedef struct lane_velocity {
    lane_vec3 ul, ua;
    lane beside[2]; /* dl x and y, which share the row's first eight floats with it: stored back unchanged */
} lane_velocity;

typedef struct lane_displacement {
    lane_vec3 dl, da;
} lane_displacement;

/* The factors that whiten a body's velocities. */
typedef struct lane_whitening {
    lane_vec3 inv_sqrt_inertia;
    lane inv_sqrt_mass;
} lane_whitening;

/* Rows, and the index of each lane's. An address is computed where it is used: sixteen pointers do not fit
 * into registers, and loading them back costs more than it saves. */
typedef struct lane_rows {
    dry_solver_row *rows;
    const int32_t *index;
} lane_rows;

LANE_INLINE float *lane_row(lane_rows p, int at)
{
    return p.rows[p.index[at]].ul;
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

LANE_INLINE void lane_gather_velocity(const dry_solver_row *rows, const int32_t *index, lane_velocity *v)
{
    lane g[8];
    lane_gather_row8((lane_rows){(dry_solver_row *)rows, index}, 0, g);
    *v = (lane_velocity){{g[0], g[1], g[2]}, {g[3], g[4], g[5]}, {g[6], g[7]}};
}

/* Returns the velocities of the bodies' starts. Lane by lane: only springs need them. */
LANE_INLINE lane_velocity lane_gather_start(const dry_start_row *start, const int32_t *index)
{
    _Alignas(64) float u[6][DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++)
        for (int k = 0; k < 6; k++)
            u[k][i] = index[i] ? start[index[i] - 1].u[k] : 0.0f;
    return (lane_velocity){.ul = {lane_load(u[0]), lane_load(u[1]), lane_load(u[2])},
                           .ua = {lane_load(u[3]), lane_load(u[4]), lane_load(u[5])}};
}

LANE_INLINE void lane_gather_both(const dry_solver_row *rows, const int32_t *index, lane_velocity *v,
                                  lane_displacement *d)
{
    lane_rows p = {(dry_solver_row *)rows, index};
    lane g[12];
    lane_gather_row8(p, 0, g);
    lane_gather_row4(p, 8, g + 8);
    *v = (lane_velocity){{g[0], g[1], g[2]}, {g[3], g[4], g[5]}, {g[6], g[7]}};
    *d = (lane_displacement){{g[6], g[7], g[8]}, {g[9], g[10], g[11]}};
}

/* Gathers whole rows, but for the inverse roots of inertias. */
LANE_INLINE void lane_gather_rows(const dry_solver_row *rows, const int32_t *index, lane_velocity *v,
                                  lane_displacement *d, lane *inv_sqrt_mass)
{
    lane_rows p = {(dry_solver_row *)rows, index};
    lane g[16];
    lane_gather_row8(p, 0, g);
    lane_gather_row8(p, 8, g + 8);
    *v = (lane_velocity){{g[0], g[1], g[2]}, {g[3], g[4], g[5]}, {g[6], g[7]}};
    *d = (lane_displacement){{g[6], g[7], g[8]}, {g[9], g[10], g[11]}};
    *inv_sqrt_mass = g[15];
}

LANE_INLINE lane_whitening lane_gather_whitening(const dry_solver_row *rows, const int32_t *index)
{
    lane g[4];
    lane_gather_row4((lane_rows){(dry_solver_row *)rows, index}, 12, g);
    return (lane_whitening){{g[0], g[1], g[2]}, g[3]};
}

LANE_INLINE void lane_scatter_velocity(dry_solver_row *rows, const int32_t *index, const lane_velocity *v)
{
    lane g[8] = {v->ul.x, v->ul.y, v->ul.z, v->ua.x, v->ua.y, v->ua.z, v->beside[0], v->beside[1]};
    lane_rows p = {rows, index};
    if (lane_any_fixed(index))
        lane_scatter_row8(p, g, false);
    else
        lane_scatter_row8(p, g, true);
}

#endif

/* Gathers bodies' solver rows into lanes and scatters them back.
 *
 * Reads rows[index[lane]]. Writes only the velocities, and never row 0. Kernel files only. */
#ifndef SOLVER_BODIES_GATHER_H
#define SOLVER_BODIES_GATHER_H

#include "simd/gather.h"
#include "simd/lane_vectors.h"
#include "solver/data/bundle.h"
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

static inline lane_rows lane_rows_of(const dry_solver_row *rows, const int32_t *index)
{
    return (lane_rows){(float(*)[LANE_ROW])(uintptr_t)rows->u, index};
}

LANE_INLINE void lane_gather_velocity(const dry_solver_row *rows, const int32_t *index, lane_velocity *v)
{
    lane g[8];
    lane_gather_row8(lane_rows_of(rows, index), 0, g);
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
    lane_rows p = lane_rows_of(rows, index);
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
    lane_rows p = lane_rows_of(rows, index);
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
    lane_gather_row4(lane_rows_of(rows, index), 12, g);
    return (lane_whitening){{g[0], g[1], g[2]}, g[3]};
}

LANE_INLINE void lane_scatter_velocity(dry_solver_row *rows, const int32_t *index, const lane_velocity *v)
{
    lane g[8] = {v->ul.x, v->ul.y, v->ul.z, v->ua.x, v->ua.y, v->ua.z, v->beside[0], v->beside[1]};
    lane_rows p = lane_rows_of(rows, index);
    if (lane_any_fixed(index))
        lane_scatter_row8(p, g, false);
    else
        lane_scatter_row8(p, g, true);
}

/* Lanes [at, at + DRY_LANES) of a bundle's field. */
#define LOAD(field) lane_load((field) + at)

/* The same lanes of three fields, one for each component. */
LANE_INLINE lane_vec3 field_load3(dry_lanes *field, int at)
{
    return lane_vec3_load(field[0] + at, DRY_BUNDLE);
}

LANE_INLINE void field_store3(dry_lanes *field, int at, lane_vec3 v)
{
    lane_vec3_store(field[0] + at, DRY_BUNDLE, v);
}

#endif

/* Sweeps and the line search over joints with one row over four bodies. Compiled once for each level;
 * included by joint_kernels.c alone. */
#ifndef METHODS_VOLUMES_QUAD_KERNELS_H
#define METHODS_VOLUMES_QUAD_KERNELS_H

#include "methods/volumes/quad.h"
#include "solver/sweeps/joints/single_row_kernels.h"
#include "solver/sweeps/joints/slope_lanes.h"

/* Adds to `sum` what a body's velocity, or its displacement, adds to that of the row. */
LANE_INLINE lane quad_add(lane sum, dry_quad_side *side, lane_vec3 linear, lane_vec3 angular, int at)
{
    sum = lane_add(sum, lane_vec3_dot(field_load3(side->linear, at), linear));
    return lane_add(sum, lane_vec3_dot(field_load3(side->angular, at), angular));
}

/* Returns the row's velocity, less what the row's own change adds to it. */
LANE_INLINE lane quad_velocity(dry_quad_bundle *c, const lane_velocity v[DRY_QUAD_SIDES], int at)
{
    lane sum = LOAD(c->single.kinematic);
    for (int i = 0; i < DRY_QUAD_SIDES; i++)
        sum = quad_add(sum, &c->side[i], v[i].ul, v[i].ua, at);
    return sum;
}

/* Returns the terms of position, softness and initial velocity: a q + eps lambda - (1 - b) g.u_begin. */
LANE_INLINE lane quad_position_terms(dry_quad_bundle *c, const dry_sweep *s,
                                     const lane_displacement d[DRY_QUAD_SIDES], dry_update update, int at)
{
    lane q = lane_add_mul(LOAD(c->single.error), LOAD(c->single.kinematic), lane_set(s->time));
    for (int i = 0; i < DRY_QUAD_SIDES; i++)
        q = quad_add(q, &c->side[i], d[i].dl, d[i].da, at);
    const lane bias = single_row_bias(&c->single, s, q, update, at);
    if (!single_row_has_spring(&c->single, at))
        return bias;
    lane_velocity start[DRY_QUAD_SIDES];
    for (int i = 0; i < DRY_QUAD_SIDES; i++)
        start[i] = lane_gather_start(s->start, c->side[i].row + at);
    return single_row_spring(&c->single, s, bias, quad_velocity(c, start, at), at);
}

/* Applies the row's impulse `d` to its bodies, two at a time. */
LANE_INLINE void quad_apply(dry_quad_bundle *c, const dry_sweep *s, lane d,
                            const lane_velocity v[DRY_QUAD_SIDES], dry_update update, int at)
{
    lane_velocity change[DRY_QUAD_SIDES];
    for (int i = 0; i < DRY_QUAD_SIDES; i++) {
        change[i].ul = lane_vec3_scale(field_load3(c->side[i].linear, at), d);
        change[i].ua = lane_vec3_scale(field_load3(c->side[i].angular, at), d);
    }
    for (int i = 0; i < DRY_QUAD_SIDES; i += 2)
        joint_scatter(c->side[i].row + at, c->side[i + 1].row + at, s, &change[i], &change[i + 1], &v[i],
                      &v[i + 1], update);
}

LANE_INLINE void quad_sweep(dry_quad_bundle *c, const dry_sweep *s, dry_sweep_kind sweep, dry_update update,
                            int at)
{
    lane_velocity v[DRY_QUAD_SIDES];
    lane_displacement moved[DRY_QUAD_SIDES];
    for (int i = 0; i < DRY_QUAD_SIDES; i++)
        lane_gather_both(s->rows, c->side[i].row + at, &v[i], &moved[i]);
    if (joint_forgets(s, sweep, update))
        lane_store(c->single.impulse + at, lane_zero());
    lane d = LOAD(c->single.impulse);
    if (sweep != DRY_SWEEP_WARM) {
        const lane terms =
            sweep == DRY_SWEEP_SOLVE ? quad_position_terms(c, s, moved, update, at) : lane_zero();
        d = single_row_solve(&c->single, s, sweep, quad_velocity(c, v, at), terms, at);
    }
    quad_apply(c, s, d, v, update, at);
}

LANE_INLINE void quad_find_slope(dry_quad_bundle *c, const dry_sweep *s, int at)
{
    lane_velocity v[DRY_QUAD_SIDES];
    lane_displacement moved[DRY_QUAD_SIDES];
    lane soft;
    for (int i = 0; i < DRY_QUAD_SIDES; i++)
        lane_gather_both(s->rows, c->side[i].row + at, &v[i], &moved[i]);
    const lane terms = quad_position_terms(c, s, moved, DRY_UPDATE_DIRECT, at);
    const lane b = slope_single(&c->single, terms, s, &soft, at), impulse = LOAD(c->single.impulse);
    int32_t row[DRY_LANES];
    for (int i = 0; i < DRY_LANES; i++) {
        row[i] = c->side[1].row[at + i] ? c->side[1].row[at + i] : c->side[2].row[at + i];
        row[i] = row[i] ? row[i] : c->side[3].row[at + i];
    }
    slope_add(s, c->side[0].row + at, row, lane_mul(impulse, b), lane_mul(impulse, soft));
}

JOINT_KERNEL(quad_slope, quad, dry_sweep, quad_find_slope(c, p, at))

#endif

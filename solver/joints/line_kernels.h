/* Sweeps over joints with one row. Compiled once for each level; included by
 * kernels.c alone. */
#ifndef SOLVER_JOINTS_LINE_KERNELS_H
#define SOLVER_JOINTS_LINE_KERNELS_H

#include "solver/joints/joint_lanes.h"
#include "solver/joints/line.h"

/* Returns the rows' velocities, less what the rows' own change adds to them. */
LANE_INLINE lane line_velocity(dry_line_bundle *c, const lane_velocity *va, const lane_velocity *vb, int at)
{
    const lane_vec3 v = joint_relative(LOAD(c->inv_sqrt_mass_a), va->ul, LOAD(c->inv_sqrt_mass_b), vb->ul);
    lane sum = lane_vec3_add_dot_fused(LOAD(c->kinematic), field_load3(c->axis, at), v);
    sum = lane_vec3_add_dot_fused(sum, field_load3(c->angular_a, at), va->ua);
    return lane_vec3_add_dot_fused(sum, field_load3(c->angular_b, at), vb->ua);
}

/* Returns the terms of position, softness and initial velocity: a q + eps lambda - (1 - b) g.u_begin. */
LANE_INLINE lane line_position_terms(dry_line_bundle *c, const dry_sweep *s, const lane_displacement *da,
                                     const lane_displacement *db, dry_update update, int at)
{
    const lane acceleration = LOAD(c->acceleration), approach = LOAD(c->approach);
    lane q = lane_fma(LOAD(c->kinematic), lane_set(s->time), LOAD(c->error));
    q = lane_fnma(acceleration, lane_set(s->acceleration_lag), q);
    q = lane_vec3_add_dot_fused(
        q, field_load3(c->axis, at),
        joint_relative(LOAD(c->inv_sqrt_mass_a), da->dl, LOAD(c->inv_sqrt_mass_b), db->dl));
    q = lane_vec3_add_dot_fused(q, field_load3(c->angular_a, at), da->da);
    q = lane_vec3_add_dot_fused(q, field_load3(c->angular_b, at), db->da);
    const lane bias = lane_fma(LOAD(c->rate), q, lane_mul(LOAD(c->softness), LOAD(c->impulse)));
    const lane bounded = lane_mul(joint_bias_scale(lane_mul(bias, bias), LOAD(c->rigid), s, update), bias);
    const lane_mask springs = lane_less(lane_zero(), approach);
    if (!lane_any(springs))
        return bounded;
    const lane_velocity va = lane_gather_start(s->start, c->row_a + at);
    const lane_velocity vb = lane_gather_start(s->start, c->row_b + at);
    const lane v =
        lane_fma(acceleration, lane_set(s->acceleration_time - s->substep), line_velocity(c, &va, &vb, at));
    return lane_select(springs, lane_fnma(approach, v, bounded), bounded);
}

LANE_INLINE void line_sweep(dry_line_bundle *bundles, int begin, int end, const dry_sweep *s,
                            dry_sweep_kind sweep, dry_update update)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_line_bundle *c = &bundles[bundle];
        for (int at = 0; at < DRY_BUNDLE && at < c->lanes; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_displacement da, db;
            lane_gather_both(s->rows, c->row_a + at, &va, &da);
            lane_gather_both(s->rows, c->row_b + at, &vb, &db);
            lane la = LOAD(c->inv_sqrt_mass_a), lb = LOAD(c->inv_sqrt_mass_b);
            lane old = LOAD(c->impulse), d = lane_mul(lane_set(s->warm), old);
            if (sweep != DRY_SWEEP_WARM) {
                lane rhs = lane_fma(LOAD(c->acceleration), lane_set(s->acceleration_time),
                                    line_velocity(c, &va, &vb, at));
                lane inverse = LOAD(c->relax_inverse);
                if (sweep == DRY_SWEEP_SOLVE) {
                    rhs = lane_add(rhs, line_position_terms(c, s, &da, &db, update, at));
                    inverse = LOAD(c->inverse);
                }
                d = lane_mul(joint_share(s, sweep), lane_mul(inverse, rhs));
                lane_store(c->impulse + at, lane_add(old, d));
            }
            lane_velocity ca, cb;
            const lane_vec3 impulse = lane_vec3_scale(field_load3(c->axis, at), d);
            ca.ul = lane_vec3_negate(lane_vec3_scale(impulse, la));
            cb.ul = lane_vec3_scale(impulse, lb);
            ca.ua = lane_vec3_scale(field_load3(c->angular_a, at), d);
            cb.ua = lane_vec3_scale(field_load3(c->angular_b, at), d);
            joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, update);
        }
    }
}

#endif

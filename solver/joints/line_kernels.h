/* Sweeps over joints with one row. Compiled once for each level; included by
 * kernels.c alone. */
#ifndef SOLVER_JOINTS_LINE_KERNELS_H
#define SOLVER_JOINTS_LINE_KERNELS_H

#include "solver/joints/joint_lanes.h"
#include "solver/joints/line.h"

LANE_INLINE void line_sweep(dry_line_bundle *bundles, int begin, int end, const dry_sweep *s,
                            dry_sweep_kind sweep, dry_update update)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_line_bundle *c = &bundles[bundle];
        for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_displacement da, db;
            lane_gather_both(s->rows, c->row_a + at, &va, &da);
            lane_gather_both(s->rows, c->row_b + at, &vb, &db);
            lane la = LOAD(c->inv_sqrt_mass_a), lb = LOAD(c->inv_sqrt_mass_b);
            lane old = LOAD(c->impulse), d = old;
            if (sweep != DRY_SWEEP_WARM) {
                lane rate = LOAD(c->rate), eps = LOAD(c->softness);
                if (sweep == DRY_SWEEP_RELAX) {
                    lane_mask rigid = lane_less(lane_set(0.5f), LOAD(c->rigid));
                    rate = lane_select(rigid, lane_zero(), rate);
                    eps = lane_select(rigid, lane_zero(), eps);
                }
                const lane_vec3 axis = field_load3(c->axis, at);
                const lane_vec3 ga = field_load3(c->angular_a, at), gb = field_load3(c->angular_b, at);
                lane kinematic = LOAD(c->kinematic), acceleration = LOAD(c->acceleration);
                lane v = lane_fma(acceleration, lane_set(s->acceleration_time), kinematic);
                v = lane_vec3_add_dot_fused(v, axis, joint_relative(la, va.ul, lb, vb.ul));
                v = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(v, ga, va.ua), gb, vb.ua);
                lane q = lane_fma(kinematic, lane_set(s->time), LOAD(c->error));
                q = lane_fnma(acceleration, lane_set(s->acceleration_lag), q);
                q = lane_vec3_add_dot_fused(q, axis, joint_relative(la, da.dl, lb, db.dl));
                q = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(q, ga, da.da), gb, db.da);
                const lane bias = lane_fma(rate, q, lane_mul(eps, old));
                const lane scale = joint_bias_scale(lane_mul(bias, bias), LOAD(c->rigid), s);
                lane rhs = lane_fma(scale, bias, v);
                lane inverse = sweep == DRY_SWEEP_RELAX ? LOAD(c->relax_inverse) : LOAD(c->inverse);
                d = lane_negate(lane_mul(inverse, rhs));
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

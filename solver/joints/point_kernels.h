/* Sweeps over joints with three rows along the world's axes. Compiled once for each level; included by
 * kernels.c alone. */
#ifndef SOLVER_JOINTS_POINT_KERNELS_H
#define SOLVER_JOINTS_POINT_KERNELS_H

#include "solver/joints/joint_lanes.h"
#include "solver/joints/point.h"

LANE_INLINE void point_sweep(dry_point_bundle *bundles, int begin, int end, const dry_sweep *s,
                             dry_sweep_kind sweep, dry_update update)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_point_bundle *c = &bundles[bundle];
        for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_displacement da, db;
            lane_gather_both(s->rows, c->row_a + at, &va, &da);
            lane_gather_both(s->rows, c->row_b + at, &vb, &db);
            lane la = LOAD(c->inv_sqrt_mass_a), lb = LOAD(c->inv_sqrt_mass_b);
            lane old[3], d[3];
            for (int k = 0; k < 3; k++)
                old[k] = LOAD(c->impulse[k]);
            if (sweep == DRY_SWEEP_WARM) {
                for (int k = 0; k < 3; k++)
                    d[k] = old[k];
            } else {
                lane rate = LOAD(c->rate), eps = LOAD(c->softness), shrink = LOAD(c->shrink), rhs[3];
                if (sweep == DRY_SWEEP_RELAX) {
                    lane_mask rigid = lane_less(lane_set(0.5f), LOAD(c->rigid));
                    rate = lane_select(rigid, lane_zero(), rate);
                    shrink = lane_zero();
                }
                const lane_vec3 vl = joint_relative(la, va.ul, lb, vb.ul);
                const lane_vec3 dl = joint_relative(la, da.dl, lb, db.dl);
                const lane v_linear[3] = {vl.x, vl.y, vl.z}, d_linear[3] = {dl.x, dl.y, dl.z};
                for (int k = 0; k < 3; k++) {
                    const lane_vec3 ga = field_load3(c->angular_a[k], at),
                                    gb = field_load3(c->angular_b[k], at);
                    lane kinematic = LOAD(c->kinematic[k]), acceleration = LOAD(c->acceleration[k]);
                    lane v = lane_add(v_linear[k], kinematic);
                    v = lane_fma(acceleration, lane_set(s->acceleration_time), v);
                    v = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(v, ga, va.ua), gb, vb.ua);
                    lane q = lane_add(d_linear[k], LOAD(c->error[k]));
                    q = lane_fma(kinematic, lane_set(s->time), q);
                    q = lane_fnma(acceleration, lane_set(s->acceleration_lag), q);
                    q = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(q, ga, da.da), gb, db.da);
                    rhs[k] =
                        lane_fma(eps, old[k], lane_add(v, joint_bias(lane_mul(rate, q), LOAD(c->rigid), s)));
                }
                dry_lanes *inv = sweep == DRY_SWEEP_RELAX ? c->relax_inverse : c->inverse;
                lane xx = LOAD(inv[0]), xy = LOAD(inv[1]), xz = LOAD(inv[2]);
                lane yy = LOAD(inv[3]), yz = LOAD(inv[4]), zz = LOAD(inv[5]);
                d[0] = lane_negate(lane_fma(xz, rhs[2], lane_fma(xy, rhs[1], lane_mul(xx, rhs[0]))));
                d[1] = lane_negate(lane_fma(yz, rhs[2], lane_fma(yy, rhs[1], lane_mul(xy, rhs[0]))));
                d[2] = lane_negate(lane_fma(zz, rhs[2], lane_fma(yz, rhs[1], lane_mul(xz, rhs[0]))));
                for (int k = 0; k < 3; k++) {
                    d[k] = lane_fnma(shrink, old[k], d[k]);
                    lane_store(c->impulse[k] + at, lane_add(old[k], d[k]));
                }
            }
            lane_velocity ca, cb;
            const lane_vec3 impulse = {d[0], d[1], d[2]};
            ca.ul = lane_vec3_negate(lane_vec3_scale(impulse, la));
            cb.ul = lane_vec3_scale(impulse, lb);
            ca.ua = cb.ua = lane_vec3_zero();
            for (int k = 0; k < 3; k++) {
                ca.ua = lane_vec3_add_scaled_fused(ca.ua, d[k], field_load3(c->angular_a[k], at));
                cb.ua = lane_vec3_add_scaled_fused(cb.ua, d[k], field_load3(c->angular_b[k], at));
            }
            joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, update);
        }
    }
}

#endif

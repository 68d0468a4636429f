/* Sweeps over joints with three rows along the world's axes. Compiled once for each level; included by
 * kernels.c alone. */
#ifndef SOLVER_JOINTS_POINT_KERNELS_H
#define SOLVER_JOINTS_POINT_KERNELS_H

#include "solver/joints/joint_lanes.h"
#include "solver/joints/point.h"

/* Returns the product of a symmetric 3x3 matrix xx xy xz yy yz zz and a vector. */
LANE_INLINE lane_vec3 point_symmetric(dry_lanes *m, lane_vec3 v, int at)
{
    const lane_vec3 x = {LOAD(m[0]), LOAD(m[1]), LOAD(m[2])}, y = {x.y, LOAD(m[3]), LOAD(m[4])};
    const lane_vec3 z = {x.z, y.z, LOAD(m[5])};
    return (lane_vec3){lane_vec3_dot_fused(x, v), lane_vec3_dot_fused(y, v), lane_vec3_dot_fused(z, v)};
}

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
                lane rate = LOAD(c->rate), mass_scale = LOAD(c->mass_scale);
                lane_vec3 soft = point_symmetric(c->softness, (lane_vec3){old[0], old[1], old[2]}, at);
                if (sweep == DRY_SWEEP_RELAX) {
                    lane_mask rigid = lane_less(lane_set(0.5f), LOAD(c->rigid));
                    rate = lane_select(rigid, lane_zero(), rate);
                    mass_scale = lane_set(1.0f);
                    soft.x = lane_select(rigid, lane_zero(), soft.x);
                    soft.y = lane_select(rigid, lane_zero(), soft.y);
                    soft.z = lane_select(rigid, lane_zero(), soft.z);
                }
                const lane soft_of[3] = {soft.x, soft.y, soft.z};
                lane speed[3], bias[3];
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
                    speed[k] = v;
                    bias[k] = lane_fma(rate, q, soft_of[k]);
                }
                const lane_vec3 b = {bias[0], bias[1], bias[2]};
                const lane bound = joint_bias_scale(lane_vec3_dot_fused(b, b), LOAD(c->rigid), s);
                lane_vec3 rhs = {lane_fma(bound, bias[0], speed[0]), lane_fma(bound, bias[1], speed[1]),
                                 lane_fma(bound, bias[2], speed[2])};
                rhs = lane_vec3_scale(point_symmetric(c->inverse, rhs, at), lane_negate(mass_scale));
                d[0] = rhs.x, d[1] = rhs.y, d[2] = rhs.z;
                for (int k = 0; k < 3; k++)
                    lane_store(c->impulse[k] + at, lane_add(old[k], d[k]));
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

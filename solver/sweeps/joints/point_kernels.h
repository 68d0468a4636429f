/* Sweeps over joints with three rows along the world's axes. Compiled once for each level; included by
 * kernels.c alone. */
#ifndef SOLVER_SWEEPS_JOINTS_POINT_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_POINT_KERNELS_H

#include "solver/data/joints/point.h"
#include "solver/sweeps/joints/joint_lanes.h"

/* Returns the product of a symmetric 3x3 matrix xx xy xz yy yz zz and a vector. */
LANE_INLINE lane_vec3 point_symmetric(dry_lanes *m, lane_vec3 v, int at)
{
    const lane_vec3 x = {LOAD(m[0]), LOAD(m[1]), LOAD(m[2])}, y = {x.y, LOAD(m[3]), LOAD(m[4])};
    const lane_vec3 z = {x.z, y.z, LOAD(m[5])};
    return lane_mat3_mul_transposed((lane_mat3){x, y, z}, v);
}

/* Returns the rows' velocities, less what the rows' own change adds to them. */
LANE_INLINE lane_vec3 point_velocity(dry_point_bundle *c, const lane_velocity *va, const lane_velocity *vb,
                                     int at)
{
    const lane_vec3 v = joint_relative(LOAD(c->inv_sqrt_mass_a), va->ul, LOAD(c->inv_sqrt_mass_b), vb->ul);
    lane sum[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        sum[k] = lane_add(sum[k], LOAD(c->kinematic[k]));
        sum[k] = lane_add(sum[k], lane_vec3_dot(field_load3(c->angular_a[k], at), va->ua));
        sum[k] = lane_add(sum[k], lane_vec3_dot(field_load3(c->angular_b[k], at), vb->ua));
    }
    return (lane_vec3){sum[0], sum[1], sum[2]};
}

/* Returns the terms of position, softness and initial velocity: a q + Sigma lambda - (1 - b) g.u_begin. */
LANE_INLINE lane_vec3 point_position_terms(dry_point_bundle *c, const dry_sweep *s, dry_update update, int at)
{
    const lane rate = LOAD(c->rate), approach = LOAD(c->approach);
    const lane_vec3 q = field_load3(c->error, at);
    const lane_vec3 soft = point_symmetric(c->softness, field_load3(c->impulse, at), at);
    lane_vec3 bias = lane_vec3_add_scaled(soft, rate, q);
    bias = lane_vec3_scale(
        bias, joint_bias_scale(lane_vec3_dot(bias, bias), lane_vec3_dot(q, q), LOAD(c->rigid), s, update));
    const lane_mask springs = lane_less(lane_zero(), approach);
    if (!lane_any(springs))
        return bias;
    const lane_velocity va = lane_gather_start(s->start, c->row_a + at);
    const lane_velocity vb = lane_gather_start(s->start, c->row_b + at);
    const lane_vec3 v =
        lane_vec3_add_scaled(point_velocity(c, &va, &vb, at), lane_set(s->acceleration_time - s->substep),
                             field_load3(c->acceleration, at));
    const lane_vec3 with = lane_vec3_sub_scaled(bias, approach, v);
    return (lane_vec3){lane_select(springs, with.x, bias.x), lane_select(springs, with.y, bias.y),
                       lane_select(springs, with.z, bias.z)};
}

/* Returns an impulse, shortened to its bound. */
LANE_INLINE lane_vec3 point_within(dry_point_bundle *c, lane_vec3 impulse, int at)
{
    const lane most = LOAD(c->most), squared = lane_vec3_dot(impulse, impulse);
    const lane_mask exceeds = lane_less(lane_mul(most, most), squared);
    return lane_vec3_scale(impulse, lane_select(exceeds, lane_div(most, lane_sqrt(squared)), lane_set(1.0f)));
}

/* Adds the impulse of a substep to that of the step. */
LANE_INLINE void point_tally(dry_point_bundle *c, lane_vec3 impulse, int at)
{
    field_store3(c->sum, at, lane_vec3_add(field_load3(c->sum, at), impulse));
    lane_store(c->peak + at, lane_max(LOAD(c->peak), lane_vec3_dot(impulse, impulse)));
}

KIND_SWEEP void point_sweep(dry_point_bundle *c, const dry_sweep *s, dry_sweep_kind sweep, dry_update update,
                            int at)
{
    lane_velocity va, vb;
    lane_gather_velocity(s->rows, c->row_a + at, &va);
    lane_gather_velocity(s->rows, c->row_b + at, &vb);
    lane la = LOAD(c->inv_sqrt_mass_a), lb = LOAD(c->inv_sqrt_mass_b);
    if (joint_forgets(s, sweep, update))
        field_store3(c->impulse, at, lane_vec3_zero());
    const lane_vec3 old = field_load3(c->impulse, at);
    lane_vec3 impulse = old;
    if (sweep != DRY_SWEEP_WARM) {
        lane_vec3 rhs = lane_vec3_add_scaled(point_velocity(c, &va, &vb, at), lane_set(s->acceleration_time),
                                             field_load3(c->acceleration, at));
        lane scale = LOAD(c->rigid);
        if (sweep == DRY_SWEEP_SOLVE) {
            rhs = lane_vec3_add(rhs, point_position_terms(c, s, update, at));
            scale = LOAD(c->mass_scale);
        }
        impulse =
            lane_vec3_scale(point_symmetric(c->inverse, rhs, at), lane_mul(joint_share(s, sweep), scale));
        if (c->limited)
            impulse = lane_vec3_sub(point_within(c, lane_vec3_add(old, impulse), at), old);
        field_store3(c->impulse, at, lane_vec3_add(old, impulse));
        if (s->tally)
            point_tally(c, lane_vec3_add(old, impulse), at);
    }
    const lane d[3] = {impulse.x, impulse.y, impulse.z};
    lane_velocity ca, cb;
    ca.ul = lane_vec3_negate(lane_vec3_scale(impulse, la));
    cb.ul = lane_vec3_scale(impulse, lb);
    ca.ua = cb.ua = lane_vec3_zero();
    for (int k = 0; k < 3; k++) {
        ca.ua = lane_vec3_add_scaled(ca.ua, d[k], field_load3(c->angular_a[k], at));
        cb.ua = lane_vec3_add_scaled(cb.ua, d[k], field_load3(c->angular_b[k], at));
    }
    joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, update);
}

#endif

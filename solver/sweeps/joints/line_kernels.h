/* Sweeps over joints with one row. Compiled once for each level; included by
 * kernels.c alone. */
#ifndef SOLVER_SWEEPS_JOINTS_LINE_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_LINE_KERNELS_H

#include "solver/data/joints/line.h"
#include "solver/sweeps/joints/single_row_kernels.h"

/* Returns the rows' velocities, less what the rows' own change adds to them. */
LANE_INLINE lane line_velocity(dry_line_bundle *c, const lane_velocity *va, const lane_velocity *vb, int at)
{
    const lane_vec3 v = joint_relative(LOAD(c->inv_sqrt_mass_a), va->ul, LOAD(c->inv_sqrt_mass_b), vb->ul);
    const lane sum = lane_add(LOAD(c->single.kinematic), lane_vec3_dot(field_load3(c->axis, at), v));
    return lane_add3(sum, lane_vec3_dot(field_load3(c->angular_a, at), va->ua),
                     lane_vec3_dot(field_load3(c->angular_b, at), vb->ua));
}

/* Returns the terms of position, softness and initial velocity: a q + eps lambda - (1 - b) g.u_begin. */
LANE_INLINE lane line_position_terms(dry_line_bundle *c, const dry_sweep *s, dry_update update, int at)
{
    const lane bias = single_row_bias(&c->single, s, LOAD(c->single.error), update, at);
    if (!single_row_has_spring(&c->single, at))
        return bias;
    const lane_velocity va = lane_gather_start(s->start, c->row_a + at);
    const lane_velocity vb = lane_gather_start(s->start, c->row_b + at);
    return single_row_spring(&c->single, s, bias, line_velocity(c, &va, &vb, at), at);
}

KIND_SWEEP void line_sweep(dry_line_bundle *c, const dry_sweep *s, dry_sweep_kind sweep, dry_update update,
                           int at)
{
    lane_velocity va, vb;
    lane_gather_velocity(s->rows, c->row_a + at, &va);
    lane_gather_velocity(s->rows, c->row_b + at, &vb);
    lane la = LOAD(c->inv_sqrt_mass_a), lb = LOAD(c->inv_sqrt_mass_b);
    if (joint_forgets(s, sweep, update))
        lane_store(c->single.impulse + at, lane_zero());
    lane d = LOAD(c->single.impulse);
    if (sweep != DRY_SWEEP_WARM) {
        const lane terms = sweep == DRY_SWEEP_SOLVE ? line_position_terms(c, s, update, at) : lane_zero();
        d = single_row_solve(&c->single, s, sweep, line_velocity(c, &va, &vb, at), terms, at);
    }
    lane_velocity ca, cb;
    const lane_vec3 impulse = lane_vec3_scale(field_load3(c->axis, at), d);
    ca.ul = lane_vec3_negate(lane_vec3_scale(impulse, la));
    cb.ul = lane_vec3_scale(impulse, lb);
    ca.ua = lane_vec3_scale(field_load3(c->angular_a, at), d);
    cb.ua = lane_vec3_scale(field_load3(c->angular_b, at), d);
    joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, update);
}

#endif

/* Joint kernels: ball (a 3x3 block) and distance (one row). Compiled once per instruction set.
 *
 * Reads a joint bundle and its bodies' rows; writes impulses and velocities. A rigid joint is stabilised
 * by SPOOK with a softness that relaxing takes back; a spring keeps its softness in every sweep, because
 * that is what it is [Spook 8-11].
 *
 * Rows are constant within a step, but levers turn: the speed that keeps the anchors together is not 0 but
 * -(dG/dt W) times the time since the step's middle. Without that term each step takes the part of the
 * velocity away by which the direction has turned, and a pendulum loses energy. Included by kernels.c alone.
 */
#ifndef SOLVER_JOINTS_SWEEP_KERNELS_H
#define SOLVER_JOINTS_SWEEP_KERNELS_H

#include "solver/joints/bundles.h"
#include "solver/rows/gather.h"
#include "solver/rows/lane_fields.h"
#include "solver/sweep.h"

/* Adds the changes to the bodies' velocities, or with Jacobi to the sums. */
LANE_INLINE void joint_scatter(const int32_t *row_a, const int32_t *row_b, const dry_sweep *s,
                               const lane_velocity *change_a, const lane_velocity *change_b,
                               const lane_velocity *va, const lane_velocity *vb, bool jacobi)
{
    lane_velocity a = *va, b = *vb;
    if (jacobi) {
        lane_gather_velocity(s->sums, row_a, &a);
        lane_gather_velocity(s->sums, row_b, &b);
    }
    a.ul = lane_vec3_add(a.ul, change_a->ul);
    a.ua = lane_vec3_add(a.ua, change_a->ua);
    b.ul = lane_vec3_add(b.ul, change_b->ul);
    b.ua = lane_vec3_add(b.ua, change_b->ua);
    dry_solver_row *to = jacobi ? s->sums : s->rows;
    lane_scatter_velocity(to, row_a, &a);
    lane_scatter_velocity(to, row_b, &b);
}

/* Returns the relative velocities of the anchors, and their displacements, without the angular parts. */
LANE_INLINE lane_vec3 joint_relative(lane inv_sqrt_mass_a, lane_vec3 a, lane inv_sqrt_mass_b, lane_vec3 b)
{
    return lane_vec3_sub_scaled_fused(lane_vec3_scale(b, inv_sqrt_mass_b), inv_sqrt_mass_a, a);
}

/* The speed at which an error is pulled together. A rigid joint's is bounded like the push out of an overlap:
 * a chain that is drawn taut leaves errors that would turn into speed. A spring pulls as it must. */
LANE_INLINE lane joint_pull(lane pull, lane rigid, const dry_sweep *s)
{
    lane most = lane_set(s->push_speed_max);
    lane bounded = lane_max(lane_negate(most), lane_min(pull, most));
    return lane_select(lane_less(lane_set(0.5f), rigid), bounded, pull);
}

typedef enum joint_pass { JOINT_WARM, JOINT_SOLVE, JOINT_RELAX } joint_pass;

LANE_INLINE void ball_sweep(dry_ball_bundle *bundles, int begin, int end, const dry_sweep *s, joint_pass pass,
                            bool jacobi)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_ball_bundle *c = &bundles[bundle];
        for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_displacement da, db;
            lane_gather_both(s->rows, c->row_a + at, &va, &da);
            lane_gather_both(s->rows, c->row_b + at, &vb, &db);
            lane la = LOAD(c->lin_a), lb = LOAD(c->lin_b);
            lane old[3], d[3];
            for (int k = 0; k < 3; k++)
                old[k] = LOAD(c->impulse[k]);
            if (pass == JOINT_WARM) {
                for (int k = 0; k < 3; k++)
                    d[k] = old[k];
            } else {
                lane rate = LOAD(c->rate), eps = LOAD(c->softness), shrink = LOAD(c->shrink), rhs[3];
                if (pass == JOINT_RELAX) {
                    lane_mask rigid = lane_less(lane_set(0.5f), LOAD(c->rigid));
                    rate = lane_select(rigid, lane_zero(), rate);
                    shrink = lane_zero();
                }
                const lane_vec3 vl = joint_relative(la, va.ul, lb, vb.ul);
                const lane_vec3 dl = joint_relative(la, da.dl, lb, db.dl);
                const lane v_linear[3] = {vl.x, vl.y, vl.z}, d_linear[3] = {dl.x, dl.y, dl.z};
                for (int k = 0; k < 3; k++) {
                    const lane_vec3 ga = field_load3(c->ang_a[k], at), gb = field_load3(c->ang_b[k], at);
                    lane driven = LOAD(c->driven[k]), turning = LOAD(c->turning[k]);
                    lane v = lane_add(v_linear[k], driven);
                    v = lane_fma(turning, lane_set(s->turn_speed), v);
                    v = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(v, ga, va.ua), gb, vb.ua);
                    lane q = lane_add(d_linear[k], LOAD(c->error[k]));
                    q = lane_fma(driven, lane_set(s->time), q);
                    q = lane_fnma(turning, lane_set(s->turn_gap), q);
                    q = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(q, ga, da.da), gb, db.da);
                    rhs[k] =
                        lane_fma(eps, old[k], lane_add(v, joint_pull(lane_mul(rate, q), LOAD(c->rigid), s)));
                }
                dry_lanes *inv = pass == JOINT_RELAX ? c->relax_inverse : c->inverse;
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
                ca.ua = lane_vec3_add_scaled_fused(ca.ua, d[k], field_load3(c->ang_a[k], at));
                cb.ua = lane_vec3_add_scaled_fused(cb.ua, d[k], field_load3(c->ang_b[k], at));
            }
            joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, jacobi);
        }
    }
}

LANE_INLINE void distance_sweep(dry_distance_bundle *bundles, int begin, int end, const dry_sweep *s,
                                joint_pass pass, bool jacobi)
{
    for (int bundle = begin; bundle < end; bundle++) {
        dry_distance_bundle *c = &bundles[bundle];
        for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES) {
            lane_velocity va, vb;
            lane_displacement da, db;
            lane_gather_both(s->rows, c->row_a + at, &va, &da);
            lane_gather_both(s->rows, c->row_b + at, &vb, &db);
            lane la = LOAD(c->lin_a), lb = LOAD(c->lin_b);
            lane old = LOAD(c->impulse), d = old;
            if (pass != JOINT_WARM) {
                lane rate = LOAD(c->rate), eps = LOAD(c->softness);
                if (pass == JOINT_RELAX) {
                    lane_mask rigid = lane_less(lane_set(0.5f), LOAD(c->rigid));
                    rate = lane_select(rigid, lane_zero(), rate);
                    eps = lane_select(rigid, lane_zero(), eps);
                }
                const lane_vec3 axis = field_load3(c->axis, at);
                const lane_vec3 ga = field_load3(c->ang_a, at), gb = field_load3(c->ang_b, at);
                lane driven = LOAD(c->driven), turning = LOAD(c->turning);
                lane v = lane_fma(turning, lane_set(s->turn_speed), driven);
                v = lane_vec3_add_dot_fused(v, axis, joint_relative(la, va.ul, lb, vb.ul));
                v = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(v, ga, va.ua), gb, vb.ua);
                lane q = lane_fma(driven, lane_set(s->time), LOAD(c->error));
                q = lane_fnma(turning, lane_set(s->turn_gap), q);
                q = lane_vec3_add_dot_fused(q, axis, joint_relative(la, da.dl, lb, db.dl));
                q = lane_vec3_add_dot_fused(lane_vec3_add_dot_fused(q, ga, da.da), gb, db.da);
                lane rhs = lane_fma(eps, old, lane_add(v, joint_pull(lane_mul(rate, q), LOAD(c->rigid), s)));
                lane inverse = pass == JOINT_RELAX ? LOAD(c->relax_inverse) : LOAD(c->inverse);
                d = lane_negate(lane_mul(inverse, rhs));
                lane_store(c->impulse + at, lane_add(old, d));
            }
            lane_velocity ca, cb;
            const lane_vec3 impulse = lane_vec3_scale(field_load3(c->axis, at), d);
            ca.ul = lane_vec3_negate(lane_vec3_scale(impulse, la));
            cb.ul = lane_vec3_scale(impulse, lb);
            ca.ua = lane_vec3_scale(field_load3(c->ang_a, at), d);
            cb.ua = lane_vec3_scale(field_load3(c->ang_b, at), d);
            joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, jacobi);
        }
    }
}

#endif

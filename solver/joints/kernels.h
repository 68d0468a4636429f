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
#ifndef SOLVER_JOINTS_KERNELS_H
#define SOLVER_JOINTS_KERNELS_H

#include "simd/gather.h"
#include "simd/kernel_list.h"
#include "solver/bundles.h"

LANE_INLINE lane lane_dot3(dry_lanes *a, const lane b[3], int at, lane start)
{
    return lane_fma(LOAD(a[2]), b[2], lane_fma(LOAD(a[1]), b[1], lane_fma(LOAD(a[0]), b[0], start)));
}

LANE_INLINE void lane_add_scaled3(lane v[3], dry_lanes *a, lane s, int at)
{
    for (int i = 0; i < 3; i++)
        v[i] = lane_fma(LOAD(a[i]), s, v[i]);
}

/* Adds push to b, takes it from a; angular parts as left in va, vb. */
LANE_INLINE void joint_scatter(const int32_t *row_a, const int32_t *row_b, const dry_sweep *s,
                               const lane_velocity *change_a, const lane_velocity *change_b,
                               const lane_velocity *va, const lane_velocity *vb, bool jacobi)
{
    lane_velocity a = *va, b = *vb;
    if (jacobi) {
        lane_gather_velocity(s->sums, row_a, &a);
        lane_gather_velocity(s->sums, row_b, &b);
    }
    for (int i = 0; i < 3; i++) {
        a.ul[i] = lane_add(a.ul[i], change_a->ul[i]);
        a.ua[i] = lane_add(a.ua[i], change_a->ua[i]);
        b.ul[i] = lane_add(b.ul[i], change_b->ul[i]);
        b.ua[i] = lane_add(b.ua[i], change_b->ua[i]);
    }
    dry_solver_row *to = jacobi ? s->sums : s->rows;
    lane_scatter_velocity(to, row_a, &a);
    lane_scatter_velocity(to, row_b, &b);
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
                for (int k = 0; k < 3; k++) {
                    lane driven = LOAD(c->driven[k]), turning = LOAD(c->turning[k]);
                    lane v = lane_add(lane_fnma(la, va.ul[k], lane_mul(lb, vb.ul[k])), driven);
                    v = lane_fma(turning, lane_set(s->turn_speed), v);
                    v = lane_dot3(c->ang_b[k], vb.ua, at, lane_dot3(c->ang_a[k], va.ua, at, v));
                    lane q = lane_add(lane_fnma(la, da.dl[k], lane_mul(lb, db.dl[k])), LOAD(c->error[k]));
                    q = lane_fma(driven, lane_set(s->time), q);
                    q = lane_fnma(turning, lane_set(s->turn_gap), q);
                    q = lane_dot3(c->ang_b[k], db.da, at, lane_dot3(c->ang_a[k], da.da, at, q));
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
            for (int i = 0; i < 3; i++) {
                ca.ul[i] = lane_negate(lane_mul(la, d[i]));
                cb.ul[i] = lane_mul(lb, d[i]);
                ca.ua[i] = cb.ua[i] = lane_zero();
            }
            for (int k = 0; k < 3; k++) {
                lane_add_scaled3(ca.ua, c->ang_a[k], d[k], at);
                lane_add_scaled3(cb.ua, c->ang_b[k], d[k], at);
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
                lane rl[3], rd[3];
                for (int i = 0; i < 3; i++) {
                    rl[i] = lane_fnma(la, va.ul[i], lane_mul(lb, vb.ul[i]));
                    rd[i] = lane_fnma(la, da.dl[i], lane_mul(lb, db.dl[i]));
                }
                lane driven = LOAD(c->driven), turning = LOAD(c->turning);
                lane v = lane_dot3(c->axis, rl, at, lane_fma(turning, lane_set(s->turn_speed), driven));
                v = lane_dot3(c->ang_b, vb.ua, at, lane_dot3(c->ang_a, va.ua, at, v));
                lane start = lane_fma(driven, lane_set(s->time), LOAD(c->error));
                lane q = lane_dot3(c->axis, rd, at, lane_fnma(turning, lane_set(s->turn_gap), start));
                q = lane_dot3(c->ang_b, db.da, at, lane_dot3(c->ang_a, da.da, at, q));
                lane rhs = lane_fma(eps, old, lane_add(v, joint_pull(lane_mul(rate, q), LOAD(c->rigid), s)));
                lane inverse = pass == JOINT_RELAX ? LOAD(c->relax_inverse) : LOAD(c->inverse);
                d = lane_negate(lane_mul(inverse, rhs));
                lane_store(c->impulse + at, lane_add(old, d));
            }
            lane_velocity ca, cb;
            for (int i = 0; i < 3; i++) {
                lane push = lane_mul(LOAD(c->axis[i]), d);
                ca.ul[i] = lane_negate(lane_mul(la, push));
                cb.ul[i] = lane_mul(lb, push);
                ca.ua[i] = lane_mul(LOAD(c->ang_a[i]), d);
                cb.ua[i] = lane_mul(LOAD(c->ang_b[i]), d);
            }
            joint_scatter(c->row_a + at, c->row_b + at, s, &ca, &cb, &va, &vb, jacobi);
        }
    }
}

#endif

/* Lane code of joints with one row, over two bodies or over four. Compiled once for each level. */
#ifndef SOLVER_SWEEPS_JOINTS_SINGLE_ROW_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_SINGLE_ROW_KERNELS_H

#include "solver/data/joints/line.h"
#include "solver/sweeps/joints/joint_lanes.h"

/* Returns the terms of position and softness: a q + eps lambda, bounded if rigid. */
LANE_INLINE lane single_row_bias(dry_single_row *r, const dry_sweep *s, lane q, dry_update update, int at)
{
    const lane bias = lane_add_mul(lane_mul(LOAD(r->softness), LOAD(r->impulse)), LOAD(r->rate), q);
    return lane_mul(joint_bias_scale(lane_mul(bias, bias), lane_mul(q, q), LOAD(r->rigid), s, update), bias);
}

/* Returns these terms with a spring's term of initial velocity, -(1 - b) g.u_begin. `begin` is the row's
 * velocity when the substep begins, less what its own change adds. */
LANE_INLINE lane single_row_spring(dry_single_row *r, const dry_sweep *s, lane bias, lane begin, int at)
{
    const lane approach = LOAD(r->approach);
    const lane v = lane_add_mul(begin, LOAD(r->acceleration), lane_set(s->acceleration_time - s->substep));
    return lane_select(lane_less(lane_zero(), approach), lane_sub_mul(bias, approach, v), bias);
}

/* Tells whether some lane is a spring. */
LANE_INLINE bool single_row_has_spring(dry_single_row *r, int at)
{
    return lane_any(lane_less(lane_zero(), LOAD(r->approach)));
}

/* Changes the row's impulse. Returns the change. `velocity` is less what the row's own change adds; a solve
 * sweep adds `terms`. */
LANE_INLINE lane single_row_solve(dry_single_row *r, const dry_sweep *s, dry_sweep_kind sweep, lane velocity,
                                  lane terms, int at)
{
    lane rhs = lane_add_mul(velocity, LOAD(r->acceleration), lane_set(s->acceleration_time));
    lane inverse = LOAD(r->relax_inverse);
    if (sweep == DRY_SWEEP_SOLVE) {
        rhs = lane_add(rhs, terms);
        inverse = LOAD(r->inverse);
    }
    const lane d = lane_mul(joint_share(s, sweep), lane_mul(inverse, rhs));
    const lane impulse = lane_add(LOAD(r->impulse), d);
    lane_store(r->impulse + at, impulse);
    if (s->tally) {
        lane_store(r->sum + at, lane_add(LOAD(r->sum), impulse));
        lane_store(r->peak + at, lane_max(LOAD(r->peak), lane_mul(impulse, impulse)));
    }
    return d;
}

#endif

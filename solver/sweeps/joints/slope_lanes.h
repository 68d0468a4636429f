/* Functions that the kernels of the line search share (seldom_kernels.c). */
#ifndef SOLVER_SWEEPS_JOINTS_SLOPE_LANES_H
#define SOLVER_SWEEPS_JOINTS_SLOPE_LANES_H

#include "solver/bodies/frames.h"
#include "solver/sweeps/joints/single_row_kernels.h"

/* Adds each lane's part to the record of its body b, or of the one that impulses move. */
static DRY_NOINLINE void slope_add(const dry_sweep *s, const int32_t *row_a, const int32_t *row_b, lane slope,
                                   lane curve)
{
    _Alignas(64) float slopes[DRY_LANES], curves[DRY_LANES];
    lane_store(slopes, slope);
    lane_store(curves, curve);
    for (int i = 0; i < DRY_LANES; i++) {
        const int row = row_b[i] ? row_b[i] : row_a[i];
        if (row) {
            s->search[row - 1].slope += (double)slopes[i];
            s->search[row - 1].curve += (double)curves[i];
        }
    }
}

/* Returns b of a single row, and the softness's part. */
LANE_INLINE lane slope_single(dry_single_row *r, lane terms, const dry_sweep *s, lane *soft, int at)
{
    *soft = lane_mul(LOAD(r->softness), LOAD(r->impulse));
    const lane b = lane_add(lane_sub(terms, *soft), LOAD(r->kinematic));
    return lane_add_mul(b, LOAD(r->acceleration), lane_set(s->acceleration_time));
}

#endif

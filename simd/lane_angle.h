/* Angles in lanes: within 2e-7 rad of those in core/angle.h, which one lane in double has. Kernel files only.
 */
#ifndef SIMD_LANE_ANGLE_H
#define SIMD_LANE_ANGLE_H

#include "core/angle.h"
#include "simd/lane_vectors.h"

#ifdef DRY_LANE_DOUBLE
#define lane_angle_of dry_angle_of
#define lane_angle_near dry_angle_near
#else
/* Returns the angle of the vectors (x, y) from the x axis, -pi to pi; 0 for those without a direction. The
 * polynomial is that of Cephes' atanf, within 2e-7 rad. */
LANE_INLINE lane lane_angle_of(lane y, lane x)
{
    const lane ax = lane_abs(x), ay = lane_abs(y), zero = lane_zero(), one = lane_set(1.0f);
    const lane large = lane_max(ax, ay), small = lane_min(ax, ay);
    const lane_mask some = lane_less(zero, large);
    const lane ratio = lane_div(small, lane_select(some, large, one));
    const lane_mask steep = lane_less(lane_set(0.41421356f), ratio); /* tan(pi / 8) */
    const lane t = lane_select(steep, lane_div(lane_sub(ratio, one), lane_add(ratio, one)), ratio);
    const lane t2 = lane_mul(t, t);
    lane p = lane_add_mul(lane_set(-1.38776856032e-1f), lane_set(8.05374449538e-2f), t2);
    p = lane_add_mul(lane_set(1.99777106478e-1f), p, t2);
    p = lane_add_mul(lane_set(-3.33329491539e-1f), p, t2);
    lane angle = lane_add_mul(t, lane_mul(p, t2), t);
    angle = lane_add(angle, lane_select(steep, lane_set((float)(0.25 * DRY_PI)), zero));
    angle = lane_select(lane_less(ax, ay), lane_sub(lane_set((float)(0.5 * DRY_PI)), angle), angle);
    angle = lane_select(lane_less(x, zero), lane_sub(lane_set((float)DRY_PI), angle), angle);
    return lane_select(lane_less(y, zero), lane_negate(angle), angle);
}

/* Returns the angle that differs from `angle` by whole rotations and lies nearest to `near`. Adding 1.5 x
 * 2^23 rounds to whole numbers up to 2^22; beyond that a float cannot tell its rotations apart. */
LANE_INLINE lane lane_angle_near(lane angle, lane near)
{
    const lane magic = lane_set(12582912.0f);
    const lane turns = lane_mul(lane_sub(near, angle), lane_set((float)(0.5 / DRY_PI)));
    const lane whole = lane_sub(lane_add(turns, magic), magic);
    const lane counted = lane_add_mul(angle, whole, lane_set((float)(2.0 * DRY_PI)));
    return lane_select(lane_less(lane_abs(turns), lane_set(4194304.0f)), counted, angle);
}
#endif

#endif

/* The frame of a contact, whose axes are two tangents and the normal, and bodies' inertia in it. Compiled
 * once per instruction set. Included by contact_motion.h alone. */
#ifndef SOLVER_CONTACTS_FRAME_H
#define SOLVER_CONTACTS_FRAME_H

#include "simd/gather.h"

/* The frame's axes: two tangents and the normal. */
enum { T1, T2, N };

LANE_INLINE lane lane_dot(const lane a[3], const lane b[3])
{
    return lane_fma(a[2], b[2], lane_fma(a[1], b[1], lane_mul(a[0], b[0])));
}

/* The frame's axes in the world from the unit normal: no branch, and exact where the normal is an axis
 * [Duff et al. 2017]. */
LANE_INLINE void frame_of_normal(const lane n[3], lane frame[3][3])
{
    lane one = lane_set(1.0f);
    lane sign = lane_select(lane_less(n[2], lane_zero()), lane_set(-1.0f), one);
    lane r = lane_div(one, lane_add(one, lane_abs(n[2])));
    lane xr = lane_mul(n[0], r), yr = lane_mul(n[1], r), mixed = lane_negate(lane_mul(xr, n[1]));
    frame[T1][0] = lane_fnma(xr, n[0], one);
    frame[T1][1] = mixed;
    frame[T1][2] = lane_negate(lane_mul(sign, n[0]));
    frame[T2][0] = lane_mul(sign, mixed);
    frame[T2][1] = lane_mul(sign, lane_fnma(yr, n[1], one));
    frame[T2][2] = lane_negate(n[1]);
    for (int i = 0; i < 3; i++)
        frame[N][i] = n[i];
}

/* The axes that the quaternion `q` (xyzw) turns the world's to. */
LANE_INLINE void frame_of_turn(const lane q[4], lane axis[3][3])
{
    lane one = lane_set(1.0f);
    lane x2 = lane_add(q[0], q[0]), y2 = lane_add(q[1], q[1]), z2 = lane_add(q[2], q[2]);
    lane xy = lane_mul(x2, q[1]), xz = lane_mul(x2, q[2]), yz = lane_mul(y2, q[2]);
    lane wx = lane_mul(x2, q[3]), wy = lane_mul(y2, q[3]), wz = lane_mul(z2, q[3]);
    lane not_z = lane_fnma(z2, q[2], one), not_x = lane_fnma(x2, q[0], one);
    axis[0][0] = lane_fnma(y2, q[1], not_z);
    axis[0][1] = lane_add(xy, wz);
    axis[0][2] = lane_sub(xz, wy);
    axis[1][0] = lane_sub(xy, wz);
    axis[1][1] = lane_fnma(x2, q[0], not_z);
    axis[1][2] = lane_add(yz, wx);
    axis[2][0] = lane_add(xz, wy);
    axis[2][1] = lane_sub(yz, wx);
    axis[2][2] = lane_fnma(y2, q[1], not_x);
}

LANE_INLINE void lane_cross(const lane a[3], const lane b[3], lane out[3])
{
    out[0] = lane_fnma(a[2], b[1], lane_mul(a[1], b[2]));
    out[1] = lane_fnma(a[0], b[2], lane_mul(a[2], b[0]));
    out[2] = lane_fnma(a[1], b[0], lane_mul(a[0], b[1]));
}

/* v turned by the quaternion q: v + 2 w (u x v) + 2 u x (u x v). Where the turn is small its error is a share
 * of what it adds to v; a matrix's is a share of v. */
LANE_INLINE void lane_turn(const lane q[4], const lane v[3], lane out[3])
{
    lane t[3], c[3];
    lane_cross(q, v, t);
    for (int k = 0; k < 3; k++)
        t[k] = lane_add(t[k], t[k]);
    lane_cross(q, t, c);
    for (int k = 0; k < 3; k++)
        out[k] = lane_add(lane_fma(q[3], t[k], v[k]), c[k]);
}

/* The inverse inertia in the frame, 1/(kg m^2): T^T T. */
typedef struct frame_inertia {
    lane xx, xy, xz, yy, yz, zz;
} frame_inertia;

LANE_INLINE frame_inertia frame_inertia_of(lane axis[3][3])
{
    return (frame_inertia){
        .xx = lane_dot(axis[T1], axis[T1]),
        .xy = lane_dot(axis[T1], axis[T2]),
        .xz = lane_dot(axis[T1], axis[N]),
        .yy = lane_dot(axis[T2], axis[T2]),
        .yz = lane_dot(axis[T2], axis[N]),
        .zz = lane_dot(axis[N], axis[N]),
    };
}

LANE_INLINE frame_inertia frame_inertia_scaled(frame_inertia i, lane s)
{
    return (frame_inertia){lane_mul(i.xx, s), lane_mul(i.xy, s), lane_mul(i.xz, s),
                           lane_mul(i.yy, s), lane_mul(i.yz, s), lane_mul(i.zz, s)};
}

#endif

/* The frame of a contact, whose axes are two tangents and the normal, and bodies' inertia in it. Compiled
 * once per instruction set in float, and for one lane in double.
 *
 * A vector in the frame has its x and y along the tangents and its z along the normal. */
#ifndef SOLVER_CONSTRAINT_CONTACTS_FRAME_H
#define SOLVER_CONSTRAINT_CONTACTS_FRAME_H

#include "simd/lane_vectors.h"

/* The frame's axes, as indices of a bundle's fields. */
enum { T1, T2, N };

/* The frame's axes in the world. */
typedef struct contact_frame {
    lane_vec3 t1, t2, normal;
} contact_frame;

/* Returns the frame of a unit normal: without a branch, and exact where the normal is an axis of the world
 * [Duff et al. 2017]. */
LANE_INLINE contact_frame contact_frame_of_normal(lane_vec3 n)
{
    lane one = lane_set(1.0f);
    lane sign = lane_select(lane_less(n.z, lane_zero()), lane_set(-1.0f), one);
    lane r = lane_div(one, lane_add(one, lane_abs(n.z)));
    lane xr = lane_mul(n.x, r), yr = lane_mul(n.y, r), mixed = lane_negate(lane_mul(xr, n.y));
    return (contact_frame){
        .t1 = {lane_sub_mul(one, xr, n.x), mixed, lane_negate(lane_mul(sign, n.x))},
        .t2 = {lane_mul(sign, mixed), lane_mul(sign, lane_sub_mul(one, yr, n.y)), lane_negate(n.y)},
        .normal = n,
    };
}

/* Returns a world vector in the frame. */
LANE_INLINE lane_vec3 contact_frame_from_world(const contact_frame *frame, lane_vec3 v)
{
    return lane_mat3_mul_transposed((lane_mat3){frame->t1, frame->t2, frame->normal}, v);
}

/* Returns a vector of the frame in the world. */
LANE_INLINE lane_vec3 contact_frame_to_world(const contact_frame *frame, lane_vec3 v)
{
    lane_vec3 world = lane_vec3_scale(frame->t1, v.x);
    world = lane_vec3_add_scaled(world, v.y, frame->t2);
    return lane_vec3_add_scaled(world, v.z, frame->normal);
}

/* An inverse inertia in the frame, 1/(kg m^2). */
typedef struct frame_inertia {
    lane xx, xy, xz, yy, yz, zz;
} frame_inertia;

/* Returns T^T T, with T's columns the frame's axes in the body's principal frame, whitened. */
LANE_INLINE frame_inertia frame_inertia_of(const lane_vec3 axis[3])
{
    return (frame_inertia){
        .xx = lane_vec3_dot(axis[T1], axis[T1]),
        .xy = lane_vec3_dot(axis[T1], axis[T2]),
        .xz = lane_vec3_dot(axis[T1], axis[N]),
        .yy = lane_vec3_dot(axis[T2], axis[T2]),
        .yz = lane_vec3_dot(axis[T2], axis[N]),
        .zz = lane_vec3_dot(axis[N], axis[N]),
    };
}

LANE_INLINE frame_inertia frame_inertia_scaled(frame_inertia i, lane s)
{
    return (frame_inertia){lane_mul(i.xx, s), lane_mul(i.xy, s), lane_mul(i.xz, s),
                           lane_mul(i.yy, s), lane_mul(i.yz, s), lane_mul(i.zz, s)};
}

#endif

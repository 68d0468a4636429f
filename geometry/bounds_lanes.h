/* Bounds of a shape in each lane, with the bits of dry_geometry_bounds. Kernel files only. */
#ifndef GEOMETRY_BOUNDS_LANES_H
#define GEOMETRY_BOUNDS_LANES_H

#include "geometry/geometry.h"
#include "simd/lane_vectors.h"

/* Returns the sine of an angle as cylinder_bounds finds it. */
LANE_INLINE lane lane_sine_of(lane cosine)
{
    const lane square = lane_sub(lane_set(1.0f), lane_mul(cosine, cosine));
    return lane_sqrt(lane_add(lane_max(square, lane_zero()), lane_set(DRY_SQUARE_ERROR)));
}

/* Returns half the extents of shapes with orientation q, m; `type` is a dry_shape_type in float. All lanes
 * hold shapes with DRY_TYPE_IN_LANES. */
LANE_INLINE lane_vec3 lane_geometry_extents(lane type, lane_vec3 size, lane_quat q)
{
    lane_mat3 r = lane_mat3_from_quat(q);
    lane_mat3 axes = {lane_vec3_abs(r.x), lane_vec3_abs(r.y), lane_vec3_abs(r.z)};
    lane error = lane_set(DRY_ROTATION_ERROR);
    lane box_pad = lane_mul(error, lane_add3(size.x, size.y, size.z));
    lane pad = lane_mul(error, lane_add(size.x, size.y)), capsule_pad = lane_add(size.x, pad);
    lane_vec3 sphere = {size.x, size.x, size.x};
    lane_vec3 box = lane_vec3_add(lane_mat3_mul(axes, size), (lane_vec3){box_pad, box_pad, box_pad});
    lane_vec3 core = lane_vec3_scale(axes.y, size.y);
    lane_vec3 capsule = lane_vec3_add(core, (lane_vec3){capsule_pad, capsule_pad, capsule_pad});
    lane_vec3 sines = {lane_sine_of(axes.y.x), lane_sine_of(axes.y.y), lane_sine_of(axes.y.z)};
    lane_vec3 cylinder =
        lane_vec3_add(lane_vec3_add(core, lane_vec3_scale(sines, size.x)), (lane_vec3){pad, pad, pad});
    lane_mask is_cylinder = lane_less(lane_set((float)DRY_SHAPE_BOX), type),
              is_box = lane_less(lane_set((float)DRY_SHAPE_CAPSULE), type),
              is_sphere = lane_less(type, lane_set((float)DRY_SHAPE_CAPSULE));
    lane_vec3 straight = lane_vec3_select(is_cylinder, cylinder, box);
    return lane_vec3_select(is_box, straight, lane_vec3_select(is_sphere, sphere, capsule));
}
_Static_assert(DRY_SHAPE_SPHERE < DRY_SHAPE_CAPSULE && DRY_SHAPE_CAPSULE < DRY_SHAPE_BOX &&
                   DRY_SHAPE_BOX < DRY_SHAPE_CYLINDER,
               "types are told apart by comparison");

#endif

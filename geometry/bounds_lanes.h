/* Bounds of a shape in each lane, with the bits of dry_geometry_bounds. Kernel files only. */
#ifndef GEOMETRY_BOUNDS_LANES_H
#define GEOMETRY_BOUNDS_LANES_H

#include "geometry/geometry.h"
#include "simd/lane_vectors.h"

/* Returns half the extents of shapes with orientation q, m; `type` is a dry_shape_type in float. No lane
 * holds a half-space. */
LANE_INLINE lane_vec3 lane_geometry_extents(lane type, lane_vec3 size, lane_quat q)
{
    lane_mat3 r = lane_mat3_from_quat(q);
    lane_mat3 axes = {lane_vec3_abs(r.x), lane_vec3_abs(r.y), lane_vec3_abs(r.z)};
    lane error = lane_set(DRY_ROTATION_ERROR);
    lane box_pad = lane_mul(error, lane_add3(size.x, size.y, size.z));
    lane capsule_pad = lane_add(size.x, lane_mul(error, lane_add(size.x, size.y)));
    lane_vec3 sphere = {size.x, size.x, size.x};
    lane_vec3 box = lane_vec3_add(lane_mat3_mul(axes, size), (lane_vec3){box_pad, box_pad, box_pad});
    lane_vec3 capsule =
        lane_vec3_add(lane_vec3_scale(axes.y, size.y), (lane_vec3){capsule_pad, capsule_pad, capsule_pad});
    lane_mask is_box = lane_less(lane_set((float)DRY_SHAPE_CAPSULE), type),
              is_sphere = lane_less(type, lane_set((float)DRY_SHAPE_CAPSULE));
    return lane_vec3_select(is_box, box, lane_vec3_select(is_sphere, sphere, capsule));
}
_Static_assert(DRY_SHAPE_SPHERE < DRY_SHAPE_CAPSULE && DRY_SHAPE_CAPSULE < DRY_SHAPE_BOX &&
                   DRY_SHAPE_BOX < DRY_SHAPE_HALFSPACE,
               "types are told apart by comparison with the capsule's");

#endif

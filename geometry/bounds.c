/* Bounds of each type of shape, in float, rounded outward. */
#include "geometry/bounds.h"

#include "core/math.h"

/* Beyond every valid coordinate (1e9 m), while its square is still finite. */
#define HUGE_EXTENT 1e18f

dry_vec3 dry_geometry_extents(const dry_geometry *geometry, dry_quat q)
{
    dry_vec3 h = geometry->size;
    dry_mat3 r = mat3_from_quat(q);
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
        return vec3(h.x, h.x, h.x);
    case DRY_SHAPE_CAPSULE: {
        float pad = h.x + DRY_ROTATION_ERROR * (h.x + h.y);
        return vec3_add(vec3_scale(vec3_abs(r.y), h.y), vec3(pad, pad, pad));
    }
    case DRY_SHAPE_BOX: {
        dry_mat3 absolute = {vec3_abs(r.x), vec3_abs(r.y), vec3_abs(r.z)};
        float pad = DRY_ROTATION_ERROR * (h.x + h.y + h.z);
        return vec3_add(mat3_mul(&absolute, h), vec3(pad, pad, pad));
    }
    default:
        return vec3(HUGE_EXTENT, HUGE_EXTENT, HUGE_EXTENT);
    }
}

float dry_geometry_radius(const dry_geometry *geometry)
{
    dry_vec3 h = geometry->size;
    switch (geometry->type) {
    case DRY_SHAPE_SPHERE:
        return h.x;
    case DRY_SHAPE_CAPSULE:
        return (h.x + h.y) * (1.0f + 2e-7f);
    case DRY_SHAPE_BOX:
        return vec3_length(h) * (1.0f + 4e-7f);
    default:
        return HUGE_EXTENT;
    }
}

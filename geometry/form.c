/* The fields of a user's definition that each type of shape uses. Next: bounds.c, mass.c, rays.c. */
#include "geometry/form.h"

#include "core/math.h"

static bool is_valid_size(float size)
{
    return size >= 1e-4f && size <= 1e6f;
}

const char *dry_geometry_def_error(const dry_shape_def *def)
{
    dry_vec3 half = def->half_extents;
    switch (def->type) {
    case DRY_SHAPE_SPHERE:
        return is_valid_size(def->radius) ? NULL : "radius must be 1e-4 to 1e6";
    case DRY_SHAPE_CAPSULE:
        if (!is_valid_size(def->radius))
            return "radius must be 1e-4 to 1e6";
        if (!(def->half_length >= 0.0f && def->half_length <= 1e6f))
            return "half_length must be 0 to 1e6";
        return NULL;
    case DRY_SHAPE_BOX:
        if (!is_valid_size(half.x) || !is_valid_size(half.y) || !is_valid_size(half.z))
            return "half_extents must each be 1e-4 to 1e6";
        return NULL;
    case DRY_SHAPE_HALFSPACE:
        if (!(vec3_length_squared(def->normal) > 0.998f && vec3_length_squared(def->normal) < 1.002f))
            return "normal must be of unit length";
        if (!(dry_abs(def->offset) <= 1e6f))
            return "offset must be finite and at most 1e6";
        return NULL;
    default:
        return "type is unknown";
    }
}

dry_geometry dry_geometry_from_def(const dry_shape_def *def)
{
    dry_geometry geometry = {vec3(def->radius, 0.0f, 0.0f), (int32_t)def->type};
    if (def->type == DRY_SHAPE_BOX)
        geometry.size = def->half_extents;
    else if (def->type == DRY_SHAPE_CAPSULE)
        geometry.size.y = def->half_length;
    else if (def->type == DRY_SHAPE_HALFSPACE)
        geometry.size = def->normal;
    return geometry;
}

void dry_geometry_to_def(const dry_geometry *geometry, dry_shape_def *def)
{
    def->type = (dry_shape_type)geometry->type;
    if (def->type == DRY_SHAPE_BOX)
        def->half_extents = geometry->size;
    else if (def->type == DRY_SHAPE_HALFSPACE)
        def->normal = geometry->size;
    else
        def->radius = geometry->size.x;
    if (def->type == DRY_SHAPE_CAPSULE)
        def->half_length = geometry->size.y;
}

dry_transform dry_halfspace_frame(dry_vec3 normal, float offset)
{
    dry_vec3 n = vec3_normalize_or(normal, vec3(0.0f, 1.0f, 0.0f));
    /* The shortest rotation from y to n; a half turn about x where n is opposite to y. */
    dry_quat rotation = n.y > -0.999999f ? quat_normalize((dry_quat){n.z, 0.0f, -n.x, 1.0f + n.y})
                                         : (dry_quat){1.0f, 0.0f, 0.0f, 0.0f};
    return (dry_transform){vec3_scale(n, offset), rotation};
}

/* Functions that all types of shapes share: checks of a definition, scale, bounds at a place. Next:
 * geometry/shapes/.
 */
#include "geometry/kind.h"

#include "geometry/shape_data.h"

static bool is_valid_scale(dry_vec3 scale)
{
    const dry_vec3 s = vec3_abs(scale);
    return s.x >= 1e-3f && s.y >= 1e-3f && s.z >= 1e-3f && s.x <= 1e3f && s.y <= 1e3f && s.z <= 1e3f;
}

const char *dry_pose_error(const dry_transform *pose)
{
    const float length2 = quat_length_squared(pose->orientation);
    if (!dry_is_within_extent(pose->position))
        return "pose.position must be finite and at most 1e6";
    return length2 > 0.998f && length2 < 1.002f ? NULL : "pose.orientation must be of unit length";
}

/* Returns the geometry of a definition without its scale. */
static dry_geometry unscaled_of(const dry_shape_kind *kind, const dry_shape_def *def)
{
    const bool has_data = dry_type_properties((int32_t)def->type) & DRY_TYPE_DATA;
    return (dry_geometry){kind->size_of(def), (int32_t)def->type, has_data ? def->data : NULL};
}

const char *dry_kind_def_error(const dry_shape_kind *kind, const dry_shape_def *def)
{
    const char *error = kind->def_error ? kind->def_error(def) : NULL;
    if (error)
        return error;
    if (dry_type_properties((int32_t)def->type) & DRY_TYPE_DATA &&
        (!def->data || def->data->type != def->type))
        return "data must be of the shape's type";
    if (!is_valid_scale(def->scale))
        return "scale must be 1e-3 to 1e3 in each component, or its negative";
    const dry_geometry geometry = unscaled_of(kind, def);
    dry_vec3 size;
    return kind->scale(&geometry, def->scale, &size) ? NULL : "scale would change the shape's form";
}

dry_geometry dry_kind_from_def(const dry_shape_kind *kind, const dry_shape_def *def)
{
    dry_geometry geometry = unscaled_of(kind, def);
    kind->scale(&geometry, def->scale, &geometry.size);
    return geometry;
}

dry_vec3 dry_scaled_size_of(const dry_shape_def *def)
{
    (void)def;
    return vec3(1.0f, 1.0f, 1.0f);
}

void dry_scaled_write_def(const dry_geometry *geometry, dry_shape_def *def)
{
    def->scale = geometry->size;
    def->data = geometry->data;
}

bool dry_scaled_by(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size)
{
    *size = vec3_mul(geometry->size, scale);
    return true;
}

dry_vec3 dry_round_size_of(const dry_shape_def *def)
{
    return vec3(def->radius, def->type == DRY_SHAPE_SPHERE ? 0.0f : def->half_length, 0.0f);
}

void dry_round_write_def(const dry_geometry *geometry, dry_shape_def *def)
{
    def->radius = geometry->size.x;
    if (geometry->type != DRY_SHAPE_SPHERE)
        def->half_length = geometry->size.y;
}

bool dry_round_scale(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size)
{
    *size = vec3_scale(geometry->size, dry_abs(scale.x));
    return dry_scale_is_uniform(scale);
}

dry_shape_mass dry_no_mass(const dry_geometry *geometry)
{
    (void)geometry;
    return (dry_shape_mass){.frame = transform_identity()};
}

dry_extents dry_kind_bounds_at(const dry_shape_kind *kind, const dry_piece *piece)
{
    const dry_vec3 at = piece->pose.position;
    const float pad = DRY_ROTATION_ERROR * (dry_abs(at.x) + dry_abs(at.y) + dry_abs(at.z));
    const dry_extents own = kind->bounds(&piece->geometry, piece->pose.orientation);
    return (dry_extents){vec3_sub(vec3_add(at, own.low), vec3(pad, pad, pad)),
                         vec3_add(vec3_add(at, own.high), vec3(pad, pad, pad))};
}

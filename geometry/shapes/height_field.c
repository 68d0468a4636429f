/* Height fields: size holds the scale along the axes, the data a dry_height_field. Its triangles have their
 * fronts above, and a scale that mirrors takes them along.
 *
 * Reads: a geometry. Next: geometry/height_field.h. */
#include "geometry/height_field.h"

#include "geometry/scaled.h"
#include "geometry/shape_data.h"

static const dry_height_field *field_of(const dry_geometry *geometry)
{
    return geometry->data->form;
}

/* Returns the box of the surface, and of the solid below it. */
static dry_box box_of(const dry_height_field *field)
{
    const dry_height_range range = dry_height_field_range(field);
    return (dry_box){{0.0f, range.min - field->solid_depth, 0.0f},
                     {field->spacing[0] * (float)(field->columns - 1), range.max,
                      field->spacing[1] * (float)(field->rows - 1)}};
}

static float height_field_radius(const dry_geometry *geometry)
{
    const dry_box box = box_of(field_of(geometry));
    return dry_scaled_box_radius(&box, geometry->size);
}

static double height_field_reach(const void *form, const double direction[3], double slack)
{
    return dry_height_field_reach(form, direction, slack);
}

static dry_extents height_field_bounds(const dry_geometry *geometry, dry_quat q)
{
    const dry_height_field *field = field_of(geometry);
    const dry_box box = box_of(field);
    return dry_scaled_bounds(field, height_field_reach, &box, geometry->size, q);
}

static bool height_field_contains(const dry_geometry *geometry, const double point[3])
{
    double at[3];
    dry_unscaled_point(geometry->size, point, at);
    return dry_height_field_contains(field_of(geometry), at);
}

static bool height_field_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit)
{
    const dry_height_field *field = field_of(geometry);
    const dry_mesh_ray seen = dry_unscaled_ray(geometry->size, ray, DRY_MESH_FRONTS);
    dry_mesh_hit found;
    if (!dry_height_field_cast_ray(field, &seen, &found))
        return false;
    double corner[3][3];
    dry_height_field_face(field, found.slot, corner);
    *hit =
        (dry_local_hit){found.fraction * ray->length, dry_scaled_normal(geometry->size, corner, found.back)};
    return true;
}

const dry_shape_kind dry_shape_kind_height_field = {
    .size_of = dry_scaled_size_of,
    .write_def = dry_scaled_write_def,
    .scale = dry_scaled_by,
    .bounds = height_field_bounds,
    .radius = height_field_radius,
    .mass = dry_no_mass,
    .contains = height_field_contains,
    .cast_ray = height_field_cast_ray,
};

/* Surfaces of triangles, meshes and height fields: size holds the scale along the axes, the data a
 * dry_mesh_tree or a dry_height_field. The front of a triangle that a scale mirrors is the image of its
 * front.
 *
 * Reads: a geometry. Next: geometry/triangles.h. */
#include "geometry/height_field.h"
#include "geometry/kind.h"
#include "geometry/scaled.h"
#include "geometry/shape_data.h"
#include "geometry/triangles.h"

/* Returns the box of a surface without its scale, and of the solid below a height field. */
static dry_box box_of(const dry_geometry *geometry)
{
    if (geometry->type == DRY_SHAPE_MESH)
        return ((const dry_mesh_tree *)geometry->data->form)->bounds;
    const dry_height_field *field = geometry->data->form;
    const dry_height_range range = dry_height_field_range(field);
    return (dry_box){{0.0f, range.min - field->solid_depth, 0.0f},
                     {field->spacing[0] * (float)(field->columns - 1), range.max,
                      field->spacing[1] * (float)(field->rows - 1)}};
}

/* Returns the corner of a box with a scale that lies farthest from the origin, in absolute components, m. */
static dry_vec3 far_corner(const dry_box *box, dry_vec3 scale)
{
    const dry_vec3 low = vec3(box->min[0], box->min[1], box->min[2]),
                   high = vec3(box->max[0], box->max[1], box->max[2]);
    return vec3_mul(vec3_abs(scale), vec3_max(vec3_abs(low), vec3_abs(high)));
}

static float surface_radius(const dry_geometry *geometry)
{
    const dry_box box = box_of(geometry);
    return vec3_length(far_corner(&box, geometry->size)) * (1.0f + 1e-6f);
}

/* Returns room for the errors of a rotation, of products and of sums, m. */
static float room_for_errors(const dry_box *box, dry_vec3 scale)
{
    const dry_vec3 far = far_corner(box, scale);
    return 2.0f * DRY_ROTATION_ERROR * (far.x + far.y + far.z);
}

dry_extents dry_scaled_box_bounds(const dry_box *box, dry_vec3 scale, dry_quat q)
{
    const dry_vec3 low = vec3_mul(scale, vec3(box->min[0], box->min[1], box->min[2])),
                   high = vec3_mul(scale, vec3(box->max[0], box->max[1], box->max[2]));
    const dry_vec3 center = vec3_scale(vec3_add(low, high), 0.5f),
                   half = vec3_abs(vec3_scale(vec3_sub(high, low), 0.5f));
    const dry_mat3 axes = mat3_from_quat(q);
    const dry_mat3 absolute = {vec3_abs(axes.x), vec3_abs(axes.y), vec3_abs(axes.z)};
    const dry_vec3 at = mat3_mul(&axes, center);
    const float pad = room_for_errors(box, scale);
    const dry_vec3 room = vec3_add(mat3_mul(&absolute, half), vec3(pad, pad, pad));
    return (dry_extents){vec3_sub(at, room), vec3_add(at, room)};
}

/* Returns bounds at most a sixteenth wider than exact ones, where the box gives wider ones. */
static dry_extents surface_bounds(const dry_geometry *geometry, dry_quat q)
{
    const dry_box box = box_of(geometry);
    const dry_vec3 scale = geometry->size;
    dry_extents bounds = dry_scaled_box_bounds(&box, scale, q);
    if (q.x == 0.0f && q.y == 0.0f && q.z == 0.0f)
        return bounds;
    const dry_mat3 axes = mat3_from_quat(q);
    const double pad = (double)room_for_errors(&box, scale);
    float *low = &bounds.low.x, *high = &bounds.high.x;
    for (int k = 0; k < 3; k++) {
        const dry_vec3 way =
            vec3_mul(scale, vec3(vec3_get(axes.x, k), vec3_get(axes.y, k), vec3_get(axes.z, k)));
        const dry_double3 up = double3_of(way), down = double3_neg(up);
        const double slack = ((double)high[k] - (double)low[k]) / 64.0;
        high[k] = dry_min(high[k], (float)(dry_triangles_reach(geometry, up, slack) + pad));
        low[k] = dry_max(low[k], (float)(-dry_triangles_reach(geometry, down, slack) - pad));
    }
    return bounds;
}

static bool surface_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit)
{
    const int sides = dry_triangles_have_backs(geometry) ? DRY_MESH_FRONTS | DRY_MESH_BACKS : DRY_MESH_FRONTS;
    const dry_mesh_ray seen = dry_triangles_ray(geometry, ray->o, double3_scale(ray->d, ray->length), sides);
    dry_mesh_hit found;
    if (!dry_triangles_cast_ray(geometry, &seen, &found))
        return false;
    *hit = (dry_local_hit){found.fraction * ray->length, dry_triangles_normal(geometry, &found)};
    return true;
}

const dry_shape_kind dry_shape_kind_surface = {
    .size_of = dry_scaled_size_of,
    .write_def = dry_scaled_write_def,
    .scale = dry_scaled_by,
    .bounds = surface_bounds,
    .radius = surface_radius,
    .mass = dry_no_mass,
    .contains = dry_triangles_contain,
    .cast_ray = surface_cast_ray,
};

/* Meshes of triangles: size holds the scale along the axes, the data a dry_mesh_tree. A ray is divided by the
 * scale. The front of a triangle that a scale mirrors is the image of its front.
 *
 * Reads: a geometry. Next: geometry/mesh_tree.h. */
#include "geometry/mesh_tree.h"

#include "geometry/scaled.h"
#include "geometry/shape_data.h"

static const dry_mesh_tree *tree_of(const dry_geometry *geometry)
{
    return geometry->data->form;
}

static float mesh_radius(const dry_geometry *geometry)
{
    return dry_scaled_box_radius(&tree_of(geometry)->bounds, geometry->size);
}

static double mesh_reach(const void *form, const double direction[3], double slack)
{
    return dry_mesh_tree_reach(form, direction, slack);
}

static dry_extents mesh_bounds(const dry_geometry *geometry, dry_quat q)
{
    const dry_mesh_tree *tree = tree_of(geometry);
    return dry_scaled_bounds(tree, mesh_reach, &tree->bounds, geometry->size, q);
}

static bool mesh_contains(const dry_geometry *geometry, const double point[3])
{
    const dry_mesh_tree *tree = tree_of(geometry);
    if (!(tree->flags & DRY_MESH_SOLID))
        return false;
    double at[3];
    dry_unscaled_point(geometry->size, point, at);
    return dry_mesh_tree_contains(tree, at);
}

static bool mesh_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit)
{
    const dry_mesh_tree *tree = tree_of(geometry);
    const int sides = tree->flags & DRY_MESH_TWO_SIDED ? DRY_MESH_FRONTS | DRY_MESH_BACKS : DRY_MESH_FRONTS;
    const dry_mesh_ray seen = dry_unscaled_ray(geometry->size, ray, sides);
    dry_mesh_hit found;
    if (!dry_mesh_tree_cast_ray(tree, &seen, &found))
        return false;
    double corner[3][3];
    dry_mesh_tree_corner_points(tree, found.slot, corner);
    *hit =
        (dry_local_hit){found.fraction * ray->length, dry_scaled_normal(geometry->size, corner, found.back)};
    return true;
}

const dry_shape_kind dry_shape_kind_mesh = {
    .size_of = dry_scaled_size_of,
    .write_def = dry_scaled_write_def,
    .scale = dry_scaled_by,
    .bounds = mesh_bounds,
    .radius = mesh_radius,
    .mass = dry_no_mass,
    .contains = mesh_contains,
    .cast_ray = mesh_cast_ray,
};

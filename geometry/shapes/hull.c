/* Convex hulls: size holds the scale along the axes, the data a dry_hull. */
#include "geometry/hull.h"

#include "core/inertia.h"
#include "geometry/kind.h"
#include "geometry/shape_data.h"

static const dry_hull *hull_of(const dry_geometry *geometry)
{
    return geometry->data->form;
}

static float hull_radius(const dry_geometry *geometry)
{
    return hull_of(geometry)->measures.radius * vec3_largest(vec3_abs(geometry->size)) * DRY_ROUNDED_OUT;
}

static dry_extents hull_bounds(const dry_geometry *geometry, dry_quat q)
{
    const float pad = DRY_ROTATION_ERROR * hull_radius(geometry);
    dry_extents bounds;
    dry_hull_bounds(hull_of(geometry), geometry->size, q, &bounds.low, &bounds.high);
    return (dry_extents){vec3_sub(bounds.low, vec3(pad, pad, pad)),
                         vec3_add(bounds.high, vec3(pad, pad, pad))};
}

static dry_shape_mass hull_mass(const dry_geometry *geometry)
{
    const dry_solid solid = dry_hull_solid(hull_of(geometry), geometry->size);
    double moments[3];
    const dry_quat axes = dry_inertia_principal_axes(&solid.inertia, moments);
    const double per_volume = 1.0 / solid.volume;
    return (dry_shape_mass){
        solid.volume,
        {vec3((float)solid.center[0], (float)solid.center[1], (float)solid.center[2]), axes},
        vec3((float)(moments[0] * per_volume), (float)(moments[1] * per_volume),
             (float)(moments[2] * per_volume))};
}

static bool hull_contains(const dry_geometry *geometry, dry_double3 point)
{
    return dry_hull_contains(hull_of(geometry), geometry->size, point);
}

static bool hull_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit)
{
    const dry_double3 way = double3_scale(ray->d, ray->length);
    double fraction;
    if (!dry_hull_cast_ray(hull_of(geometry), geometry->size, ray->o, way, &fraction, &hit->normal))
        return false;
    hit->distance = fraction * ray->length;
    return true;
}

const dry_shape_kind dry_shape_kind_hull = {
    .size_of = dry_scaled_size_of,
    .write_def = dry_scaled_write_def,
    .scale = dry_scaled_by,
    .bounds = hull_bounds,
    .radius = hull_radius,
    .mass = hull_mass,
    .contains = hull_contains,
    .cast_ray = hull_cast_ray,
};

/* Spheres: size.x is the radius. */
#include "core/angle.h"
#include "geometry/kind.h"

static const char *sphere_def_error(const dry_shape_def *def)
{
    return dry_size_is_valid(def->radius) ? NULL : "radius must be 1e-4 to 1e6";
}

static dry_extents sphere_bounds(const dry_geometry *geometry, dry_quat q)
{
    (void)q;
    const float r = geometry->size.x;
    return dry_extents_about(vec3(r, r, r));
}

static float sphere_radius(const dry_geometry *geometry)
{
    return geometry->size.x;
}

static dry_shape_mass sphere_mass(const dry_geometry *geometry)
{
    const double r = (double)geometry->size.x;
    const float i = (float)(0.4 * r * r);
    return (dry_shape_mass){4.0 / 3.0 * DRY_PI * r * r * r, transform_identity(), vec3(i, i, i)};
}

static bool sphere_contains(const dry_geometry *geometry, dry_double3 o)
{
    const double r = (double)geometry->size.x;
    return o.x * o.x + o.y * o.y + o.z * o.z <= r * r;
}

/* Solving about the ray's nearest point to the center keeps the digits that the textbook discriminant loses.
 */
bool dry_ray_meets_sphere(const dry_local_ray *r, double y, double radius, double *distance)
{
    const dry_double3 m = {r->o.x, r->o.y - y, r->o.z};
    const double along = -double3_dot(m, r->d);
    const dry_double3 n = double3_add_scaled(m, along, r->d);
    const double square = radius * radius - double3_dot(n, n);
    if (along < 0.0 || square < 0.0)
        return false;
    *distance = along - sqrt(square);
    return true;
}

static bool sphere_cast_ray(const dry_geometry *geometry, const dry_local_ray *r, dry_local_hit *hit)
{
    if (!dry_ray_meets_sphere(r, 0.0, (double)geometry->size.x, &hit->distance))
        return false;
    const double s = hit->distance;
    hit->normal = dry_unit_normal(r->o.x + s * r->d.x, r->o.y + s * r->d.y, r->o.z + s * r->d.z);
    return true;
}

const dry_shape_kind dry_shape_kind_sphere = {
    .def_error = sphere_def_error,
    .size_of = dry_round_size_of,
    .write_def = dry_round_write_def,
    .scale = dry_round_scale,
    .bounds = sphere_bounds,
    .radius = sphere_radius,
    .mass = sphere_mass,
    .contains = sphere_contains,
    .cast_ray = sphere_cast_ray,
};

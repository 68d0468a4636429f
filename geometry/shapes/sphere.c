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

static bool sphere_contains(const dry_geometry *geometry, const double o[3])
{
    const double r = (double)geometry->size.x;
    return o[0] * o[0] + o[1] * o[1] + o[2] * o[2] <= r * r;
}

/* Solving about the ray's nearest point to the center keeps the digits that the textbook discriminant loses.
 */
bool dry_ray_meets_sphere(const dry_local_ray *r, double y, double radius, double *distance)
{
    const double m[3] = {r->o[0], r->o[1] - y, r->o[2]};
    const double along = -(m[0] * r->d[0] + m[1] * r->d[1] + m[2] * r->d[2]);
    const double n[3] = {m[0] + along * r->d[0], m[1] + along * r->d[1], m[2] + along * r->d[2]};
    const double square = radius * radius - (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
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
    hit->normal = dry_unit_normal(r->o[0] + s * r->d[0], r->o[1] + s * r->d[1], r->o[2] + s * r->d[2]);
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

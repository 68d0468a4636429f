/* Capsules: size.x is the radius, size.y half the length of the segment along y. */
#include "core/angle.h"
#include "geometry/kind.h"

static const char *capsule_def_error(const dry_shape_def *def)
{
    if (!dry_size_is_valid(def->radius))
        return "radius must be 1e-4 to 1e6";
    if (!(def->half_length >= 0.0f && def->half_length <= DRY_EXTENT_MAX))
        return "half_length must be 0 to 1e6";
    return NULL;
}

static dry_extents capsule_bounds(const dry_geometry *geometry, dry_quat q)
{
    const dry_vec3 h = geometry->size;
    const dry_mat3 axes = mat3_from_quat(q);
    const float pad = h.x + DRY_ROTATION_ERROR * (h.x + h.y);
    return dry_extents_about(vec3_add(vec3_scale(vec3_abs(axes.y), h.y), vec3(pad, pad, pad)));
}

static float capsule_radius(const dry_geometry *geometry)
{
    return (geometry->size.x + geometry->size.y) * (1.0f + 2e-7f);
}

/* A capsule is a cylinder and two hemispheres. The moment of a hemisphere about a diameter of its flat side
 * is 2/5 m r^2, and its centroid lies 3/8 r above that side. About an axis L further down the moment is m
 * (2/5 r^2 + L^2 + 3/4 r L). */
static dry_shape_mass capsule_mass(const dry_geometry *geometry)
{
    const double r = (double)geometry->size.x, half_length = (double)geometry->size.y;
    const double cylinder = 2.0 * half_length / (2.0 * half_length + 4.0 / 3.0 * r);
    const double caps = 1.0 - cylinder;
    const double axial = cylinder * 0.5 * r * r + caps * 0.4 * r * r;
    const double across = cylinder * (0.25 * r * r + half_length * half_length / 3.0) +
                          caps * (0.4 * r * r + half_length * half_length + 0.75 * r * half_length);
    return (dry_shape_mass){DRY_PI * r * r * (2.0 * half_length + 4.0 / 3.0 * r), transform_identity(),
                            vec3((float)across, (float)axial, (float)across)};
}

/* Returns how far a height lies beyond the segment, with its sign. */
static double beyond(double y, double half_length)
{
    return y > half_length ? y - half_length : y < -half_length ? y + half_length : 0.0;
}

static bool capsule_contains(const dry_geometry *geometry, dry_double3 o)
{
    const double r = (double)geometry->size.x, over = beyond(o.y, (double)geometry->size.y);
    return o.x * o.x + over * over + o.z * o.z <= r * r;
}

/* The first hit is on the cylinder if the ray enters it between the caps, otherwise on a cap. */
static bool meets_surface(const dry_local_ray *r, double radius, double half_length, double *distance)
{
    const double across = r->d.x * r->d.x + r->d.z * r->d.z;
    if (across > 0.0) {
        const double along = -(r->o.x * r->d.x + r->o.z * r->d.z) / across;
        const double nx = r->o.x + along * r->d.x, nz = r->o.z + along * r->d.z;
        const double square = radius * radius - (nx * nx + nz * nz);
        if (square < 0.0)
            return false;
        const double s = along - sqrt(square / across);
        const double y = r->o.y + s * r->d.y;
        if (s >= 0.0 && y >= -half_length && y <= half_length) {
            *distance = s;
            return true;
        }
    }
    double low, high;
    const bool hit_low = dry_ray_meets_sphere(r, -half_length, radius, &low);
    const bool hit_high = dry_ray_meets_sphere(r, half_length, radius, &high);
    if (hit_low && (!hit_high || low < high))
        *distance = low;
    else if (hit_high)
        *distance = high;
    return hit_low || hit_high;
}

static bool capsule_cast_ray(const dry_geometry *geometry, const dry_local_ray *r, dry_local_hit *hit)
{
    const double half_length = (double)geometry->size.y;
    if (!meets_surface(r, (double)geometry->size.x, half_length, &hit->distance))
        return false;
    const double s = hit->distance;
    hit->normal =
        dry_unit_normal(r->o.x + s * r->d.x, beyond(r->o.y + s * r->d.y, half_length), r->o.z + s * r->d.z);
    return true;
}

const dry_shape_kind dry_shape_kind_capsule = {
    .def_error = capsule_def_error,
    .size_of = dry_round_size_of,
    .write_def = dry_round_write_def,
    .scale = dry_round_scale,
    .bounds = capsule_bounds,
    .radius = capsule_radius,
    .mass = capsule_mass,
    .contains = capsule_contains,
    .cast_ray = capsule_cast_ray,
};

/* Cylinders: size.x is the radius, size.y half the length along y. */
#include "core/angle.h"
#include "geometry/kind.h"

static const char *cylinder_def_error(const dry_shape_def *def)
{
    if (!dry_size_is_valid(def->radius))
        return "radius must be 1e-4 to 1e6";
    return dry_size_is_valid(def->half_length) ? NULL : "half_length must be 1e-4 to 1e6";
}

static bool cylinder_scale(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size)
{
    *size = vec3(geometry->size.x * dry_abs(scale.x), geometry->size.y * dry_abs(scale.y), 0.0f);
    return dry_abs(scale.x) == dry_abs(scale.z);
}

/* The sine of a small angle is only as exact as the square root of the rotation's error, which is added below
 * the root. */
static float sine_of(float cosine)
{
    return sqrtf(dry_max(1.0f - cosine * cosine, 0.0f) + DRY_SQUARE_ERROR);
}

/* The bounds of the two discs: along an axis at an angle a to the cylinder's, h cos a + r sin a. */
static dry_extents cylinder_bounds(const dry_geometry *geometry, dry_quat q)
{
    const dry_vec3 h = geometry->size, y = vec3_abs(mat3_from_quat(q).y);
    const float pad = DRY_ROTATION_ERROR * (h.x + h.y);
    const dry_vec3 discs = vec3_scale(vec3(sine_of(y.x), sine_of(y.y), sine_of(y.z)), h.x);
    return dry_extents_about(vec3_add(vec3_add(vec3_scale(y, h.y), discs), vec3(pad, pad, pad)));
}

static float cylinder_radius(const dry_geometry *geometry)
{
    const dry_vec3 h = geometry->size;
    return sqrtf(h.x * h.x + h.y * h.y) * DRY_ROUNDED_OUT;
}

static dry_shape_mass cylinder_mass(const dry_geometry *geometry)
{
    const double r = (double)geometry->size.x, h = (double)geometry->size.y;
    const float across = (float)(0.25 * r * r + h * h / 3.0);
    return (dry_shape_mass){2.0 * DRY_PI * r * r * h, transform_identity(),
                            vec3(across, (float)(0.5 * r * r), across)};
}

static bool cylinder_contains(const dry_geometry *geometry, dry_double3 o)
{
    const double r = (double)geometry->size.x, h = (double)geometry->size.y;
    return o.y <= h && o.y >= -h && o.x * o.x + o.z * o.z <= r * r;
}

/* The ray lies within the infinite cylinder between two distances, and between the planes of the ends between
 * two others: it enters the cylinder at the later of the entries. */
static bool cylinder_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit)
{
    const double r = (double)geometry->size.x, h = (double)geometry->size.y;
    const dry_double3 o = ray->o, d = ray->d;
    const double across = d.x * d.x + d.z * d.z;
    double enter = -1.0, leave = ray->length;
    bool side = false;
    if (across > 0.0) {
        const double along = -(o.x * d.x + o.z * d.z) / across;
        const double nx = o.x + along * d.x, nz = o.z + along * d.z;
        const double square = r * r - (nx * nx + nz * nz);
        if (square < 0.0)
            return false;
        const double half = sqrt(square / across);
        enter = along - half;
        leave = along + half < leave ? along + half : leave;
        side = true;
    } else if (o.x * o.x + o.z * o.z > r * r) {
        return false;
    }
    if (d.y != 0.0) {
        const double end = d.y > 0.0 ? h : -h;
        const double in = (-end - o.y) / d.y, out = (end - o.y) / d.y;
        side = side && enter >= in;
        enter = enter > in ? enter : in;
        leave = leave < out ? leave : out;
    } else if (o.y > h || o.y < -h) {
        return false;
    }
    hit->distance = enter;
    hit->normal = side ? dry_unit_normal(o.x + enter * d.x, 0.0, o.z + enter * d.z)
                       : vec3(0.0f, d.y > 0.0 ? -1.0f : 1.0f, 0.0f);
    return enter >= 0.0 && enter <= leave;
}

const dry_shape_kind dry_shape_kind_cylinder = {
    .def_error = cylinder_def_error,
    .size_of = dry_round_size_of,
    .write_def = dry_round_write_def,
    .scale = cylinder_scale,
    .bounds = cylinder_bounds,
    .radius = cylinder_radius,
    .mass = cylinder_mass,
    .contains = cylinder_contains,
    .cast_ray = cylinder_cast_ray,
};

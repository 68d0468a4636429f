/* Half-spaces: size holds the normal that the user gave. In its own frame the solid lies at y <= 0. */
#include "geometry/kind.h"

/* Beyond every valid coordinate (1e9 m), while its square is still finite. */
#define HUGE_EXTENT 1e18f

static const char *halfspace_def_error(const dry_shape_def *def)
{
    if (!(vec3_length_squared(def->normal) > 0.998f && vec3_length_squared(def->normal) < 1.002f))
        return "normal must be of unit length";
    if (!(dry_abs(def->offset) <= DRY_EXTENT_MAX))
        return "offset must be finite and at most 1e6";
    return NULL;
}

static dry_vec3 halfspace_size_of(const dry_shape_def *def)
{
    return def->normal;
}

static bool halfspace_scale(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size)
{
    *size = geometry->size;
    return scale.x == 1.0f && scale.y == 1.0f && scale.z == 1.0f;
}

static void halfspace_write_def(const dry_geometry *geometry, dry_shape_def *def)
{
    def->normal = geometry->size;
}

static dry_extents halfspace_bounds(const dry_geometry *geometry, dry_quat q)
{
    (void)geometry, (void)q;
    return dry_extents_about(vec3(HUGE_EXTENT, HUGE_EXTENT, HUGE_EXTENT));
}

static float halfspace_radius(const dry_geometry *geometry)
{
    (void)geometry;
    return HUGE_EXTENT;
}

static bool halfspace_contains(const dry_geometry *geometry, dry_double3 o)
{
    (void)geometry;
    return o.y <= 0.0;
}

static bool halfspace_cast_ray(const dry_geometry *geometry, const dry_local_ray *r, dry_local_hit *hit)
{
    (void)geometry;
    if (!(r->d.y < 0.0))
        return false;
    *hit = (dry_local_hit){-r->o.y / r->d.y, vec3(0.0f, 1.0f, 0.0f)};
    return true;
}

dry_transform dry_halfspace_frame(dry_vec3 normal, float offset)
{
    const dry_vec3 n = vec3_normalize_or(normal, vec3(0.0f, 1.0f, 0.0f));
    /* The shortest rotation from y to n; a half turn about x where n is opposite to y. */
    const dry_quat rotation = n.y > -0.999999f ? quat_normalize((dry_quat){n.z, 0.0f, -n.x, 1.0f + n.y})
                                               : (dry_quat){1.0f, 0.0f, 0.0f, 0.0f};
    return (dry_transform){vec3_scale(n, offset), rotation};
}

const dry_shape_kind dry_shape_kind_halfspace = {
    .def_error = halfspace_def_error,
    .size_of = halfspace_size_of,
    .write_def = halfspace_write_def,
    .scale = halfspace_scale,
    .bounds = halfspace_bounds,
    .radius = halfspace_radius,
    .mass = dry_no_mass,
    .contains = halfspace_contains,
    .cast_ray = halfspace_cast_ray,
};

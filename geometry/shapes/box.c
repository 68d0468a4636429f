/* Boxes: size holds the half extents. */
#include "geometry/kind.h"

static const char *box_def_error(const dry_shape_def *def)
{
    const dry_vec3 half = def->half_extents;
    if (!dry_size_is_valid(half.x) || !dry_size_is_valid(half.y) || !dry_size_is_valid(half.z))
        return "half_extents must each be 1e-4 to 1e6";
    return NULL;
}

static dry_vec3 box_size_of(const dry_shape_def *def)
{
    return def->half_extents;
}

static bool box_scale(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size)
{
    *size = vec3_mul(geometry->size, vec3_abs(scale));
    return true;
}

static void box_write_def(const dry_geometry *geometry, dry_shape_def *def)
{
    def->half_extents = geometry->size;
}

static dry_extents box_bounds(const dry_geometry *geometry, dry_quat q)
{
    const dry_vec3 h = geometry->size;
    const dry_mat3 axes = mat3_from_quat(q);
    const dry_mat3 absolute = {vec3_abs(axes.x), vec3_abs(axes.y), vec3_abs(axes.z)};
    const float pad = DRY_ROTATION_ERROR * (h.x + h.y + h.z);
    return dry_extents_about(vec3_add(mat3_mul(&absolute, h), vec3(pad, pad, pad)));
}

static float box_radius(const dry_geometry *geometry)
{
    return vec3_length(geometry->size) * DRY_ROUNDED_OUT;
}

static dry_shape_mass box_mass(const dry_geometry *geometry)
{
    const double x = (double)geometry->size.x, y = (double)geometry->size.y, z = (double)geometry->size.z;
    return (dry_shape_mass){
        8.0 * x * y * z, transform_identity(),
        vec3((float)((y * y + z * z) / 3.0), (float)((x * x + z * z) / 3.0), (float)((x * x + y * y) / 3.0))};
}

static bool box_contains(const dry_geometry *geometry, dry_double3 o)
{
    const double x = (double)geometry->size.x, y = (double)geometry->size.y, z = (double)geometry->size.z;
    return o.x <= x && o.x >= -x && o.y <= y && o.y >= -y && o.z <= z && o.z >= -z;
}

static bool box_cast_ray(const dry_geometry *geometry, const dry_local_ray *r, dry_local_hit *hit)
{
    const double half[3] = {(double)geometry->size.x, (double)geometry->size.y, (double)geometry->size.z};
    double enter = -1.0, leave = r->length;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        const double o = double3_get(r->o, k), d = double3_get(r->d, k);
        if (d == 0.0) {
            if (o > half[k] || o < -half[k])
                return false;
            continue;
        }
        const double side = d > 0.0 ? half[k] : -half[k];
        const double in = (-side - o) / d, out = (side - o) / d;
        if (in > enter) {
            enter = in;
            axis = k;
        }
        leave = out < leave ? out : leave;
    }
    const float sign = double3_get(r->d, axis) > 0.0 ? -1.0f : 1.0f;
    *hit = (dry_local_hit){enter,
                           vec3(axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f)};
    return enter >= 0.0 && enter <= leave;
}

const dry_shape_kind dry_shape_kind_box = {
    .def_error = box_def_error,
    .size_of = box_size_of,
    .write_def = box_write_def,
    .scale = box_scale,
    .bounds = box_bounds,
    .radius = box_radius,
    .mass = box_mass,
    .contains = box_contains,
    .cast_ray = box_cast_ray,
};

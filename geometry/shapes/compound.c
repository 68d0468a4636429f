/* Compounds: size holds the scale along the axes. */
#include "geometry/compound.h"

#include "core/inertia.h"
#include "geometry/kind.h"

static bool is_rotated(const dry_piece *piece)
{
    const dry_quat *q = &piece->pose.orientation;
    return q->x != 0.0f || q->y != 0.0f || q->z != 0.0f;
}

/* Another scale than that of a uniform size shears a child that is rotated. */
static bool compound_keeps_form(const dry_geometry *geometry, dry_vec3 scale)
{
    const bool uniform = dry_scale_is_uniform(scale);
    dry_geometry unscaled = *geometry;
    unscaled.size = vec3(1.0f, 1.0f, 1.0f);
    for (int i = 0; i < dry_compound_count(&unscaled); i++) {
        const dry_piece piece = dry_compound_piece(&unscaled, i);
        if ((!uniform && is_rotated(&piece)) ||
            !dry_child_kind(piece.geometry.type)->keeps_form(&piece.geometry, scale))
            return false;
    }
    return true;
}

static dry_extents compound_bounds(const dry_geometry *geometry, dry_quat q)
{
    dry_extents all = {vec3(FLT_MAX, FLT_MAX, FLT_MAX), vec3(-FLT_MAX, -FLT_MAX, -FLT_MAX)};
    for (int i = 0; i < dry_compound_count(geometry); i++) {
        dry_piece piece = dry_compound_piece(geometry, i);
        piece.pose.position = quat_rotate(q, piece.pose.position);
        piece.pose.orientation = quat_mul(q, piece.pose.orientation);
        const dry_extents bounds = dry_compound_piece_bounds(&piece);
        all.low = vec3_min(all.low, bounds.low);
        all.high = vec3_max(all.high, bounds.high);
    }
    return all;
}

static float compound_radius(const dry_geometry *geometry)
{
    float radius = 0.0f;
    for (int i = 0; i < dry_compound_count(geometry); i++) {
        const dry_piece piece = dry_compound_piece(geometry, i);
        radius = dry_max(radius, vec3_length(piece.pose.position) + piece.radius);
    }
    return radius * (1.0f + 4e-7f);
}

static dry_shape_mass mass_of(const dry_piece *piece)
{
    return dry_child_kind(piece->geometry.type)->mass(&piece->geometry);
}

/* Sums the children's volumes and moments, about the common center of mass and along its principal axes. */
static dry_shape_mass compound_mass(const dry_geometry *geometry)
{
    const int count = dry_compound_count(geometry);
    double volume = 0.0, center[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        const dry_piece piece = dry_compound_piece(geometry, i);
        const dry_shape_mass mass = mass_of(&piece);
        const dry_vec3 at = transform_point(&piece.pose, mass.frame.position);
        volume += mass.volume;
        center[0] += mass.volume * (double)at.x;
        center[1] += mass.volume * (double)at.y;
        center[2] += mass.volume * (double)at.z;
    }
    if (!(volume > 0.0))
        return (dry_shape_mass){.frame = transform_identity()};
    for (int k = 0; k < 3; k++)
        center[k] /= volume;
    dry_inertia inertia = {0};
    for (int i = 0; i < count; i++) {
        const dry_piece piece = dry_compound_piece(geometry, i);
        const dry_shape_mass mass = mass_of(&piece);
        const dry_transform frame = transform_mul(&piece.pose, &mass.frame);
        const double share = mass.volume / volume;
        const double moments[3] = {share * (double)mass.unit_inertia.x, share * (double)mass.unit_inertia.y,
                                   share * (double)mass.unit_inertia.z};
        const double r[3] = {(double)frame.position.x - center[0], (double)frame.position.y - center[1],
                             (double)frame.position.z - center[2]};
        dry_inertia_add_rotated(&inertia, frame.orientation, moments);
        dry_inertia_add_point_mass(&inertia, share, r);
    }
    double moments[3];
    const dry_quat axes = dry_inertia_principal_axes(&inertia, moments);
    return (dry_shape_mass){volume,
                            {vec3((float)center[0], (float)center[1], (float)center[2]), axes},
                            vec3((float)moments[0], (float)moments[1], (float)moments[2])};
}

void dry_compound_to_child(const dry_piece *piece, const double v[3], bool direction, double out[3])
{
    const dry_mat3 m = mat3_from_quat(piece->pose.orientation);
    const dry_vec3 *axis = &m.x, p = piece->pose.position;
    const double d[3] = {v[0] - (direction ? 0.0 : (double)p.x), v[1] - (direction ? 0.0 : (double)p.y),
                         v[2] - (direction ? 0.0 : (double)p.z)};
    for (int k = 0; k < 3; k++)
        out[k] = (double)axis[k].x * d[0] + (double)axis[k].y * d[1] + (double)axis[k].z * d[2];
}

int dry_compound_child_at(const dry_geometry *geometry, const double o[3])
{
    for (int i = 0; i < dry_compound_count(geometry); i++) {
        const dry_piece piece = dry_compound_piece(geometry, i);
        double at[3];
        dry_compound_to_child(&piece, o, false, at);
        if (dry_child_kind(piece.geometry.type)->contains(&piece.geometry, at))
            return i;
    }
    return -1;
}

static bool compound_contains(const dry_geometry *geometry, const double o[3])
{
    return dry_compound_child_at(geometry, o) >= 0;
}

bool dry_compound_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit,
                           int *child)
{
    bool met = false;
    for (int i = 0; i < dry_compound_count(geometry); i++) {
        const dry_piece piece = dry_compound_piece(geometry, i);
        dry_local_ray seen = {.length = ray->length};
        dry_local_hit found;
        dry_compound_to_child(&piece, ray->o, false, seen.o);
        dry_compound_to_child(&piece, ray->d, true, seen.d);
        if (!dry_child_kind(piece.geometry.type)->cast_ray(&piece.geometry, &seen, &found) ||
            (met && found.distance >= hit->distance))
            continue;
        *hit = (dry_local_hit){found.distance, quat_rotate(piece.pose.orientation, found.normal)};
        *child = i;
        met = true;
    }
    return met;
}

static bool compound_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit)
{
    int child;
    return dry_compound_cast_ray(geometry, ray, hit, &child);
}

const dry_shape_kind dry_shape_kind_compound = {
    .def_error = dry_scaled_def_error,
    .size_of = dry_scaled_size_of,
    .write_def = dry_scaled_write_def,
    .keeps_form = compound_keeps_form,
    .scaled = dry_scaled_by,
    .bounds = compound_bounds,
    .radius = compound_radius,
    .mass = compound_mass,
    .contains = compound_contains,
    .cast_ray = compound_cast_ray,
};

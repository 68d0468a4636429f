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
static bool compound_scale(const dry_geometry *geometry, dry_vec3 scale, dry_vec3 *size)
{
    *size = vec3_mul(geometry->size, scale);
    const bool uniform = dry_scale_is_uniform(scale);
    dry_geometry unscaled = *geometry;
    unscaled.size = vec3(1.0f, 1.0f, 1.0f);
    for (int i = 0; i < dry_compound_of(&unscaled)->count; i++) {
        const dry_piece piece = dry_compound_piece(&unscaled, i);
        dry_vec3 child_size;
        if ((!uniform && is_rotated(&piece)) ||
            !dry_child_kind(piece.geometry.type)->scale(&piece.geometry, scale, &child_size))
            return false;
    }
    return true;
}

static dry_extents compound_bounds(const dry_geometry *geometry, dry_quat q)
{
    dry_extents all = {vec3(FLT_MAX, FLT_MAX, FLT_MAX), vec3(-FLT_MAX, -FLT_MAX, -FLT_MAX)};
    for (int i = 0; i < dry_compound_of(geometry)->count; i++) {
        dry_piece piece = dry_compound_piece(geometry, i);
        piece.pose.position = quat_rotate(q, piece.pose.position);
        piece.pose.orientation = quat_mul(q, piece.pose.orientation);
        const dry_extents bounds = dry_kind_bounds_at(dry_child_kind(piece.geometry.type), &piece);
        all.low = vec3_min(all.low, bounds.low);
        all.high = vec3_max(all.high, bounds.high);
    }
    return all;
}

static float compound_radius(const dry_geometry *geometry)
{
    float radius = 0.0f;
    for (int i = 0; i < dry_compound_of(geometry)->count; i++) {
        const dry_piece piece = dry_compound_piece(geometry, i);
        radius = dry_max(radius, vec3_length(piece.pose.position) + piece.radius);
    }
    return radius * DRY_ROUNDED_OUT;
}

static dry_shape_mass mass_of(const dry_piece *piece)
{
    return dry_child_kind(piece->geometry.type)->mass(&piece->geometry);
}

/* Sums the children's volumes and moments, about the common center of mass and along its principal axes. */
static dry_shape_mass compound_mass(const dry_geometry *geometry)
{
    const int count = dry_compound_of(geometry)->count;
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

/* Returns a direction of the compound's frame as seen from that of a child. */
static dry_double3 turn_to_child(const dry_piece *piece, dry_double3 direction)
{
    const dry_mat3 m = mat3_from_quat(piece->pose.orientation);
    return mat3_mul_transposed_double(&m, direction);
}

/* Returns a point of the compound's frame as seen from that of a child. */
static dry_double3 to_child(const dry_piece *piece, dry_double3 point)
{
    return turn_to_child(piece, double3_sub(point, double3_of(piece->pose.position)));
}

/* A search for the child that holds a point. */
typedef struct point_search {
    const dry_geometry *compound;
    dry_double3 point;
    int child; /* -1: none so far */
} point_search;

static void try_child(void *context, int child)
{
    point_search *search = context;
    if (search->child >= 0)
        return;
    const dry_piece piece = dry_compound_piece(search->compound, child);
    if (dry_child_kind(piece.geometry.type)->contains(&piece.geometry, to_child(&piece, search->point)))
        search->child = child;
}

/* Returns a box that holds two points, rounded outward. */
static dry_extents box_of(dry_double3 a, dry_double3 b)
{
    const dry_vec3 pad = vec3_scale(
        vec3((float)(fabs(a.x) + fabs(b.x)), (float)(fabs(a.y) + fabs(b.y)), (float)(fabs(a.z) + fabs(b.z))),
        DRY_ROTATION_ERROR);
    return (dry_extents){vec3_sub(vec3_min(vec3_of(a), vec3_of(b)), pad),
                         vec3_add(vec3_max(vec3_of(a), vec3_of(b)), pad)};
}

int dry_compound_child_at(const dry_geometry *geometry, dry_double3 o)
{
    point_search search = {geometry, o, -1};
    const dry_extents box = box_of(o, o);
    dry_compound_query(geometry, &box, try_child, &search);
    return search.child;
}

static bool compound_contains(const dry_geometry *geometry, dry_double3 o)
{
    return dry_compound_child_at(geometry, o) >= 0;
}

/* A search for the child that a ray enters first. */
typedef struct ray_search {
    const dry_geometry *compound;
    const dry_local_ray *ray;
    bool met;
    dry_local_hit *hit;
    int *child;
} ray_search;

static void cast_at_child(void *context, int child)
{
    ray_search *search = context;
    const dry_piece piece = dry_compound_piece(search->compound, child);
    const dry_local_ray *ray = search->ray;
    const dry_local_ray seen = {to_child(&piece, ray->o), turn_to_child(&piece, ray->d), ray->length};
    dry_local_hit found;
    if (!dry_child_kind(piece.geometry.type)->cast_ray(&piece.geometry, &seen, &found) ||
        (search->met && found.distance >= search->hit->distance))
        return;
    *search->hit = (dry_local_hit){found.distance, quat_rotate(piece.pose.orientation, found.normal)};
    *search->child = child;
    search->met = true;
}

bool dry_compound_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit,
                           int *child)
{
    ray_search search = {geometry, ray, false, hit, child};
    const dry_extents box = box_of(ray->o, double3_add_scaled(ray->o, ray->length, ray->d));
    dry_compound_query(geometry, &box, cast_at_child, &search);
    return search.met;
}

static bool compound_cast_ray(const dry_geometry *geometry, const dry_local_ray *ray, dry_local_hit *hit)
{
    int child;
    return dry_compound_cast_ray(geometry, ray, hit, &child);
}

const dry_shape_kind dry_shape_kind_compound = {
    .size_of = dry_scaled_size_of,
    .write_def = dry_scaled_write_def,
    .scale = compound_scale,
    .bounds = compound_bounds,
    .radius = compound_radius,
    .mass = compound_mass,
    .contains = compound_contains,
    .cast_ray = compound_cast_ray,
};

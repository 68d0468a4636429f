/* Rays that meet one shape. A compound with triangles passes the ray on to its children. Reads shapes and
 * poses; changes nothing. Next: query_rays.c. */
#include "api/ray_meets.h"

#include "geometry/compound.h"
#include "world/bounds.h"

static dry_quat orientation_of(const dry_world *world, int shape)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    return quat_mul(dry_body_pose_of(&world->bodies, form->body)->orientation, form->pose.orientation);
}

static dry_seen_ray see(const dry_target *target, const dry_ray *ray)
{
    static const int sides_of[DRY_SIDES_COUNT] = {[DRY_SIDES_FRONT] = DRY_MESH_FRONTS,
                                                  [DRY_SIDES_BACK] = DRY_MESH_BACKS,
                                                  [DRY_SIDES_BOTH] = DRY_MESH_FRONTS | DRY_MESH_BACKS};
    const dry_double3 from = double3_neg(target->pose.position), way = double3_of(ray->translation);
    dry_double3 axis[3];
    double3_axes(target->pose.orientation, axis);
    dry_seen_ray seen = {target->geometry, double3_along_axes(axis, from), double3_along_axes(axis, way),
                         sides_of[target->sides]};
    if (target->sides == DRY_SIDES_OF_SHAPE)
        seen.sides = sides_of[dry_triangles_have_backs(&seen.geometry) ? DRY_SIDES_BOTH : DRY_SIDES_FRONT];
    return seen;
}

dry_seen_ray dry_ray_see(const dry_world *world, const dry_ray *ray, const dry_asked *asked, int shape)
{
    const dry_target target = dry_target_of(world, shape, ray->origin, asked->sides);
    return see(&target, ray);
}

bool dry_ray_starts_inside(const dry_world *world, const dry_ray *ray, int shape, const dry_seen_ray *seen,
                           dry_ray_place *place)
{
    if (!dry_triangles_contain(&seen->geometry, seen->origin))
        return false;
    const dry_double3 back = double3_neg(double3_of(ray->translation));
    *place = (dry_ray_place){0.0f, vec3_normalize_or(vec3_of(back), vec3(0.0f, 1.0f, 0.0f)),
                             dry_query_whole(world, shape, 0)};
    return true;
}

/* Returns the place of a hit; the normal is that of the triangle, turned by `orientation`. */
static dry_ray_place turned_place(const dry_world *world, int shape, const dry_geometry *geometry,
                                  const dry_mesh_hit *hit, dry_quat orientation)
{
    const double *w = hit->barycentric;
    dry_ray_place place = {(float)hit->fraction,
                           quat_rotate(orientation, dry_triangles_normal(geometry, hit)),
                           dry_query_whole(world, shape, dry_triangles_material(geometry, hit->slot))};
    place.part.triangle = (int)hit->triangle;
    place.part.barycentric = vec3((float)w[0], (float)w[1], (float)w[2]);
    place.part.back = hit->back;
    return place;
}

dry_ray_place dry_ray_place_on(const dry_world *world, int shape, const dry_geometry *geometry,
                               const dry_mesh_hit *hit)
{
    return turned_place(world, shape, geometry, hit, orientation_of(world, shape));
}

/* A ray on its way through the children of a compound. */
typedef struct ray_passage {
    const dry_world *world;
    const dry_ray *ray;
    int shape;
    const dry_target *target; /* the compound, as seen from the origin of the ray */
    bool met;
    dry_ray_place *place;
} ray_passage;

/* Finds where a ray meets a child of triangles. */
static bool meets_surface(const ray_passage *p, const dry_target *child, dry_quat orientation,
                          dry_ray_place *place)
{
    const dry_seen_ray seen = see(child, p->ray);
    if (dry_ray_starts_inside(p->world, p->ray, p->shape, &seen, place))
        return true;
    const dry_mesh_ray ray = dry_ray_unscaled(&seen);
    dry_mesh_hit hit;
    if (!dry_triangles_cast_ray(&seen.geometry, &ray, &hit))
        return false;
    *place = turned_place(p->world, p->shape, &seen.geometry, &hit, orientation);
    return true;
}

/* Finds where a ray meets a convex child. */
static bool meets_convex(const ray_passage *p, const dry_target *child, dry_quat orientation,
                         dry_ray_place *place)
{
    const dry_vec3 origin = vec3_of(dry_placed_point_inverse(&child->pose, double3(0.0, 0.0, 0.0)));
    const dry_vec3 way = vec3_of(dry_placed_vector_inverse(&child->pose, double3_of(p->ray->translation)));
    int none;
    if (!dry_geometry_cast_ray(&child->geometry, origin, way, &place->fraction, &place->normal, &none))
        return false;
    place->part = dry_query_whole(p->world, p->shape, 0);
    place->normal = quat_rotate(orientation, place->normal);
    return true;
}

/* Keeps the first place; of equal ones that of the lowest child. */
static void pass_to_child(void *context, int child)
{
    ray_passage *p = context;
    const dry_piece piece = dry_compound_piece(&p->target->geometry, child);
    const dry_target target = {piece.geometry, dry_placed_pose_mul(&p->target->pose, &piece.pose),
                               p->target->sides, child + 1};
    const dry_quat orientation = quat_mul(orientation_of(p->world, p->shape), piece.pose.orientation);
    dry_ray_place place;
    const bool met = dry_type_has_triangles(piece.geometry.type)
                         ? meets_surface(p, &target, orientation, &place)
                         : meets_convex(p, &target, orientation, &place);
    if (!met || (p->met && place.fraction >= p->place->fraction))
        return;
    place.part.child = child;
    *p->place = place;
    p->met = true;
}

static bool meets_children(ray_passage *p)
{
    const dry_double3 from = dry_placed_point_inverse(&p->target->pose, double3(0.0, 0.0, 0.0));
    const dry_double3 way = dry_placed_vector_inverse(&p->target->pose, double3_of(p->ray->translation));
    const dry_vec3 a = vec3_of(from), b = vec3_of(double3_add(from, way));
    const dry_vec3 pad = vec3_scale(vec3_add(vec3_abs(a), vec3_abs(b)), DRY_ROTATION_ERROR);
    const dry_extents box = {vec3_sub(vec3_min(a, b), pad), vec3_add(vec3_max(a, b), pad)};
    dry_compound_query(&p->target->geometry, &box, pass_to_child, p);
    return p->met;
}

/* Finds where a ray meets a shape that has no triangles. */
static bool meets_solid(const dry_world *world, const dry_ray *ray, int shape, const dry_geometry *geometry,
                        dry_ray_place *place)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_quat orientation = orientation_of(world, shape);
    const dry_vec3 origin = dry_shape_point_in(&world->bodies, form, orientation, ray->origin),
                   translation = quat_rotate_inverse(orientation, ray->translation);
    int child;
    if (!dry_geometry_cast_ray(geometry, origin, translation, &place->fraction, &place->normal, &child))
        return false;
    place->part = dry_query_whole(world, shape, 0);
    place->part.child = child;
    place->normal = quat_rotate(orientation, place->normal);
    return true;
}

bool dry_ray_meets(const dry_world *world, const dry_ray *ray, const dry_asked *asked, int shape,
                   dry_ray_place *place)
{
    if (!dry_asks(world, asked, shape))
        return false;
    const dry_geometry geometry = dry_shapes_geometry(&world->shapes, shape);
    if (!dry_geometry_has_triangles(&geometry))
        return meets_solid(world, ray, shape, &geometry, place);
    const dry_target target = dry_target_of(world, shape, ray->origin, asked->sides);
    ray_passage p = {world, ray, shape, &target, false, place};
    return geometry.type == DRY_SHAPE_COMPOUND
               ? meets_children(&p)
               : meets_surface(&p, &target, orientation_of(world, shape), place);
}

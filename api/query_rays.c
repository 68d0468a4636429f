/* Where a ray meets a shape. A compound with triangles passes the ray on to its children. Reads shapes and
 * poses; changes nothing. Next: query.h. */
#include "api/query.h"
#include "geometry/compound.h"
#include "geometry/triangles.h"
#include "world/bounds.h"

dry_pose dry_query_pose(const dry_world *world, int shape)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    const dry_body_pose *body = dry_body_pose_of(&world->bodies, form->body);
    return (dry_pose){position_add(body->position, quat_rotate(body->orientation, form->pose.position)),
                      quat_mul(body->orientation, form->pose.orientation)};
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

/* Finds where a ray meets triangles in double: mesh queries lose no digits of vertices far from their origin.
 */
static bool meets_triangles(const ray_passage *p, const dry_target *target, dry_ray_place *place)
{
    static const int sides_of[DRY_SIDES_COUNT] = {[DRY_SIDES_FRONT] = DRY_MESH_FRONTS,
                                                  [DRY_SIDES_BACK] = DRY_MESH_BACKS,
                                                  [DRY_SIDES_BOTH] = DRY_MESH_FRONTS | DRY_MESH_BACKS};
    const dry_triple from = dry_placed_point_inverse(&target->pose, triple(0.0, 0.0, 0.0));
    const dry_triple way = dry_placed_vector_inverse(&target->pose, triple_of(p->ray->translation));
    const double origin[3] = {from.x, from.y, from.z}, translation[3] = {way.x, way.y, way.z};
    if (dry_geometry_contains(&target->geometry, origin)) {
        *place =
            (dry_ray_place){0.0f, vec3_normalize_or(triple_round(triple_neg(way)), vec3(0.0f, 1.0f, 0.0f)),
                            dry_query_whole(p->world, p->shape, 0)};
        return true;
    }
    int sides = sides_of[target->sides];
    if (target->sides == DRY_SIDES_OF_SHAPE)
        sides = sides_of[dry_triangles_have_backs(&target->geometry) ? DRY_SIDES_BOTH : DRY_SIDES_FRONT];
    dry_mesh_hit hit;
    if (!dry_triangles_cast_ray(&target->geometry, origin, translation, sides, &hit, &place->normal))
        return false;
    place->fraction = (float)hit.fraction;
    const int material = dry_triangles_material(&target->geometry, hit.slot);
    place->part = dry_query_whole(p->world, p->shape, material);
    place->part.triangle = (int)hit.triangle;
    place->part.barycentric =
        vec3((float)hit.barycentric[0], (float)hit.barycentric[1], (float)hit.barycentric[2]);
    place->part.back = hit.back;
    return true;
}

/* Finds where a ray meets a convex child. */
static bool meets_convex(const ray_passage *p, const dry_target *target, dry_ray_place *place)
{
    const dry_vec3 origin = triple_round(dry_placed_point_inverse(&target->pose, triple(0.0, 0.0, 0.0)));
    const dry_vec3 way =
        triple_round(dry_placed_vector_inverse(&target->pose, triple_of(p->ray->translation)));
    place->part = dry_query_whole(p->world, p->shape, 0);
    return dry_geometry_cast_ray(&target->geometry, origin, way, &place->fraction, &place->normal);
}

/* Keeps the first place; of equal ones that of the lowest child. */
static void pass_to_child(void *context, int child)
{
    ray_passage *p = context;
    const dry_piece piece = dry_compound_piece(&p->target->geometry, child);
    const dry_target target = {piece.geometry, dry_placed_pose_mul(&p->target->pose, &piece.pose),
                               p->target->sides};
    dry_ray_place place;
    const bool met = dry_type_has_triangles(piece.geometry.type) ? meets_triangles(p, &target, &place)
                                                                 : meets_convex(p, &target, &place);
    if (!met || (p->met && place.fraction >= p->place->fraction))
        return;
    place.normal = quat_rotate(piece.pose.orientation, place.normal);
    place.part.child = child;
    *p->place = place;
    p->met = true;
}

static bool meets_children(ray_passage *p)
{
    const dry_triple from = dry_placed_point_inverse(&p->target->pose, triple(0.0, 0.0, 0.0));
    const dry_triple way = dry_placed_vector_inverse(&p->target->pose, triple_of(p->ray->translation));
    const dry_vec3 a = triple_round(from), b = triple_round(triple_add_scaled(from, 1.0, way));
    const dry_vec3 pad = vec3_scale(vec3_add(vec3_abs(a), vec3_abs(b)), DRY_ROTATION_ERROR);
    const dry_extents box = {vec3_sub(vec3_min(a, b), pad), vec3_add(vec3_max(a, b), pad)};
    dry_compound_query(&p->target->geometry, &box, pass_to_child, p);
    return p->met;
}

bool dry_ray_meets(const dry_world *world, const dry_ray *ray, const dry_asked *asked, int shape,
                   dry_ray_place *place)
{
    const dry_shape_form *form = &world->shapes.form[shape];
    if (!dry_asks(world, asked, shape))
        return false;
    const dry_pose pose = dry_query_pose(world, shape);
    const dry_geometry geometry = dry_shapes_geometry(&world->shapes, shape);
    if (dry_geometry_has_triangles(&geometry)) {
        const dry_target target = dry_target_of(world, shape, ray->origin, asked->sides);
        ray_passage p = {world, ray, shape, &target, false, place};
        if (!(geometry.type == DRY_SHAPE_COMPOUND ? meets_children(&p) : meets_triangles(&p, &target, place)))
            return false;
        place->normal = quat_rotate(pose.orientation, place->normal);
        return true;
    }
    dry_vec3 origin, translation = quat_rotate_inverse(pose.orientation, ray->translation);
    if (form->geometry.type == DRY_SHAPE_HALFSPACE) {
        /* Only the height counts. Double precision carries it as far as the world reaches. */
        double height = dry_halfspace_height(&world->bodies, form, ray->origin);
        origin = vec3(0.0f, (float)height, 0.0f);
    } else {
        origin = quat_rotate_inverse(pose.orientation, position_sub(ray->origin, pose.position));
    }
    place->part = dry_query_whole(world, shape, 0);
    if (!dry_geometry_cast_ray_at_child(&geometry, origin, translation, &place->fraction, &place->normal,
                                        &place->part.child))
        return false;
    place->normal = quat_rotate(pose.orientation, place->normal);
    return true;
}

/* Normals of the surfaces beside one: of other shapes, and other bodies that move alike. The broadphase tells
 * which are near a point, so that a body on many shapes asks few for each. Those are surfaces that the moving
 * shape may touch: it has a contact with them.
 *
 * Reads: fat bounds, pairs, poses, shapes. Writes nothing. Next: patches/patches.c and solid_faces.c, which
 * ask. */
#include "narrowphase/surface/neighbors.h"

#include "geometry/compound.h"
#include "geometry/hull.h"
#include "geometry/shape_data.h"
#include "geometry/triangle.h"
#include "geometry/triangles.h"
#include "narrowphase/piece.h"
#include "narrowphase/surface/same_surface.h"

/* How far the ground behind triangles reaches at least, m: nothing is deeper in a floor. */
#define GROUND 0.05f

/* Tells whether a box allows a normal: no part of the normal leads into the box. It may lead out of the sides
 * at the point. */
static bool box_admits(const dry_geometry *box, const dry_question *q)
{
    float square = 0.0f;
    for (int k = 0; k < 3; k++) {
        const double at = double3_get(q->point, k), half = (double)vec3_get(box->size, k),
                     same = (double)q->distance;
        const float along = vec3_get(q->normal, k);
        if (fabs(at) > half + same)
            return true;
        const bool leads_out = along > 0.0f ? at >= half - same : at <= same - half;
        square += leads_out ? 0.0f : along * along;
    }
    return square <= q->slope * q->slope;
}

/* Finds the triangle nearest to the point of a question within a distance, its normal (0 if it has no area),
 * and the way from it to the point. */
static bool find_nearest(const dry_geometry *surface, const dry_question *q, float distance, dry_vec3 *front,
                         dry_vec3 *away)
{
    dry_double3 corner[3], at;
    uint32_t slot;
    if (!dry_triangles_nearest(surface, q->point, (double)distance, &slot))
        return false;
    dry_triangles_corners(surface, slot, corner);
    dry_triangle_nearest(corner, q->point, &at);
    *away = vec3_of(double3_sub(q->point, at));
    *front = vec3_normalize_or(
        vec3_cross(vec3_of(double3_sub(corner[1], corner[0])), vec3_of(double3_sub(corner[2], corner[0]))),
        vec3(0.0f, 0.0f, 0.0f));
    return true;
}

/* Tells whether a point lies behind triangles, as in their ground: where they have only fronts, there is no
 * surface. */
static bool is_behind(const dry_geometry *surface, const dry_question *q)
{
    dry_vec3 front, away;
    if (dry_triangles_have_backs(surface) || !find_nearest(surface, q, GROUND + q->distance, &front, &away))
        return false;
    const float height = vec3_dot(front, away);
    const float beside = vec3_length(vec3_add_scaled(away, -height, front));
    return height < -q->distance && height > -GROUND && beside <= q->distance;
}

bool dry_surface_admits(const dry_geometry *surface, const dry_question *q)
{
    const dry_double3 normal = double3_of(q->normal);
    const double distance = (double)q->distance, slope = (double)q->slope;
    if (dry_type_has_triangles(surface->type))
        return dry_triangles_admit(surface, q->point, normal, distance, slope) && !is_behind(surface, q);
    switch (surface->type) {
    case DRY_SHAPE_BOX:
        return box_admits(surface, q);
    case DRY_SHAPE_HULL:
        return dry_hull_admits(surface->data->form, surface->size, q->point, normal, distance, slope);
    case DRY_SHAPE_HALFSPACE:
        if (fabs(q->point.y) > (double)q->distance)
            return q->point.y > 0.0;
        return q->normal.y > 0.0f &&
               q->normal.x * q->normal.x + q->normal.z * q->normal.z <= q->slope * q->slope;
    default:
        return true;
    }
}

/* Tells whether a surface rises as high as the plane of a question, and no higher: of triangles the nearest.
 */
static bool is_level(const dry_geometry *surface, const dry_question *q)
{
    dry_vec3 front, away;
    if (dry_type_has_triangles(surface->type))
        return find_nearest(surface, q, q->reach, &front, &away) &&
               vec3_dot(front, q->normal) >= SAME_PLANE && dry_abs(vec3_dot(front, away)) <= q->distance;
    const dry_quat turned = quat_conjugate(dry_halfspace_frame(q->normal, 0.0f).orientation);
    const double height = double3_dot(q->point, double3_of(q->normal));
    return fabs((double)dry_geometry_bounds(surface, turned).high.y - height) <= (double)q->distance;
}

static bool refuses(const dry_geometry *surface, const dry_question *q)
{
    return !dry_surface_admits(surface, q);
}

/* A question to all surfaces that the moving shape may touch at a place, until one says yes. */
typedef struct inquiry {
    bool (*asks)(const dry_geometry *surface, const dry_question *q);
    const dry_neighbors *neighbors;
    dry_vec3 place;     /* from the moving body's center, world axes, m */
    dry_vec3 normal;    /* world axes */
    dry_question asked; /* point and normal are those in the frame of the surface asked last */
    int shape;          /* a compound, whose children are asked */
    bool is_so;
} inquiry;

/* Sees a question in the frame of a piece of a body. */
static void see_from(inquiry *of, int body, const dry_transform *piece)
{
    const dry_bodies *bodies = of->neighbors->update->bodies;
    const dry_body_pose *pose = dry_body_pose_of(bodies, body),
                        *moving = dry_body_pose_of(bodies, of->neighbors->moving);
    const dry_vec3 from = quat_rotate(pose->orientation, piece->position), place = of->place;
    const dry_double3 way = {moving->position.x - pose->position.x + (double)(place.x - from.x),
                             moving->position.y - pose->position.y + (double)(place.y - from.y),
                             moving->position.z - pose->position.z + (double)(place.z - from.z)};
    const dry_mat3 r = mat3_from_quat(quat_mul(pose->orientation, piece->orientation));
    of->asked.point = mat3_mul_transposed_double(&r, way);
    of->asked.normal = mat3_mul_transposed(&r, of->normal);
}

static void ask_child(void *context, int child)
{
    inquiry *of = context;
    const dry_shapes *shapes = of->neighbors->update->shapes;
    const dry_piece whole = dry_piece_of(shapes, of->shape);
    if (of->is_so || (of->shape == of->neighbors->own && child == of->neighbors->child))
        return;
    dry_piece piece = dry_compound_piece(&whole.geometry, child);
    piece.pose = transform_mul(&whole.pose, &piece.pose);
    see_from(of, shapes->form[of->shape].body, &piece.pose);
    of->is_so = of->asks(&piece.geometry, &of->asked);
}

/* Asks the children of a compound that are near. The compound is the piece from which the question is seen.
 */
static void ask_children(inquiry *of, const dry_geometry *compound)
{
    const dry_vec3 at = vec3_of(of->asked.point);
    const float reach = of->asked.reach;
    const dry_vec3 room =
        vec3_add(vec3(reach, reach, reach), vec3_scale(vec3_abs(at), DRY_ROTATION_ERROR)); /* at is rounded */
    const dry_extents box = {vec3_sub(at, room), vec3_add(at, room)};
    dry_compound_query(compound, &box, ask_child, of);
}

/* Tells whether a shape is another surface that the moving shape may touch, of a body that moves like the
 * fixed one. */
static bool is_neighbor(const inquiry *of, int shape)
{
    const dry_neighbors *n = of->neighbors;
    const dry_contact_update *u = n->update;
    const dry_shape_form *form = &u->shapes->form[shape];
    if (dry_body_state_of(u->bodies, form->body)->type == DRY_BODY_DYNAMIC)
        return false;
    if (shape == n->own)
        return form->geometry.type == DRY_SHAPE_COMPOUND;
    const dry_position *center = &dry_body_pose_of(u->bodies, n->moving)->position;
    return dry_move_alike(u->bodies, n->fixed, form->body, center, of->place, u->settings->dt) &&
           dry_pair_map_find(&u->contacts->pairs, dry_pair_key_of((uint32_t)shape, (uint32_t)n->shape)) >= 0;
}

static void ask_shape(void *context, uint32_t user)
{
    inquiry *of = context;
    const int shape = (int)user;
    if (of->is_so || !is_neighbor(of, shape))
        return;
    const dry_shapes *shapes = of->neighbors->update->shapes;
    const dry_piece piece = dry_piece_of(shapes, shape);
    see_from(of, shapes->form[shape].body, &piece.pose);
    of->shape = shape;
    if (piece.geometry.type == DRY_SHAPE_COMPOUND)
        ask_children(of, &piece.geometry);
    else
        of->is_so = of->asks(&piece.geometry, &of->asked);
}

/* Asks all surfaces near a point in the pair's frame. Returns whether one said yes. */
static bool ask(inquiry *of, dry_vec3 point, dry_vec3 normal)
{
    const dry_neighbors *n = of->neighbors;
    const dry_contact_update *u = n->update;
    of->place = vec3_add(n->origin, quat_rotate(n->axes, point));
    of->normal = quat_rotate(n->axes, normal);
    const dry_position at = position_add(dry_body_pose_of(u->bodies, n->moving)->position, of->place);
    const float room = of->asked.reach;
    const dry_bounds box = {position_add(at, vec3(-room, -room, -room)),
                            position_add(at, vec3(room, room, room))};
    dry_broadphase_query(u->broadphase, &box, ask_shape, of);
    return of->is_so;
}

bool dry_neighbors_admit(const void *context, dry_vec3 point, dry_vec3 normal, float distance, float slope)
{
    inquiry of = {.asks = refuses,
                  .neighbors = context,
                  .asked = {.distance = distance, .slope = slope, .reach = GROUND + distance}};
    return !ask(&of, point, normal);
}

bool dry_neighbors_level(const void *context, dry_vec3 point, dry_vec3 normal, float reach, float distance)
{
    inquiry of = {.asks = is_level, .neighbors = context, .asked = {.distance = distance, .reach = reach}};
    return ask(&of, point, normal);
}

/* Normals of the surfaces beside one: of other shapes, and other bodies that move alike. A body's contacts
 * tell which there are: its fat bounds meet theirs.
 *
 * Reads: contacts, poses, shapes. Writes nothing. Next: patches/patches.c and solid_faces.c, which ask. */
#include "narrowphase/surface/neighbors.h"

#include "geometry/compound.h"
#include "geometry/hull.h"
#include "geometry/shape_data.h"
#include "geometry/triangle.h"
#include "geometry/triangles.h"
#include "narrowphase/piece.h"
#include "narrowphase/surface/move_alike.h"
#include "state/iterators.h"

/* How far the ground behind triangles reaches at least, m: nothing is deeper in a floor. */
#define GROUND 0.05f

/* A question about a normal, in the frame of one neighbor. */
typedef struct question {
    double point[3];
    dry_vec3 normal;
    float distance, slope;
} question;

/* Tells whether a part of a solid at a place rises above the plane of a question. */
static bool rises(const question *q, dry_vec3 vertex)
{
    const dry_vec3 away =
        vec3((float)((double)vertex.x - q->point[0]), (float)((double)vertex.y - q->point[1]),
             (float)((double)vertex.z - q->point[2]));
    return vec3_dot(away, q->normal) > q->distance + q->slope * vec3_length(away);
}

static bool box_admits(const dry_geometry *box, const question *q)
{
    for (int k = 0; k < 3; k++)
        if (fabs(q->point[k]) > (double)(vec3_get(box->size, k) + q->distance))
            return true;
    for (int i = 0; i < 8; i++) {
        const dry_vec3 side = vec3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
        if (rises(q, vec3_mul(side, box->size)))
            return false;
    }
    return true;
}

static bool hull_admits(const dry_geometry *geometry, const question *q)
{
    const dry_hull *hull = geometry->data->form;
    if (dry_hull_distance_outside(hull, geometry->size, q->point) > (double)q->distance)
        return true;
    for (int i = 0; i < hull->vertex_count; i++)
        if (rises(q, vec3_mul(geometry->size, dry_hull_vertex(hull, i))))
            return false;
    return true;
}

/* Tells whether a point lies behind triangles, as in their ground: where they have only fronts, there is no
 * surface. */
static bool is_behind(const dry_geometry *surface, const question *q)
{
    double corner[3][3], at[3];
    if (dry_triangles_have_backs(surface))
        return false;
    dry_triangles_corners(surface, dry_triangles_nearest(surface, q->point), corner);
    dry_triangle_nearest(corner, q->point, at);
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    const dry_vec3 u = vec3((float)(b[0] - a[0]), (float)(b[1] - a[1]), (float)(b[2] - a[2])),
                   v = vec3((float)(c[0] - a[0]), (float)(c[1] - a[1]), (float)(c[2] - a[2])),
                   away = vec3((float)(q->point[0] - at[0]), (float)(q->point[1] - at[1]),
                               (float)(q->point[2] - at[2]));
    const dry_vec3 front = vec3_normalize_or(vec3_cross(u, v), vec3(0.0f, 0.0f, 0.0f));
    const float height = vec3_dot(front, away);
    const float beside = vec3_length(vec3_add_scaled(away, -height, front));
    return height < -q->distance && height > -GROUND && beside <= q->distance;
}

static bool admits(const dry_geometry *solid, const question *q)
{
    if (dry_type_has_triangles(solid->type)) {
        const double normal[3] = {(double)q->normal.x, (double)q->normal.y, (double)q->normal.z};
        return dry_triangles_admit(solid, q->point, normal, (double)q->distance, (double)q->slope) &&
               !is_behind(solid, q);
    }
    switch (solid->type) {
    case DRY_SHAPE_BOX:
        return box_admits(solid, q);
    case DRY_SHAPE_HULL:
        return hull_admits(solid, q);
    case DRY_SHAPE_HALFSPACE:
        if (fabs(q->point[1]) > (double)q->distance)
            return q->point[1] > 0.0;
        return q->normal.y > 0.0f &&
               q->normal.x * q->normal.x + q->normal.z * q->normal.z <= q->slope * q->slope;
    default:
        return true;
    }
}

/* A question to the children of a compound. */
typedef struct child_search {
    const dry_geometry *compound;
    const question *question;
    int but; /* a child that is not asked; -1: none */
    bool admits;
} child_search;

static void ask_child(void *context, int child)
{
    child_search *search = context;
    if (!search->admits || child == search->but)
        return;
    const dry_piece piece = dry_compound_piece(search->compound, child);
    question q = *search->question;
    dry_compound_to_child(&piece, search->question->point, false, q.point);
    q.normal = quat_rotate_inverse(piece.pose.orientation, q.normal);
    search->admits = admits(&piece.geometry, &q);
}

/* Asks the children of a compound but one. */
static bool children_admit(const dry_geometry *compound, const question *q, int but)
{
    const float reach = dry_max(GROUND, q->distance);
    const dry_vec3 at = vec3((float)q->point[0], (float)q->point[1], (float)q->point[2]),
                   room = vec3_add(vec3(reach, reach, reach), vec3_scale(vec3_abs(at), DRY_ROTATION_ERROR));
    const dry_extents box = {vec3_sub(at, room), vec3_add(at, room)};
    child_search search = {compound, q, but, true};
    dry_compound_query(compound, &box, ask_child, &search);
    return search.admits;
}

/* Returns the side of a contact at which another surface is; -1 if the contact is not with one, but with a
 * dynamic body, with the surface itself, of another shape, or a child or a parent that others stand for. */
static int side_of_neighbor(const dry_neighbors *n, const dry_contact_iterator *it)
{
    const dry_contact_update *u = n->update;
    const dry_contacts *contacts = u->contacts;
    const dry_manifold *m = &contacts->manifold[it->contact];
    const int side = !it->side;
    const bool is_child = dry_contact_is_child(&contacts->link[it->contact]);
    if ((it->contact == n->contact && n->child < 0) || (side ? m->shape_a : m->shape_b) != n->shape ||
        dry_body_state_of(u->bodies, it->other)->type == DRY_BODY_DYNAMIC)
        return -1;
    const dry_geometry shape = dry_shapes_geometry(u->shapes, side ? m->shape_b : m->shape_a);
    if (dry_geometry_has_triangles(&shape))
        return is_child ? -1 : side;
    return is_child || shape.type != DRY_SHAPE_COMPOUND ? side : -1;
}

/* Tells whether a box or a hull is too far from a place to have it, by a ball about its body's center. A body
 * that lies on many shapes asks each about all others: this is all that most of them cost. */
static bool is_far(const dry_neighbors *n, const dry_contact_iterator *it, int side, dry_vec3 place,
                   float distance)
{
    const dry_contact_update *u = n->update;
    const dry_manifold *m = &u->contacts->manifold[it->contact];
    const dry_shape_form *form = &u->shapes->form[side ? m->shape_b : m->shape_a];
    if (form->geometry.type != DRY_SHAPE_BOX && form->geometry.type != DRY_SHAPE_HULL)
        return false;
    const dry_position *at = &dry_body_pose_of(u->bodies, it->other)->position,
                       *center = &dry_body_pose_of(u->bodies, n->moving)->position;
    const double x = center->x - at->x + (double)place.x, y = center->y - at->y + (double)place.y,
                 z = center->z - at->z + (double)place.z;
    const double reach = (double)(form->radius + distance) + (double)vec3_length(form->pose.position);
    return x * x + y * y + z * z > 1.0001 * reach * reach;
}

/* Returns the child of a compound that asks; -1 if it is none of the contact's. */
static int own_child(const dry_neighbors *n, int contact, int side, const dry_geometry *compound)
{
    const dry_contacts *contacts = n->update->contacts;
    uint32_t slot;
    if (contact == n->contact)
        return n->child;
    return contacts->link[n->contact].parent == contact
               ? dry_compound_child_of(compound, contacts->family[n->contact].piece[side], &slot)
               : -1;
}

/* Asks a neighbor about a normal at a place from the moving body's center, both along world axes. */
static bool ask(const dry_neighbors *n, int contact, int side, dry_vec3 place, dry_vec3 normal, question q)
{
    const dry_contact_update *u = n->update;
    const dry_contact_link *link = &u->contacts->link[contact];
    const dry_manifold *m = &u->contacts->manifold[contact];
    const dry_piece other = dry_contact_is_child(link)
                                ? dry_contact_piece(u->contacts, u->shapes, contact, side)
                                : dry_piece_of(u->shapes, side ? m->shape_b : m->shape_a);
    const dry_body_pose *pose = dry_body_pose_of(u->bodies, side ? link->body_b : link->body_a),
                        *moving = dry_body_pose_of(u->bodies, n->moving);
    const dry_quat axes = quat_mul(pose->orientation, other.pose.orientation);
    const dry_vec3 from = quat_rotate(pose->orientation, other.pose.position);
    const double way[3] = {moving->position.x - pose->position.x + (double)(place.x - from.x),
                           moving->position.y - pose->position.y + (double)(place.y - from.y),
                           moving->position.z - pose->position.z + (double)(place.z - from.z)};
    const dry_mat3 r = mat3_from_quat(axes);
    const dry_vec3 *axis = &r.x;
    for (int k = 0; k < 3; k++)
        q.point[k] = (double)axis[k].x * way[0] + (double)axis[k].y * way[1] + (double)axis[k].z * way[2];
    q.normal = mat3_mul_transposed(&r, normal);
    if (other.geometry.type == DRY_SHAPE_COMPOUND)
        return children_admit(&other.geometry, &q, own_child(n, contact, side, &other.geometry));
    return admits(&other.geometry, &q);
}

bool dry_neighbors_admit(const void *context, dry_vec3 point, dry_vec3 normal, float distance, float slope)
{
    const dry_neighbors *n = context;
    const dry_contact_update *u = n->update;
    const dry_vec3 place = vec3_add(n->origin, quat_rotate(n->axes, point)),
                   up = quat_rotate(n->axes, normal);
    const dry_position *center = &dry_body_pose_of(u->bodies, n->moving)->position;
    const question q = {.distance = distance, .slope = slope};
    dry_contact_iterator it = dry_contacts_of(u->contacts, dry_body_state_of(u->bodies, n->moving));
    while (dry_next_contact(&it)) {
        const int side = side_of_neighbor(n, &it);
        if (side >= 0 && !is_far(n, &it, side, place, distance) &&
            dry_move_alike(u->bodies, n->fixed, it.other, center, place, u->settings->dt) &&
            !ask(n, it.contact, side, place, up, q))
            return false;
    }
    return true;
}

/* Normals of the surfaces beside one: of other shapes, and other bodies that move alike. A body's contacts
 * tell which there are: its fat bounds meet theirs.
 *
 * Reads: contacts, poses, shapes. Writes nothing. Next: patches.c. */
#include "narrowphase/patches/neighbors.h"

#include "geometry/hull.h"
#include "geometry/shape_data.h"
#include "geometry/triangles.h"
#include "narrowphase/surface/move_alike.h"
#include "state/iterators.h"

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

static bool admits(const dry_geometry *solid, const question *q)
{
    if (dry_type_has_triangles(solid->type)) {
        const double normal[3] = {(double)q->normal.x, (double)q->normal.y, (double)q->normal.z};
        return dry_triangles_admit(solid, q->point, normal, (double)q->distance, (double)q->slope);
    }
    switch (solid->type) {
    case DRY_SHAPE_BOX:
        return box_admits(solid, q);
    case DRY_SHAPE_HULL:
        return hull_admits(solid, q);
    case DRY_SHAPE_HALFSPACE:
        return fabs(q->point[1]) > (double)q->distance ||
               q->normal.x * q->normal.x + q->normal.z * q->normal.z <= q->slope * q->slope;
    default:
        return true;
    }
}

/* Asks a neighbor, whose body is that of `side` of a contact. */
static bool ask(const dry_neighbors *n, int contact, int side, dry_vec3 point, const question *q)
{
    const dry_contact_update *u = n->update;
    const dry_contact_link *link = &u->contacts->link[contact], *own = &u->contacts->link[n->parent];
    const dry_piece other = dry_contact_piece(u->contacts, u->shapes, contact, side);
    const dry_body_pose *pose = dry_body_pose_of(u->bodies, side ? link->body_b : link->body_a),
                        *pose_a = dry_body_pose_of(u->bodies, own->body_a),
                        *pose_b = dry_body_pose_of(u->bodies, own->body_b);
    /* From the axes of the surface to those of the neighbor. */
    const dry_quat to_world = quat_mul(pose_a->orientation, n->surface->pose.orientation);
    const dry_quat from_world = quat_conjugate(quat_mul(pose->orientation, other.pose.orientation));
    const dry_quat turn = quat_mul(from_world, to_world);
    const dry_relative_pose relative = dry_relative_pose_of(pose, pose_b);
    question seen = {.normal = quat_rotate(turn, q->normal), .distance = q->distance, .slope = q->slope};
    dry_piece_place(&other, n->piece, &relative, seen.point);
    const dry_vec3 way = quat_rotate(turn, point);
    for (int k = 0; k < 3; k++)
        seen.point[k] += (double)vec3_get(way, k);
    return admits(&other.geometry, &seen);
}

bool dry_neighbors_admit(const void *context, dry_vec3 point, dry_vec3 normal, float distance, float slope)
{
    const dry_neighbors *n = context;
    const dry_contact_update *u = n->update;
    const dry_contacts *contacts = u->contacts;
    const dry_contact_link *own = &contacts->link[n->parent];
    const int shape = contacts->manifold[n->parent].shape_b;
    const dry_body_state *state = dry_body_state_of(u->bodies, own->body_b);
    const question q = {.normal = normal, .distance = distance, .slope = slope};
    for (dry_contact_iterator it = dry_contacts_of(contacts, state); dry_next_contact(&it);) {
        const dry_contact_link *link = &contacts->link[it.contact];
        const dry_manifold *m = &contacts->manifold[it.contact];
        const int side = link->body_a == own->body_b;
        const int32_t type = u->shapes->form[side ? m->shape_b : m->shape_a].geometry.type;
        const bool is_whole = dry_type_has_triangles(type) && link->flags & DRY_CONTACT_PARENT;
        if (it.contact == n->parent || (side ? m->shape_a : m->shape_b) != shape ||
            dry_body_state_of(u->bodies, it.other)->type == DRY_BODY_DYNAMIC ||
            (link->flags & DRY_CONTACT_PARENT && !is_whole) || (dry_type_has_triangles(type) && !is_whole))
            continue;
        const dry_vec3 way = quat_rotate(dry_body_pose_of(u->bodies, own->body_a)->orientation,
                                         quat_rotate(n->surface->pose.orientation, point));
        if (dry_move_alike(u->bodies, own->body_a, it.other,
                           &dry_body_pose_of(u->bodies, own->body_b)->position, way, u->settings->dt) &&
            !ask(n, it.contact, side, point, &q))
            return false;
    }
    return true;
}

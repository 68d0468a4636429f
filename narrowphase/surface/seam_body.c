/* Stage "contacts": lists the contacts of a body with fixed solids, and tells which points are hidden.
 *
 * Reads: poses, shapes, manifolds. Writes: the list. Next: seams.c. */
#include "narrowphase/surface/seam_body.h"

#include "state/iterators.h"

#include <string.h>

/* Solids move alike if one moves at most this far against the other in a step, m: a tenth of the distance
 * within which surfaces continue each other. */
#define ALIKE 1e-4f

/* Adds a contact, unless its fixed piece is neither a box nor a half-space. */
static void add_contact(dry_seam_body *b, int contact)
{
    const dry_piece piece = dry_seam_fixed_piece(b->columns, contact);
    if (piece.geometry.type != DRY_SHAPE_BOX && piece.geometry.type != DRY_SHAPE_HALFSPACE)
        return;
    const dry_body_pose *pose = dry_seam_fixed_pose(b->columns, contact);
    const dry_vec3 center =
        vec3_add(dry_seam_way(b->pose, pose), quat_rotate(pose->orientation, piece.pose.position));
    const int i = b->count++;
    b->contact[i] = contact;
    b->x[i] = center.x, b->y[i] = center.y, b->z[i] = center.z;
    b->radius[i] = piece.geometry.type == DRY_SHAPE_HALFSPACE ? 1e18f : piece.radius + 2.0f * DRY_SEAM_REACH;
    b->is_rebuilt[i] = false;
}

/* Tells whether a contact of a dynamic body is with a fixed solid. */
static bool is_with_fixed(const dry_seam_columns *columns, const dry_contact_iterator *it)
{
    return !dry_seam_is_dynamic(columns->bodies, it->other) &&
           !(columns->contacts->link[it->contact].flags & DRY_CONTACT_PARENT);
}

bool dry_seam_list(dry_seam_body *b, const dry_body_state *moving)
{
    const dry_contacts *contacts = b->columns->contacts;
    bool may_have = false;
    b->count = b->bearer = 0;
    for (dry_contact_iterator it = dry_contacts_of(contacts, moving); !may_have && dry_next_contact(&it);) {
        const dry_contact_link *link = &contacts->link[it.contact];
        may_have = link->points > 0 && link->flags & DRY_CONTACT_SEAM && is_with_fixed(b->columns, &it);
    }
    if (!may_have)
        return false;
    for (dry_contact_iterator it = dry_contacts_of(contacts, moving); dry_next_contact(&it);)
        if (is_with_fixed(b->columns, &it) && b->count < DRY_SEAM_CONTACTS_MAX)
            add_contact(b, it.contact);
    return b->count > 1;
}

/* Tells whether two fixed bodies move alike at a place. */
static bool move_alike(const dry_seam_body *b, int body, int other, dry_vec3 place)
{
    const dry_bodies *bodies = b->columns->bodies;
    if (body == other)
        return true;
    dry_vec3 velocity[2];
    const int slot[2] = {body, other};
    for (int i = 0; i < 2; i++) {
        const dry_body_velocity *v = dry_body_velocity_of(bodies, slot[i]);
        const dry_vec3 arm = vec3_sub(place, dry_seam_way(b->pose, dry_body_pose_of(bodies, slot[i])));
        const bool moves = dry_body_state_of(bodies, slot[i])->type == DRY_BODY_KINEMATIC;
        velocity[i] = moves ? vec3_add(v->linear, vec3_cross(v->angular, arm)) : vec3(0.0f, 0.0f, 0.0f);
    }
    return vec3_distance(velocity[0], velocity[1]) * b->columns->settings->dt <= ALIKE;
}

/* Marks the contacts whose spheres meet a sphere. A loop without branches: compilers make lanes of it. */
static void mark_near(dry_seam_body *b, dry_vec3 center, float radius)
{
    for (int j = 0; j < b->count; j++) {
        const float x = b->x[j] - center.x, y = b->y[j] - center.y, z = b->z[j] - center.z;
        const float reach = b->radius[j] + radius;
        b->is_near[j] = x * x + y * y + z * z <= reach * reach;
    }
}

/* Tells whether two contacts are with the same fixed piece. */
static bool is_same_piece(const dry_seam_columns *columns, int i, int j)
{
    const dry_contacts *contacts = columns->contacts;
    const int contact[2] = {i, j};
    uint32_t piece[2] = {0, 0};
    int shape[2];
    for (int k = 0; k < 2; k++) {
        const dry_manifold *m = &contacts->manifold[contact[k]];
        const int side = dry_seam_fixed_side(columns, contact[k]);
        shape[k] = side ? m->shape_b : m->shape_a;
        if (dry_contact_is_child(&contacts->link[contact[k]]))
            piece[k] = contacts->family[contact[k]].piece[side];
    }
    return shape[0] == shape[1] && piece[0] == piece[1];
}

void dry_seam_find_near(dry_seam_body *b, int i, const dry_seam_contact *c, dry_seam_near *near)
{
    float radius = 0.0f;
    for (int k = 1; k < c->count; k++)
        radius = dry_max(radius, vec3_distance(c->points[k], c->points[0]));
    near->count = 0;
    mark_near(b, c->points[0], radius);
    b->is_near[i] = 0;
    for (int j = 0; j < b->count && near->count < DRY_SEAM_NEAR_MAX; j++) {
        if (!b->is_near[j])
            continue;
        if (is_same_piece(b->columns, b->contact[i], b->contact[j]) ||
            !move_alike(b, c->fixed_body, dry_seam_fixed_body(b->columns, b->contact[j]), c->points[0]))
            continue;
        near->solid[near->count++] = dry_seam_solid(b->columns, b->contact[j], b->pose);
    }
}

/* Returns how far the normal of a contact strays at a point: from the cones of all solids that have the
 * point. */
static float strays_at(const dry_seam_contact *c, const dry_seam_near *near, dry_vec3 point)
{
    const dry_solid_face none = {-1, 0.0f};
    float most = dry_solid_strays(&c->solid, dry_solid_place(&c->solid, point),
                                  mat3_mul_transposed(&c->solid.axes, c->normal), none);
    for (int j = 0; j < near->count; j++) {
        const dry_fixed_solid *solid = &near->solid[j];
        const dry_vec3 place = dry_solid_place(solid, point);
        if (dry_solid_has(solid, place))
            most = dry_max(
                most, dry_solid_strays(solid, place, mat3_mul_transposed(&solid->axes, c->normal), none));
    }
    return most;
}

void dry_seam_rate(dry_seam_body *b, int i)
{
    const dry_contact_link *link = &b->columns->contacts->link[b->contact[i]];
    b->strays[i] = 0.0f;
    b->hidden[i] = 0;
    if (!(link->flags & DRY_CONTACT_SEAM) || link->points == 0)
        return;
    const dry_seam_contact c = dry_seam_read(b->columns, b->contact[i]);
    dry_seam_near near;
    dry_seam_find_near(b, i, &c, &near);
    float least = FLT_MAX;
    for (int k = 0; k < c.count; k++) {
        const float most = strays_at(&c, &near, c.points[k]);
        least = dry_min(least, most);
        b->hidden[i] |= most > DRY_SEAM_STRAYS_LEAST ? (uint8_t)(1u << k) : 0;
    }
    b->strays[i] = least > DRY_SEAM_STRAYS_LEAST ? least : 0.0f;
}

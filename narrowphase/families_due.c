/* Stage "contacts", first part: the parents whose pieces are to be looked at anew.
 *
 * A parent of convex pieces remembers the relative pose at which its pieces were last looked at, and how far
 * apart pieces were that became children. Until the bodies have used up that distance, no other pieces can
 * touch. A parent of triangles keeps its children's anchors as a contact keeps its own. A parent with a
 * compound may be of both kinds.
 *
 * Reads: poses, shapes, the parents. Writes: built_bits, margins and flags of parents. Next: families.c. */
#include "geometry/compound.h"
#include "narrowphase/family_search.h"
#include "narrowphase/patches/patches.h"
#include "narrowphase/piece.h"

float dry_family_closing(const dry_contact_update *u, const dry_contact_link *link)
{
    const dry_vec3 va = dry_bodies_motion(u->bodies, dry_bodies_row(u->bodies, link->body_a)).linear;
    const dry_vec3 vb = dry_bodies_motion(u->bodies, dry_bodies_row(u->bodies, link->body_b)).linear;
    return dry_min((vec3_length(va) + vec3_length(vb)) * u->settings->dt, DRY_CLOSING_MAX);
}

/* Returns how far any point of one shape has moved in the frame of the other, at most, since the pieces of a
 * parent were looked at, m. Seen from either body the bound holds; the smaller one is taken. */
static float moved_by(const dry_contact_update *u, int parent, const dry_relative_pose *now)
{
    const dry_manifold *m = &u->contacts->manifold[parent];
    const dry_piece a = dry_piece_of(u->shapes, m->shape_a), b = dry_piece_of(u->shapes, m->shape_b);
    const dry_vec3 then_b =
        vec3((float)m->built_position[0], (float)m->built_position[1], (float)m->built_position[2]);
    const dry_vec3 now_b = vec3_of(now->position);
    const dry_vec3 then_a = quat_rotate_inverse(m->built_orientation, then_b);
    const dry_vec3 now_a = quat_rotate_inverse(now->orientation, now_b);
    const dry_quat turn = quat_mul(quat_conjugate(m->built_orientation), now->orientation);
    const float chord = 2.0f * vec3_length(vec3(turn.x, turn.y, turn.z));
    /* A half-space has no radius. */
    const float by_b = vec3_distance(now_b, then_b) + chord * dry_radius_about_body(&b);
    const float by_a = vec3_distance(now_a, then_a) + chord * dry_radius_about_body(&a);
    return a.geometry.type == DRY_SHAPE_HALFSPACE ? by_b : dry_min(by_a, by_b);
}

/* Tells whether pieces that are no children may touch. */
static bool pieces_are_due(const dry_contact_update *u, int parent)
{
    const dry_contact_link *link = &u->contacts->link[parent];
    const dry_manifold *m = &u->contacts->manifold[parent];
    if (link->flags & DRY_CONTACT_VOID)
        return true;
    if (dry_contact_is_still(u, parent, 0))
        return false;
    const dry_relative_pose now = dry_contact_relative_pose(u, parent);
    return moved_by(u, parent, &now) + dry_family_closing(u, link) + u->settings->margin > (float)m->height;
}

bool dry_family_has_triangles(const dry_contact_update *u, int parent)
{
    const dry_geometry first = dry_shapes_geometry(u->shapes, u->contacts->manifold[parent].shape_a);
    return dry_geometry_has_triangles(&first);
}

bool dry_family_has_pieces(const dry_contact_update *u, int parent)
{
    const dry_geometry first = dry_shapes_geometry(u->shapes, u->contacts->manifold[parent].shape_a);
    return !dry_geometry_has_triangles(&first) ||
           (first.type == DRY_SHAPE_COMPOUND &&
            dry_compound_of(&first)->surface_count < dry_compound_of(&first)->count);
}

/* Tells whether a parent has a child that lies on triangles. */
static bool has_patches(const dry_contacts *contacts, int parent)
{
    int child = contacts->family[parent].first;
    while (child >= 0 && !(contacts->link[child].flags & DRY_CONTACT_PATCH))
        child = contacts->family[child].next;
    return child >= 0;
}

/* Returns by how much a body's rotation brings its shape nearer to a surface in the step, at most, m. */
static float turning_of(const dry_contact_update *u, int parent)
{
    const dry_manifold *m = &u->contacts->manifold[parent];
    const dry_piece b = dry_piece_of(u->shapes, m->shape_b);
    const int row = dry_bodies_row(u->bodies, u->contacts->link[parent].body_b);
    const dry_vec3 spin = dry_bodies_motion(u->bodies, row).angular;
    const float round = dry_type_is_round(b.geometry.type) ? b.geometry.size.x : 0.0f;
    return u->settings->dt * vec3_length(spin) * (dry_radius_about_body(&b) - round);
}

/* Decides whether a parent with triangles keeps its children. Otherwise it is due, with a margin for points.
 */
static bool patches_are_due(const dry_contact_update *u, int parent, const dry_manifold_motion *moved,
                            int lane)
{
    float closing = 0.0f;
    dry_contact_link *link = &u->contacts->link[parent];
    const bool touching = has_patches(u->contacts, parent);
    const dry_keeping keeping =
        dry_contact_keeping(u, parent, touching, moved, lane, turning_of(u, parent), &closing);
    if (keeping == DRY_ANCHORS_KEPT) {
        /* A body at rest that is given a velocity may meet another part of the surface in this step. */
        const float way = dry_family_closing(u, link);
        if (!(touching && way > DRY_WAY_SHORTEST * dry_manifold_radius_b(&u->contacts->manifold[parent])) &&
            (!dry_family_has_pieces(u, parent) || !pieces_are_due(u, parent)))
            return false;
        closing = way + turning_of(u, parent);
    }
    u->contacts->manifold[parent].height = (double)dry_contact_margin(u->settings, closing);
    link->flags &= (uint16_t)~DRY_CONTACT_RENEWED;
    link->flags |= keeping == DRY_ANCHORS_RENEWED ? DRY_CONTACT_RENEWED : 0;
    return true;
}

/* Returns the bits of the first parents of triangles of a list that are due, at most DRY_MOTIONS of them. */
static uint64_t due_of(const dry_contact_update *u, const int32_t *list, int left)
{
    const int count = dry_min_int(left, DRY_MOTIONS);
    dry_motion_source source;
    dry_manifold_motion moved;
    for (int i = 0; i < DRY_MOTIONS; i++) {
        const int parent = list[dry_min_int(i, count - 1)];
        const dry_contact_link *link = &u->contacts->link[parent];
        source.manifold[i] = &u->contacts->manifold[parent];
        source.a[i] = dry_body_pose_of(u->bodies, link->body_a);
        source.b[i] = dry_body_pose_of(u->bodies, link->body_b);
    }
    dry_pair_kernels_at(u->settings->level)->manifold_motions(&source, count, &moved);
    uint64_t due = 0;
    for (int i = 0; i < count; i++)
        due |= (uint64_t)patches_are_due(u, list[i], &moved, i) << list[i] % 64;
    return due;
}

void dry_families_mark_due(void *context, dry_items items)
{
    const dry_contact_update *u = context;
    dry_contacts *contacts = u->contacts;
    for (int i = items.begin; i < items.end; i++) {
        const int word = contacts->active_words[i];
        uint64_t due = 0;
        int32_t list[64];
        int count = 0;
        for (uint64_t bits = contacts->active_bits[word] & contacts->parent_bits[word]; bits;
             bits &= bits - 1) {
            const int parent = 64 * word + dry_lowest_bit(bits);
            if (!dry_family_has_triangles(u, parent))
                due |= pieces_are_due(u, parent) ? bits & -bits : 0;
            else if (contacts->link[parent].flags & (DRY_CONTACT_VOID | DRY_CONTACT_ROUND) ||
                     !dry_contact_is_still(u, parent, 0))
                list[count++] = parent;
        }
        for (int k = 0; k < count; k += DRY_MOTIONS)
            due |= due_of(u, list + k, count - k);
        contacts->built_bits[word] = due;
    }
}

/* Contacts of a save: pairs that may touch, once each; lists of bodies and of families without cycles; colors
 * disjoint at each dynamic body. Derives links back, sets, counts and the map of pairs. */
#include "geometry/compound.h"
#include "geometry/triangles.h"
#include "snapshot/restore_parts.h"
#include "state/iterators.h"
#include "world/constraint_graph.h"

#include <string.h>

static bool fail(const dry_restoration *r, const char *field, int contact, const char *text)
{
    return dry_restore_fail(r, DRY_COLUMN_CONTACT_LINK, field, contact, text);
}

/* Checks the shapes of a contact and its bodies. */
static bool check_pair(const dry_restoration *r, int contact)
{
    const dry_tables *t = r->tables;
    const dry_manifold *m = &t->contacts.manifold[contact];
    const dry_contact_link *link = &t->contacts.link[contact];
    if (!dry_restore_lives(&t->shapes.slots, m->shape_a) || !dry_restore_lives(&t->shapes.slots, m->shape_b))
        return dry_restore_fail(r, DRY_COLUMN_CONTACT_MANIFOLD, "shape_a, shape_b", contact, "no shape");
    const dry_shape_form *a = &t->shapes.form[m->shape_a], *b = &t->shapes.form[m->shape_b];
    if (a->body != link->body_a || b->body != link->body_b || a->body == b->body)
        return fail(r, "body_a, body_b", contact, "not the bodies of the shapes");
    if (a->proxy < 0 || b->proxy < 0 ||
        !dry_shapes_may_touch(&t->bodies, &t->shapes, &t->joints, m->shape_a, m->shape_b))
        return fail(r, "body_a, body_b", contact, "a pair that may not touch");
    /* Anchors lie on the second shape. */
    const int wide = DRY_TYPE_UNBOUNDED | DRY_TYPE_TRIANGLES;
    if (dry_type_properties(b->geometry.type) & wide)
        return fail(r, "body_b", contact, "a shape without bounds or of triangles comes first");
    return true;
}

/* Tells whether a manifold without points and patches has a distance in `built`. */
static bool has_clearance(const dry_restoration *r, int contact)
{
    return dry_manifold_clearance(&r->tables->contacts.manifold[contact]) >= -FLT_MAX ||
           dry_restore_fail(r, DRY_COLUMN_CONTACT_MANIFOLD, "built", contact, "no distance");
}

static bool check_manifold(const dry_restoration *r, int contact)
{
    const dry_manifold *m = &r->tables->contacts.manifold[contact];
    const dry_contact_link *link = &r->tables->contacts.link[contact];
    const int points = link->points, manifold = DRY_COLUMN_CONTACT_MANIFOLD;
    const float length2 = vec3_length_squared(m->normal), radius = dry_manifold_radius_b(m);
    if (points > 0 && !(length2 > 0.998f && length2 < 1.002f))
        return dry_restore_fail(r, manifold, "normal", contact, "not of unit length");
#define X(name, standard, high, error, column, member, mix, kept, ...)                                       \
    kept(if (!(m->name >= 0.0f)) return dry_restore_fail(r, manifold, #name, contact, "below 0");)
    DRY_SURFACE_NUMBERS(X)
#undef X
    if (!(radius >= 0.0f && radius <= FLT_MAX))
        return dry_restore_fail(r, manifold, "radius_b", contact, "no radius");
    if (!(m->substep >= -1.0f && m->substep <= 1.0f))
        return dry_restore_fail(r, manifold, "substep", contact, "not within 1");
    return points > 0 || (link->flags & DRY_CONTACT_PARENT) || has_clearance(r, contact);
}

/* Checks the flags of a contact against what they follow from. */
static bool check_flags(const dry_restoration *r, int contact)
{
    const dry_tables *t = r->tables;
    const dry_contact_link *link = &t->contacts.link[contact];
    const unsigned known = 2 * DRY_CONTACT_UNWANTED - 1, flags = link->flags;
    const bool awake =
        dry_bodies_is_awake(&t->bodies, link->body_a) || dry_bodies_is_awake(&t->bodies, link->body_b);
    const bool touching = flags & DRY_CONTACT_TOUCHING, colored = link->color != DRY_COLOR_NONE;
    if ((flags & ~known) || !(flags & DRY_CONTACT_USED) || awake != ((flags & DRY_CONTACT_ACTIVE) != 0))
        return fail(r, "flags", contact, "bits that the contact does not have");
    if (link->points > 4)
        return fail(r, "points", contact, "more than 4");
    if (colored != (touching && awake))
        return fail(r, "color", contact, "not as the contact's state asks for");
    if (colored && (link->color < 0 || link->color > DRY_COLOR_OVERFLOW))
        return fail(r, "color", contact, "no such color");
    return true;
}

static void set_bit(uint64_t *bits, int contact, bool value)
{
    bits[contact / 64] |= (uint64_t)value << contact % 64;
}

static bool has_bit(const uint64_t *bits, int contact)
{
    return bits[contact / 64] >> contact % 64 & 1;
}

/* Enters a contact into the sets and counts. */
static void enter(const dry_restoration *r, int contact)
{
    dry_contacts *contacts = &r->tables->contacts;
    const unsigned flags = contacts->link[contact].flags;
    const bool active = flags & DRY_CONTACT_ACTIVE, touching = flags & DRY_CONTACT_TOUCHING;
    set_bit(contacts->active_bits, contact, active);
    set_bit(contacts->touching_bits, contact, touching);
    set_bit(contacts->parent_bits, contact, flags & DRY_CONTACT_PARENT);
    contacts->count++;
    contacts->active_count += active;
    contacts->touching_count += touching;
    contacts->awake_touching_count += active && touching;
    contacts->begun_count += has_bit(contacts->begun_bits, contact);
}

/* Links the contacts in the lists of the bodies back. */
static bool link_bodies(const dry_restoration *r)
{
    const dry_tables *t = r->tables;
    const dry_contacts *contacts = &t->contacts;
    int linked = 0;
    for (int row = 0; row < t->bodies.count; row++) {
        const dry_body_state *state = &t->bodies.state[row];
        for (int end = state->contacts, before = -1; end != -1;) {
            const int contact = end >> 1, side = end & 1;
            if (end < 0 || contact >= contacts->used || !has_bit(contacts->used_bits, contact))
                return dry_restore_fail(r, DRY_COLUMN_BODY_STATE, "contacts", row, "the list has no contact");
            dry_contact_link *link = &contacts->link[contact];
            if ((side ? link->body_b : link->body_a) != state->slot || ++linked > 2 * contacts->count)
                return dry_restore_fail(r, DRY_COLUMN_BODY_STATE, "contacts", row,
                                        "the list has a contact of other bodies, or a cycle");
            link->prev[side] = before;
            before = end;
            end = link->next[side];
        }
    }
    return linked == 2 * contacts->count || fail(r, "next", -1, "a contact is in no list");
}

static bool map_pairs(const dry_restoration *r)
{
    dry_contacts *contacts = &r->tables->contacts;
    for (int contact = -1; (contact = dry_contacts_next(contacts, contact)) >= 0;) {
        if (dry_contact_is_child(&contacts->link[contact]))
            continue;
        const dry_pair key = dry_contact_key(contacts, contact);
        if (dry_pair_map_find(&contacts->pairs, key) >= 0)
            return dry_restore_fail(r, DRY_COLUMN_CONTACT_MANIFOLD, "shape_a, shape_b", contact,
                                    "the pair has another contact");
        dry_pair_map_insert(&contacts->pairs, key, contact);
    }
    return true;
}

/* Returns the number of pieces that a side of a child may name. */
static uint32_t piece_limit(const dry_geometry *geometry)
{
    if (geometry->type == DRY_SHAPE_COMPOUND)
        return dry_compound_of(geometry)->first[dry_compound_of(geometry)->count];
    return dry_type_has_triangles(geometry->type) ? dry_triangles_slots(geometry) : 1;
}

/* Tells whether a piece of a shape is a triangle. */
static bool is_triangle(const dry_geometry *geometry, uint32_t piece)
{
    uint32_t slot;
    if (geometry->type != DRY_SHAPE_COMPOUND)
        return dry_type_has_triangles(geometry->type);
    const int child = dry_compound_child_of(geometry, piece, &slot);
    return dry_type_has_triangles(dry_compound_piece(geometry, child).geometry.type);
}

/* Checks the pieces and the material of a child. */
static bool check_pieces(const dry_restoration *r, int contact)
{
    const dry_tables *t = r->tables;
    const dry_contact_family *family = &t->contacts.family[contact];
    const dry_manifold *m = &t->contacts.manifold[contact];
    const int shape[2] = {m->shape_a, m->shape_b};
    for (int side = 0; side < 2; side++) {
        const dry_geometry geometry = dry_shapes_geometry(&t->shapes, shape[side]);
        if (family->piece[side] >= piece_limit(&geometry))
            return dry_restore_fail(r, DRY_COLUMN_CONTACT_FAMILY, "piece", contact,
                                    "the shape has no such piece");
    }
    const dry_geometry first = dry_shapes_geometry(&t->shapes, shape[0]);
    if (is_triangle(&first, family->piece[0]) != ((t->contacts.link[contact].flags & DRY_CONTACT_PATCH) != 0))
        return fail(r, "flags", contact, "not as its first piece asks for");
    if (family->material >= (uint32_t)dry_shapes_material_count(&t->shapes, shape[0]))
        return dry_restore_fail(r, DRY_COLUMN_CONTACT_FAMILY, "material", contact,
                                "the shape has no such material");
    return true;
}

/* Checks a contact as a member of a family: a parent is the contact of shapes with pieces, a child has one.
 */
static bool check_member(const dry_restoration *r, int contact)
{
    const dry_tables *t = r->tables;
    const dry_contacts *contacts = &t->contacts;
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *m = &contacts->manifold[contact];
    const bool pieces = (dry_type_properties(t->shapes.form[m->shape_a].geometry.type) |
                         dry_type_properties(t->shapes.form[m->shape_b].geometry.type)) &
                        DRY_TYPE_PIECES;
    const bool child = dry_contact_is_child(link), parent = link->flags & DRY_CONTACT_PARENT;
    if (parent != (pieces && !child) || (child && !pieces))
        return fail(r, "parent", contact, "shapes without pieces have one contact");
    if (parent && (link->points > 0 || (link->flags & DRY_CONTACT_TOUCHING)))
        return fail(r, "points", contact, "a parent has no points");
    if (!child && (link->flags & (DRY_CONTACT_PATCH | DRY_CONTACT_UNWANTED)))
        return fail(r, "flags", contact, "bits of a child");
    if (!contacts->family)
        return true;
    const dry_contact_family *family = &contacts->family[contact];
    if ((!parent && (family->first != -1 || family->told != 0)) || (!child && family->next != -1))
        return dry_restore_fail(r, DRY_COLUMN_CONTACT_FAMILY, NULL, contact, "a list that no family has");
    if (!child)
        return (family->material == 0 && family->piece[0] == 0 && family->piece[1] == 0) ||
               dry_restore_fail(r, DRY_COLUMN_CONTACT_FAMILY, "piece", contact, "of no child");
    const int of = link->parent;
    if (of < 0 || of >= contacts->used || !has_bit(contacts->used_bits, of) ||
        !(contacts->link[of].flags & DRY_CONTACT_PARENT) || contacts->manifold[of].shape_a != m->shape_a ||
        contacts->manifold[of].shape_b != m->shape_b)
        return fail(r, "parent", contact, "no parent of these shapes");
    return check_pieces(r, contact);
}

/* Walks the families: each child is in the list of its parent. Counts those that touch. */
static bool walk_families(const dry_restoration *r)
{
    const dry_contacts *contacts = &r->tables->contacts;
    const int column = DRY_COLUMN_CONTACT_FAMILY;
    int children = 0, listed = 0;
    for (int contact = -1; (contact = dry_contacts_next(contacts, contact)) >= 0;) {
        children += dry_contact_is_child(&contacts->link[contact]);
        if (!(contacts->link[contact].flags & DRY_CONTACT_PARENT))
            continue;
        dry_contact_family *family = &contacts->family[contact];
        family->touching = 0;
        bool patches = false;
        for (int child = family->first; child != -1; child = contacts->family[child].next) {
            if (child < 0 || child >= contacts->used || !has_bit(contacts->used_bits, child) ||
                contacts->link[child].parent != contact || ++listed > contacts->count)
                return dry_restore_fail(r, column, "first", contact,
                                        "the list has another's child, or a cycle");
            family->touching += (contacts->link[child].flags & DRY_CONTACT_TOUCHING) != 0;
            patches |= (contacts->link[child].flags & DRY_CONTACT_PATCH) != 0;
        }
        if (family->told != (family->touching > 0))
            return dry_restore_fail(r, column, "told", contact, "not as its children touch");
        if (!patches && !has_clearance(r, contact))
            return false;
    }
    return listed == children || dry_restore_fail(r, column, "next", -1, "a child is in no list");
}

static bool check_begun(const dry_restoration *r)
{
    const dry_contacts *contacts = &r->tables->contacts;
    for (int word = 0; word < dry_contact_words(contacts); word++)
        if (contacts->begun_bits[word] & ~(contacts->touching_bits[word] | contacts->parent_bits[word]))
            return dry_restore_fail(r, DRY_COLUMN_CONTACT_BEGUN, "value", word,
                                    "a contact that does not touch");
    return true;
}

bool dry_restore_contacts(dry_restoration *r)
{
    dry_contacts *contacts = &r->tables->contacts;
    for (int contact = -1; (contact = dry_contacts_next(contacts, contact)) >= 0;) {
        if (!check_pair(r, contact) || !check_flags(r, contact) || !check_manifold(r, contact))
            return false;
        enter(r, contact);
    }
    contacts->begun_word = 0;
    if (!link_bodies(r))
        return false;
    for (int contact = -1; (contact = dry_contacts_next(contacts, contact)) >= 0;)
        if (!check_member(r, contact))
            return false;
    return walk_families(r) && map_pairs(r) && check_begun(r);
}

/* Takes a color for the dynamic bodies of a constraint. Returns false if one of them has it already. */
static bool take_color(const dry_restoration *r, uint64_t *taken, const int *body, int count, int color)
{
    bool ok = true;
    for (int side = 0; side < count && color >= 0 && color < DRY_COLOR_OVERFLOW; side++) {
        if (body[side] < 0 || !dry_restored_dynamic(r, body[side]))
            continue;
        uint64_t *colors = &taken[dry_bodies_row(&r->tables->bodies, body[side])];
        ok = ok && !(*colors >> color & 1);
        *colors |= UINT64_C(1) << color;
    }
    return ok;
}

bool dry_restore_colors(dry_restoration *r)
{
    const dry_tables *t = r->tables;
    const size_t bytes = ((size_t)t->bodies.count + 1) * sizeof(uint64_t);
    uint64_t *taken = dry_memory_allocate(r->memory, bytes, DRY_CACHE_LINE);
    bool ok = true;
    if (!taken)
        return dry_restore_lacks_memory(r);
    memset(taken, 0, bytes);
    for (int contact = -1; ok && (contact = dry_contacts_next(&t->contacts, contact)) >= 0;) {
        const dry_contact_link *link = &t->contacts.link[contact];
        if (!take_color(r, taken, (const int[]){link->body_a, link->body_b}, 2, link->color))
            ok = fail(r, "color", contact, "a body has the color already");
    }
    for (int i = 0; ok && i < t->joints.slots.used; i++) {
        int body[DRY_JOINT_SIDES];
        if (!dry_slots_is_taken(&t->joints.slots, i))
            continue;
        const int color = t->joints.joint[i].color, count = dry_joint_find_bodies(&t->joints, i, body);
        if ((color != DRY_COLOR_NONE) != (t->joints.joint[i].active >= 0) || color < DRY_COLOR_NONE ||
            color > DRY_COLOR_OVERFLOW || !take_color(r, taken, body, count, color))
            ok = dry_restore_fail(r, DRY_COLUMN_JOINT, "color", i,
                                  "a body has the color already, or none is due");
    }
    for (int row = 0; ok && row < t->bodies.count; row++)
        if (taken[row] != t->bodies.state[row].colors)
            ok = dry_restore_fail(r, DRY_COLUMN_BODY_STATE, "colors", row, "not those of its constraints");
    dry_memory_release(r->memory, taken, bytes);
    return ok;
}

/* Validation of the constraint graph: contacts, joints, their lists, colors and islands.
 * Next: world/validate_layout.c. */
#include "solver/constraint/joints/joint_type.h"
#include "solver/plan/islands.h"
#include "state/joint_list.h"
#include "world/validate_checks.h"

/* Tells whether a joint between the bodies keeps them from touching. The lists of joints have been validated.
 */
static bool joint_forbids(const dry_world *world, int body_a, int body_b)
{
    const dry_joints *joints = &world->joints;
    for (int end = checked_state(world, body_a)->joints; end >= 0; end = *dry_joint_next(joints, end)) {
        const dry_joint *joint = &joints->joint[dry_joint_of_end(end)];
        if (dry_joint_forbids_contacts(joints, dry_joint_of_end(end)) &&
            (joint->body_a == body_b || joint->body_b == body_b))
            return true;
    }
    return false;
}

bool dry_validate_may_touch(const dry_world *world, int shape_a, int shape_b)
{
    int a = world->shapes.form[shape_a].body, b = world->shapes.form[shape_b].body;
    const dry_filter *f = dry_shapes_filter(&world->shapes, shape_a);
    const dry_filter *g = dry_shapes_filter(&world->shapes, shape_b);
    if (a == b || !checked_enabled(world, a) || !checked_enabled(world, b) ||
        (!checked_dynamic(world, a) && !checked_dynamic(world, b)) || joint_forbids(world, a, b))
        return false;
    if (f->group && f->group == g->group)
        return f->group > 0;
    return (f->mask & g->category) && (g->mask & f->category);
}

/* The color of an active constraint, which no other constraint of a dynamic body has. */
static void validate_color(const dry_world *world, uint64_t *taken, const int bodies[2], int color,
                           const dry_validation *validation)
{
    CHECK(color >= 0 && color <= DRY_COLOR_OVERFLOW);
    if (color == DRY_COLOR_OVERFLOW)
        return;
    for (int side = 0; side < 2; side++) {
        if (!checked_dynamic(world, bodies[side]))
            continue;
        CHECK(!(taken[bodies[side]] >> color & 1));
        taken[bodies[side]] |= UINT64_C(1) << color;
    }
}

/* Two dynamic bodies that a joint connects are both awake or both asleep, unless a step that held others has
 * left them so. */
static bool sleep_together(const dry_world *world, const int bodies[2])
{
    return world->hold.unsettled || !checked_dynamic(world, bodies[0]) ||
           !checked_dynamic(world, bodies[1]) ||
           checked_awake(world, bodies[0]) == checked_awake(world, bodies[1]);
}

static bool bit_is_set(const uint64_t *bits, int index)
{
    return bits[index / 64] >> index % 64 & 1;
}

/* A child has a parent of the same shapes, and is in its list. A parent has no points, and counts its
 * children that touch. */
static void validate_family(const dry_world *world, int contact, const dry_validation *validation)
{
    const dry_contacts *contacts = &world->contacts;
    const dry_contact_link *link = &contacts->link[contact];
    const bool parent = link->flags & DRY_CONTACT_PARENT, child = dry_contact_is_child(link);
    CHECK(bit_is_set(contacts->parent_bits, contact) == parent);
    CHECK(link->parent != DRY_CONTACT_ORPHAN && !(parent && child));
    CHECK(child || !(link->flags & DRY_CONTACT_PATCH));
    if (child) {
        const dry_manifold *m = &contacts->manifold[contact], *of = &contacts->manifold[link->parent];
        CHECK(contacts->link[link->parent].flags & DRY_CONTACT_PARENT);
        CHECK(m->shape_a == of->shape_a && m->shape_b == of->shape_b);
    } else {
        CHECK(dry_pair_map_find(&contacts->pairs, dry_contact_key(contacts, contact)) == contact);
    }
    if (!parent)
        return;
    int touching = 0;
    for (int c = contacts->family[contact].first; c >= 0; c = contacts->family[c].next) {
        CHECK(contacts->link[c].parent == contact);
        touching += (contacts->link[c].flags & DRY_CONTACT_TOUCHING) != 0;
    }
    CHECK(link->points == 0 && link->color == DRY_COLOR_NONE && !(link->flags & DRY_CONTACT_TOUCHING));
    CHECK(contacts->family[contact].touching == touching);
    CHECK(contacts->family[contact].told == (touching > 0));
}

static void validate_contact(const dry_world *world, uint64_t *taken, int contact, uint32_t invariants,
                             const dry_validation *validation)
{
    const dry_contacts *contacts = &world->contacts;
    const dry_contact_link *link = &contacts->link[contact];
    const dry_manifold *manifold = &contacts->manifold[contact];
    const int bodies[2] = {link->body_a, link->body_b};
    CHECK(checked_lives(&world->shapes.slots, manifold->shape_a) &&
          checked_lives(&world->shapes.slots, manifold->shape_b));
    CHECK(world->shapes.form[manifold->shape_a].body == link->body_a);
    CHECK(world->shapes.form[manifold->shape_b].body == link->body_b);
    CHECK(dry_validate_may_touch(world, manifold->shape_a, manifold->shape_b));
    validate_family(world, contact, validation);
    CHECK(link->points <= 4);
    bool awake = checked_awake(world, bodies[0]) || checked_awake(world, bodies[1]);
    bool touching = (link->flags & DRY_CONTACT_TOUCHING) != 0;
    CHECK(((link->flags & DRY_CONTACT_ACTIVE) != 0) == awake);
    CHECK(bit_is_set(contacts->active_bits, contact) == awake);
    CHECK(bit_is_set(contacts->touching_bits, contact) == touching);
    CHECK(!bit_is_set(contacts->begun_bits, contact) || touching || link->flags & DRY_CONTACT_PARENT);
    CHECK((link->color != DRY_COLOR_NONE) == (touching && awake));
    if (link->color != DRY_COLOR_NONE)
        validate_color(world, taken, bodies, link->color, validation);
    if ((invariants & DRY_VALID_SETTLED_ALL) || (awake && (invariants & DRY_VALID_SETTLED))) {
        CHECK(touching == (link->points > 0));
        CHECK(!(link->flags & (DRY_CONTACT_CHANGED | DRY_CONTACT_LOST)));
    }
}

/* The sets of contacts have as many members as their counts say. */
static void validate_contact_sets(const dry_contacts *contacts, int pairs, const dry_validation *validation)
{
    int living = 0, active = 0, touching = 0, awake_touching = 0, begun = 0, listed = 0;
    for (int word = 0; word < dry_contact_words(contacts); word++) {
        living += dry_count_bits(contacts->used_bits[word]);
        active += dry_count_bits(contacts->active_bits[word]);
        touching += dry_count_bits(contacts->touching_bits[word]);
        awake_touching += dry_count_bits(contacts->active_bits[word] & contacts->touching_bits[word]);
        begun += dry_count_bits(contacts->begun_bits[word]);
        CHECK(contacts->begun_bits[word] == 0 || word >= contacts->begun_word);
        CHECK(word >= contacts->full || ~contacts->used_bits[word] == 0);
        if (contacts->listed && contacts->active_bits[word] != 0)
            CHECK(contacts->active_words[listed++] == word);
    }
    CHECK(living == contacts->count && pairs == contacts->pairs.count);
    CHECK(active == contacts->active_count && touching == contacts->touching_count);
    CHECK(awake_touching == contacts->awake_touching_count);
    CHECK(begun == contacts->begun_count);
    CHECK(!contacts->listed || listed == contacts->active_word_count);
}

static void validate_contacts(const dry_world *world, uint64_t *taken, uint32_t invariants,
                              const dry_validation *validation)
{
    const dry_contacts *contacts = &world->contacts;
    CHECK(contacts->used <= contacts->link_capacity && contacts->used <= contacts->manifold_capacity);
    int pairs = 0;
    for (int contact = 0; contact < contacts->used; contact++) {
        uint16_t flags = contacts->link[contact].flags;
        CHECK(bit_is_set(contacts->used_bits, contact) == ((flags & DRY_CONTACT_USED) != 0));
        if (flags & DRY_CONTACT_USED) {
            validate_contact(world, taken, contact, invariants, validation);
            pairs += !dry_contact_is_child(&contacts->link[contact]);
            continue;
        }
        CHECK(!(flags & (DRY_CONTACT_TOUCHING | DRY_CONTACT_ACTIVE)));
        CHECK(!bit_is_set(contacts->active_bits, contact) && !bit_is_set(contacts->touching_bits, contact));
    }
    validate_contact_sets(contacts, pairs, validation);
}

static void validate_joints(const dry_world *world, uint64_t *taken, const dry_validation *validation)
{
    const dry_joints *joints = &world->joints;
    int active = 0;
    for (int i = 0; i < joints->slots.used; i++) {
        const dry_joint *joint = &joints->joint[i];
        if (!checked_lives(&joints->slots, i))
            continue;
        int bodies[DRY_JOINT_SIDES];
        const int count = dry_joint_find_bodies(joints, i, bodies);
        const bool to_world = bodies[0] < 0;
        bool works =
            (joint->flags & DRY_JOINT_ENABLED) && dry_joint_has(joints->def[i].type, DRY_JOINT_HAS_ROWS);
        bool awake = false, dynamic = false;
        CHECK(count == 2 || joints->corners);
        CHECK(joint->features == dry_joint_features(&joints->def[i]));
        for (int side = 0; side < count; side++) {
            CHECK((side == 0 && to_world) || checked_lives(&world->bodies.slots, bodies[side]));
            CHECK(side == 0 || bodies[side] != bodies[side - 1]);
            works = works && checked_enabled(world, bodies[side]);
            awake = awake || checked_awake(world, bodies[side]);
            dynamic = dynamic || checked_dynamic(world, bodies[side]);
        }
        CHECK((joint->active >= 0) == (works && awake && dynamic));
        CHECK((joint->color != DRY_COLOR_NONE) == (joint->active >= 0));
        if (joint->active >= 0) {
            CHECK(joint->active < joints->active_count && joints->active[joint->active] == i);
            active++;
            for (int side = 0; side < count; side += 2)
                validate_color(world, taken, &bodies[side], joint->color, validation);
        }
        for (int a = to_world; a < count && works; a++)
            for (int b = a + 1; b < count; b++)
                CHECK(sleep_together(world, (const int[]){bodies[a], bodies[b]}));
    }
    CHECK(active == joints->active_count);
}

/* A body's list of contacts has the body at each of its ends, and links that lead back. `sides` counts the
 * ends of all lists. */
#define VALIDATE_LIST(head, links, used, body_slot, sides)                                                   \
    do {                                                                                                     \
        int before_ = -1;                                                                                    \
        for (int end_ = (head); end_ >= 0; end_ = (links)[end_ >> 1].next[end_ & 1]) {                       \
            CHECK(end_ >> 1 < (used) && (links)[end_ >> 1].prev[end_ & 1] == before_);                       \
            CHECK((end_ & 1 ? (links)[end_ >> 1].body_b : (links)[end_ >> 1].body_a) == (body_slot));        \
            CHECK(++(sides) <= 2 * (used));                                                                  \
            before_ = end_;                                                                                  \
        }                                                                                                    \
    } while (0)

/* The same for a body's list of joints; all lists have `ends` ends. */
static void validate_joint_list(const dry_world *world, const dry_body_state *state, int ends, int *sides,
                                const dry_validation *validation)
{
    const dry_joints *joints = &world->joints;
    int before = -1;
    for (int end = state->joints; end >= 0; end = *dry_joint_next(joints, end)) {
        CHECK(dry_joint_of_end(end) < joints->slots.used && *dry_joint_prev(joints, end) == before);
        CHECK(dry_joint_body(joints, dry_joint_of_end(end), dry_side_of_end(end)) == state->slot);
        CHECK(++*sides <= ends);
        before = end;
    }
}

static void validate_lists(const dry_world *world, const dry_validation *validation)
{
    const dry_bodies *bodies = &world->bodies;
    int contact_sides = 0, joint_sides = 0, joint_ends = 0;
    for (int i = 0; i < world->joints.slots.used; i++)
        if (checked_lives(&world->joints.slots, i))
            joint_ends += dry_joint_sides(&world->joints.joint[i]) - (world->joints.joint[i].body_a < 0);
    for (int row = 0; row < bodies->count; row++) {
        const dry_body_state *state = &bodies->state[row];
        VALIDATE_LIST(state->contacts, world->contacts.link, world->contacts.used, state->slot,
                      contact_sides);
        validate_joint_list(world, state, joint_ends, &joint_sides, validation);
    }
    CHECK(contact_sides == 2 * world->contacts.count && joint_sides == joint_ends);
}

void dry_validate_graph(const dry_world *world, uint32_t invariants, const dry_validation *validation)
{
    const dry_bodies *bodies = &world->bodies;
    uint64_t *taken = checked_array(validation, bodies->slots.used, sizeof *taken);
    validate_lists(world, validation);
    validate_contacts(world, taken, invariants, validation);
    validate_joints(world, taken, validation);
    for (int row = 0; row < bodies->count; row++)
        CHECK(bodies->state[row].colors == taken[bodies->state[row].slot]);
    free(taken);
}

/* Returns the representative of a row's component, with the path to it halved. */
static int component_of(int *parent, int row)
{
    while (parent[row] != row)
        row = parent[row] = parent[parent[row]];
    return row;
}

/* Joins the components of two bodies that move, if both do. */
static void join_bodies(const dry_world *world, int *parent, int body_a, int body_b)
{
    if (!checked_moves(world, body_a) || !checked_moves(world, body_b))
        return;
    int a = component_of(parent, dry_bodies_row(&world->bodies, body_a));
    int b = component_of(parent, dry_bodies_row(&world->bodies, body_b));
    parent[a] = b;
}

static void join_constraints(const dry_world *world, int *parent)
{
    const dry_contacts *contacts = &world->contacts;
    for (int i = 0; i < contacts->used; i++)
        if ((contacts->link[i].flags & DRY_CONTACT_TOUCHING) &&
            (contacts->link[i].flags & DRY_CONTACT_ACTIVE))
            join_bodies(world, parent, contacts->link[i].body_a, contacts->link[i].body_b);
    for (int i = 0; i < world->joints.active_count; i++) {
        int bodies[DRY_JOINT_SIDES];
        const int count = dry_joint_find_bodies(&world->joints, world->joints.active[i], bodies);
        for (int a = 0; a < count; a++)
            for (int b = a + 1; b < count; b++)
                join_bodies(world, parent, bodies[a], bodies[b]);
    }
}

void dry_validate_islands(const dry_world *world, const dry_validation *validation)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_islands *islands = &world->islands;
    if (islands->stale)
        return;
    int rows = bodies->awake_count;
    int *parent = checked_array(validation, rows, sizeof *parent);
    int *component = checked_array(validation, islands->count, sizeof *component); /* by island */
    int *members = checked_array(validation, islands->count, sizeof *members);
    int *roots = checked_array(validation, rows, sizeof *roots); /* by root: its island + 1 */
    for (int row = 0; row < rows; row++)
        parent[row] = row;
    join_constraints(world, parent);
    for (int i = 0; i < islands->count; i++)
        component[i] = -1;
    for (int row = 0; row < rows; row++) {
        int island = bodies->sleep[row].island, root = component_of(parent, row);
        CHECK((island >= 0) == (bodies->state[row].type == DRY_BODY_DYNAMIC) && island < islands->count);
        if (island < 0)
            continue;
        CHECK(component[island] < 0 || component[island] == root);
        CHECK(roots[root] == 0 || roots[root] == island + 1);
        component[island] = root;
        roots[root] = island + 1;
        members[island]++;
    }
    for (int i = 0; i < islands->count; i++)
        CHECK(islands->island[i].bodies == members[i]);
    free(parent);
    free(component);
    free(members);
    free(roots);
}

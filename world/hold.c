/* Holding bodies for one step, and letting them go on: world/hold.h. */
#include "world/hold.h"

#include "state/iterators.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/sleep.h"
#include "world/world.h"

#include <float.h>
#include <string.h>

/* Exchanges what the world has with what waits aside. */
#define EXCHANGE(type, a, b)                                                                                 \
    do {                                                                                                     \
        type const kept = (a);                                                                               \
        (a) = (b);                                                                                           \
        (b) = kept;                                                                                          \
    } while (0)

static bool reserve(dry_world *world, int named)
{
    dry_hold *h = &world->hold;
    dry_memory *memory = &world->memory;
    return DRY_RESERVE(memory, h->body, h->body_capacity, named) &&
           DRY_RESERVE(memory, h->list, h->list_capacity, world->joints.active_capacity) &&
           DRY_RESERVE(memory, h->set, h->set_capacity,
                       dry_slot_set_words(dry_max_int(world->bodies.count, world->joints.active_count))) &&
           DRY_RESERVE(memory, h->wakes, h->wakes_capacity, dry_slot_set_words(world->bodies.slots.used)) &&
           DRY_RESERVE(memory, h->contacts, h->contacts_capacity, dry_contact_words(&world->contacts));
}

static void begin_set(dry_hold *h, int members)
{
    h->set_words = dry_slot_set_words(members);
    memset(h->set, 0, (size_t)h->set_words * sizeof *h->set);
}

/* Lists the named bodies by rising row, those that are awake first. Returns false if a body comes twice. */
static bool list_named(dry_world *world, const dry_body_id *ids, int count, int *awake)
{
    dry_hold *h = &world->hold;
    const dry_bodies *bodies = &world->bodies;
    begin_set(h, bodies->count);
    for (int i = 0; i < count; i++) {
        const int row = dry_bodies_row(bodies, dry_slots_of(ids[i].bits));
        if (dry_slot_set_has(h->set, row))
            return false;
        dry_slot_set_add(h->set, row);
    }
    h->named = *awake = 0;
    for (int row = -1; (row = dry_slot_set_next(h->set, h->set_words, row)) >= 0;) {
        h->body[h->named++] = (dry_named_body){.slot = bodies->state[row].slot, .row = row};
        *awake += row < bodies->awake_count;
    }
    return true;
}

/* Tells whether a body that is not named could move or wake in a step. */
static bool holds_any(const dry_world *world)
{
    const dry_bodies *bodies = &world->bodies;
    bool any = world->hold.partial;
    for (int row = bodies->awake_count; row < bodies->count && !any; row++)
        any = bodies->state[row].type == DRY_BODY_DYNAMIC && (bodies->state[row].flags & DRY_BODY_ENABLED) &&
              !dry_slot_set_has(world->hold.set, row);
    return any;
}

/* Moves the named bodies to the first rows. Each is at its row until its turn comes: rows rise. */
static void take_rows(dry_world *world, int awake)
{
    dry_hold *h = &world->hold;
    dry_bodies *bodies = &world->bodies;
    h->awake_count = bodies->awake_count;
    h->awake_dynamic_count = bodies->awake_dynamic_count;
    bodies->awake_count = awake;
    bodies->awake_dynamic_count = 0;
    for (int i = 0; i < h->named; i++) {
        dry_bodies_swap(bodies, i, h->body[i].row);
        bodies->awake_dynamic_count += i < awake && bodies->state[i].type == DRY_BODY_DYNAMIC;
    }
}

/* Brings all rows back to where they were, then moves those of bodies that woke or fell asleep since then. */
static void give_rows_back(dry_world *world)
{
    dry_hold *h = &world->hold;
    dry_bodies *bodies = &world->bodies;
    for (int i = 0; i < h->named; i++)
        h->body[i].awake = dry_bodies_is_awake(bodies, h->body[i].slot);
    for (int i = 0; i < h->named; i++)
        dry_bodies_swap(bodies, i, dry_bodies_row(bodies, h->body[i].slot));
    for (int i = h->named - 1; i >= 0; i--)
        dry_bodies_swap(bodies, i, h->body[i].row);
    bodies->awake_count = h->awake_count;
    bodies->awake_dynamic_count = h->awake_dynamic_count;
    for (int i = 0; i < h->named; i++)
        if (h->body[i].awake)
            dry_bodies_move_awake(bodies, h->body[i].slot, true);
    for (int i = h->named - 1; i >= 0; i--)
        if (!h->body[i].awake)
            dry_bodies_move_awake(bodies, h->body[i].slot, false);
}

/* Leaves active the contacts of named bodies that are awake alone. The held ones keep their flags and colors;
 * those of named sleepers lose the flag, so that waking activates them. */
static void take_contacts(dry_world *world)
{
    dry_hold *h = &world->hold;
    dry_contacts *contacts = &world->contacts;
    h->contact_words = dry_contact_words(contacts);
    for (int i = 0; i < h->contact_words; i++) {
        h->contacts[i] = contacts->active_bits[i];
        contacts->active_bits[i] = 0;
    }
    contacts->active_count = contacts->awake_touching_count = 0;
    contacts->listed = false;
    for (int i = 0; i < h->named; i++) {
        const dry_body_state *state = dry_body_state_of(&world->bodies, h->body[i].slot);
        for (dry_contact_iterator it = dry_contacts_of(contacts, state); dry_next_contact(&it);) {
            uint64_t *word = &h->contacts[it.contact / 64], bit = UINT64_C(1) << it.contact % 64;
            if (!(*word & bit))
                continue;
            *word ^= bit;
            contacts->link[it.contact].flags &= (uint16_t)~DRY_CONTACT_ACTIVE;
            if (i < world->bodies.awake_count)
                dry_contacts_set_active(contacts, it.contact, true);
        }
    }
}

static void give_contacts_back(dry_world *world)
{
    const dry_hold *h = &world->hold;
    dry_contacts *contacts = &world->contacts;
    for (int word = 0; word < h->contact_words; word++) {
        const uint64_t held = h->contacts[word];
        contacts->active_bits[word] |= held;
        contacts->active_count += dry_count_bits(held);
        contacts->awake_touching_count += dry_count_bits(held & contacts->touching_bits[word]);
    }
    contacts->listed = false;
}

static void exchange_joint_lists(dry_world *world)
{
    EXCHANGE(int32_t *, world->joints.active, world->hold.list);
    EXCHANGE(int, world->joints.active_count, world->hold.list_count);
}

/* Leaves active the joints of named bodies that are awake alone, in their order. Those of named sleepers are
 * inactive, so that waking activates them; they keep their colors. */
static void take_joints(dry_world *world)
{
    dry_hold *h = &world->hold;
    dry_joints *joints = &world->joints;
    begin_set(h, joints->active_count);
    for (int i = 0; i < h->named; i++) {
        const dry_body_state *state = dry_body_state_of(&world->bodies, h->body[i].slot);
        for (dry_joint_iterator it = dry_joints_of(joints, state); dry_next_joint(&it);) {
            int32_t *place = &joints->joint[it.joint].active;
            if (*place >= 0)
                dry_slot_set_add(h->set, *place);
            *place = -1;
        }
    }
    h->list_count = 0;
    exchange_joint_lists(world);
    for (int place = -1; (place = dry_slot_set_next(h->set, h->set_words, place)) >= 0;)
        dry_joint_activate(world, h->list[place]);
}

/* Gives the joints their places back. Those that are in the step's list alone became active; those without a
 * color ceased to be active in the step. */
static void give_joints_back(dry_world *world)
{
    dry_hold *h = &world->hold;
    dry_joints *joints = &world->joints;
    exchange_joint_lists(world);
    for (int i = 0; i < h->list_count; i++)
        joints->joint[h->list[i]].active = -1;
    for (int place = -1; (place = dry_slot_set_next(h->set, h->set_words, place)) >= 0;)
        joints->joint[joints->active[place]].active = place;
    for (int i = 0; i < h->list_count; i++)
        dry_joints_set_active(joints, h->list[i], true);
    h->list_count = 0;
    for (int place = -1; (place = dry_slot_set_next(h->set, h->set_words, place)) >= 0;)
        if (joints->joint[joints->active[place]].color == DRY_COLOR_NONE)
            h->list[h->list_count++] = joints->active[place];
    for (int i = 0; i < h->list_count; i++)
        dry_joints_set_active(joints, h->list[i], false);
}

/* Only the named bodies' joints are weighed, and only their fat boxes hold the ways of this step: what the
 * last whole step left is not what the next one finds. */
static void take_plan(dry_world *world)
{
    dry_hold *h = &world->hold;
    h->weighed = !h->partial || world->islands.weighed;
    h->ways_dt = h->partial ? world->ways_dt : FLT_MAX;
    h->slabs.rows = h->slabs.count = h->slabs.wait = 0;
    h->slabs.tiers = 0;
    if (h->partial)
        EXCHANGE(dry_slabs, world->solver.plan.slabs, h->slabs);
}

static void give_plan_back(dry_world *world)
{
    dry_hold *h = &world->hold;
    if (h->partial)
        EXCHANGE(dry_slabs, world->solver.plan.slabs, h->slabs);
    world->islands.weighed = world->islands.weighed && h->weighed;
    world->ways_dt = dry_min(world->ways_dt, h->ways_dt);
}

/* Bundles and islands are of other rows than the next step's. */
static void forget_schedule(dry_world *world)
{
    world->islands.stale = true;
    world->islands.patched = world->islands.scheduled = false;
    world->islands.staying = 0;
    world->solver.sweeps.stored_dt = 0.0f;
}

/* Tells whether a dynamic body sleeps beside a body that is awake, which no other step leaves: the two are
 * joined, or that body moves by itself. */
static bool sleeps_beside(const dry_world *world, int slot, int other, bool joined)
{
    return !dry_bodies_is_awake(&world->bodies, slot) && dry_bodies_is_awake(&world->bodies, other) &&
           dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC &&
           (joined || dry_body_state_of(&world->bodies, other)->type != DRY_BODY_DYNAMIC);
}

/* Returns the one of two bodies that sleeps so beside the other; -1: none does. */
static int uneven_of(const dry_world *world, int slot, int other, bool joined)
{
    if (slot < 0 || other < 0)
        return -1;
    return sleeps_beside(world, slot, other, joined)   ? slot
           : sleeps_beside(world, other, slot, joined) ? other
                                                       : -1;
}

/* Tells whether a body is one of such a pair. */
static bool has_uneven(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        if ((world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING) &&
            uneven_of(world, slot, it.other, false) >= 0)
            return true;
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);) {
        int body[DRY_JOINT_SIDES];
        const int count = dry_joint_find_bodies(&world->joints, it.joint, body);
        for (int i = 0; world->joints.joint[it.joint].active >= 0 && i < count; i++)
            if (uneven_of(world, slot, body[i], true) >= 0)
                return true;
    }
    return false;
}

/* Activates what a named body that is awake no longer has to itself: a held body may be awake, too. */
static void activate_again(dry_world *world, int slot)
{
    const dry_bodies *bodies = &world->bodies;
    const dry_body_state *state = dry_body_state_of(bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        if (!(world->contacts.link[it.contact].flags & DRY_CONTACT_ACTIVE) &&
            (dry_bodies_is_awake(bodies, slot) || dry_bodies_is_awake(bodies, it.other)))
            dry_contact_activate(world, it.contact);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_joint_activate(world, it.joint);
}

dry_result dry_hold_begin(dry_world *world, const char *name, const dry_body_id *ids, int count)
{
    dry_hold *h = &world->hold;
    if (!reserve(world, count))
        return dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory; no body moved", name);
    int awake;
    if (!list_named(world, ids, count, &awake))
        return dry_refuse(world, name, "a body is named twice");
    h->partial = awake < world->bodies.awake_count;
    h->on = holds_any(world);
    if (!h->on) {
        dry_hold_settle(world);
        return DRY_OK;
    }
    take_rows(world, awake);
    take_contacts(world);
    take_joints(world);
    take_plan(world);
    forget_schedule(world);
    for (int i = awake; i < h->named; i++)
        if (has_uneven(world, h->body[i].slot))
            dry_body_wake(world, h->body[i].slot);
    return DRY_OK;
}

static void wake_supported(dry_world *world)
{
    dry_hold *h = &world->hold;
    for (int slot = 0; h->wake_count > 0; slot++)
        if (dry_slot_set_has(h->wakes, slot)) {
            h->wakes[slot / 32] &= ~(UINT32_C(1) << slot % 32);
            h->wake_count--;
            dry_body_wake(world, slot);
        }
}

/* Marks all that the step may have changed of a named body. */
static void mark_named(dry_world *world, int slot)
{
    dry_row_marks *marks = world->bodies.marks;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    dry_marks_add(marks, DRY_MARKED_BODY, dry_bodies_row(&world->bodies, slot));
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        dry_marks_add(marks, DRY_MARKED_CONTACT, it.contact);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_marks_add(marks, DRY_MARKED_JOINT, it.joint);
}

void dry_hold_end(dry_world *world)
{
    dry_hold *h = &world->hold;
    h->on = false;
    give_rows_back(world);
    give_contacts_back(world);
    give_joints_back(world);
    give_plan_back(world);
    forget_schedule(world);
    for (int i = 0; i < h->named; i++)
        activate_again(world, h->body[i].slot);
    for (int i = 0; i < h->named && world->bodies.marks; i++)
        mark_named(world, h->body[i].slot);
    for (int i = 0; i < h->named && !h->unsettled; i++)
        h->unsettled = has_uneven(world, h->body[i].slot);
    wake_supported(world);
}

static void settle_pair(dry_world *world, int slot, int other, bool joined)
{
    const int sleeper = uneven_of(world, slot, other, joined);
    if (sleeper >= 0)
        dry_body_wake(world, sleeper);
}

void dry_hold_settle(dry_world *world)
{
    const dry_contacts *contacts = &world->contacts;
    if (!world->hold.unsettled)
        return;
    world->hold.unsettled = false;
    for (int contact = -1; (contact = dry_contacts_next_active(contacts, contact)) >= 0;)
        if (contacts->link[contact].flags & DRY_CONTACT_TOUCHING)
            settle_pair(world, contacts->link[contact].body_a, contacts->link[contact].body_b, false);
    for (int i = 0; i < world->joints.active_count; i++) {
        int body[DRY_JOINT_SIDES];
        const int count = dry_joint_find_bodies(&world->joints, world->joints.active[i], body);
        for (int side = 0; side + 1 < count; side++)
            for (int other = side + 1; other < count; other++)
                settle_pair(world, body[side], body[other], true);
    }
}

/* Holding bodies for one step, and letting them go on: world/hold.h. */
#include "world/hold.h"

#include "core/assert.h"
#include "state/iterators.h"
#include "state/joint_list.h"
#include "world/check.h"
#include "world/constraint_graph.h"
#include "world/sleep.h"
#include "world/world.h"

#include <string.h>

static void drop(uint32_t *set, int element)
{
    set[element / 32] &= ~(UINT32_C(1) << element % 32);
}

static bool reserve(dry_world *world, int named)
{
    dry_hold *h = &world->hold;
    dry_memory *memory = &world->memory;
    const int rows = world->bodies.count, joints = world->joints.active_capacity;
    return DRY_RESERVE(memory, h->body, h->body_capacity, named) &&
           DRY_RESERVE(memory, h->joint, h->joint_capacity, world->joints.active_count) &&
           DRY_RESERVE(memory, h->list, h->list_capacity, joints) &&
           DRY_RESERVE(memory, h->set, h->set_capacity, dry_slot_set_words(dry_max_int(rows, joints))) &&
           DRY_RESERVE(memory, h->wakes, h->wakes_capacity, dry_slot_set_words(world->bodies.slots.used)) &&
           DRY_RESERVE(memory, h->contacts, h->contacts_capacity, dry_contact_words(&world->contacts));
}

/* Enters the rows of bodies into the set; false, and the set is empty, if a body comes twice. */
static bool enter_rows(dry_world *world, const dry_body_id *ids, int count)
{
    dry_hold *h = &world->hold;
    for (int i = 0; i < count; i++) {
        const int row = dry_bodies_row(&world->bodies, dry_slots_of(ids[i].bits));
        if (!dry_slot_set_has(h->set, row)) {
            dry_slot_set_add(h->set, row);
            continue;
        }
        while (--i >= 0)
            drop(h->set, dry_bodies_row(&world->bodies, dry_slots_of(ids[i].bits)));
        return false;
    }
    return true;
}

/* Lists the bodies in the set by rising row. */
static void list_named(dry_world *world)
{
    dry_hold *h = &world->hold;
    const dry_bodies *bodies = &world->bodies;
    h->named = 0;
    for (int word = 0; word < dry_slot_set_words(bodies->count); word++)
        for (uint32_t bits = h->set[word]; bits; bits &= bits - 1) {
            const int row = 32 * word + dry_lowest_bit(bits);
            h->body[h->named++] = (dry_named_body){
                .slot = bodies->state[row].slot, .row = row, .was_awake = row < bodies->awake_count};
        }
}

static int awake_named(const dry_hold *h)
{
    int count = 0;
    while (count < h->named && h->body[count].was_awake)
        count++;
    return count;
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

static void empty_set(dry_hold *h)
{
    for (int i = 0; i < h->named; i++)
        drop(h->set, h->body[i].row);
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

/* Brings all rows back to where they were, then moves those of bodies that woke or fell asleep in the step.
 */
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
    for (int word = 0; word < h->contact_words; word++) {
        h->contacts[word] = contacts->active_bits[word];
        contacts->active_bits[word] = 0;
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
            if (h->body[i].was_awake)
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
    dry_hold *h = &world->hold;
    dry_joints *joints = &world->joints;
    int32_t *list = joints->active;
    const int capacity = joints->active_capacity, count = joints->active_count;
    joints->active = h->list;
    joints->active_capacity = h->list_capacity;
    joints->active_count = h->list_count;
    h->list = list;
    h->list_capacity = capacity;
    h->list_count = count;
}

static void enter_places(dry_world *world)
{
    dry_hold *h = &world->hold;
    for (int i = 0; i < h->named && h->body[i].was_awake; i++) {
        const dry_body_state *state = dry_body_state_of(&world->bodies, h->body[i].slot);
        for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
            if (world->joints.joint[it.joint].active >= 0)
                dry_slot_set_add(h->set, world->joints.joint[it.joint].active);
    }
}

/* Leaves active the joints of named bodies that are awake alone, in their order. Those of named sleepers are
 * inactive, so that waking activates them; they keep their colors. */
static void take_joints(dry_world *world)
{
    dry_hold *h = &world->hold;
    dry_joints *joints = &world->joints;
    enter_places(world);
    h->joint_count = h->list_count = 0;
    exchange_joint_lists(world);
    for (int word = 0; word < dry_slot_set_words(h->list_count); word++) {
        for (uint32_t bits = h->set[word]; bits; bits &= bits - 1) {
            const int place = 32 * word + dry_lowest_bit(bits), joint = h->list[place];
            h->joint[h->joint_count++] = (dry_named_joint){joint, place};
            joints->joint[joint].active = -1;
            dry_joints_set_active(joints, joint, true);
        }
        h->set[word] = 0;
    }
    for (int i = awake_named(h); i < h->named; i++) {
        const dry_body_state *state = dry_body_state_of(&world->bodies, h->body[i].slot);
        for (dry_joint_iterator it = dry_joints_of(joints, state); dry_next_joint(&it);) {
            const int place = joints->joint[it.joint].active;
            if (place < 0 || (place < joints->active_count && joints->active[place] == it.joint))
                continue;
            h->joint[h->joint_count++] = (dry_named_joint){it.joint, place};
            joints->joint[it.joint].active = -1;
        }
    }
}

/* Gives the joints their places back. Those without a color ceased to be active in the step; those that are
 * in the step's list alone became active. */
static void give_joints_back(dry_world *world)
{
    dry_hold *h = &world->hold;
    dry_joints *joints = &world->joints;
    exchange_joint_lists(world);
    for (int i = 0; i < h->joint_count; i++)
        joints->joint[h->joint[i].joint].active = h->joint[i].place;
    for (int i = 0; i < h->list_count; i++) {
        const int joint = h->list[i], place = joints->joint[joint].active;
        if (place < joints->active_count && joints->active[place] == joint)
            continue;
        joints->joint[joint].active = -1;
        dry_joints_set_active(joints, joint, true);
    }
    for (int i = 0; i < h->joint_count; i++)
        if (joints->joint[h->joint[i].joint].color == DRY_COLOR_NONE)
            dry_joints_set_active(joints, h->joint[i].joint, false);
}

/* Exchanges the plan's slabs with those aside, and what else the last whole step hands to the next one. */
static void exchange_plan(dry_world *world)
{
    dry_hold *h = &world->hold;
    dry_plan *plan = &world->solver.plan;
    const dry_hold aside = *h;
    h->slab = plan->slab;
    h->slab_capacity = plan->slab_capacity;
    h->slab_rows = plan->slab_rows;
    h->slab_count = plan->slab_count;
    h->slab_wait = plan->slab_wait;
    h->slab_tiers = plan->slab_tiers;
    plan->slab = aside.slab;
    plan->slab_capacity = aside.slab_capacity;
    plan->slab_rows = aside.slab_rows;
    plan->slab_count = aside.slab_count;
    plan->slab_wait = aside.slab_wait;
    plan->slab_tiers = aside.slab_tiers;
}

static void take_plan(dry_world *world)
{
    dry_hold *h = &world->hold;
    h->weighed = world->islands.weighed;
    h->ways_dt = world->ways_dt;
    h->slab_rows = h->slab_count = h->slab_wait = 0;
    h->slab_tiers = 0;
    if (h->partial)
        exchange_plan(world);
}

static void give_plan_back(dry_world *world)
{
    const dry_hold *h = &world->hold;
    if (!h->partial)
        return;
    exchange_plan(world);
    /* Only the named bodies' joints were weighed, and only their fat boxes hold the ways of this step. */
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
    return slot >= 0 && other >= 0 && !dry_bodies_is_awake(&world->bodies, slot) &&
           dry_bodies_is_awake(&world->bodies, other) &&
           dry_body_state_of(&world->bodies, slot)->type == DRY_BODY_DYNAMIC &&
           (joined || dry_body_state_of(&world->bodies, other)->type != DRY_BODY_DYNAMIC);
}

static bool is_uneven(const dry_world *world, int slot, int other, bool joined)
{
    return sleeps_beside(world, slot, other, joined) || sleeps_beside(world, other, slot, joined);
}

/* Tells whether a body is one of such a pair. */
static bool has_uneven(const dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_contact_iterator it = dry_contacts_of(&world->contacts, state); dry_next_contact(&it);)
        if ((world->contacts.link[it.contact].flags & DRY_CONTACT_TOUCHING) &&
            is_uneven(world, slot, it.other, false))
            return true;
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);) {
        int body[DRY_JOINT_SIDES];
        const int count = dry_joint_find_bodies(&world->joints, it.joint, body);
        for (int i = 0; world->joints.joint[it.joint].active >= 0 && i < count; i++)
            if (is_uneven(world, slot, body[i], true))
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
    if (!enter_rows(world, ids, count))
        return dry_world_fail(world, DRY_ERROR_ARGUMENT, "%s: a body is named twice", name);
    list_named(world);
    const int awake = awake_named(h);
    h->partial = awake < world->bodies.awake_count;
    h->on = holds_any(world);
    empty_set(h);
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
    for (int word = 0; h->wake_count > 0; word++) {
        const uint32_t slots = h->wakes[word];
        h->wakes[word] = 0;
        for (uint32_t bits = slots; bits; bits &= bits - 1) {
            h->wake_count--;
            dry_body_wake(world, 32 * word + dry_lowest_bit(bits));
        }
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

/* Wakes the one of two bodies that sleeps, if the other is awake. */
static void settle_pair(dry_world *world, int slot, int other, bool joined)
{
    if (sleeps_beside(world, slot, other, joined))
        dry_body_wake(world, slot);
    else if (sleeps_beside(world, other, slot, joined))
        dry_body_wake(world, other);
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

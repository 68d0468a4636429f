/* Bodies destroyed; all of a batch or none.
 *
 * Few go one by one, each with what its lists hold. Of many, what they take with them goes kind by kind:
 * their contacts in one pass over all contacts by rising index, where lists would lead through memory at
 * random and meet most of them twice, the leaves of their shapes in one pass over the trees. Nothing is
 * unlinked from what leaves too. The world is the same afterwards, only end events come in the order of
 * contacts instead of that of bodies. */
#include "solver/islands/coloring.h"
#include "state/iterators.h"
#include "world/shape_make.h"
#include "world/world.h"

#include <string.h>

/* From here on bodies are many: so many, and one at least for so many contacts of the world. The pass over
 * those takes some 5 ns a contact, a body by itself 1,000 to 5,000, as scattered as it is. */
enum { MANY_MIN = 32, CONTACTS_PER_BODY = 256 };

/* How far ahead what belongs to a body is fetched. */
enum { AHEAD = 8 };

static void remove_joints(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);) {
        dry_deactivate_joint(world, it.joint);
        dry_joints_remove(&world->joints, &world->bodies, it.joint);
    }
}

static void destroy_body(dry_world *world, int slot)
{
    dry_bodies *bodies = &world->bodies;
    dry_wake_neighbors(world, slot);
    dry_detach_body(world, slot);
    remove_joints(world, slot);
    while (dry_body_state_of(&world->bodies, slot)->first_shape >= 0)
        dry_shape_unmake(world, dry_body_state_of(&world->bodies, slot)->first_shape);
    dry_event_sleep_forget(world, slot);
    dry_bodies_set_awake(bodies, slot, false);
    dry_bodies_remove(bodies, slot);
    world->islands.stale = true;
}

/* Many. */

typedef struct departure {
    dry_world *world;
    const dry_body_id *ids;
    int count;
    uint32_t *leaving; /* set of their slots */
    int contacts;      /* marked in contacts.lost_bits */
} departure;

static int slot_at(const departure *d, int i)
{
    return dry_slots_of(d->ids[i].bits);
}

static void collect_slots(departure *d)
{
    int words = dry_slot_set_words(d->world->bodies.slots.used);
    d->leaving = d->world->leaving;
    memset(d->leaving, 0, (size_t)words * sizeof *d->leaving);
    for (int i = 0; i < d->count; i++)
        dry_slot_set_add(d->leaving, slot_at(d, i));
}

static bool is_sleeper(const dry_bodies *bodies, int row)
{
    const dry_body_state *state = &bodies->state[row];
    return row >= bodies->awake_count && state->type == DRY_BODY_DYNAMIC && (state->flags & DRY_BODY_ENABLED);
}

/* How many sleeping bodies may wake because of those that leave; 0 if none does that stays. */
static int count_wakeable(const departure *d)
{
    const dry_bodies *bodies = &d->world->bodies;
    int resting = bodies->count - bodies->awake_count;
    if (resting > 4 * d->count)
        return INT32_MAX; /* not worth counting */
    int sleepers = 0, leaving = 0, leaving_awake = 0;
    for (int row = bodies->awake_count; row < bodies->count; row++)
        sleepers += is_sleeper(bodies, row);
    for (int i = 0; i < d->count && sleepers > 0; i++) {
        int row = dry_bodies_row(bodies, slot_at(d, i));
        leaving += is_sleeper(bodies, row);
        leaving_awake += row < bodies->awake_count;
    }
    /* Waking those that leave only to let them sleep again changes the rows of those that stay awake, unless
     * there are none or nothing but sleepers leaves. */
    if (sleepers == leaving && (leaving_awake == 0 || leaving_awake == bodies->awake_count))
        return 0;
    return sleepers;
}

/* What touches or is joined to a body that leaves begins to rest anew; if it slept, it has been woken. */
static void stir(dry_world *world, int slot)
{
    int row = dry_bodies_row(&world->bodies, slot);
    if (row < world->bodies.awake_count && world->bodies.state[row].type == DRY_BODY_DYNAMIC)
        world->bodies.rest[row].timer = 0.0f;
}

static void leave_joints(const departure *d, int slot)
{
    dry_world *world = d->world;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        stir(world, it.other);
    remove_joints(world, slot);
}

/* Each in turn wakes what it touches and leaves the rows. To the next one's waking it is a disabled body: its
 * contacts are still there. */
static void leave_waking(const departure *d, int wakeable)
{
    dry_bodies *bodies = &d->world->bodies;
    for (int i = 0; i < d->count; i++) {
        int slot = slot_at(d, i);
        if (wakeable > 0) {
            int awake = bodies->awake_count;
            dry_wake_neighbors(d->world, slot);
            wakeable -= bodies->awake_count - awake;
            wakeable -= is_sleeper(bodies, dry_bodies_row(bodies, slot));
        }
        leave_joints(d, slot);
        dry_event_sleep_forget(d->world, slot);
        dry_bodies_set_awake(bodies, slot, false);
        dry_bodies_take_out(bodies, slot);
        dry_body_state_of(&d->world->bodies, slot)->flags = 0;
    }
}

static void leave_asleep(const departure *d)
{
    for (int i = 0; i < d->count; i++) {
        if (i + AHEAD < d->count)
            __builtin_prefetch(dry_body_state_of(&d->world->bodies, slot_at(d, i + AHEAD)));
        leave_joints(d, slot_at(d, i));
        dry_event_sleep_forget(d->world, slot_at(d, i));
    }
}

/* Ends one contact for the body that stays, if one does. */
static void end_for(const departure *d, int slot, int color)
{
    if (dry_slot_set_has(d->leaving, slot))
        return;
    stir(d->world, slot);
    dry_color_release(&d->world->bodies, slot, slot, color);
}

static void leave_contacts(const departure *d)
{
    dry_contacts *contacts = &d->world->contacts;
    int32_t list[DRY_CONTACT_CHUNK];
    for (int word = 0, count; (count = dry_contacts_chunk(contacts, contacts->lost_bits, &word, list)) > 0;)
        for (int i = 0; i < count; i++) {
            if (i + AHEAD < count && (contacts->link[list[i + AHEAD]].flags & DRY_CONTACT_TOUCHING))
                __builtin_prefetch(&contacts->manifold[list[i + AHEAD]].shape_a);
            const dry_contact_link *link = &contacts->link[list[i]];
            if (!(link->flags & DRY_CONTACT_TOUCHING))
                continue;
            end_for(d, link->body_a, link->color);
            end_for(d, link->body_b, link->color);
            dry_event_end(d->world, list[i]);
        }
    dry_contacts_remove_leaving(contacts, &d->world->bodies, d->contacts, d->leaving);
}

static void leave_shapes(const departure *d)
{
    dry_world *world = d->world;
    dry_broadphase_begin_removal(world->broadphase);
    for (int i = 0; i < d->count; i++) {
        if (i + 2 * AHEAD < d->count)
            __builtin_prefetch(dry_body_state_of(&world->bodies, slot_at(d, i + 2 * AHEAD)));
        if (i + AHEAD < d->count) {
            int s = dry_body_state_of(&world->bodies, slot_at(d, i + AHEAD))->first_shape;
            __builtin_prefetch(&world->shapes.form[s < 0 ? 0 : s]);
            __builtin_prefetch(&world->shapes.link[s < 0 ? 0 : s].next);
        }
        dry_body_state *state = dry_body_state_of(&world->bodies, slot_at(d, i));
        while (state->first_shape >= 0) {
            dry_detach_proxy(world, state->first_shape);
            dry_shape_unmake(world, state->first_shape);
        }
    }
    dry_broadphase_end_removal(world->broadphase);
}

static void destroy_many(departure *d)
{
    dry_bodies *bodies = &d->world->bodies;
    int wakeable = count_wakeable(d);
    if (wakeable > 0)
        leave_waking(d, wakeable);
    else
        leave_asleep(d);
    leave_contacts(d);
    leave_shapes(d);
    if (wakeable == 0)
        dry_bodies_take_out_many(bodies, d->ids, d->count, d->leaving);
    for (int i = 0; i < d->count; i++)
        dry_slots_release(&bodies->slots, slot_at(d, i));
    d->world->islands.stale = true;
}

static bool are_many(const dry_world *world, int count)
{
    return count >= MANY_MIN && world->contacts.used / CONTACTS_PER_BODY <= count;
}

/* The call. */

/* Marks all; less than `count` if one is there twice. */
static int mark(dry_world *world, int count, const dry_body_id *ids)
{
    for (int i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(dry_body_state_of(&world->bodies, dry_slots_of(ids[i + AHEAD].bits)));
        dry_body_state *state = dry_body_state_of(&world->bodies, dry_slots_of(ids[i].bits));
        if (state->flags & DRY_BODY_DOOMED)
            return i;
        state->flags |= DRY_BODY_DOOMED;
    }
    return count;
}

static void unmark(dry_world *world, int count, const dry_body_id *ids)
{
    for (int i = 0; i < count; i++)
        dry_body_state_of(&world->bodies, dry_slots_of(ids[i].bits))->flags &= ~(uint32_t)DRY_BODY_DOOMED;
}

dry_result dry_world_destroy_bodies(dry_world *world, int count, const dry_body_id *ids)
{
    dry_result result;
    const char *name = "dry_world_destroy_bodies";
    if (!dry_check_bodies(world, name, count, ids, &result))
        return result;
    /* Everything is checked before anything goes; a body marked twice is a duplicate. */
    int marked = mark(world, count, ids), ends = 0;
    if (marked < count) {
        unmark(world, marked, ids);
        return dry_world_fail(world, DRY_ERROR_STALE_ID, "%s: ids[%d] is there twice", name, marked);
    }
    departure d = {.world = world, .ids = ids, .count = count};
    bool many = are_many(world, count);
    if (many) {
        collect_slots(&d);
        dry_contacts_mark_leaving(&world->contacts, d.leaving, &d.contacts, &ends);
    }
    for (int i = 0; i < count && !many; i++)
        ends += dry_body_touch_count(world, dry_slots_of(ids[i].bits));
    if (!dry_events_reserve_ends(world, ends)) {
        unmark(world, count, ids);
        return dry_world_fail(world, DRY_ERROR_MEMORY, "%s: out of memory", name);
    }
    if (many)
        destroy_many(&d);
    for (int i = 0; i < count && !many; i++)
        destroy_body(world, dry_slots_of(ids[i].bits));
    return DRY_OK;
}

dry_result dry_world_destroy_body(dry_world *world, dry_body_id id)
{
    return dry_world_destroy_bodies(world, 1, &id);
}

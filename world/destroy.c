/* Destruction of bodies: all of a batch or none.
 *
 * A few bodies go one by one, each with all that its lists hold. A large batch is removed kind by kind: its
 * contacts in one pass over all contacts by rising index, where bodies' lists would lead through memory at
 * random and visit most contacts twice; the proxies of its shapes in one pass over the trees. A bulk removal
 * unlinks nothing from what it removes as well. Both ways leave the same world, except that a bulk removal
 * raises end events in the order of contacts, not of bodies. */
#include "world/change.h"

#include "solver/plan/coloring.h"
#include "state/iterators.h"
#include "world/attach.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/joints.h"
#include "world/shapes.h"
#include "world/sleep.h"
#include "world/world.h"

#include <string.h>

/* A bulk removal needs at least BULK_MIN bodies, and one body for each CONTACTS_PER_BODY contacts of the
 * world: its pass over the contacts takes 5 ns a contact, a single removal 1,000 to 5,000 ns a body. */
enum { BULK_MIN = 32, CONTACTS_PER_BODY = 256 };

/* Distance of prefetches, in bodies. */
enum { AHEAD = 8 };

static void remove_joints(dry_world *world, int slot)
{
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);) {
        dry_joint_deactivate(world, it.joint);
        dry_joints_remove(&world->joints, &world->bodies, it.joint);
    }
}

static void destroy_body(dry_world *world, int slot)
{
    dry_bodies *bodies = &world->bodies;
    dry_body_wake_neighbors(world, slot);
    dry_body_detach(world, slot);
    remove_joints(world, slot);
    while (dry_body_state_of(bodies, slot)->first_shape >= 0)
        dry_shape_remove(world, dry_body_state_of(bodies, slot)->first_shape);
    dry_events_unlist_sleep_change(world, slot);
    dry_bodies_set_awake(bodies, slot, false);
    dry_bodies_remove(bodies, slot);
    world->islands.stale = true;
}

/* Bulk removal. */

typedef struct bulk_removal {
    dry_world *world;
    const dry_body_id *ids;
    int count;
    uint32_t *leaving; /* the set of the bodies' slots, in scratch memory */
    int contacts;      /* number of the bodies' contacts, which are marked in contacts.lost_bits */
} bulk_removal;

static int slot_at(const bulk_removal *removal, int i)
{
    return dry_slots_of(removal->ids[i].bits);
}

static void collect_slots(bulk_removal *removal)
{
    int words = dry_slot_set_words(removal->world->bodies.slots.used);
    removal->leaving = DRY_SCRATCH_TAKE(&removal->world->scratch, uint32_t, words);
    memset(removal->leaving, 0, (size_t)words * sizeof *removal->leaving);
    for (int i = 0; i < removal->count; i++)
        dry_slot_set_add(removal->leaving, slot_at(removal, i));
}

static bool is_sleeper(const dry_bodies *bodies, int row)
{
    const dry_body_state *state = &bodies->state[row];
    return row >= bodies->awake_count && state->type == DRY_BODY_DYNAMIC && (state->flags & DRY_BODY_ENABLED);
}

/* Returns an upper bound of the sleeping bodies that a removal wakes; 0 if it wakes none that stays. */
static int count_wakeable(const bulk_removal *removal)
{
    const dry_bodies *bodies = &removal->world->bodies;
    int not_awake = bodies->count - bodies->awake_count;
    if (not_awake > 4 * removal->count)
        return INT32_MAX; /* counting would cost more than it can save */
    int sleepers = 0, leaving = 0, leaving_awake = 0;
    for (int row = bodies->awake_count; row < bodies->count; row++)
        sleepers += is_sleeper(bodies, row);
    for (int i = 0; i < removal->count && sleepers > 0; i++) {
        int row = dry_bodies_row(bodies, slot_at(removal, i));
        leaving += is_sleeper(bodies, row);
        leaving_awake += row < bodies->awake_count;
    }
    /* If all sleepers are removed, no body that stays can wake. Waking the sleepers themselves would still
     * reorder the rows of the bodies that stay awake: it may be left out if there are none, or if no awake
     * body is removed. */
    if (sleepers == leaving && (leaving_awake == 0 || leaving_awake == bodies->awake_count))
        return 0;
    return sleepers;
}

/* Removes a body's joints and resets the sleep timers of the bodies that they joined it to. */
static void remove_joints_of(const bulk_removal *removal, int slot)
{
    dry_world *world = removal->world;
    const dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    for (dry_joint_iterator it = dry_joints_of(&world->joints, state); dry_next_joint(&it);)
        dry_joint_reset_sleep_timers(world, it.joint);
    remove_joints(world, slot);
}

/* Takes the bodies out of the rows one by one; each wakes its neighbors first. The contacts of a body that is
 * out are still there, so the next wake-ups see it as a disabled body. */
static void remove_rows_waking(const bulk_removal *removal, int wakeable)
{
    dry_bodies *bodies = &removal->world->bodies;
    for (int i = 0; i < removal->count; i++) {
        int slot = slot_at(removal, i);
        if (wakeable > 0) {
            int awake = bodies->awake_count;
            dry_body_wake_neighbors(removal->world, slot);
            wakeable -= bodies->awake_count - awake;
            wakeable -= is_sleeper(bodies, dry_bodies_row(bodies, slot));
        }
        remove_joints_of(removal, slot);
        dry_events_unlist_sleep_change(removal->world, slot);
        dry_bodies_set_awake(bodies, slot, false);
        dry_bodies_take_out(bodies, slot);
        dry_body_state_of(&removal->world->bodies, slot)->flags = 0;
    }
}

/* Removes what would be removed with the rows one by one, where no body wakes. */
static void remove_joints_and_listings(const bulk_removal *removal)
{
    for (int i = 0; i < removal->count; i++) {
        if (i + AHEAD < removal->count)
            DRY_PREFETCH(dry_body_state_of(&removal->world->bodies, slot_at(removal, i + AHEAD)));
        remove_joints_of(removal, slot_at(removal, i));
        dry_events_unlist_sleep_change(removal->world, slot_at(removal, i));
    }
}

/* Ends a contact for one of its bodies, if that one stays: its sleep timer and its color. */
static void end_contact_for(const bulk_removal *removal, int slot, int color)
{
    if (dry_slot_set_has(removal->leaving, slot))
        return;
    dry_body_reset_sleep_timer(removal->world, slot);
    dry_color_release(&removal->world->bodies, &slot, 1, color);
}

/* Removes all contacts of the bodies by rising index, with their end events. */
static void remove_contacts(const bulk_removal *removal)
{
    dry_contacts *contacts = &removal->world->contacts;
    int32_t list[DRY_CONTACT_CHUNK];
    for (int word = 0, count; (count = dry_contacts_chunk(contacts, contacts->lost_bits, &word, list)) > 0;)
        for (int i = 0; i < count; i++) {
            if (i + AHEAD < count && (contacts->link[list[i + AHEAD]].flags & DRY_CONTACT_TOUCHING))
                DRY_PREFETCH(&contacts->manifold[list[i + AHEAD]].shape_a);
            const dry_contact_link *link = &contacts->link[list[i]];
            if (!(link->flags & DRY_CONTACT_TOUCHING))
                continue;
            end_contact_for(removal, link->body_a, link->color);
            end_contact_for(removal, link->body_b, link->color);
            dry_contact_tell_end(removal->world, list[i]);
        }
    dry_contacts_remove_leaving(contacts, &removal->world->bodies, removal->contacts, removal->leaving);
}

/* Removes all shapes of the bodies and their proxies. */
static void remove_shapes(const bulk_removal *removal)
{
    dry_world *world = removal->world;
    dry_broadphase_begin_removal(world->broadphase);
    for (int i = 0; i < removal->count; i++) {
        if (i + 2 * AHEAD < removal->count)
            DRY_PREFETCH(dry_body_state_of(&world->bodies, slot_at(removal, i + 2 * AHEAD)));
        if (i + AHEAD < removal->count) {
            int s = dry_body_state_of(&world->bodies, slot_at(removal, i + AHEAD))->first_shape;
            DRY_PREFETCH(&world->shapes.form[s < 0 ? 0 : s]);
            DRY_PREFETCH(&world->shapes.link[s < 0 ? 0 : s].next);
        }
        dry_body_state *state = dry_body_state_of(&world->bodies, slot_at(removal, i));
        while (state->first_shape >= 0) {
            dry_shape_detach_proxy(world, state->first_shape);
            dry_shape_remove(world, state->first_shape);
        }
    }
    dry_broadphase_end_removal(world->broadphase);
}

static void destroy_in_bulk(bulk_removal *removal)
{
    dry_bodies *bodies = &removal->world->bodies;
    int wakeable = count_wakeable(removal);
    if (wakeable > 0)
        remove_rows_waking(removal, wakeable);
    else
        remove_joints_and_listings(removal);
    remove_contacts(removal);
    remove_shapes(removal);
    if (wakeable == 0)
        dry_bodies_take_out_many(bodies, removal->ids, removal->count, removal->leaving);
    for (int i = 0; i < removal->count; i++)
        dry_slots_release(&bodies->slots, slot_at(removal, i));
    removal->world->islands.stale = true;
}

static bool is_bulk(const dry_world *world, int count)
{
    return count >= BULK_MIN && world->contacts.used / CONTACTS_PER_BODY <= count;
}

/* Checks and entry. */

/* Marks the bodies. Returns the index of the first id that occurs a second time, `count` if none does. */
static int mark(dry_world *world, int count, const dry_body_id *ids)
{
    for (int i = 0; i < count; i++) {
        if (i + AHEAD < count)
            DRY_PREFETCH(dry_body_state_of(&world->bodies, dry_slots_of(ids[i + AHEAD].bits)));
        dry_body_state *state = dry_body_state_of(&world->bodies, dry_slots_of(ids[i].bits));
        if (state->flags & DRY_BODY_DESTROYED)
            return i;
        state->flags |= DRY_BODY_DESTROYED;
    }
    return count;
}

static void unmark(dry_world *world, int count, const dry_body_id *ids)
{
    for (int i = 0; i < count; i++)
        dry_body_state_of(&world->bodies, dry_slots_of(ids[i].bits))->flags &= ~(uint32_t)DRY_BODY_DESTROYED;
}

dry_result dry_bodies_destroy(dry_world *world, int count, const dry_body_id *ids, int *duplicate)
{
    int marked = mark(world, count, ids), ends = 0;
    if (marked < count) {
        unmark(world, marked, ids);
        *duplicate = marked;
        return DRY_ERROR_STALE_ID;
    }
    bulk_removal removal = {.world = world, .ids = ids, .count = count};
    bool bulk = is_bulk(world, count);
    size_t mark = world->scratch.used;
    if (bulk) {
        collect_slots(&removal);
        dry_contacts_mark_leaving(&world->contacts, removal.leaving, &removal.contacts, &ends);
    }
    for (int i = 0; i < count && !bulk; i++)
        ends += dry_body_touching_count(world, dry_slots_of(ids[i].bits));
    if (!dry_events_reserve_contact_ends(world, ends)) {
        unmark(world, count, ids);
        dry_scratch_give_back(&world->scratch, mark);
        return DRY_ERROR_MEMORY;
    }
    if (bulk)
        destroy_in_bulk(&removal);
    for (int i = 0; i < count && !bulk; i++)
        destroy_body(world, dry_slots_of(ids[i].bits));
    dry_scratch_give_back(&world->scratch, mark);
    return DRY_OK;
}

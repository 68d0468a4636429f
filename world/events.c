/* The store of events: room, the lists of pending events, publication.
 *
 * Contact ends wait in `pending` until a step can no longer fail. Contact begins wait as bits of the
 * contacts. The events of that step lie in scratch memory, where they follow the solver's bundles: no stage
 * reads these after "store". */
#include "world/events.h"

#include "world/world.h"

#include <string.h>

void dry_events_clear(dry_world *world)
{
    dry_event_store *e = &world->events;
#define X(type, array, count, room) e->count = 0;
    DRY_STEP_EVENTS(X)
    DRY_GROWING_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
}

size_t dry_events_scratch_bytes(const dry_world *world)
{
    size_t bytes = 0;
#define X(type, array, count, room) bytes += dry_scratch_bytes((size_t)(room), sizeof(type));
    DRY_STEP_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
    return bytes;
}

/* Tells whether a shape of a contact asks for its begin and its end. */
static bool is_asked_for(const dry_world *world, int contact)
{
    const dry_manifold *m = &world->contacts.manifold[contact];
    return dry_shapes_ask(&world->shapes, m->shape_a, m->shape_b, DRY_SHAPE_EVENTS_CONTACTS);
}

static void raise_contact_begins(dry_world *world)
{
    dry_event_store *e = &world->events;
    for (int contact; (contact = dry_contacts_next_begun(&world->contacts)) >= 0;)
        if (is_asked_for(world, contact))
            e->contact_begins[e->contact_begin_count++] = dry_contact_event_of(world, contact);
}

void dry_events_begin_step_end(dry_world *world)
{
    dry_event_store *e = &world->events;
    dry_pending_events *p = &world->pending;
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_EVENTS);
#define X(type, array, count, room)                                                                          \
    e->array = dry_scratch_take_spare(&world->scratch, dry_scratch_bytes((size_t)(room), sizeof(type)));     \
    e->count = 0;
    DRY_STEP_EVENTS(X)
#undef X
#define X(type, array, count, room)                                                                          \
    e->array##_capacity = (room);                                                                            \
    e->array = dry_scratch_take_spare(&world->scratch, dry_scratch_bytes((size_t)(room), sizeof(type)));     \
    if (p->count > 0)                                                                                        \
        memcpy(e->array, p->array, (size_t)p->count * sizeof(type));                                         \
    e->count = p->count;                                                                                     \
    p->count = 0;
    DRY_PENDING_EVENTS(X)
#undef X
    e->step_ends = true;
    raise_contact_begins(world);
}

bool dry_events_reserve_contact_ends(dry_world *world, int more)
{
    dry_pending_events *p = &world->pending;
    return DRY_RESERVE(&world->memory, p->contact_ends, p->contact_ends_capacity,
                       p->contact_end_count + more);
}

void dry_events_add_contact_end(dry_world *world, int contact)
{
    dry_event_store *e = &world->events;
    dry_pending_events *p = &world->pending;
    /* A contact whose begin no step has published yet ends without an event as well. */
    if (dry_contacts_forget_begun(&world->contacts, contact) || !is_asked_for(world, contact))
        return;
    const dry_contact_event event = dry_contact_event_of(world, contact);
    DRY_ASSERT(e->step_ends ? e->contact_end_count < e->contact_ends_capacity
                            : p->contact_end_count < p->contact_ends_capacity);
    if (e->step_ends)
        e->contact_ends[e->contact_end_count++] = event;
    else
        p->contact_ends[p->contact_end_count++] = event;
}

void dry_events_follow_family(dry_world *world, int parent)
{
    dry_contact_family *family = &world->contacts.family[parent];
    const int touches = family->touching > 0;
    if (touches == family->told)
        return;
    family->told = touches;
    if (touches)
        dry_contacts_set_begun(&world->contacts, parent);
    else
        dry_events_add_contact_end(world, parent);
}

void dry_events_list_sleep_change(dry_world *world, int slot)
{
    dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    if (state->flags & DRY_BODY_SLEEP_LISTED)
        return;
    DRY_ASSERT(world->sleep_changed_count < world->sleep_changed_capacity);
    state->flags |= DRY_BODY_SLEEP_LISTED;
    state->listed_at = world->sleep_changed_count;
    world->sleep_changed[world->sleep_changed_count++] = slot;
}

void dry_events_unlist_sleep_change(dry_world *world, int slot)
{
    dry_body_state *state = dry_body_state_of(&world->bodies, slot);
    if (!(state->flags & DRY_BODY_SLEEP_LISTED))
        return;
    DRY_ASSERT(world->sleep_changed[state->listed_at] == slot);
    int last = world->sleep_changed[--world->sleep_changed_count];
    world->sleep_changed[state->listed_at] = last;
    dry_body_state_of(&world->bodies, last)->listed_at = state->listed_at;
    state->flags &= ~(uint32_t)DRY_BODY_SLEEP_LISTED;
    state->listed_at = 0;
}

/* Raises one event for each body whose sleep state differs from the one last published. */
static void publish_sleep_changes(dry_world *world)
{
    dry_event_store *e = &world->events;
    for (int i = 0; i < world->sleep_changed_count; i++) {
        int slot = world->sleep_changed[i];
        dry_body_state *state = dry_body_state_of(&world->bodies, slot);
        bool asleep = !dry_bodies_is_awake(&world->bodies, slot);
        bool told_asleep = (state->flags & DRY_BODY_TOLD_ASLEEP) != 0;
        dry_bodies_mark(&world->bodies, slot);
        state->flags &= ~(uint32_t)(DRY_BODY_SLEEP_LISTED | DRY_BODY_TOLD_ASLEEP);
        state->flags |= asleep ? DRY_BODY_TOLD_ASLEEP : 0u;
        state->listed_at = 0;
        if (asleep != told_asleep)
            e->sleeps[e->sleep_count++] =
                (dry_sleep_event){dry_body_id_of(world, slot), state->user_data, asleep};
    }
    world->sleep_changed_count = 0;
}

/* Gives up the bundles in whose place events were written. Most kinds have room for far more events than
 * come.
 */
static void lose_bundles(dry_world *world)
{
    const dry_event_store *e = &world->events;
#define X(type, array, count, room)                                                                          \
    if (e->count > 0)                                                                                        \
        dry_scratch_lose(&world->scratch, e->array + e->count);
    DRY_STEP_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
}

void dry_events_publish(dry_world *world)
{
    publish_sleep_changes(world);
    lose_bundles(world);
    world->events.step_ends = false;
}

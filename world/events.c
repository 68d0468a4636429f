/* The store of events: room, the lists of pending events, publication.
 *
 * Contact ends wait in `pending` until a step publishes them. Contact begins wait as bits of the contacts.
 * Step events lie in scratch memory, where they follow the solver's bundles: no stage reads these after
 * "store". */
#include "world/events.h"

#include "core/assert.h"
#include "world/contact_description.h"
#include "world/world.h"

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
#undef X
    return bytes;
}

static void raise_contact_begins(dry_world *world)
{
    dry_event_store *e = &world->events;
    for (int contact; (contact = dry_contacts_next_begun(&world->contacts)) >= 0;)
        e->contact_begins[e->contact_begin_count++] = dry_contact_event_of(world, contact);
}

void dry_events_begin_step_end(dry_world *world)
{
    dry_event_store *e = &world->events;
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_EVENTS);
#define X(type, array, count, room)                                                                          \
    e->array = DRY_SCRATCH_TAKE(&world->scratch, type, room);                                                \
    e->count = 0;
    DRY_STEP_EVENTS(X)
#undef X
    raise_contact_begins(world);
}

/* The two arrays of a pending kind are swapped. Both grow together: otherwise a warmed-up step would still
 * grow the smaller one. */
bool dry_events_reserve_contact_ends(dry_world *world, int more)
{
    dry_event_store *e = &world->events;
    dry_pending_events *p = &world->pending;
    return DRY_RESERVE(&world->memory, p->contact_ends, p->contact_ends_capacity,
                       p->contact_end_count + more) &&
           DRY_RESERVE(&world->memory, e->contact_ends, e->contact_ends_capacity, p->contact_ends_capacity);
}

void dry_events_add_contact_end(dry_world *world, int contact)
{
    dry_pending_events *p = &world->pending;
    /* A contact whose begin no step has published yet ends without an event as well. */
    if (dry_contacts_forget_begun(&world->contacts, contact))
        return;
    DRY_ASSERT(p->contact_end_count < p->contact_ends_capacity);
    p->contact_ends[p->contact_end_count++] = dry_contact_event_of(world, contact);
}

bool dry_events_add_hit(dry_world *world, const dry_hit_event *hit)
{
    dry_event_store *e = &world->events;
    if (!DRY_RESERVE(&world->memory, e->hits, e->hits_capacity, e->hit_count + 1))
        return false;
    e->hits[e->hit_count++] = *hit;
    return true;
}

bool dry_events_reserve_sleep_changes(dry_world *world, int bodies)
{
    return DRY_RESERVE(&world->memory, world->sleep_changed, world->sleep_changed_capacity, bodies);
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
        state->flags &= ~(uint32_t)(DRY_BODY_SLEEP_LISTED | DRY_BODY_TOLD_ASLEEP);
        if (asleep)
            state->flags |= DRY_BODY_TOLD_ASLEEP;
        if (asleep != told_asleep)
            e->sleeps[e->sleep_count++] = (dry_sleep_event){dry_body_id_of(world, slot), asleep};
    }
    world->sleep_changed_count = 0;
}

#define SWAP(type, a, b)                                                                                     \
    do {                                                                                                     \
        type swapped = a;                                                                                    \
        a = b;                                                                                               \
        b = swapped;                                                                                         \
    } while (0)

void dry_events_publish(dry_world *world)
{
    dry_event_store *e = &world->events;
    dry_pending_events *p = &world->pending;
#define X(type, array, count, room)                                                                          \
    SWAP(type *, e->array, p->array);                                                                        \
    SWAP(int, e->array##_capacity, p->array##_capacity);                                                     \
    e->count = p->count;                                                                                     \
    p->count = 0;
    DRY_PENDING_EVENTS(X)
#undef X
    publish_sleep_changes(world);
}

void dry_events_free(dry_world *world)
{
    dry_memory *memory = &world->memory;
    dry_event_store *e = &world->events;
    dry_pending_events *p = &world->pending;
#define X(type, array, count, room) DRY_RELEASE(memory, e->array, e->array##_capacity);
    DRY_GROWING_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
#define X(type, array, count, room) DRY_RELEASE(memory, p->array, p->array##_capacity);
    DRY_PENDING_EVENTS(X)
#undef X
    DRY_RELEASE(memory, world->sleep_changed, world->sleep_changed_capacity);
}

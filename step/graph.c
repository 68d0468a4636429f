/* Stages "contacts" and "graph": manifolds in parallel, then, serially, what began and what ended.
 *
 * Reads poses and old manifolds. Writes manifolds, begin and end events, colours, islands, wake-ups. Next:
 * solver/layout/layout.c. */
#include "narrowphase/manifold_update.h"
#include "solver/islands/coloring.h"
#include "world/world.h"

#include <string.h>

typedef struct contacts_job {
    dry_world *world;
    dry_contact_settings settings;
} contacts_job;

static void update_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const contacts_job *job = context;
    dry_world *world = job->world;
    dry_contacts_update(&world->contacts, &world->bodies, &world->shapes, world->broadphase, &job->settings,
                        begin, end);
}

void dry_stage_contacts(dry_world *world, float dt)
{
    contacts_job job = {
        world,
        {world->solver.level, world->settings.speculative_margin, world->settings.recycle_distance, dt}};
    dry_contacts_list_active(&world->contacts);
    dry_jobs_for(world->jobs, world->contacts.active_word_count, 1, update_range, &job);
}

static bool is_dynamic(const dry_world *world, int body)
{
    return dry_body_state_of(&world->bodies, body)->type == DRY_BODY_DYNAMIC;
}

static void begin_touch(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    link->flags &= (uint16_t)~DRY_CONTACT_CHANGED;
    dry_contacts_set_touching(&world->contacts, contact, true);
    if (is_dynamic(world, link->body_a) && !dry_bodies_is_awake(&world->bodies, link->body_a))
        dry_wake_body(world, link->body_a);
    if (is_dynamic(world, link->body_b) && !dry_bodies_is_awake(&world->bodies, link->body_b))
        dry_wake_body(world, link->body_b);
    if (link->color == DRY_COLOR_NONE)
        link->color = (int8_t)dry_color_take(&world->bodies, link->body_a, link->body_b,
                                             world->settings.colors_max ? world->settings.colors_max : 64);
    dry_contacts_set_begun(&world->contacts, contact);
}

static void end_touch(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    link->flags &= (uint16_t)~DRY_CONTACT_CHANGED;
    dry_contacts_set_touching(&world->contacts, contact, false);
    dry_color_release(&world->bodies, link->body_a, link->body_b, link->color);
    link->color = DRY_COLOR_NONE;
    dry_event_end(world, contact);
}

/* Room for all that the graph may make; false, and nothing changed, if memory fails. */
static bool reserve_graph(dry_world *world, int begins, int ends)
{
    /* Waking brings back the edges of what sleeps. */
    int edges = world->contacts.touching_count + begins;
    return dry_events_reserve_ends(world, ends) &&
           dry_islands_reserve(&world->islands, &world->memory, edges);
}

/* Contacts that begin, end or are lost, some together: they lie anywhere, and what is read of each and its
 * bodies is fetched before the first is looked at. */
enum { BATCH = 16, BATCH_ROOM = BATCH + 63 };
typedef struct touch_batch {
    int32_t contact[BATCH_ROOM];
    int count;
} touch_batch;

DRY_FETCH void fetch_bodies(const dry_world *world, const touch_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        const dry_contact_link *link = &world->contacts.link[batch->contact[i]];
        __builtin_prefetch(dry_body_state_of(&world->bodies, link->body_a));
        __builtin_prefetch(dry_body_state_of(&world->bodies, link->body_b));
    }
}

/* What a contact is to be taken out of. */
DRY_FETCH void fetch_neighbors(const dry_contacts *contacts, int contact)
{
    const dry_contact_link *link = &contacts->link[contact];
    for (int side = 0; side < 2; side++) {
        __builtin_prefetch(&contacts->link[dry_max_int(link->prev[side], 0) >> 1]);
        __builtin_prefetch(&contacts->link[dry_max_int(link->next[side], 0) >> 1]);
    }
    __builtin_prefetch(&contacts->manifold[contact].shape_a);
}

/* A walk over bits that stage "contacts" left. Waking and removing only mark `active_words` as out of date.
 */
typedef struct touch_walk {
    const uint64_t *bits;
    int at; /* the next place in active_words */
    bool down;
} touch_walk;

static touch_walk walk_up(const uint64_t *bits)
{
    return (touch_walk){bits, 0, false};
}

static touch_walk walk_down(const dry_contacts *contacts, const uint64_t *bits)
{
    return (touch_walk){bits, contacts->active_word_count - 1, true};
}

/* The next contacts by rising or falling index; false if there are none. */
static bool next_batch(const dry_world *world, touch_walk *walk, touch_batch *batch)
{
    const dry_contacts *contacts = &world->contacts;
    batch->count = 0;
    while (batch->count < BATCH && walk->at >= 0 && walk->at < contacts->active_word_count) {
        int word = contacts->active_words[walk->at];
        for (uint64_t bits = walk->bits[word]; bits;) {
            int bit = walk->down ? 63 - __builtin_clzll(bits) : __builtin_ctzll(bits);
            bits ^= UINT64_C(1) << bit;
            batch->contact[batch->count++] = 64 * word + bit;
            __builtin_prefetch(&contacts->link[64 * word + bit]);
        }
        walk->at += walk->down ? -1 : 1;
    }
    fetch_bodies(world, batch);
    return batch->count > 0;
}

static void end_touches(dry_world *world)
{
    dry_islands *islands = &world->islands;
    dry_edge_patch patch = dry_islands_begin_removing(islands);
    touch_walk walk = walk_up(world->contacts.ending_bits);
    for (touch_batch batch; next_batch(world, &walk, &batch);)
        for (int i = 0; i < batch.count; i++) {
            end_touch(world, batch.contact[i]);
            if (!islands->stale)
                dry_islands_remove_edge(&patch, batch.contact[i]);
        }
    if (!islands->stale)
        dry_islands_end_removing(&patch);
}

static void begin_touches(dry_world *world, int count)
{
    dry_islands *islands = &world->islands;
    const dry_contacts *contacts = &world->contacts;
    touch_walk walk = walk_up(contacts->starting_bits);
    touch_batch batch;
    while (next_batch(world, &walk, &batch))
        for (int i = 0; i < batch.count; i++)
            begin_touch(world, batch.contact[i]);
    /* What this woke has new rows. */
    if (islands->stale)
        return;
    dry_edge_patch patch = dry_islands_begin_inserting(islands, count);
    walk = walk_down(contacts, contacts->starting_bits);
    while (next_batch(world, &walk, &batch))
        for (int i = 0; i < batch.count; i++)
            dry_islands_insert_edge(&patch, &world->bodies, contacts, batch.contact[i]);
}

static void remove_lost(dry_world *world)
{
    touch_walk walk = walk_down(&world->contacts, world->contacts.lost_bits);
    for (touch_batch batch; next_batch(world, &walk, &batch);) {
        for (int i = 0; i < batch.count; i++)
            fetch_neighbors(&world->contacts, batch.contact[i]);
        for (int i = 0; i < batch.count; i++)
            dry_contacts_remove(&world->contacts, &world->bodies, batch.contact[i]);
    }
}

bool dry_stage_graph(dry_world *world)
{
    const dry_contacts *contacts = &world->contacts;
    int begins = 0, ends = 0, lost = 0;
    for (int i = 0; i < contacts->active_word_count; i++) {
        int word = contacts->active_words[i];
        begins += __builtin_popcountll(contacts->starting_bits[word]);
        ends += __builtin_popcountll(contacts->ending_bits[word]);
        lost += __builtin_popcountll(contacts->lost_bits[word]);
    }
    if (!reserve_graph(world, begins, ends))
        return false;
    /* Ends come first, so that begins find the colours that they free. */
    if (ends)
        end_touches(world);
    if (begins)
        begin_touches(world, begins);
    if (lost)
        remove_lost(world);
    return !(world->islands.stale || world->islands.patched) ||
           dry_islands_build(&world->islands, &world->memory, &world->bodies, contacts, &world->joints);
}

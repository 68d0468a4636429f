/* Stages "contacts" and "graph": manifolds in parallel, then, serially, what began and what ended.
 *
 * Reads poses and old manifolds. Writes manifolds, begin and end events, colours, islands, wake-ups. Next:
 * solver/layout.c. */
#include "solver/coloring.h"
#include "world/world.h"

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
        {world->solver.kernels, world->settings.speculative_margin, world->settings.recycle_distance, dt}};
    dry_contacts_list_active(&world->contacts);
    dry_jobs_for(world->jobs, world->contacts.active_word_count, 1, update_range, &job);
}

static bool is_dynamic(const dry_world *world, int body)
{
    return world->bodies.state[dry_bodies_row(&world->bodies, body)].type == DRY_BODY_DYNAMIC;
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
    world->islands.stale = true;
    dry_contacts_set_begun(&world->contacts, contact);
}

static void end_touch(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    link->flags &= (uint16_t)~DRY_CONTACT_CHANGED;
    dry_contacts_set_touching(&world->contacts, contact, false);
    dry_color_release(&world->bodies, link->body_a, link->body_b, link->color);
    link->color = DRY_COLOR_NONE;
    world->islands.stale = true;
    dry_event_end(world, contact);
}

/* Room for all that the graph may make; false, and nothing changed, if memory fails. */
static bool reserve_graph(dry_world *world, int begins, int ends)
{
    /* Waking brings back the edges of what sleeps. */
    int edges = world->contacts.touching_count + begins;
    return dry_events_reserve_ends(world, ends) &&
           dry_islands_reserve(&world->islands, &world->memory, world->bodies.count, edges);
}

bool dry_stage_graph(dry_world *world)
{
    dry_contacts *contacts = &world->contacts;
    /* What was updated is looked at: waking and removing only mark the list as out of date. */
    const int32_t *words = contacts->active_words;
    const int word_count = contacts->active_word_count;
    int changed = 0, ends = 0, lost = 0;
    for (int i = 0; i < word_count; i++) {
        changed += __builtin_popcountll(contacts->changed_bits[words[i]]);
        ends += __builtin_popcountll(contacts->changed_bits[words[i]] & contacts->touching_bits[words[i]]);
        lost += __builtin_popcountll(contacts->lost_bits[words[i]]);
    }
    int begins = changed - ends;
    if (!reserve_graph(world, begins, ends))
        return false;
    /* Ends come first, so that begins find the colours that they free. */
    for (int i = 0; ends && i < word_count; i++) {
        uint64_t bits = contacts->changed_bits[words[i]] & contacts->touching_bits[words[i]];
        contacts->changed_bits[words[i]] ^= bits;
        for (; bits; bits &= bits - 1)
            end_touch(world, 64 * words[i] + __builtin_ctzll(bits));
    }
    for (int i = 0; begins && i < word_count; i++)
        for (uint64_t bits = contacts->changed_bits[words[i]]; bits; bits &= bits - 1)
            begin_touch(world, 64 * words[i] + __builtin_ctzll(bits));
    for (int i = word_count - 1; lost && i >= 0; i--)
        for (uint64_t bits = contacts->lost_bits[words[i]]; bits;) {
            int highest = 63 - __builtin_clzll(bits);
            bits ^= UINT64_C(1) << highest;
            dry_contacts_remove(contacts, &world->bodies, 64 * words[i] + highest);
        }
    return !world->islands.stale ||
           dry_islands_build(&world->islands, &world->memory, &world->bodies, contacts, &world->joints);
}

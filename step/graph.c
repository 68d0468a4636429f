/* Stage "graph": contacts begin and end, serially; islands follow.
 *
 * Reads the bits that stage "contacts" left. Writes touching bits, pending events, colors, islands with their
 * tiers, sleep states of what wakes, first impulses below what was placed. Next: step/prepare.c. */
#include "solver/data/context.h"
#include "solver/plan/difficulty.h"
#include "solver/plan/islands.h"
#include "state/contacts.h"
#include "step/stages.h"
#include "world/constraint_graph.h"
#include "world/events.h"
#include "world/sleep.h"
#include "world/world.h"

#include <string.h>

/* Wakes what a body that moves by itself begins to touch, if it sleeps. A dynamic body wakes what it strikes
 * (wake.c). */
static void wake_before(dry_world *world, int slot, int other)
{
    if (dry_body_is_sleeper(world, slot) &&
        dry_body_state_of(&world->bodies, other)->type != DRY_BODY_DYNAMIC)
        dry_body_wake(world, slot);
}

/* Lets sleepers look at what an awake body does to them: one of them bears it for the first time. */
static void look_at_load(dry_world *world, int slot)
{
    if (dry_bodies_is_awake(&world->bodies, slot))
        dry_body_state_of(&world->bodies, slot)->flags &= ~(uint32_t)DRY_BODY_UNMOVED;
}

static void begin_touch(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    DRY_ASSERT((link->flags & DRY_CONTACT_ACTIVE) && !(link->flags & DRY_CONTACT_TOUCHING));
    link->flags &= (uint16_t)~DRY_CONTACT_CHANGED;
    dry_contacts_set_touching(&world->contacts, contact, true);
    wake_before(world, link->body_a, link->body_b);
    wake_before(world, link->body_b, link->body_a);
    look_at_load(world, link->body_a);
    look_at_load(world, link->body_b);
    dry_contact_take_color(world, contact);
    if (!dry_contact_is_child(link))
        dry_contacts_set_begun(&world->contacts, contact);
    else
        world->contacts.family[link->parent].touching++;
}

static void end_touch(dry_world *world, int contact)
{
    dry_contact_link *link = &world->contacts.link[contact];
    DRY_ASSERT(!dry_contact_is_child(link) || world->contacts.family[link->parent].touching > 0);
    link->flags &= (uint16_t)~DRY_CONTACT_CHANGED;
    dry_contacts_set_touching(&world->contacts, contact, false);
    dry_contact_release_color(world, contact);
    for (int side = 0; side < 2; side++) {
        const int slot = side ? link->body_b : link->body_a;
        if (dry_body_is_sleeper(world, slot))
            dry_body_wake_alone(world, slot);
    }
    if (!dry_contact_is_child(link))
        dry_events_add_contact_end(world, contact);
    else
        world->contacts.family[link->parent].touching--;
}

/* Reserves room for events and edges. Returns false, and nothing has changed, if memory fails. The islands
 * reserve theirs when they are built; until that succeeds the graph says that it is stale. */
static bool reserve_graph(dry_world *world, int begins, int ends)
{
    /* Waking a body brings back the edges of its contacts. */
    int edges = world->contacts.touching_count + begins;
    return dry_events_reserve_contact_ends(world, ends) &&
           dry_islands_reserve(&world->islands, &world->memory, edges);
}

/* Contacts that begin, end or are lost, in batches. Contacts lie anywhere in memory, so the data of a whole
 * batch is prefetched before its first contact is handled. */
enum { BATCH = 16, BATCH_ROOM = BATCH + 63 };
typedef struct touch_batch {
    int32_t contact[BATCH_ROOM];
    int count;
} touch_batch;

static DRY_ALWAYS_INLINE void prefetch_bodies(const dry_world *world, const touch_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        const dry_contact_link *link = &world->contacts.link[batch->contact[i]];
        DRY_PREFETCH(dry_body_state_of(&world->bodies, link->body_a));
        DRY_PREFETCH(dry_body_state_of(&world->bodies, link->body_b));
    }
}

/* Prefetches the links that a contact is removed from. */
static DRY_ALWAYS_INLINE void prefetch_neighbors(const dry_contacts *contacts, int contact)
{
    const dry_contact_link *link = &contacts->link[contact];
    for (int side = 0; side < 2; side++) {
        DRY_PREFETCH(&contacts->link[dry_max_int(link->prev[side], 0) >> 1]);
        DRY_PREFETCH(&contacts->link[dry_max_int(link->next[side], 0) >> 1]);
    }
    DRY_PREFETCH(&contacts->manifold[contact].shape_a);
}

/* A walk over bits that stage "contacts" left. Waking and removal mark `active_words` as out of date but
 * leave its entries. */
typedef struct touch_walk {
    const uint64_t *bits;
    int at; /* the next index into active_words */
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

/* Gets the next contacts by rising or falling index. Returns false if there are none. */
static bool next_batch(const dry_world *world, touch_walk *walk, touch_batch *batch)
{
    const dry_contacts *contacts = &world->contacts;
    batch->count = 0;
    while (batch->count < BATCH && walk->at >= 0 && walk->at < contacts->active_word_count) {
        int word = contacts->active_words[walk->at];
        for (uint64_t bits = walk->bits[word]; bits;) {
            int bit = walk->down ? dry_highest_bit(bits) : dry_lowest_bit(bits);
            bits ^= UINT64_C(1) << bit;
            batch->contact[batch->count++] = 64 * word + bit;
            DRY_PREFETCH(&contacts->link[64 * word + bit]);
        }
        walk->at += walk->down ? -1 : 1;
    }
    prefetch_bodies(world, batch);
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
    /* Bodies that woke have new rows. */
    if (islands->stale)
        return;
    dry_edge_patch patch = dry_islands_begin_inserting(islands, count);
    walk = walk_down(contacts, contacts->starting_bits);
    while (next_batch(world, &walk, &batch))
        for (int i = 0; i < batch.count; i++)
            dry_islands_insert_edge(&patch, &world->bodies, contacts, batch.contact[i]);
}

/* Raises the events of parents whose children began and ceased to touch: a pair that only exchanged children
 * has none. */
static void follow_families(dry_world *world, const uint64_t *changed)
{
    touch_walk walk = walk_up(changed);
    for (touch_batch batch; next_batch(world, &walk, &batch);)
        for (int i = 0; i < batch.count; i++) {
            const dry_contact_link *link = &world->contacts.link[batch.contact[i]];
            if (dry_contact_is_child(link))
                dry_events_follow_family(world, link->parent);
        }
}

static void remove_lost(dry_world *world)
{
    touch_walk walk = walk_down(&world->contacts, world->contacts.lost_bits);
    for (touch_batch batch; next_batch(world, &walk, &batch);) {
        for (int i = 0; i < batch.count; i++)
            prefetch_neighbors(&world->contacts, batch.contact[i]);
        for (int i = 0; i < batch.count; i++)
            dry_contacts_remove(&world->contacts, &world->bodies, batch.contact[i]);
    }
}

/* Builds the islands if contacts, joints or rows changed. */
static bool build_islands(dry_world *world)
{
    return !(world->islands.stale || world->islands.patched) ||
           dry_islands_build(&world->islands, &world->memory, &world->scratch, &world->bodies,
                             &world->contacts, &world->shapes, &world->joints);
}

/* Applies the begins and ends that stage "contacts" found, and rebuilds the islands if they changed. */
static bool update_graph(dry_world *world, float dt)
{
    const dry_contacts *contacts = &world->contacts;
    int begins = 0, ends = 0, lost = 0;
    for (int i = 0; i < contacts->active_word_count; i++) {
        int word = contacts->active_words[i];
        begins += dry_count_bits(contacts->starting_bits[word]);
        ends += dry_count_bits(contacts->ending_bits[word]);
        lost += dry_count_bits(contacts->lost_bits[word]);
    }
    if (!reserve_graph(world, begins, ends))
        return false;
    /* Ends come first, so that begins find the colors that they free. */
    if (ends)
        end_touches(world);
    if (begins)
        begin_touches(world, begins);
    if (contacts->family) {
        follow_families(world, contacts->ending_bits);
        follow_families(world, contacts->starting_bits);
    }
    if (lost)
        remove_lost(world);
    if (!build_islands(world) || !dry_wake_neighbors(world, dt))
        return false;
    return build_islands(world);
}

/* Fills the statistics of islands and substeps. */
static void count_islands(dry_world *world, float dt)
{
    dry_statistics *s = &world->statistics;
    s->islands = world->islands.count;
    s->substeps = 0;
    memset(s->islands_in_tier, 0, sizeof s->islands_in_tier);
    memset(s->islands_by_reason, 0, sizeof s->islands_by_reason);
    for (int i = 0; i < world->islands.count; i++) {
        int tier = world->islands.island[i].tier;
        DRY_ASSERT(tier >= 0 && tier < DRY_TIER_COUNT);
        s->islands_in_tier[tier]++;
        s->islands_by_reason[world->islands.island[i].reason]++;
        s->substeps = dry_max_int(s->substeps, dry_island_substeps(&world->settings, tier, dt));
    }
}

bool dry_stage_graph(dry_world *world, dry_solver_step *step)
{
    dry_scratch_begin(&world->scratch, &world->memory, DRY_LIFETIME_GRAPH);
    if (!update_graph(world, step->dt))
        return false;
    if (!dry_hanging_loads(step, &world->memory, &world->scratch) ||
        !dry_joint_groups_update(step, &world->memory, &world->scratch) ||
        !dry_static_loads(step, &world->memory, &world->scratch) ||
        !dry_find_motor_masses(step, &world->memory, &world->scratch))
        return false;
    if (world->bodies.awake_count > 0 && !dry_difficulty_rate(step, &world->memory, &world->scratch))
        return false;
    count_islands(world, step->dt);
    return true;
}

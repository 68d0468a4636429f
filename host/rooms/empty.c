/* Steps in which nothing happens.
 *
 * A step over sleeping bodies ends, at the latest in the second one, in a state from which further steps of
 * its length only count on. Reads what stages go over. Writes the number of steps. Next: host/rooms/tick.c.
 */
#include "host/rooms/empty.h"

#include "world/world.h"

/* Tells whether calls or the last step have left something for the next one to do or to tell. */
static bool has_news(const dry_world *world)
{
    const dry_event_store *e = &world->events;
    bool news = world->sleep_changed_count > 0 || world->contacts.begun_count > 0;
#define X(type, array, count, ...) news = news || e->count > 0;
    DRY_STEP_EVENTS(X)
    DRY_GROWING_EVENTS(X)
    DRY_PENDING_EVENTS(X)
#undef X
#define F(X, type, array, count, ...) news = news || world->pending.count > 0;
    DRY_PENDING_KINDS(F, )
#undef F
    return news || dry_broadphase_has_moved(world->broadphase);
}

/* Tells whether the stages would build or search what they keep from step to step. */
static bool is_settled(const dry_world *world)
{
    const dry_islands *islands = &world->islands;
    return !islands->stale && !islands->patched && islands->scheduled && islands->grouped &&
           islands->count == 0 && world->solver.plan.slabs_wanted == 0;
}

/* Hooks, traces, recordings, histories and hashes of stages tell of each step by itself. A crowd is counted
 * by each step, too. */
static bool is_watched(const dry_world *world)
{
    return world->hook.begin || world->hook.end || world->trace_workers || world->hash_stages ||
           world->recorder || world->history || world->hold.unsettled || world->statistics.crowded_pairs > 0;
}

bool dry_step_is_empty(const dry_world *world, float dt)
{
    return world->bodies.awake_count == 0 && world->contacts.active_count == 0 &&
           world->joints.active_count == 0 && dt > 0.0f && world->ways_dt == dt && is_settled(world) &&
           !is_watched(world) && !has_news(world);
}

void dry_step_count_empty(dry_world *world, uint64_t count)
{
    world->step_count += count;
    if (count > 0)
        world->allocations_in_last_step = 0;
}

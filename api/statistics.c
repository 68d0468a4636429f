/* Statistics of a world, names of results, the version and the machine. */
#include "jobs/topology.h"
#include "state/contacts.h"
#include "world/world.h"

#include <drystone/drystone.h>

#include <string.h>

static void count_bodies(const dry_world *world, dry_statistics *s)
{
    const dry_bodies *bodies = &world->bodies;
    s->bodies = bodies->count;
    for (int row = 0; row < bodies->count; row++) {
        const dry_body_state *state = &bodies->state[row];
        s->dynamic_bodies += state->type == DRY_BODY_DYNAMIC;
        s->awake_bodies += state->type == DRY_BODY_DYNAMIC && row < bodies->awake_count;
        s->quarantined_bodies += (state->flags & DRY_BODY_QUARANTINED) != 0;
    }
}

static void count_contacts(const dry_world *world, dry_statistics *s)
{
    const dry_contacts *contacts = &world->contacts;
    s->pairs = contacts->count;
    for (int i = -1; (i = dry_contacts_next_touching(contacts, i)) >= 0;) {
        const dry_contact_link *link = &contacts->link[i];
        s->manifolds++;
        s->points += link->points;
        if (link->flags & DRY_CONTACT_ACTIVE) {
            s->awake_manifolds++;
            s->recycled_manifolds += (link->flags & DRY_CONTACT_RECYCLED) != 0;
            s->lever_rebuilds += (link->flags & DRY_CONTACT_RENEWED) != 0;
        }
    }
}

dry_statistics dry_world_statistics(const dry_world *world)
{
    if (!world)
        return (dry_statistics){0};
    dry_statistics s = world->statistics;
    count_bodies(world, &s);
    count_contacts(world, &s);
    s.impacts = world->solver.impact_counts.impacts;
    s.impacts_limited = world->solver.impact_counts.limited;
    s.shapes = world->shapes.slots.count;
    s.joints = world->joints.slots.count;
    s.colors = world->solver.colors;
    s.overflow = world->solver.overflow;
    s.articulations = dry_articulations_count(&world->solver.articulations);
    s.memory_bytes = world->memory.bytes;
    s.allocations = world->memory.allocations;
    s.allocations_in_steps = world->allocations_in_steps;
    s.allocations_in_last_step = world->allocations_in_last_step;
    return s;
}

const dry_worker_span *dry_world_worker_spans(const dry_world *world, int worker, int *count, int *lost)
{
    int found = 0, without_room = 0;
    const dry_worker_span *spans =
        world && world->trace_workers ? dry_jobs_spans(world->jobs, worker, &found, &without_room) : NULL;
    if (count)
        *count = found;
    if (lost)
        *lost = without_room;
    return spans;
}

const char *dry_result_name(dry_result result)
{
    switch (result) {
    case DRY_OK:
        return "ok";
    case DRY_ERROR_ARGUMENT:
        return "argument out of range";
    case DRY_ERROR_STALE_ID:
        return "stale id";
    case DRY_ERROR_MEMORY:
        return "out of memory";
    case DRY_ERROR_LOCKED:
        return "world is stepping";
    case DRY_ERROR_UNSUPPORTED:
        return "instruction set not available";
    }
    return "unknown result";
}

const char *dry_version(void)
{
    return DRY_VERSION;
}

dry_machine dry_machine_describe(void)
{
    dry_topology t = dry_topology_read();
    dry_machine machine = {
        .cores = t.cores,
        .hardware_threads = t.hardware_threads,
        .numa_nodes = t.numa_nodes,
        .l1_bytes = t.l1_bytes,
        .l2_bytes = t.l2_bytes,
        .l3_bytes = t.l3_bytes,
    };
    _Static_assert(sizeof machine.processor == sizeof t.processor, "the same name");
    memcpy(machine.processor, t.processor, sizeof machine.processor);
    return machine;
}

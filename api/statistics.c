/* Statistics of a world, names of results, the version and the machine. */
#include "jobs/topology.h"
#include "state/contacts.h"
#include "world/world.h"

#include <string.h>

dry_statistics dry_world_statistics(const dry_world *world)
{
    if (!world)
        return (dry_statistics){0};
    dry_statistics s = world->statistics;
    s.bodies = world->bodies.count;
    s.dynamic_bodies = world->bodies.dynamic_count;
    s.awake_bodies = world->bodies.awake_dynamic_count;
    s.quarantined_bodies = world->bodies.quarantined_count;
    s.spin_limited = atomic_load_explicit(&world->spin_limited, memory_order_relaxed);
    s.pairs = world->contacts.pairs.count;
    s.manifolds = world->contacts.touching_count;
    s.awake_manifolds = world->contacts.awake_touching_count;
    s.impacts = world->solver.sweeps.impact_counts.impacts;
    s.repairs = world->solver.laws.repairs;
    s.impacts_limited = world->solver.sweeps.impact_counts.limited;
    s.shapes = world->shapes.slots.count;
    s.joints = world->joints.slots.count;
    s.colors = world->solver.plan.colors;
    s.overflow = world->solver.plan.overflow;
    s.memory_bytes = world->memory.bytes;
    s.allocations = world->memory.allocations;
    s.allocations_in_steps = world->allocations_in_steps;
    s.allocations_in_last_step = world->allocations_in_last_step;
    return s;
}

dry_contact_counts dry_world_count_contacts(const dry_world *world)
{
    dry_contact_counts counts = {0};
    const dry_contacts *contacts = world ? &world->contacts : NULL;
    for (int i = -1; contacts && (i = dry_contacts_next_touching(contacts, i)) >= 0;) {
        const dry_contact_link *link = &contacts->link[i];
        counts.points += link->points;
        if (link->flags & DRY_CONTACT_ACTIVE) {
            counts.recycled_manifolds += (link->flags & DRY_CONTACT_RECYCLED) != 0;
            counts.lever_rebuilds += (link->flags & DRY_CONTACT_RENEWED) != 0;
        }
    }
    return counts;
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
        return "not allowed now: inside a callback, or the pool's alone";
    case DRY_ERROR_UNSUPPORTED:
        return "not supported by this library or processor";
    case DRY_ERROR_NUMBERS:
        return "the process has no numbers left for ids";
    case DRY_ERROR_FULL:
        return "a limit set by the program is reached";
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

/* A world from its first byte to its last. What a call may ask for is checked before: api/world.c. */
#include "world/world.h"

#include "world/bounds.h"
#include "world/shapes.h"

#include <string.h>

/* Gives a world the numbers of its tag, or draws the first. A world's address would not do: the next world is
 * often made where the last one was, and would take the last one's ids for its own. */
static bool number(dry_world *world, uint16_t tag)
{
    if (tag == 0)
        return dry_leases_draw(&world->leases, 1);
    dry_leases_of_tag(&world->leases, tag);
    return true;
}

/* Gives a world its services and its numbers. */
static dry_result begin_services(dry_world *world, const dry_world_def *def, const dry_jobs_def *jobs)
{
    world->jobs = dry_jobs_create(&world->memory, jobs);
    if (!world->jobs)
        return DRY_ERROR_MEMORY;
    world->broadphase = dry_broadphase_create(&world->memory, &world->scratch, dry_halfspace_reaches, world);
    if (!world->broadphase || !dry_bodies_reserve(&world->bodies, &world->memory, def->body_capacity))
        return DRY_ERROR_MEMORY;
    return number(world, def->tag) ? DRY_OK : DRY_ERROR_NUMBERS;
}

dry_result dry_world_begin(const dry_world_def *def, dry_level level, const dry_jobs_def *jobs,
                           dry_world **out)
{
    *out = NULL;
    dry_memory memory;
    dry_memory_init(&memory, def->allocator);
    dry_world *world = dry_memory_allocate(&memory, sizeof *world, DRY_CACHE_LINE);
    if (!world)
        return DRY_ERROR_MEMORY;
    memset(world, 0, sizeof *world);
    world->memory = memory;
    world->log = def->log;
    world->settings = def->settings;
    world->hash_stages = def->hash_stages;
    world->count_stage_times = def->count_stage_times;
    world->trace_workers = def->trace_workers;
    world->hook = def->hook;
    world->solver.sweeps.level = level;
    dry_slots_init(&world->bodies.slots, &world->leases);
    dry_slots_init(&world->shapes.slots, &world->leases);
    dry_slots_init(&world->joints.slots, &world->leases);
    dry_contacts_init(&world->contacts);
    const dry_result result = begin_services(world, def, jobs);
    if (result != DRY_OK)
        dry_world_end(world);
    else
        *out = world;
    return result;
}

void dry_world_end(dry_world *world)
{
    dry_jobs_destroy(&world->memory, world->jobs);
    for (int shape = 0; world->shapes.asset && shape < world->shapes.slots.used; shape++)
        dry_shape_release_data(world, shape);
    dry_memory memory = world->memory;
    dry_memory_release_all(&memory); /* with the world itself */
}

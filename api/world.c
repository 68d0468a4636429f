/* Creating and destroying worlds. */
#include "world/world.h"
#include "simd/processor.h"
#include "solver/methods/method.h"
#include "solver/stages/stages.h"
#include "world/bounds.h"
#include "world/check.h"
#include "world/events.h"
#include "world/history.h"
#include "world/shapes.h"

#include <drystone/world.h>
#include <stdatomic.h>
#include <string.h>

dry_world_def dry_default_world_def(void)
{
    return (dry_world_def){
        .settings = dry_default_settings(),
        .team = dry_team_available(DRY_TEAM_OPENMP) ? DRY_TEAM_OPENMP : DRY_TEAM_THREADS,
        .count_stage_times = true,
    };
}

/* Returns what is wrong with a world's definition, in words; null if nothing is. */
static const char *def_error(const dry_world_def *def)
{
    const char *error = dry_settings_error(&def->settings);
    if (error)
        return error;
    if (def->threads < 0 || def->threads > 1024)
        return "threads must be 0 to 1024";
    if (def->team != DRY_TEAM_OPENMP && def->team != DRY_TEAM_THREADS)
        return "team must be DRY_TEAM_OPENMP or DRY_TEAM_THREADS";
    if ((unsigned)def->isa >= DRY_ISA_COUNT)
        return "isa is unknown";
    if (def->body_capacity < 0 || def->body_capacity > DRY_SLOTS_MAX)
        return "body_capacity must be 0 to 2^24 - 1";
    if (!def->allocator.allocate != !def->allocator.release)
        return "allocator needs both functions or neither";
    if (!def->tasks.start != !def->tasks.finish)
        return "tasks needs both functions or neither";
    return NULL;
}

static dry_result def_fail(const dry_world_def *def, dry_result result, const char *why)
{
    dry_world stub;
    memset(&stub, 0, sizeof stub);
    stub.log = def->log;
    return dry_world_fail(&stub, result, "dry_world_create: %s", why);
}

/* The library's only state that changes outside of worlds, but for what jobs/openmp_helpers.c notes of each
 * thread: how many have taken a tag. A world's address would not do: the
 * next world is often made where the last one was, and would take the last one's ids for its own. */
static atomic_uint tags_taken;

static uint16_t tag_of(const dry_world_def *def)
{
    if (def->tag)
        return def->tag;
    return (uint16_t)(1 + atomic_fetch_add_explicit(&tags_taken, 1, memory_order_relaxed) % UINT16_MAX);
}

dry_result dry_world_create(const dry_world_def *def, dry_world **out)
{
    if (!out)
        return DRY_ERROR_ARGUMENT;
    *out = NULL;
    if (!def)
        return DRY_ERROR_ARGUMENT;
    const char *error = def_error(def);
    if (error)
        return def_fail(def, DRY_ERROR_ARGUMENT, error);
    dry_level level;
    if (!dry_level_find(def->isa, &level))
        return def_fail(def, DRY_ERROR_UNSUPPORTED,
                        "this build or processor lacks the instruction set asked for");
    if (!dry_team_available(def->team))
        return def_fail(def, DRY_ERROR_UNSUPPORTED,
                        "this build has no OpenMP: team must be DRY_TEAM_THREADS");
    dry_memory memory;
    dry_memory_init(&memory, def->allocator);
    dry_world *world = dry_memory_allocate(&memory, sizeof *world, DRY_CACHE_LINE);
    if (!world)
        return def_fail(def, DRY_ERROR_MEMORY, "out of memory");
    memset(world, 0, sizeof *world);
    world->memory = memory;
    world->log = def->log;
    world->settings = def->settings;
    world->hash_stages = def->hash_stages;
    world->count_stage_times = def->count_stage_times;
    world->trace_workers = def->trace_workers;
    world->hook = def->hook;
    world->solver.sweeps.level = level;
    uint16_t tag = tag_of(def);
    dry_slots_init(&world->bodies.slots, tag);
    dry_slots_init(&world->shapes.slots, tag);
    dry_slots_init(&world->joints.slots, tag);
    dry_contacts_init(&world->contacts);
    const dry_jobs_def jobs = {.threads = def->threads,
                               .team = def->team,
                               .pin = def->pin_threads,
                               .tasks = def->tasks,
                               .log = def->log};
    world->jobs = dry_jobs_create(&world->memory, &jobs);
    world->broadphase =
        world->jobs ? dry_broadphase_create(&world->memory, &world->scratch, dry_halfspace_reaches, world)
                    : NULL;
    if (!world->broadphase || !dry_bodies_reserve(&world->bodies, &world->memory, def->body_capacity)) {
        dry_result result = def_fail(def, DRY_ERROR_MEMORY, "out of memory");
        dry_world_destroy(world);
        return result;
    }
    *out = world;
    return DRY_OK;
}

void dry_world_destroy(dry_world *world)
{
    dry_result refused;
    if (!dry_check_world(world, "dry_world_destroy", &refused))
        return;
    if (world->history)
        dry_history_end(world->history);
    dry_jobs_destroy(&world->memory, world->jobs);
    for (int shape = 0; world->shapes.asset && shape < world->shapes.slots.used; shape++)
        dry_shape_release_data(world, shape);
    dry_memory memory = world->memory;
    dry_memory_release_all(&memory); /* with the world itself */
}

uint64_t dry_world_step_count(const dry_world *world)
{
    return world ? world->step_count : 0;
}

dry_isa dry_world_isa(const dry_world *world)
{
    return world ? dry_level_isa(world->solver.sweeps.level) : DRY_ISA_AUTO;
}

dry_isa dry_world_sweep_isa(const dry_world *world)
{
    if (!world)
        return DRY_ISA_AUTO;
    const bool springs = world->shapes.spring != NULL;
    return dry_level_isa(dry_solver_sweep_level(world->solver.sweeps.level, &world->settings, springs));
}

int dry_world_threads(const dry_world *world)
{
    return world ? dry_jobs_present(world->jobs) : 0;
}

dry_team dry_world_team(const dry_world *world)
{
    return world ? dry_jobs_team(world->jobs) : DRY_TEAM_THREADS;
}

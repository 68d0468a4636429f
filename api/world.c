/* Creating and destroying worlds. */
#include "world/world.h"
#include "api/workers.h"
#include "core/fail.h"
#include "simd/processor.h"
#include "snapshot/history.h"
#include "snapshot/record.h"
#include "snapshot/restore.h"
#include "solver/methods/method.h"
#include "solver/stages/stages.h"
#include "world/check.h"

#include <drystone/world.h>

dry_world_def dry_default_world_def(void)
{
    return (dry_world_def){
        .settings = dry_default_settings(),
        .team = dry_team_available(DRY_TEAM_OPENMP) ? DRY_TEAM_OPENMP : DRY_TEAM_THREADS,
        .count_stage_times = true,
        .recording = {.sums_every = 1, .saves_every = 600},
    };
}

static dry_workers workers_of(const dry_world_def *def)
{
    return (dry_workers){def->threads, def->team, def->pin_threads, def->tasks};
}

/* Returns what is wrong with a world's definition, in words; null if nothing is. */
static const char *def_error(const dry_world_def *def)
{
    const char *error = dry_settings_error(&def->settings);
    if (error)
        return error;
    const dry_workers workers = workers_of(def);
    error = dry_workers_error(&workers);
    if (error)
        return error;
    if ((unsigned)def->isa >= DRY_ISA_COUNT)
        return "isa is unknown";
    if (def->body_capacity < 0 || def->body_capacity > DRY_SLOTS_MAX)
        return "body_capacity must be 0 to 2^24 - 1";
    if (!def->allocator.allocate != !def->allocator.release)
        return "allocator needs both functions or neither";
    if (def->recording.sums_every < 0 || def->recording.sums_every > 1 << 30 ||
        def->recording.saves_every < 0 || def->recording.saves_every > 1 << 30)
        return "recording.sums_every and saves_every must be 0 to 2^30";
    return NULL;
}

static dry_result def_fail(const dry_world_def *def, dry_result result, const char *why)
{
    return dry_fail(&def->log, result, "dry_world_create: %s", why);
}

dry_result dry_world_create(const dry_world_def *def, dry_world **out)
{
    if (out)
        *out = NULL;
    if (!out || !def)
        return dry_fail(def ? &def->log : NULL, DRY_ERROR_ARGUMENT, "%s: def or world is null", __func__);
    const char *error = def_error(def);
    if (error)
        return def_fail(def, DRY_ERROR_ARGUMENT, error);
    dry_level level;
    if (!dry_level_find(def->isa, &level))
        return def_fail(def, DRY_ERROR_UNSUPPORTED,
                        "this build or processor lacks the instruction set asked for");
    if (!dry_team_available(def->team))
        return def_fail(def, DRY_ERROR_UNSUPPORTED, DRY_WORKERS_LACK_OPENMP);
    const dry_workers workers = workers_of(def);
    const dry_jobs_def jobs = dry_workers_jobs(&workers, def->log);
    dry_world *world;
    const dry_result result = dry_world_begin(def, level, &jobs, &world);
    if (result == DRY_ERROR_NUMBERS)
        return def_fail(def, result, "the process has no world numbers left");
    if (result == DRY_OK && def->recording.sink.write && !dry_recorder_begin(world, &def->recording)) {
        dry_world_end(world);
        return def_fail(def, DRY_ERROR_MEMORY, "out of memory");
    }
    if (result != DRY_OK)
        return def_fail(def, result, "out of memory");
    *out = world;
    return DRY_OK;
}

void dry_world_destroy(dry_world *world)
{
    if (!world || dry_check_world(world, __func__) != DRY_OK)
        return;
    if (world->pooled) {
        dry_world_fail(world, DRY_ERROR_LOCKED, "%s: the world belongs to a pool of rooms", __func__);
        return;
    }
    dry_recorder_end(world);
    if (world->history)
        dry_history_end(world->history);
    dry_world_end(world);
}

uint64_t dry_world_step_count(const dry_world *world)
{
    return world ? world->step_count : 0;
}

bool dry_world_is_recording(const dry_world *world)
{
    return world && dry_recorder_is_live(world);
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

dry_result dry_world_trim(dry_world *world)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    if (world->history)
        return dry_refuse(world, __func__, "the world has a history, which may go back to more bodies");
    if (!dry_world_move_to_less(world))
        return dry_lacks_memory(world, __func__);
    return DRY_OK;
}

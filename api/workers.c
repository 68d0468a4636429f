/* A world's workers: what they are, and others for a living world.
 *
 * Reads: the world's team. Writes: the world's team. Next: jobs/team.c. */
#include "api/workers.h"

#include "world/check.h"
#include "world/world.h"

const char *dry_workers_error(const dry_workers *workers)
{
    if (workers->threads < 0 || workers->threads > DRY_JOBS_WORKERS_MAX)
        return "threads must be 0 to 1024";
    if (workers->team != DRY_TEAM_OPENMP && workers->team != DRY_TEAM_THREADS)
        return "team must be DRY_TEAM_OPENMP or DRY_TEAM_THREADS";
    if (!workers->tasks.start != !workers->tasks.finish)
        return "tasks needs both functions or neither";
    return NULL;
}

dry_jobs_def dry_workers_jobs(const dry_workers *workers, dry_log log)
{
    return (dry_jobs_def){.threads = workers->threads,
                          .team = workers->team,
                          .pin = workers->pin_threads,
                          .tasks = workers->tasks,
                          .log = log};
}

/* Not inlined: the library would have it twice. */
DRY_NOINLINE dry_result dry_workers_give(dry_world *world, const char *name, const dry_workers *workers)
{
    const char *error = workers ? dry_workers_error(workers) : "workers is null";
    if (error)
        return dry_refuse(world, name, error);
    if (!dry_team_available(workers->team))
        return dry_world_fail(world, DRY_ERROR_UNSUPPORTED, "%s: %s", name, DRY_WORKERS_LACK_OPENMP);
    const dry_jobs_def def = dry_workers_jobs(workers, world->log);
    if (dry_jobs_are(world->jobs, &def))
        return DRY_OK;
    dry_jobs *jobs = dry_jobs_create(&world->memory, &def);
    if (!jobs || !dry_jobs_trace_like(jobs, &world->memory, world->jobs)) {
        dry_jobs_destroy(&world->memory, jobs);
        return dry_lacks_memory(world, name);
    }
    dry_jobs_destroy(&world->memory, world->jobs);
    world->jobs = jobs;
    return DRY_OK;
}

dry_result dry_world_set_workers(dry_world *world, const dry_workers *workers)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    if (world->pooled)
        return dry_world_fail(world, DRY_ERROR_LOCKED,
                              "%s: the world is a room's, to which the pool gives workers", __func__);
    return dry_workers_give(world, __func__, workers);
}

dry_workers dry_world_get_workers(const dry_world *world)
{
    if (!world)
        return (dry_workers){0};
    const dry_jobs_def def = dry_jobs_asked(world->jobs);
    return (dry_workers){def.threads, def.team, def.pin, def.tasks};
}

int dry_world_threads(const dry_world *world)
{
    return world ? dry_jobs_present(world->jobs) : 0;
}

dry_team dry_world_team(const dry_world *world)
{
    return world ? dry_jobs_team(world->jobs) : DRY_TEAM_THREADS;
}

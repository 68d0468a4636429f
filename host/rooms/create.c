/* Creating and destroying pools. Next: worker.c. */
#include "core/clock.h"
#include "core/fail.h"
#include "core/math.h"
#include "host/rooms/worker.h"
#include "jobs/cgroup.h"
#include "jobs/topology.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

dry_rooms_def dry_default_rooms_def(void)
{
    return (dry_rooms_def){.load_max = 0.9f};
}

/* Returns what is wrong with a pool's definition, in words; null if nothing is. */
static const char *def_error(const dry_rooms_def *def)
{
    if (def->workers < 0 || def->workers > 1024)
        return "workers must be 0 to 1024";
    if (!(def->load_max > 0.0f && def->load_max <= 1.0f))
        return "load_max must be above 0 and at most 1";
    if (!(def->admit_max >= 0.0f && def->admit_max <= 1e6f))
        return "admit_max must be 0 to 1e6";
    if (!def->allocator.allocate != !def->allocator.release)
        return "allocator needs both functions or neither";
    return NULL;
}

/* Returns the number of workers: one for each core that the calling thread may use, and the control groups of
 * the process give. */
static int workers_of(const dry_rooms_def *def)
{
    if (def->workers > 0)
        return def->workers;
    struct hwloc_topology *tree = dry_topology_open();
    const int cores = dry_topology_cores(tree), processors = dry_topology_processors();
    dry_topology_close(tree);
    return dry_min_int(dry_min_int(cores, processors), dry_cgroup_processors(""));
}

static dry_result fail(const dry_rooms_def *def, dry_result result, const char *why)
{
    return dry_fail(&def->log, result, "dry_rooms_create: %s", why);
}

/* Waits are until times of the clock that core/clock.h reads. */
static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void init_workers(dry_rooms *rooms)
{
    for (int i = 0; i < rooms->worker_count; i++) {
        dry_room_worker *worker = &rooms->workers[i];
        memset(worker, 0, sizeof *worker);
        worker->rooms = rooms;
        worker->index = i;
        worker->wakes_ms = -(double)INFINITY;
        init_condition(&worker->wake);
    }
}

/* Releases a pool that has neither rooms nor running workers. */
static void release(dry_rooms *rooms)
{
    for (int i = 0; i < rooms->worker_count; i++)
        pthread_cond_destroy(&rooms->workers[i].wake);
    pthread_cond_destroy(&rooms->tick_ended);
    pthread_mutex_destroy(&rooms->mutex);
    dry_memory memory = rooms->memory;
    dry_memory_release_all(&memory); /* with the pool itself */
}

dry_result dry_rooms_create(const dry_rooms_def *def, dry_rooms **out)
{
    if (out)
        *out = NULL;
    if (!out || !def)
        return dry_fail(def ? &def->log : NULL, DRY_ERROR_ARGUMENT, "dry_rooms_create: def or rooms is null");
    const char *error = def_error(def);
    if (error)
        return fail(def, DRY_ERROR_ARGUMENT, error);
    dry_memory memory;
    dry_memory_init(&memory, def->allocator);
    const int count = workers_of(def);
    dry_rooms *rooms = dry_memory_allocate(&memory, sizeof *rooms, DRY_CACHE_LINE);
    dry_room_worker *workers = dry_memory_allocate(&memory, (size_t)count * sizeof *workers, DRY_CACHE_LINE);
    if (!rooms || !workers) {
        dry_memory_release_all(&memory);
        return fail(def, DRY_ERROR_MEMORY, "out of memory");
    }
    memset(rooms, 0, sizeof *rooms);
    rooms->memory = memory;
    rooms->def = *def;
    rooms->process = getpid();
    rooms->workers = workers;
    rooms->worker_count = count;
    rooms->shares = dry_shares_new();
    pthread_mutex_init(&rooms->mutex, NULL);
    init_condition(&rooms->tick_ended);
    init_workers(rooms);
    if (dry_workers_start(rooms) != 0) {
        release(rooms);
        return fail(def, DRY_ERROR_MEMORY, "the system refused to start a thread");
    }
    *out = rooms;
    return DRY_OK;
}

void dry_rooms_destroy(dry_rooms *rooms)
{
    if (!rooms)
        return;
    const dry_room_worker *worker = dry_rooms_this_worker();
    if (worker && worker->rooms == rooms) {
        dry_rooms_fail(rooms, DRY_ERROR_LOCKED,
                       "dry_rooms_destroy: called in a function of a room of the pool");
        return;
    }
    if (rooms->process != getpid())
        return;
    dry_workers_end(rooms);
    pthread_mutex_lock(&rooms->mutex);
    for (int slot = 0; slot < rooms->slots_used; slot++)
        if (rooms->room[slot])
            dry_room_destroy(rooms->room[slot]);
    dry_rooms_unlock(rooms);
    release(rooms);
}

/* Statistics of rooms and pools. Reads what ticks have counted. Next: histogram.c. */
#include "core/clock.h"
#include "host/rooms/pool.h"
#include "host/rooms/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *dry_room_slow_name(dry_room_slow slow)
{
    static const char *const names[DRY_ROOM_SLOW_COUNT] = {"not", "substeps", "ticks", "shed", "late"};
    return (unsigned)slow < DRY_ROOM_SLOW_COUNT ? names[slow] : NULL;
}

/* Returns why a room is slow now. It is late for a second after each tick that came too late. One that sleeps
 * loses no tick. */
static dry_room_slow slow_of(const dry_room *room, double now_ms)
{
    if (room->budget.divisor > 1 && !room->asleep)
        return DRY_ROOM_SLOW_TICKS;
    if (room->budget.cap > 0 && !room->asleep)
        return DRY_ROOM_SLOW_SUBSTEPS;
    if (room->def.rate > 0.0f && !room->asleep && room->rooms->shares.now[room->def.priority] < 1.0)
        return DRY_ROOM_SLOW_SHED;
    return room->counts.late > 0 && now_ms - room->counts.late_ms < 1e3 ? DRY_ROOM_SLOW_LATE
                                                                        : DRY_ROOM_SLOW_NOT;
}

/* Returns the ticks that a sleeping room has slept through and not counted yet. */
static uint64_t slept_since(const dry_room *room, double now_ms)
{
    if (!room->asleep || room->state == DRY_ROOM_RUNS || room->def.rate <= 0.0f)
        return 0;
    const uint64_t tick = dry_tick_from(room->start_ms, (double)room->def.rate, now_ms);
    const uint64_t last = room->state == DRY_ROOM_WAITS && tick > room->due_tick ? room->due_tick : tick;
    return last > room->next ? last - room->next : 0;
}

static void fill(const dry_room *room, double now_ms, dry_room_statistics *out)
{
    const dry_room_counts *c = &room->counts;
    const uint64_t slept = slept_since(room, now_ms);
    *out = (dry_room_statistics){
        .rate = room->def.rate,
        .ticks = room->next + slept,
        .steps = c->steps + slept,
        .slept = c->slept + slept,
        .failed = c->failed,
        .skipped = c->late + c->shed + c->budget,
        .skipped_late = c->late,
        .skipped_shed = c->shed,
        .skipped_budget = c->budget,
        .step_p50_ms = dry_histogram_quantile(&c->step, 0.5),
        .step_p99_ms = dry_histogram_quantile(&c->step, 0.99),
        .step_max_ms = c->step.max_ms,
        .lateness_p50_ms = dry_histogram_quantile(&c->lateness, 0.5),
        .lateness_p99_ms = dry_histogram_quantile(&c->lateness, 0.99),
        .lateness_max_ms = c->lateness.max_ms,
        .substeps = c->substeps,
        .substeps_max = c->substeps_max,
        .workers = room->borrows ? room->rooms->worker_count : 1,
        .awake_bodies = c->awake_bodies,
        .memory_bytes = c->memory_bytes,
        .queued_bytes = room->queued_bytes,
        .asleep = room->asleep && !room->first_input && room->state != DRY_ROOM_RUNS,
        .slow = slow_of(room, now_ms),
    };
}

dry_result dry_rooms_get_statistics(dry_rooms *rooms, dry_room_id id, dry_room_statistics *out)
{
    static const char name[] = "dry_rooms_get_statistics";
    dry_result result;
    if (!out)
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: the output is null", name);
    if (!dry_rooms_lock(rooms, name, &result))
        return result;
    const dry_room *room = dry_rooms_find(rooms, id);
    if (room)
        fill(room, dry_clock_ms(), out);
    else
        result = dry_rooms_fail(rooms, DRY_ERROR_STALE_ID, "%s: id %016llx names no room of this pool", name,
                                (unsigned long long)id.bits);
    dry_rooms_unlock(rooms);
    return result;
}

/* Returns the processor time of a worker so far; 0 if the system does not tell. */
static double processor_ms(const dry_room_worker *worker)
{
    clockid_t clock;
    struct timespec t;
    if (pthread_getcpuclockid(worker->thread.id, &clock) || clock_gettime(clock, &t))
        return 0.0;
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Adds what the system tells of a worker: its processor time, and the time in which it waited for a core. */
static void add_use(const dry_room_worker *worker, dry_pool_statistics *out)
{
    char path[64];
    unsigned long long ran_ns, waited_ns;
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", atomic_load(&worker->system_thread));
    FILE *file = atomic_load(&worker->system_thread) > 0 ? fopen(path, "r") : NULL;
    if (!file)
        return;
    if (fscanf(file, "%llu %llu", &ran_ns, &waited_ns) == 2) {
        out->had_ms += 1e-6 * (double)ran_ns;
        out->wanted_ms += 1e-6 * (double)(ran_ns + waited_ns);
    }
    fclose(file);
}

dry_result dry_rooms_get_pool_statistics(dry_rooms *rooms, dry_pool_statistics *out)
{
    static const char name[] = "dry_rooms_get_pool_statistics";
    dry_result result;
    if (!out)
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: the output is null", name);
    if (!dry_rooms_lock(rooms, name, &result))
        return result;
    *out = (dry_pool_statistics){
        .workers = rooms->worker_count,
        .rooms = rooms->room_count,
        .asleep = rooms->asleep_count,
        .load = (float)dry_demand_load(&rooms->demand, rooms->worker_count),
        .ticks = rooms->ticks,
        .stolen = rooms->stolen,
        .helped = rooms->helped,
        .busy_ms = rooms->busy_ms,
        .lateness_p50_ms = dry_histogram_quantile(&rooms->lateness, 0.5),
        .lateness_p99_ms = dry_histogram_quantile(&rooms->lateness, 0.99),
        .lateness_max_ms = rooms->lateness.max_ms,
    };
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++)
        out->share[p] = (float)rooms->shares.now[p];
    dry_rooms_unlock(rooms);
    /* The system takes its time to tell. Workers neither come nor go while a pool lives. */
    for (int i = 0; i < rooms->worker_count; i++) {
        out->processor_ms += processor_ms(&rooms->workers[i]);
        add_use(&rooms->workers[i], out);
    }
    if (out->wanted_ms <= 0.0) {
        out->had_ms = fmin(out->processor_ms, out->busy_ms);
        out->wanted_ms = out->busy_ms;
    }
    return DRY_OK;
}

/* The order of ticks.
 *
 * The highest priority among ticks that are due goes first, then the one that was due first. Each worker
 * has its own queues, so that a room's data stay in its cache. It takes another worker's tick if that is more
 * urgent than its own and has waited for STEAL_MS. Reads the clock only through its callers. Writes the
 * queues, and counts skipped ticks. Next: tick.c, then worker.c. */
#include "host/rooms/schedule.h"

#include "core/assert.h"
#include "host/rooms/ticks.h"

#include <math.h>
#include <string.h>

/* A tick waits this long for its room's last worker: ten times what cold caches cost a room of ten towers,
 * and 1/20 of the lateness that 99 of 100 ticks may have. */
#define STEAL_MS 0.2

/* Samples of the load are so far apart: DRY_SHARE_SAMPLES of them last for half a second. */
#define SHARE_MS 25.0

static dry_room *room_of(dry_due *due)
{
    return (dry_room *)due;
}

static int queue_of(const dry_room *room)
{
    DRY_ASSERT(room->def.priority >= 0 && room->def.priority < DRY_ROOM_PRIORITIES);
    return room->def.rate > 0.0f ? 1 + room->def.priority : 0;
}

bool dry_schedule_wake(dry_room_worker *worker, double at_ms)
{
    if (worker->wakes_ms <= at_ms)
        return false;
    worker->wakes_ms = at_ms;
    pthread_cond_signal(&worker->wake);
    return true;
}

/* Wakes the worker whose room is due, or another one that is idle while it is busy, with a tick or with the
 * program's function for notices. */
static void tell_workers(dry_rooms *rooms, int owner, double due_ms)
{
    DRY_ASSERT(owner >= 0 && owner < rooms->worker_count);
    if (rooms->workers[owner].wakes_ms > -(double)INFINITY) {
        dry_schedule_wake(&rooms->workers[owner], due_ms);
        return;
    }
    for (int i = 0; i < rooms->worker_count; i++)
        if (i != owner && dry_schedule_wake(&rooms->workers[i], due_ms + STEAL_MS))
            return;
}

void dry_schedule_wait_for(dry_room *room, uint64_t tick, double now_ms)
{
    dry_rooms *rooms = room->rooms;
    DRY_ASSERT(room->worker >= 0 && room->worker < rooms->worker_count);
    room->state = DRY_ROOM_WAITS;
    room->due_tick = tick;
    room->due.ms =
        room->def.rate > 0.0f ? dry_tick_due_ms(room->start_ms, (double)room->def.rate, tick) : now_ms;
    room->due.order = room->id.bits >> DRY_ROOM_SLOT_BITS;
    dry_due_insert(&rooms->workers[room->worker].queues[queue_of(room)], &room->due);
    tell_workers(rooms, room->worker, room->due.ms);
}

void dry_schedule_withdraw(dry_room *room)
{
    if (room->state == DRY_ROOM_WAITS)
        dry_due_remove(&room->rooms->workers[room->worker].queues[queue_of(room)], &room->due);
    room->state = DRY_ROOM_RESTS;
}

void dry_schedule_next_tick(dry_room *room, double now_ms)
{
    uint64_t tick = room->next;
    if (room->taken) {
        room->state = DRY_ROOM_RESTS;
        return;
    }
    if (room->asleep && !room->first_input) {
        if (room->wake_at < tick) {
            room->state = DRY_ROOM_RESTS;
            return;
        }
        tick = room->wake_at;
    } else if (room->asleep && room->def.rate > 0.0f) {
        const uint64_t from = dry_tick_from(room->start_ms, (double)room->def.rate, now_ms);
        tick = from > tick ? from : tick;
    }
    dry_schedule_wait_for(room, tick, now_ms);
}

/* Returns the most urgent room of a worker that has been due since `now_ms`, and its queue; null: none. */
static dry_room *first_due(const dry_room_worker *worker, double now_ms, int *queue)
{
    for (int q = DRY_QUEUES - 1; q >= 0; q--)
        if (worker->queues[q].first && worker->queues[q].first->ms <= now_ms) {
            *queue = q;
            return room_of(worker->queues[q].first);
        }
    return NULL;
}

static dry_room *most_urgent(const dry_rooms *rooms, int worker, double now_ms)
{
    int queue = -1, other;
    dry_room *best = first_due(&rooms->workers[worker], now_ms, &queue);
    double before_ms = best ? best->due.ms - STEAL_MS : now_ms;
    for (int i = 0; i < rooms->worker_count; i++) {
        dry_room *room = i != worker ? first_due(&rooms->workers[i], now_ms - STEAL_MS, &other) : NULL;
        if (!room || other < queue || (other == queue && room->due.ms >= before_ms))
            continue;
        best = room;
        queue = other;
        before_ms = room->due.ms;
    }
    return best;
}

/* Skips the ticks that came too late. Of a room that sleeps they are counted as steps. The last one that a
 * budget leaves is never too late: it may come to the same busy moment each time. */
static void skip_late(dry_room *room, double now_ms)
{
    const double rate = (double)room->def.rate;
    const uint64_t from = dry_tick_from(room->start_ms, rate, now_ms); /* at least 1: a tick was due */
    const uint64_t last = from > 0 && dry_tick_due_ms(room->start_ms, rate, from) > now_ms ? from - 1 : from;
    const uint64_t left = last % (uint64_t)room->budget.divisor, most = (uint64_t)room->def.behind_max;
    const uint64_t behind = room->asleep ? 0 : left > most ? left : most;
    if (last <= room->due_tick + behind)
        return;
    if (!room->asleep) {
        room->counts.late += last - behind - room->due_tick;
        room->counts.late_ms = now_ms;
        room->next = last - behind;
    }
    room->due_tick = last - behind;
    room->due.ms = dry_tick_due_ms(room->start_ms, rate, room->due_tick);
    DRY_ASSERT(room->due.ms <= now_ms && room->next <= room->due_tick);
}

/* Tells whether a tick is made, as the room's budget and the pool's load let it; else counts it, with all
 * that a budget leaves out after it, and lets the room be at the last of these. */
static bool is_made(dry_room *room)
{
    if (room->asleep)
        return true;
    DRY_ASSERT(room->budget.divisor >= 1);
    const uint64_t divisor = (uint64_t)room->budget.divisor, after = room->due_tick % divisor;
    if (after != 0) {
        room->counts.budget += divisor - after;
        room->due_tick += divisor - after - 1;
        return false;
    }
    if (dry_shed_keeps(&room->credit, room->rooms->shares.now[room->def.priority]))
        return true;
    room->counts.shed++;
    return false;
}

dry_room *dry_schedule_take(dry_rooms *rooms, int worker, double now_ms)
{
    for (;;) {
        dry_room *room = most_urgent(rooms, worker, now_ms);
        if (!room)
            return NULL;
        DRY_ASSERT(room->state == DRY_ROOM_WAITS && !room->taken);
        dry_schedule_withdraw(room);
        if (room->def.rate > 0.0f)
            skip_late(room, now_ms);
        if (room->def.rate <= 0.0f || is_made(room)) {
            room->state = DRY_ROOM_RUNS;
            return room;
        }
        room->next = room->due_tick + 1;
        dry_schedule_wait_for(room, room->next, now_ms);
    }
}

/* Returns when the first room of a worker is due. */
static double first_due_ms(const dry_room_worker *worker)
{
    double first_ms = (double)INFINITY;
    for (int q = 0; q < DRY_QUEUES; q++)
        if (worker->queues[q].first)
            first_ms = fmin(first_ms, worker->queues[q].first->ms);
    return first_ms;
}

dry_room *dry_schedule_next(const dry_rooms *rooms, int worker, double now_ms)
{
    const dry_room_worker *self = &rooms->workers[worker];
    int queue;
    dry_room *due = most_urgent(rooms, worker, now_ms);
    return due ? due : first_due(self, first_due_ms(self), &queue);
}

void dry_schedule_is_busy(dry_rooms *rooms, int worker)
{
    const double due_ms = first_due_ms(&rooms->workers[worker]);
    if (due_ms < (double)INFINITY)
        tell_workers(rooms, worker, due_ms);
}

double dry_schedule_wakes_ms(const dry_rooms *rooms, int worker)
{
    double at_ms = first_due_ms(&rooms->workers[worker]);
    for (int i = 0; i < rooms->worker_count; i++)
        if (i != worker)
            at_ms = fmin(at_ms, first_due_ms(&rooms->workers[i]) + STEAL_MS);
    return dry_shares_are_whole(&rooms->shares) ? at_ms : fmin(at_ms, rooms->shared_ms + SHARE_MS);
}

unsigned dry_schedule_share(dry_rooms *rooms, double now_ms)
{
    unsigned changed = 0;
    double before[DRY_ROOM_PRIORITIES];
    if (now_ms - rooms->shared_ms < SHARE_MS)
        return 0;
    rooms->shared_ms = now_ms;
    memcpy(before, rooms->shares.now, sizeof before);
    dry_shares_follow(&rooms->shares, &rooms->demand, rooms->worker_count, (double)rooms->def.load_max);
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++)
        if ((rooms->shares.now[p] < 1.0) != (before[p] < 1.0))
            changed |= 1u << p;
    return changed;
}

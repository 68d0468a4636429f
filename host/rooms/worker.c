/* A worker's life: it takes the most urgent tick and runs it. Without one it helps a heavy room, or sleeps
 * until the next tick is due.
 *
 * Reads the queues through schedule.h. Writes the counts of its pool. Next: schedule.c, tick.c. */
#define _GNU_SOURCE
#include "host/rooms/worker.h"

#include "core/assert.h"
#include "core/clock.h"
#include "host/rooms/lend.h"
#include "host/rooms/schedule.h"
#include "host/rooms/tick.h"
#include "world/world.h"

#include <math.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

/* Notices that wait until the pool is unlocked. */
typedef struct notices {
    dry_rooms_notice notice[1 + DRY_ROOM_PRIORITIES];
    int count;
} notices;

/* Adds a notice, whose share is that of the ticks which the pool leaves. */
static void note(dry_rooms *rooms, notices *to, dry_rooms_notice notice)
{
    notice.load = (float)dry_demand_load(&rooms->demand, rooms->worker_count);
    notice.share *= (float)rooms->shares.now[notice.priority];
    DRY_ASSERT(to->count <= DRY_ROOM_PRIORITIES);
    if (rooms->def.notice)
        to->notice[to->count++] = notice;
}

static void note_shares(dry_rooms *rooms, unsigned changed, notices *to)
{
    for (int p = 0; p < DRY_ROOM_PRIORITIES; p++)
        if (changed >> p & 1)
            note(rooms, to,
                 (dry_rooms_notice){.priority = p,
                                    .share = 1.0f,
                                    .slow =
                                        rooms->shares.now[p] < 1.0 ? DRY_ROOM_SLOW_SHED : DRY_ROOM_SLOW_NOT});
}

static void note_budget(dry_room *room, notices *to)
{
    const dry_budget *budget = &room->budget;
    note(room->rooms, to,
         (dry_rooms_notice){.room = room->id,
                            .priority = room->def.priority,
                            .share = 1.0f / (float)budget->divisor,
                            .slow = budget->divisor > 1 ? DRY_ROOM_SLOW_TICKS
                                    : budget->cap > 0   ? DRY_ROOM_SLOW_SUBSTEPS
                                                        : DRY_ROOM_SLOW_NOT});
}

void dry_room_destroy(dry_room *room)
{
    dry_rooms *rooms = room->rooms;
    DRY_ASSERT(room->offers_open == 0);
    dry_inputs_release(rooms, room->first_input);
    dry_rooms_unlock(rooms);
    room->world->pooled = false;
    dry_world_destroy(room->world);
    pthread_mutex_lock(&rooms->mutex);
    DRY_RELEASE(&rooms->memory, room->offers, room->offer_capacity);
    dry_memory_release(&rooms->memory, room, sizeof *room);
}

/* Bytes of worlds after which one that was stepped before them is no longer in a worker's cache: half of the
 * second level of today's servers, 1 MiB a core. */
static const uint64_t CACHE_BYTES = 512 << 10;

static bool has_left_cache(const dry_room_worker *self, const dry_room *room)
{
    return room->worker != self->index || self->passed - room->passed > CACHE_BYTES;
}

/* Notes what the next tick will read, for a worker that has run this one. */
static void note_reads(dry_room *room)
{
    room->reads.count = room->reads.lines = 0;
    dry_working_set_add(&room->reads, room, sizeof *room);
    dry_working_set_note(&room->reads, room->world);
}

/* Begins to prefetch what the room reads that is probably next, in a locked pool. */
static void begin_prefetch(dry_room_worker *self, double now_ms)
{
    const dry_room *next = dry_schedule_next(self->rooms, self->index, now_ms);
    if (next && has_left_cache(self, next))
        self->prefetch = (dry_prefetch){.set = next->reads};
    else
        self->prefetch.part = self->prefetch.set.count = self->prefetch.set.lines = 0;
}

/* Returns the processor time of this worker's thread since it was last asked. What the pool does between two
 * ticks counts for the later one: the system takes half a microsecond to tell, so it is asked once a tick,
 * and after what may take long. */
static double take_processor_ms(dry_room_worker *self)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    const double before = self->processor_ms;
    self->processor_ms = (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
    return self->processor_ms - before;
}

/* Ends the tick of a room in a locked pool. */
static void end_tick(dry_room_worker *self, dry_room *room, const dry_tick *tick, dry_input *inputs,
                     notices *to)
{
    dry_rooms *rooms = self->rooms;
    DRY_ASSERT(room->state == DRY_ROOM_RUNS && room->worker == self->index);
    dry_inputs_release(rooms, inputs);
    if (room->removed) {
        dry_room_destroy(room);
        (void)take_processor_ms(self); /* no other room's */
    } else {
        if (dry_tick_follow(room, tick))
            note_budget(room, to);
        dry_schedule_next_tick(room, tick->end_ms);
    }
    self->running = 0;
    pthread_cond_broadcast(&rooms->tick_ended);
}

/* Runs the tick of a room that was taken, in a locked pool, which is unlocked meanwhile. */
static void run(dry_room_worker *self, dry_room *room, double now_ms, notices *to)
{
    dry_rooms *rooms = self->rooms;
    dry_input *inputs = room->first_input;
    dry_tick tick;
    DRY_ASSERT(room->state == DRY_ROOM_RUNS && self->running == 0);
    room->first_input = room->last_input = NULL;
    room->queued_bytes = 0;
    const bool from_memory = has_left_cache(self, room);
    begin_prefetch(self, now_ms);
    rooms->stolen += room->worker != self->index;
    room->worker = self->index;
    self->running = room->id.bits;
    dry_schedule_is_busy(rooms, self->index);
    dry_rooms_unlock(rooms);
    dry_tick_run(room, inputs, &self->prefetch, &tick);
    tick.processor_ms = take_processor_ms(self);
    if (from_memory)
        note_reads(room);
    self->passed += tick.memory_bytes;
    room->passed = self->passed;
    pthread_mutex_lock(&rooms->mutex);
    end_tick(self, room, &tick, inputs, to);
}

/* Hands notices to the program, in a locked pool, which is unlocked meanwhile. */
static void hand_over(dry_room_worker *self, const notices *from)
{
    dry_rooms *rooms = self->rooms;
    if (from->count == 0)
        return;
    dry_rooms_unlock(rooms);
    for (int i = 0; i < from->count; i++)
        rooms->def.notice(&from->notice[i], rooms->def.user);
    (void)take_processor_ms(self); /* the program's, no room's */
    pthread_mutex_lock(&rooms->mutex);
}

/* Sleeps until a time, or until somebody tells of an earlier one. */
static void sleep_until(dry_room_worker *self, double at_ms)
{
    dry_rooms *rooms = self->rooms;
    self->wakes_ms = at_ms;
    if (isinf(at_ms)) {
        pthread_cond_wait(&self->wake, &rooms->mutex);
    } else {
        const double whole_s = floor(at_ms * 1e-3);
        const struct timespec until = {(time_t)whole_s, (long)((at_ms - 1e3 * whole_s) * 1e6)};
        pthread_cond_timedwait(&self->wake, &rooms->mutex, &until);
    }
    self->wakes_ms = -(double)INFINITY;
}

static void *work(void *argument)
{
    dry_room_worker *self = argument;
    dry_rooms *rooms = self->rooms;
    dry_rooms_set_this_worker(self);
    pthread_mutex_lock(&rooms->mutex);
#ifdef __linux__
    atomic_store(&self->system_thread, (int)syscall(SYS_gettid));
#endif
    while (!rooms->ending) {
        const double now_ms = dry_clock_ms();
        notices to = {.count = 0};
        note_shares(rooms, dry_schedule_share(rooms, now_ms), &to);
        dry_room *room = dry_schedule_take(rooms, self->index, now_ms);
        dry_offer *offer = room ? NULL : dry_lend_find(rooms);
        if (room) {
            run(self, room, now_ms, &to);
        } else if (offer) {
            dry_lend_help(self, offer);
            (void)take_processor_ms(self); /* it was the borrower's */
        } else if (to.count == 0) {
            sleep_until(self, dry_schedule_wakes_ms(rooms, self->index));
        }
        hand_over(self, &to);
    }
    dry_rooms_unlock(rooms);
    return NULL;
}

/* Ends the first `count` workers. */
static void end(dry_rooms *rooms, int count)
{
    pthread_mutex_lock(&rooms->mutex);
    rooms->ending = true;
    for (int i = 0; i < count; i++)
        pthread_cond_signal(&rooms->workers[i].wake);
    dry_rooms_unlock(rooms);
    for (int i = 0; i < count; i++)
        dry_thread_join(&rooms->workers[i].thread);
}

int dry_workers_start(dry_rooms *rooms)
{
    for (int i = 0; i < rooms->worker_count; i++) {
        const int error = dry_thread_start(&rooms->workers[i].thread, work, &rooms->workers[i]);
        if (error) {
            end(rooms, i);
            return error;
        }
    }
    return 0;
}

void dry_workers_end(dry_rooms *rooms)
{
    end(rooms, rooms->worker_count);
}

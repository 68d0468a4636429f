/* Lends idle workers to heavy rooms (lend.h). The world takes them as tasks (dry_tasks).
 *
 * Reads costs of rooms, and due times through schedule.h. Writes offers, and the workers of a room's world.
 * Next: jobs/lent_helpers.c, worker.c. */
#include "host/rooms/lend.h"

#include "api/workers.h"
#include "core/assert.h"
#include "core/clock.h"
#include "host/rooms/schedule.h"
#include "jobs/jobs.h"

#include <math.h>

/* A room borrows workers once its ticks take this long. Waking a worker takes up to 1/20 of that. */
#define BORROW_MS 1.0

/* A room is heavy after this many heavy ticks in a row: a delay that the system bills to one tick is none. */
enum { HEAVY_TICKS = 8 };

void dry_lend_decide(dry_room *room, double tick_ms)
{
    dry_rooms *rooms = room->rooms;
    const int helpers = rooms->worker_count - 1;
    if (tick_ms < BORROW_MS)
        room->heavy_ticks = 0;
    else if (room->heavy_ticks < HEAVY_TICKS)
        room->heavy_ticks++;
    if (room->heavy_ticks == HEAVY_TICKS)
        room->borrows =
            helpers > 0 && DRY_RESERVE(&rooms->memory, room->offers, room->offer_capacity, helpers);
    /* Help divides the cost by the number of workers at most. */
    else if (room->cost.ms * rooms->worker_count < BORROW_MS)
        room->borrows = false;
}

/* Wakes a worker that sleeps. One that helps already goes on with that. */
static void wake_one(dry_rooms *rooms)
{
    const double now_ms = dry_clock_ms();
    for (int i = 0; i < rooms->worker_count; i++)
        if (!rooms->workers[i].helps && dry_schedule_wake(&rooms->workers[i], now_ms))
            return;
}

/* dry_tasks.start: opens an offer. */
static void *start(void (*run)(void *argument), void *argument, void *user)
{
    (void)run; /* dry_jobs_help_while stands for it */
    dry_room *room = user;
    dry_rooms *rooms = room->rooms;
    pthread_mutex_lock(&rooms->mutex);
    DRY_ASSERT(room->offers_open < room->offer_capacity);
    dry_offer *offer = &room->offers[room->offers_open++];
    *offer = (dry_offer){.next = rooms->offers, .argument = argument, .priority = room->def.priority};
    rooms->offers = offer;
    wake_one(rooms);
    dry_rooms_unlock(rooms);
    return offer;
}

/* dry_tasks.finish: closes an offer. The loops are over, so that a helper returns at once. */
static void finish(void *handle, void *user)
{
    dry_room *room = user;
    dry_rooms *rooms = room->rooms;
    dry_offer *offer = handle, **at = &rooms->offers;
    pthread_mutex_lock(&rooms->mutex);
    DRY_ASSERT(room->offers_open > 0);
    while (*at != offer)
        at = &(*at)->next;
    *at = offer->next;
    while (offer->taken)
        pthread_cond_wait(&rooms->tick_ended, &rooms->mutex);
    room->offers_open--;
    dry_rooms_unlock(rooms);
}

void dry_lend_apply(dry_room *room)
{
    if (room->borrows == room->lent)
        return;
    dry_workers workers = {.threads = 1, .team = DRY_TEAM_THREADS};
    if (room->borrows) {
        workers.threads = room->rooms->worker_count;
        workers.tasks = (dry_tasks){start, finish, room};
    }
    /* Without memory the room goes on alone, and tries again at its next tick. */
    if (dry_workers_give(room->world, "dry_rooms", &workers) == DRY_OK)
        room->lent = room->borrows;
}

dry_offer *dry_lend_find(const dry_rooms *rooms)
{
    dry_offer *best = NULL;
    for (dry_offer *offer = rooms->offers; offer; offer = offer->next)
        if (!offer->taken && !offer->over && (!best || offer->priority > best->priority))
            best = offer;
    return best;
}

/* Tells whether a worker has nothing more urgent to do than to help. */
static bool stays(void *user)
{
    const dry_room_worker *self = user;
    return dry_clock_ms() < atomic_load_explicit(&self->wakes_ms, memory_order_relaxed);
}

void dry_lend_help(dry_room_worker *self, dry_offer *offer)
{
    dry_rooms *rooms = self->rooms;
    void *argument = offer->argument;
    DRY_ASSERT(!offer->taken && !offer->over && !self->helps);
    offer->taken = true;
    self->helps = true;
    self->wakes_ms = dry_schedule_wakes_ms(rooms, self->index);
    rooms->helped++;
    dry_rooms_unlock(rooms);
    const bool left = dry_jobs_help_while(argument, (dry_stay){stays, self});
    pthread_mutex_lock(&rooms->mutex);
    self->wakes_ms = -(double)INFINITY;
    self->helps = false;
    offer->taken = false;
    offer->over = !left;
    pthread_cond_broadcast(&rooms->tick_ended);
}

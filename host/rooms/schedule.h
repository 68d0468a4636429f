/* Decides which tick is next: the policy of the pool, apart from threads. All calls take a locked pool and
 * the time, in ms. */
#ifndef HOST_ROOMS_SCHEDULE_H
#define HOST_ROOMS_SCHEDULE_H

#include "host/rooms/pool.h"

/* Lets a room wait for a tick in the queue of its last worker, and wakes who has to know. */
void dry_schedule_wait_for(dry_room *room, uint64_t tick, double now_ms);
/* Lets a room wait for its next tick. A room that sleeps waits for one that is not over, with functions. */
void dry_schedule_next_tick(dry_room *room, double now_ms);
/* Takes a room out of its queue, if it is in one. */
void dry_schedule_withdraw(dry_room *room);

/* Wakes a worker that would look for ticks later than it has to. Returns whether it would. */
bool dry_schedule_wake(dry_room_worker *worker, double at_ms);

/* Takes the room out of its queue whose tick a worker shall run now; null: none is due. Ticks that came too
 * late or are not to be made are skipped on the way. */
dry_room *dry_schedule_take(dry_rooms *rooms, int worker, double now_ms);

/* Returns the room of a worker that will probably be next; null: none waits. */
dry_room *dry_schedule_next(const dry_rooms *rooms, int worker, double now_ms);

/* Wakes another worker in time for what is left in the queues of one that begins a tick. */
void dry_schedule_is_busy(dry_rooms *rooms, int worker);

/* Returns when a worker has to look again, if nothing changes. */
double dry_schedule_wakes_ms(const dry_rooms *rooms, int worker);

/* Sets the shares of ticks anew, some times a second. Returns the set of priorities whose share has come to
 * be below 1 or has ceased to be: bit p of it. */
unsigned dry_schedule_share(dry_rooms *rooms, double now_ms);

#endif

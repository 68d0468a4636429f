/* Workers that a heavy room borrows: idle ones share the loops of its steps, block by block.
 *
 *      the room's worker            the pool, locked            an idle worker
 *      step begins: start  ------>  an open offer  ---------->  takes it, and helps with blocks
 *                                        ^                         |  a tick is due: leaves after its block
 *                                        +-------------------------+
 *      step ends: finish   ------>  closes it, once no worker helps
 *
 * A step has the same bits with any number of helpers. */
#ifndef HOST_ROOMS_LEND_H
#define HOST_ROOMS_LEND_H

#include "host/rooms/pool.h"

/* Decides whether a room borrows workers from its next tick on, after one that took `tick_ms` of its worker's
 * time, in a locked pool. */
void dry_lend_decide(dry_room *room, double tick_ms);

/* Gives the room's world the workers that were decided on, on the worker that runs it. */
void dry_lend_apply(dry_room *room);

/* Returns an offer for an idle worker, of the room with the highest priority; null: there is none. In a
 * locked pool. */
dry_offer *dry_lend_find(const dry_rooms *rooms);

/* Helps until the step ends, or until this worker has to look for ticks. The pool is locked, and unlocked
 * meanwhile. */
void dry_lend_help(dry_room_worker *self, dry_offer *offer);

#endif

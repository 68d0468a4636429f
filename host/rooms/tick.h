/* Runs one tick of a room, on the worker that has taken it, and follows what it came to. */
#ifndef HOST_ROOMS_TICK_H
#define HOST_ROOMS_TICK_H

#include "host/rooms/pool.h"

/* The outcome of a tick. */
typedef struct dry_tick {
    double begin_ms, end_ms, processor_ms;
    uint64_t slept, stepped; /* steps that were counted only, and all */
    uint64_t wake_at;
    bool asleep, failed;                      /* failed: the step found no memory */
    int substeps, substeps_max, awake_bodies; /* substeps_max: the cap in force */
    size_t memory_bytes;
    dry_budget_limits limits;
} dry_tick;

/* Runs the tick for which a room was taken, with its inputs, and prefetches meanwhile. The pool is not
 * locked. */
void dry_tick_run(dry_room *room, const dry_input *inputs, dry_prefetch *prefetch, dry_tick *tick);

/* Follows the processor time of a tick that has ended, in a locked pool: the room asks for the ticks that its
 * budget leaves it. Time for which other processes had the core is not the room's. */
void dry_tick_follow_cost(dry_room *room, double processor_ms);

/* Counts a tick that has ended, in a locked pool. Returns whether the room's budget has changed. */
bool dry_tick_follow(dry_room *room, const dry_tick *tick);

#endif

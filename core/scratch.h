/* Scratch memory of a world: one block for everything that lives no longer than until the next step.
 *
 * A step goes through *lifetimes*, one after the other; the next one takes the memory over. Parts are taken
 * in order, and the last ones may be given back. Room is reserved before anything changes, so that taking a
 * part cannot fail:
 *
 *      lifetime   parts
 *      pairs      leaves of tree builds; the proxies that moved, the pairs that were found; pairs of pieces
 *      graph      parents of islands; bodies that a flood still has to visit; assignments to partitions
 *      solve      bundles of all kinds, rows of substeps' beginnings, momenta while islands float
 *      events     begins, moved, quarantines, sleeps: until the next step
 *
 * Parts that are *kept* outlive their lifetime as far as no later part takes their place: bundles of contacts
 * that stay (stages/prepare.c).
 *
 * Calls between steps take parts behind those of the last lifetime and give them back before they return.
 * Their room is *promised*: it is there at any time between steps and during stages pairs and graph. */
#ifndef CORE_SCRATCH_H
#define CORE_SCRATCH_H

#include "core/memory.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum dry_lifetime {
    DRY_LIFETIME_NONE, /* between worlds' creation and the first step */
    DRY_LIFETIME_PAIRS,
    DRY_LIFETIME_GRAPH,
    DRY_LIFETIME_SOLVE,
    DRY_LIFETIME_EVENTS,
} dry_lifetime;

/* Who may take parts without a reserve, and needs how many bytes at most. */
typedef enum dry_promise {
    DRY_PROMISE_TREES, /* builds of trees */
    DRY_PROMISE_BATCH, /* proxies that are added or removed together */
    DRY_PROMISE_FLOOD, /* waking and falling asleep from body to body */
    DRY_PROMISE_SET,   /* a set of bodies: destroyed together, or found where a body is placed */
    DRY_PROMISE_COUNT
} dry_promise;

typedef struct dry_scratch {
    struct dry_scratch_block *block; /* the newest one; those before it hold parts that still live */
    size_t used;                     /* bytes taken from the newest block */
    size_t lost; /* of them, the most since something was kept; all, if it is a new block */
    size_t promised[DRY_PROMISE_COUNT];
    dry_lifetime lifetime;
} dry_scratch;

/* Ends the lifetime before and begins another: all parts are gone. */
void dry_scratch_begin(dry_scratch *scratch, dry_memory *memory, dry_lifetime lifetime);

/* Makes room for parts of `bytes` in all, with their alignment; false if memory fails. Parts that live stay
 * where they are. */
bool dry_scratch_reserve(dry_scratch *scratch, dry_memory *memory, size_t bytes);

/* Makes room for a promise of at least `bytes`; false if memory fails. */
bool dry_scratch_promise(dry_scratch *scratch, dry_memory *memory, dry_promise promise, size_t bytes);

/* Returns the bytes that a part takes: whole cache lines. */
static inline size_t dry_scratch_bytes(size_t count, size_t element_bytes)
{
    return (count * element_bytes + DRY_CACHE_LINE - 1) / DRY_CACHE_LINE * DRY_CACHE_LINE;
}

/* Returns the sum of all promises. */
size_t dry_scratch_promised(const dry_scratch *scratch);

/* Takes a part for which there is room, aligned to a cache line and not cleared. */
void *dry_scratch_take(dry_scratch *scratch, size_t bytes);

/* Takes a part that loses nothing that is kept until somebody writes to it: dry_scratch_lose tells. For a
 * part that is mostly larger than what comes. */
void *dry_scratch_take_spare(dry_scratch *scratch, size_t bytes);

/* Notes that a part was written up to `end`: what was kept before is lost. */
void dry_scratch_lose(dry_scratch *scratch, const void *end);

/* Returns the bytes of the newest block. */
size_t dry_scratch_room(const dry_scratch *scratch);

/* Returns the room that is left, and its bytes, to be written at will. The next part begins there. */
void *dry_scratch_rest(dry_scratch *scratch, size_t *bytes);

/* Gives the parts back that were taken since `mark`, an earlier value of `used`. */
void dry_scratch_give_back(dry_scratch *scratch, size_t mark);

/* Keeps the parts that live. */
void dry_scratch_keep(dry_scratch *scratch);

/* Returns where begins what is kept still; the end of the block if nothing is. */
const void *dry_scratch_kept(const dry_scratch *scratch);

/* Tells whether a part of an earlier lifetime is kept still, whatever block it was taken from. */
bool dry_scratch_keeps(const dry_scratch *scratch, const void *part, size_t bytes);

/* Takes room for `count` elements. */
#define DRY_SCRATCH_TAKE(scratch, type, count)                                                               \
    ((type *)dry_scratch_take((scratch), dry_scratch_bytes((size_t)(count), sizeof(type))))

#endif

/* Stable handles: a slot is an index with a generation that outlives its tenants.
 *
 * A public id is a slot, and a number and use that no other tenant of the slot has, in this world or another
 * (core/leases.h). Freed slots are reused last in, first out, so the slots that a sequence of calls yields
 * depend on nothing but the calls. Once all slots are free they are taken in order again: what is then built
 * is built as in a new world. A slot that has been used as often as ids allow is retired: it is free and is
 * never taken again. */
#ifndef CORE_SLOTS_H
#define CORE_SLOTS_H

#include "core/leases.h"
#include "core/memory.h"

typedef struct dry_slot {
    uint32_t
        generation; /* odd while taken; grows by one when taken and when freed: twice the reuses, and one */
    int32_t row;    /* where the tenant's columns are; the next free slot while free, -1 ends */
} dry_slot;

typedef struct dry_slots {
    dry_slot *slots;
    int capacity;
    int used;     /* slots ever taken */
    int unlisted; /* the last ones of them, free and in no list: taken in order when the list is empty */
    int free;     /* head of the free list, or -1 */
    int count;    /* tenants */
    int retired;  /* free slots that are never taken again */
    int wanted;   /* leases that the next uses of all slots ask for */
    dry_leases *leases;
} dry_slots;

/* Begins a table without slots. The leases are the world's, which outlive the table. */
void dry_slots_init(dry_slots *slots, dry_leases *leases);
bool dry_slots_reserve(dry_slots *slots, dry_memory *memory, int more);

/* Takes a slot; room must have been reserved, and the leases drawn that are wanted. */
int dry_slots_take(dry_slots *slots, int row);
void dry_slots_release(dry_slots *slots, int slot);

/* Finds what follows from the slots of a loaded table: tenants, retired slots, leases. */
void dry_slots_count(dry_slots *slots);

enum { DRY_SLOTS_MAX = (1 << DRY_ID_SLOT_BITS) - 1 }; /* slots of one table: the null id takes one value */
/* The bits of an id that do not depend on the numbers of a world. */
#define DRY_ID_PLAIN_BITS ((UINT64_C(1) << (DRY_ID_SLOT_BITS + DRY_ID_USE_BITS)) - 1)

/* Returns the id of a taken slot. */
static inline uint64_t dry_slots_id(const dry_slots *slots, int slot)
{
    return dry_leases_bits(slots->leases, slots->slots[slot].generation / 2) | (uint64_t)(slot + 1);
}

/* Returns the slot of an id that is known to be good. */
static inline int dry_slots_of(uint64_t id)
{
    return (int)(id & DRY_SLOTS_MAX) - 1;
}

/* Returns whether `more` tenants do not exceed DRY_SLOTS_MAX. */
static inline bool dry_slots_may_hold(const dry_slots *slots, int more)
{
    return more <= DRY_SLOTS_MAX - slots->count - slots->retired;
}

static inline bool dry_slots_is_taken(const dry_slots *slots, int slot)
{
    return slots->slots[slot].generation & 1u;
}

static inline bool dry_slots_is_retired(const dry_slots *slots, int slot)
{
    return slots->slots[slot].generation >= 2 * DRY_SLOT_USES_MAX;
}

/* Returns the lowest taken slot above `slot`, -1 if there is none. A walk over all begins with -1. */
static inline int dry_slots_next(const dry_slots *slots, int slot)
{
    while (++slot < slots->used)
        if (dry_slots_is_taken(slots, slot))
            return slot;
    return -1;
}

/* Returns the slot that an id names, -1 if the id is null, stale, or another world's. */
static inline int dry_slots_find(const dry_slots *slots, uint64_t id)
{
    int slot = dry_slots_of(id);
    if (slot < 0 || slot >= slots->used)
        return -1;
    return dry_slots_is_taken(slots, slot) && dry_slots_id(slots, slot) == id ? slot : -1;
}

/* Sets of slots, a bit for each; 1: it is there. */
static inline int dry_slot_set_words(int slots)
{
    return slots / 32 + 1;
}

static inline void dry_slot_set_add(uint32_t *set, int slot)
{
    set[slot / 32] |= UINT32_C(1) << slot % 32;
}

static inline int dry_slot_set_has(const uint32_t *set, int slot)
{
    return (int)(set[slot / 32] >> slot % 32 & 1);
}

/* Returns the lowest member above `slot`, -1 if there is none. */
static inline int dry_slot_set_next(const uint32_t *set, int words, int slot)
{
    uint32_t above = UINT32_MAX << ++slot % 32;
    for (int word = slot / 32; word < words; word++, above = UINT32_MAX)
        if (set[word] & above)
            return 32 * word + dry_lowest_bit(set[word] & above);
    return -1;
}

#endif

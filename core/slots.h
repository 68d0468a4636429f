/* Stable handles: a slot is an index with a generation that outlives its tenants.
 *
 * A public id is (generation, world tag, slot + 1). Freed slots are reused last in, first out, so the ids
 * that a sequence of calls yields depend on nothing but the calls. */
#ifndef CORE_SLOTS_H
#define CORE_SLOTS_H

#include "core/memory.h"

typedef struct dry_slot {
    uint32_t generation; /* odd while taken; grows by one when taken and when freed */
    int32_t row;         /* where the tenant's columns are; the next free slot while free, -1 ends */
} dry_slot;

typedef struct dry_slots {
    dry_slot *slots;
    int capacity;
    int used;  /* slots ever taken */
    int free;  /* head of the free list, or -1 */
    int count; /* tenants */
    uint16_t tag;
} dry_slots;

void dry_slots_init(dry_slots *slots, uint16_t tag);
bool dry_slots_reserve(dry_slots *slots, dry_memory *memory, int more);
void dry_slots_free(dry_slots *slots, dry_memory *memory);

/* Takes a slot; room must have been reserved. */
int dry_slots_take(dry_slots *slots, int row);
void dry_slots_release(dry_slots *slots, int slot);

/* The bits of an id that hold the tag. */
#define DRY_ID_TAG UINT64_C(0x0000ffff00000000)

/* id <-> slot. The generation has 16 bits in the id: 32,768 reuses of one slot until ids repeat. */
static inline uint64_t dry_slots_id(const dry_slots *slots, int slot)
{
    return ((uint64_t)(slots->slots[slot].generation & 0xffffu) << 48) | ((uint64_t)slots->tag << 32) |
           (uint64_t)(uint32_t)(slot + 1);
}

/* The slot of an id that is known to be good. */
static inline int dry_slots_of(uint64_t id)
{
    return (int)((uint32_t)id - 1);
}

static inline bool dry_slots_is_taken(const dry_slots *slots, int slot)
{
    return slots->slots[slot].generation & 1u;
}

/* Returns the lowest taken slot above `slot`, -1 if there is none. A walk over all begins with -1. */
static inline int dry_slots_next(const dry_slots *slots, int slot)
{
    while (++slot < slots->used)
        if (dry_slots_is_taken(slots, slot))
            return slot;
    return -1;
}

/* The slot that an id names, or -1 if it is null, stale, or of another world. */
static inline int dry_slots_find(const dry_slots *slots, uint64_t id)
{
    uint32_t index = (uint32_t)id;
    if (index == 0 || index > (uint32_t)slots->used)
        return -1;
    int slot = (int)(index - 1);
    if (!dry_slots_is_taken(slots, slot) || dry_slots_id(slots, slot) != id)
        return -1;
    return slot;
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

#endif

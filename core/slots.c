/* Slot tables behind public ids. */
#include "core/slots.h"

#include "core/assert.h"

void dry_slots_init(dry_slots *slots, uint16_t tag)
{
    *slots = (dry_slots){.free = -1, .tag = tag};
}

bool dry_slots_reserve(dry_slots *slots, dry_memory *memory, int more)
{
    if (!dry_slots_may_hold(slots, more))
        return false;
    int free_count = slots->used - slots->count;
    if (more <= free_count)
        return true;
    return DRY_RESERVE(memory, slots->slots, slots->capacity, slots->used + more - free_count);
}

int dry_slots_take(dry_slots *slots, int row)
{
    int slot = slots->free;
    if (slot >= 0)
        slots->free = slots->slots[slot].row;
    else
        slot = slots->unlisted > 0 ? slots->used - slots->unlisted-- : slots->used++;
    DRY_ASSERT(slot < slots->used && slots->used <= slots->capacity);
    DRY_ASSERT(!(slots->slots[slot].generation & 1u));
    slots->slots[slot].generation++;
    slots->slots[slot].row = row;
    slots->count++;
    return slot;
}

void dry_slots_release(dry_slots *slots, int slot)
{
    DRY_ASSERT(slot >= 0 && slot < slots->used && (slots->slots[slot].generation & 1u));
    slots->slots[slot].generation++;
    slots->slots[slot].row = slots->free;
    slots->free = slot;
    if (--slots->count == 0) {
        slots->free = -1;
        slots->unlisted = slots->used;
    }
}

/* Slot tables behind public ids. */
#include "core/slots.h"

#include "core/assert.h"
#include "core/math.h"

void dry_slots_init(dry_slots *slots, dry_leases *leases)
{
    *slots = (dry_slots){.free = -1, .leases = leases};
}

/* Columns have a row for each slot: a table of slots grows as an array of such rows does. */
enum { ROW_BYTES = 64 };

bool dry_slots_reserve(dry_slots *slots, dry_memory *memory, int more)
{
    if (!dry_slots_may_hold(slots, more))
        return false;
    int free_count = slots->used - slots->count - slots->retired;
    if (more <= free_count)
        return true;
    const int needed = slots->used + more - free_count;
    return needed <= slots->capacity || DRY_FIT(memory, slots->slots, slots->capacity,
                                                dry_memory_grown(slots->capacity, needed, ROW_BYTES));
}

/* Returns the lowest slot that is in no list and may be taken. */
static int next_unlisted(dry_slots *slots)
{
    while (slots->unlisted > 0) {
        const int slot = slots->used - slots->unlisted--;
        if (!dry_slots_is_retired(slots, slot))
            return slot;
    }
    return slots->used++;
}

int dry_slots_take(dry_slots *slots, int row)
{
    int slot = slots->free;
    if (slot >= 0)
        slots->free = slots->slots[slot].row;
    else
        slot = next_unlisted(slots);
    DRY_ASSERT(slot < slots->used && slots->used <= slots->capacity);
    DRY_ASSERT(!(slots->slots[slot].generation & 1u));
    DRY_ASSERT(dry_lease_of(slots->slots[slot].generation / 2) < slots->leases->count);
    slots->slots[slot].generation++;
    slots->slots[slot].row = row;
    slots->count++;
    return slot;
}

/* Notes the lease of a slot's present or next use, and whether there is a next one. */
static void note_use(dry_slots *slots, int slot)
{
    if (dry_slots_is_retired(slots, slot))
        slots->retired++;
    else
        slots->wanted = dry_max_int(slots->wanted, dry_lease_of(slots->slots[slot].generation / 2) + 1);
}

void dry_slots_release(dry_slots *slots, int slot)
{
    DRY_ASSERT(slot >= 0 && slot < slots->used && (slots->slots[slot].generation & 1u));
    slots->slots[slot].generation++;
    note_use(slots, slot);
    const bool retired = dry_slots_is_retired(slots, slot);
    slots->slots[slot].row = retired ? -1 : slots->free;
    if (!retired)
        slots->free = slot;
    if (--slots->count == 0) {
        slots->free = -1;
        slots->unlisted = slots->used;
    }
}

void dry_slots_count(dry_slots *slots)
{
    slots->count = slots->retired = slots->wanted = 0;
    for (int slot = 0; slot < slots->used; slot++) {
        slots->count += dry_slots_is_taken(slots, slot);
        note_use(slots, slot);
    }
}

/* Finding rooms, their ids, and what a pool counts of them. */
#include "host/rooms/pool.h"

#include "core/assert.h"
#include "core/fail.h"

#include <unistd.h>

dry_result dry_rooms_fail(const dry_rooms *rooms, dry_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dry_fail_with(rooms ? &rooms->def.log : NULL, result, format, arguments);
    va_end(arguments);
    return result;
}

bool dry_rooms_lock(dry_rooms *rooms, const char *name, dry_result *result)
{
    if (!rooms) {
        *result = dry_fail(NULL, DRY_ERROR_ARGUMENT, "%s: the pool is null", name);
        return false;
    }
    /* A fork may have copied a mutex that somebody held. */
    if (rooms->process != getpid()) {
        *result =
            dry_rooms_fail(rooms, DRY_ERROR_LOCKED, "%s: the pool's workers are another process's", name);
        return false;
    }
    pthread_mutex_lock(&rooms->mutex);
    *result = DRY_OK;
    return true;
}

void dry_rooms_unlock(dry_rooms *rooms)
{
    pthread_mutex_unlock(&rooms->mutex);
}

dry_room *dry_rooms_find(const dry_rooms *rooms, dry_room_id id)
{
    const int slot = (int)(id.bits & (DRY_ROOM_SLOTS_MAX - 1));
    dry_room *room = slot < rooms->slots_used ? rooms->room[slot] : NULL;
    return room && room->id.bits == id.bits ? room : NULL;
}

dry_result dry_rooms_enter(dry_rooms *rooms, dry_room *room)
{
    if (rooms->free_count == 0) {
        if (rooms->slots_used == DRY_ROOM_SLOTS_MAX)
            return DRY_ERROR_FULL;
        if (!DRY_RESERVE(&rooms->memory, rooms->room, rooms->room_capacity, rooms->slots_used + 1) ||
            !DRY_RESERVE(&rooms->memory, rooms->free_slots, rooms->free_capacity, rooms->slots_used + 1))
            return DRY_ERROR_MEMORY;
        rooms->free_slots[rooms->free_count++] = rooms->slots_used++;
    }
    const uint64_t use = rooms->added % DRY_ROOM_NUMBER_USES;
    if (use == 0) {
        const uint64_t number = dry_numbers_draw(1);
        if (number == 0)
            return DRY_ERROR_NUMBERS;
        rooms->number = number;
    }
    DRY_ASSERT(rooms->free_count > 0);
    const int slot = rooms->free_slots[--rooms->free_count];
    room->id.bits = (rooms->number * DRY_ROOM_NUMBER_USES + use) << DRY_ROOM_SLOT_BITS | (uint64_t)slot;
    DRY_ASSERT(slot < rooms->slots_used);
    rooms->room[slot] = room;
    rooms->room_count++;
    rooms->added++;
    return DRY_OK;
}

void dry_rooms_leave(dry_rooms *rooms, dry_room *room)
{
    const int slot = (int)(room->id.bits & (DRY_ROOM_SLOTS_MAX - 1));
    DRY_ASSERT(rooms->room[slot] == room && rooms->room_count > 0);
    dry_room_ask(room, 0);
    rooms->asleep_count -= room->asleep;
    rooms->room[slot] = NULL;
    DRY_ASSERT(rooms->free_count < rooms->free_capacity && rooms->asleep_count >= 0);
    rooms->free_slots[rooms->free_count++] = slot;
    rooms->room_count--;
}

void dry_room_ask(dry_room *room, int64_t asked)
{
    room->rooms->demand.asked[room->def.priority] += asked - room->asked;
    DRY_ASSERT(asked >= 0 && room->rooms->demand.asked[room->def.priority] >= 0);
    room->asked = asked;
}

void dry_inputs_release(dry_rooms *rooms, dry_input *first)
{
    while (first) {
        dry_input *next = dry_input_next(first);
        dry_memory_release(&rooms->memory, first, first->block_bytes);
        first = next;
    }
}

static _Thread_local dry_room_worker *this_worker;

dry_room_worker *dry_rooms_this_worker(void)
{
    return this_worker;
}

void dry_rooms_set_this_worker(dry_room_worker *worker)
{
    this_worker = worker;
}

/* The calls that add, remove and feed rooms. Next: create.c, move.c, schedule.c. */
#include "host/rooms/rooms.h"

#include "core/clock.h"
#include "host/rooms/schedule.h"
#include "host/rooms/ticks.h"
#include "host/rooms/worker.h"
#include "world/check.h"
#include "world/world.h"

#include <string.h>

dry_room_def dry_default_room_def(void)
{
    return (dry_room_def){.rate = 60.0f, .behind_max = 2, .queue_bytes_max = (size_t)1 << 20};
}

/* Returns what is wrong with a room's definition, in words; null if nothing is. */
static const char *def_error(const dry_room_def *def)
{
    if (!(def->rate == 0.0f || (def->rate >= 0.01f && def->rate <= 1e4f)))
        return "rate must be 0, or 0.01 to 10000 Hz";
    if (!(def->dt == 0.0f || (def->dt >= 1e-7f && def->dt <= 1.0f)))
        return "dt must be 0, or 1e-7 to 1 s";
    if (def->dt == 0.0f && def->rate > 0.0f && def->rate < 1.0f)
        return "dt must be given where the rate is below 1 Hz: a step is at most 1 s";
    if (def->priority < 0 || def->priority >= DRY_ROOM_PRIORITIES)
        return "priority must be 0 to 3";
    if (def->priority > 0 && def->rate == 0.0f)
        return "priority must be 0 where the rate is 0: such a room comes after all with a rate";
    if (def->substeps_max < 0 || def->substeps_max > 256)
        return "substeps_max must be 0 to 256";
    if (!(def->budget_ms >= 0.0f && def->budget_ms <= 1e6f))
        return "budget_ms must be 0 to 1e6";
    if (def->behind_max < 0 || def->behind_max > 1000)
        return "behind_max must be 0 to 1000";
    return NULL;
}

static float dt_of(const dry_room_def *def)
{
    return def->dt > 0.0f ? def->dt : 1.0f / (def->rate > 0.0f ? def->rate : 60.0f);
}

/* Returns why a pool takes no room; null if it does. */
static const char *refusal(const dry_rooms *rooms)
{
    const double load = dry_demand_load(&rooms->demand, rooms->worker_count);
    return rooms->def.admit_max > 0.0f && load > (double)rooms->def.admit_max ? "the load is above admit_max"
                                                                              : NULL;
}

/* Fills a new room, which waits for its first tick from now on. */
static void begin_room(dry_room *room, const dry_room_luggage *luggage)
{
    dry_rooms *rooms = room->rooms;
    const double now_ms = dry_clock_ms();
    room->dt = dt_of(&room->def);
    room->budget = dry_budget_new();
    room->worker = (int)(rooms->added % (uint64_t)rooms->worker_count);
    room->start_ms = now_ms;
    room->next = luggage->tick;
    room->wake_at = luggage->wake_at;
    const int substeps_max = room->world->settings.substeps_max;
    const bool capped = luggage->substeps_own > 0 && substeps_max == luggage->substeps_cap;
    room->substeps_own = capped ? luggage->substeps_own : substeps_max;
    room->substeps_cap = luggage->substeps_cap;
    for (dry_input *input = luggage->inputs, *next; input; input = next) {
        next = dry_input_next(input);
        dry_input_append(room, input);
    }
    if (room->def.rate > 0.0f) {
        const double period_ms = 1e3 / (double)room->def.rate;
        const double phase = luggage->arrives ? 0.0 : dry_tick_phase(rooms->added);
        room->start_ms += (phase - (double)room->next) * period_ms;
    }
    dry_schedule_next_tick(room, now_ms);
}

dry_result dry_room_add(dry_rooms *rooms, const char *name, const dry_room_def *def, dry_world *world,
                        const dry_room_luggage *luggage, dry_room_id *id)
{
    const char *why = refusal(rooms);
    if (why)
        return dry_rooms_fail(rooms, DRY_ERROR_FULL, "%s: %s", name, why);
    dry_room *room = dry_memory_allocate(&rooms->memory, sizeof *room, DRY_CACHE_LINE);
    if (!room)
        return dry_rooms_fail(rooms, DRY_ERROR_MEMORY, "%s: out of memory", name);
    memset(room, 0, sizeof *room);
    room->rooms = rooms;
    room->def = *def;
    room->world = world;
    const dry_result result = dry_rooms_enter(rooms, room);
    if (result != DRY_OK) {
        dry_memory_release(&rooms->memory, room, sizeof *room);
        return dry_rooms_fail(rooms, result, "%s: %s", name,
                              result == DRY_ERROR_FULL      ? "there are 2^20 rooms"
                              : result == DRY_ERROR_NUMBERS ? "the process has no numbers left"
                                                            : "out of memory");
    }
    world->pooled = true;
    begin_room(room, luggage);
    *id = room->id;
    return DRY_OK;
}

dry_result dry_rooms_check_def(const dry_rooms *rooms, const char *name, const dry_room_def *def)
{
    const char *error = def ? def_error(def) : "def is null";
    return error ? dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: %s", name, error) : DRY_OK;
}

dry_result dry_rooms_add(dry_rooms *rooms, const dry_room_def *def, dry_world *world, dry_room_id *id)
{
    static const char name[] = "dry_rooms_add";
    dry_result result;
    if (!rooms || !id)
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: the pool or id is null", name);
    *id = (dry_room_id){0};
    result = dry_rooms_check_def(rooms, name, def);
    if (result != DRY_OK)
        return result;
    if (!world || dry_world_threads(world) != 1)
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: %s", name,
                              world ? "the world has more than one thread: set dry_world_def.threads to 1"
                                    : "world is null");
    DRY_RETURN_REFUSAL(dry_check_world(world, name));
    if (!dry_rooms_lock(rooms, name, &result))
        return result;
    if (world->pooled)
        result = dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: the world is in a room already", name);
    else
        result = dry_room_add(rooms, name, def, world, &(dry_room_luggage){0}, id);
    dry_rooms_unlock(rooms);
    return result;
}

static dry_result fail_stale(const dry_rooms *rooms, const char *name, dry_room_id id)
{
    return dry_rooms_fail(rooms, DRY_ERROR_STALE_ID, "%s: id %016llx names no room of this pool", name,
                          (unsigned long long)id.bits);
}

dry_room *dry_room_to_change(const dry_rooms *rooms, const char *name, dry_room_id id, dry_result *result)
{
    dry_room *room = dry_rooms_find(rooms, id);
    *result = DRY_OK;
    if (!room)
        *result = fail_stale(rooms, name, id);
    else if (room->taken)
        *result = dry_rooms_fail(rooms, DRY_ERROR_LOCKED, "%s: the room is being taken", name);
    return *result == DRY_OK ? room : NULL;
}

void dry_room_wait(dry_rooms *rooms, dry_room_id id)
{
    for (int i = 0; i < rooms->worker_count; i++)
        while (rooms->workers[i].running == id.bits)
            pthread_cond_wait(&rooms->tick_ended, &rooms->mutex);
}

dry_result dry_rooms_remove(dry_rooms *rooms, dry_room_id id)
{
    static const char name[] = "dry_rooms_remove";
    dry_result result;
    if (!dry_rooms_lock(rooms, name, &result))
        return result;
    dry_room *room = dry_room_to_change(rooms, name, id, &result);
    if (room && room->state == DRY_ROOM_RUNS) {
        /* Its worker destroys it. A worker does not wait: two could wait for each other. */
        room->removed = true;
        dry_rooms_leave(rooms, room);
        if (!dry_rooms_this_worker())
            dry_room_wait(rooms, id);
    } else if (room) {
        dry_schedule_withdraw(room);
        dry_rooms_leave(rooms, room);
        dry_room_destroy(room);
    }
    dry_rooms_unlock(rooms);
    return result;
}

bool dry_rooms_has(dry_rooms *rooms, dry_room_id id)
{
    dry_result result;
    if (!dry_rooms_lock(rooms, "dry_rooms_has", &result))
        return false;
    const bool has = dry_rooms_find(rooms, id) != NULL;
    dry_rooms_unlock(rooms);
    return has;
}

/* The bytes of an input's node: its own begin behind it, at a multiple of 16. */
static const size_t HEAD_BYTES = (sizeof(dry_input) + 15) / 16 * 16;

dry_input *dry_input_new(dry_rooms *rooms, const void *bytes, size_t size)
{
    if (size > SIZE_MAX - HEAD_BYTES)
        return NULL;
    dry_input *input = dry_memory_allocate(&rooms->memory, HEAD_BYTES + size, 16);
    if (!input)
        return NULL;
    char *copy = (char *)input + HEAD_BYTES;
    if (size > 0)
        memcpy(copy, bytes, size);
    *input = (dry_input){{NULL, copy, size}, HEAD_BYTES + size};
    return input;
}

void dry_input_append(dry_room *room, dry_input *input)
{
    input->input.next = NULL;
    if (room->last_input)
        room->last_input->input.next = &input->input;
    else
        room->first_input = input;
    room->last_input = input;
    room->queued_bytes += input->block_bytes;
}

/* Puts an input into a room's queue, in a locked pool. A room that sleeps waits for its next tick. */
static dry_result post(dry_room *room, const char *name, const void *bytes, size_t size)
{
    dry_rooms *rooms = room->rooms;
    const size_t left =
        room->queued_bytes < room->def.queue_bytes_max ? room->def.queue_bytes_max - room->queued_bytes : 0;
    if (left < HEAD_BYTES || size > left - HEAD_BYTES)
        return dry_rooms_fail(rooms, DRY_ERROR_FULL, "%s: the room's queue is full", name);
    dry_input *input = dry_input_new(rooms, bytes, size);
    if (!input)
        return dry_rooms_fail(rooms, DRY_ERROR_MEMORY, "%s: out of memory", name);
    const bool first = room->first_input == NULL;
    dry_input_append(room, input);
    if (first && room->asleep && room->state != DRY_ROOM_RUNS) {
        dry_schedule_withdraw(room);
        dry_schedule_next_tick(room, dry_clock_ms());
    }
    return DRY_OK;
}

dry_result dry_rooms_post(dry_rooms *rooms, dry_room_id id, const void *bytes, size_t size)
{
    static const char name[] = "dry_rooms_post";
    dry_result result;
    if (!dry_rooms_lock(rooms, name, &result))
        return result;
    dry_room *room = dry_room_to_change(rooms, name, id, &result);
    if (room && size > 0 && !bytes)
        result = dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: bytes is null beside a size", name);
    else if (room)
        result = post(room, name, bytes, size);
    dry_rooms_unlock(rooms);
    return result;
}

/* Rooms as bytes: a save of the world whose program section begins with the room's own.
 *
 *      program section   magic | tick | wake_at | substeps_own, _cap | inputs | program's bytes
 *      inputs            number | (size | bytes, filled up to a word) ...
 *
 * Numbers are little-endian words of 8 bytes; the last part fills the section. Reads and writes a room that
 * rests. Next: include/drystone/save.h, rooms.c. */
#include "core/assert.h"
#include "core/clock.h"
#include "host/rooms/empty.h"
#include "host/rooms/rooms.h"
#include "host/rooms/schedule.h"
#include "host/rooms/ticks.h"
#include "host/rooms/worker.h"

#include <string.h>

/* "DRYROOM1" */
#define MAGIC UINT64_C(0x314d4f4f52595244)

enum { HEAD_WORDS = 6 };

static size_t filled(size_t size)
{
    return (size + 7) / 8 * 8;
}

static unsigned char *put(unsigned char *to, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        *to++ = (unsigned char)(word >> 8 * i);
    return to;
}

static uint64_t get(const unsigned char *from)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++)
        word |= (uint64_t)from[i] << 8 * i;
    return word;
}

static size_t section_bytes(const dry_room *room, size_t program_size)
{
    size_t bytes = 8 * HEAD_WORDS + program_size;
    for (const dry_input *input = room->first_input; input; input = dry_input_next(input))
        bytes += 8 + filled(input->input.size);
    return bytes;
}

static void write_section(const dry_room *room, const void *program, size_t program_size, unsigned char *to)
{
    const unsigned char *begin = to;
    uint64_t inputs = 0;
    for (const dry_input *input = room->first_input; input; input = dry_input_next(input))
        inputs++;
    const uint64_t substeps = (uint64_t)room->substeps_own | (uint64_t)room->substeps_cap << 32;
    to = put(to, MAGIC);
    to = put(to, room->next);
    to = put(to, room->wake_at);
    to = put(to, substeps);
    to = put(to, inputs);
    to = put(to, program_size);
    for (const dry_input *input = room->first_input; input; input = dry_input_next(input)) {
        const size_t size = input->input.size;
        to = put(to, size);
        if (size > 0)
            memcpy(to, input->input.bytes, size);
        memset(to + size, 0, filled(size) - size);
        to += filled(size);
    }
    DRY_ASSERT((size_t)(to - begin) + program_size == section_bytes(room, program_size));
    if (program_size > 0)
        memcpy(to, program, program_size);
}

/* Writes a room that rests. */
static dry_result write_room(dry_room *room, const dry_save_options *options, const dry_sink *sink)
{
    static const char name[] = "dry_rooms_take";
    dry_rooms *rooms = room->rooms;
    const dry_room_functions *functions = &room->def.functions;
    dry_room_call call = {
        .rooms = rooms, .room = room->id, .world = room->world, .tick = room->next, .wake_at = room->wake_at};
    size_t program_size = 0;
    const void *program = functions->save ? functions->save(&call, &program_size, functions->user) : NULL;
    if (program_size >> 40 || (program_size > 0 && !program))
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: save returns null beside a size, or above 2^40",
                              name);
    const size_t size = section_bytes(room, program_size);
    dry_memory memory;
    dry_memory_init(&memory, rooms->def.allocator);
    pthread_mutex_lock(&rooms->mutex); /* one thread at a time calls the allocator */
    unsigned char *section = dry_memory_allocate(&memory, size, 16);
    dry_rooms_unlock(rooms);
    if (!section)
        return dry_rooms_fail(rooms, DRY_ERROR_MEMORY, "%s: out of memory", name);
    write_section(room, program, program_size, section);
    dry_save_options with = options ? *options : (dry_save_options){0};
    with.program_bytes = section;
    with.program_size = size;
    const dry_result result = dry_world_save(room->world, &with, sink);
    pthread_mutex_lock(&rooms->mutex);
    dry_memory_release_all(&memory);
    dry_rooms_unlock(rooms);
    return result;
}

/* Counts the ticks that a sleeping room has slept through until now. */
static void catch_up(dry_room *room, double now_ms)
{
    if (!room->asleep || room->def.rate <= 0.0f)
        return;
    uint64_t tick = dry_tick_from(room->start_ms, (double)room->def.rate, now_ms);
    if (room->wake_at >= room->next && tick > room->wake_at)
        tick = room->wake_at;
    if (tick <= room->next)
        return;
    dry_step_count_empty(room->world, tick - room->next);
    room->counts.steps += tick - room->next;
    room->counts.slept += tick - room->next;
    room->next = tick;
}

dry_result dry_rooms_take(dry_rooms *rooms, dry_room_id id, const dry_save_options *options,
                          const dry_sink *sink)
{
    static const char name[] = "dry_rooms_take";
    dry_result result;
    if (!sink || !sink->write)
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: sink is null", name);
    /* Two workers could wait for each other. */
    if (dry_rooms_this_worker())
        return dry_rooms_fail(rooms, DRY_ERROR_LOCKED, "%s: called in a room's function", name);
    if (!dry_rooms_lock(rooms, name, &result))
        return result;
    dry_room *room = dry_room_to_change(rooms, name, id, &result);
    if (room) {
        room->taken = true;
        if (room->state == DRY_ROOM_RUNS)
            dry_room_wait(rooms, id);
        else
            dry_schedule_withdraw(room);
        catch_up(room, dry_clock_ms());
        dry_rooms_unlock(rooms);
        result = write_room(room, options, sink);
        pthread_mutex_lock(&rooms->mutex);
        room->taken = false;
        if (result == DRY_OK) {
            dry_rooms_leave(rooms, room);
            dry_room_destroy(room);
        } else {
            dry_schedule_next_tick(room, dry_clock_ms());
        }
    }
    dry_rooms_unlock(rooms);
    return result;
}

/* A load under way. */
typedef struct arrival {
    dry_rooms *rooms;
    const dry_load_options *options;
    dry_room_luggage luggage;
    dry_input *last;
    dry_result result; /* of reading the section */
} arrival;

static dry_shape_data *find_data(void *user, uint64_t hash)
{
    const arrival *a = user;
    return a->options && a->options->find_data ? a->options->find_data(a->options->user, hash) : NULL;
}

/* Reads one input. Returns the number of bytes that it took; 0 if there are not so many, or no memory. */
static size_t read_input(arrival *a, const unsigned char *at, size_t left)
{
    const uint64_t size = left >= 8 ? get(at) : UINT64_MAX;
    if (size > left || filled((size_t)size) > left - 8)
        return 0;
    pthread_mutex_lock(&a->rooms->mutex);
    dry_input *input = dry_input_new(a->rooms, at + 8, (size_t)size);
    dry_rooms_unlock(a->rooms);
    if (!input) {
        a->result = DRY_ERROR_MEMORY;
        return 0;
    }
    if (a->last)
        a->last->input.next = &input->input;
    else
        a->luggage.inputs = input;
    a->last = input;
    return 8 + filled((size_t)size);
}

/* Reads the section of a room. Returns false where it is none. */
static bool read_section(void *user, const void *bytes, size_t size)
{
    arrival *a = user;
    const unsigned char *at = bytes;
    a->result = DRY_ERROR_ARGUMENT;
    if (size < 8 * HEAD_WORDS || get(at) != MAGIC)
        return false;
    const uint64_t substeps = get(at + 24), inputs = get(at + 32), program_size = get(at + 40);
    a->luggage.tick = get(at + 8);
    a->luggage.wake_at = get(at + 16);
    a->luggage.substeps_own = (int)(substeps & 0x1ff);
    a->luggage.substeps_cap = (int)(substeps >> 32 & 0x1ff);
    if (substeps & ~UINT64_C(0x1ff000001ff) || a->luggage.substeps_own > 256 ||
        a->luggage.substeps_cap > 256 || a->luggage.tick >= DRY_TICKS_BEGIN_END ||
        a->luggage.wake_at >= DRY_TICKS_BEGIN_END)
        return false;
    at += 8 * HEAD_WORDS;
    size -= 8 * HEAD_WORDS;
    for (uint64_t i = 0; i < inputs; i++) {
        const size_t took = read_input(a, at, size);
        if (took == 0)
            return false;
        at += took;
        size -= took;
    }
    if (program_size != size)
        return false;
    a->result = DRY_OK;
    return !a->options || !a->options->read_program || a->options->read_program(a->options->user, at, size);
}

/* Loads the world of a room that arrives. */
static dry_result load_world(arrival *a, const void *bytes, size_t size, const dry_world_def *def,
                             dry_world **world)
{
    const bool finds = a->options && a->options->find_data;
    const dry_load_options with = {finds ? find_data : NULL, read_section, a};
    a->result = DRY_ERROR_ARGUMENT;
    const dry_result result = dry_world_load(bytes, size, def, &with, world, NULL);
    return result == DRY_ERROR_ARGUMENT && a->result == DRY_ERROR_MEMORY ? DRY_ERROR_MEMORY : result;
}

dry_result dry_rooms_add_saved(dry_rooms *rooms, const dry_room_def *def, const void *bytes, size_t size,
                               const dry_world_def *world_def, const dry_load_options *options,
                               dry_room_id *id)
{
    static const char name[] = "dry_rooms_add_saved";
    if (!rooms || !id)
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT, "%s: the pool or id is null", name);
    *id = (dry_room_id){0};
    dry_result result = dry_rooms_check_def(rooms, name, def);
    if (result != DRY_OK)
        return result;
    if (!bytes || !world_def || world_def->threads != 1)
        return dry_rooms_fail(rooms, DRY_ERROR_ARGUMENT,
                              "%s: bytes or world is null, or the world's threads are not 1", name);
    if (!dry_rooms_lock(rooms, name, &result))
        return result;
    dry_rooms_unlock(rooms);
    arrival a = {.rooms = rooms, .options = options, .luggage.arrives = true};
    dry_world *world = NULL;
    result = load_world(&a, bytes, size, world_def, &world);
    pthread_mutex_lock(&rooms->mutex);
    if (result == DRY_OK)
        result = a.result == DRY_OK
                     ? dry_room_add(rooms, name, def, world, &a.luggage, id)
                     : dry_rooms_fail(rooms, a.result, "%s: the save is not one of a room", name);
    if (result != DRY_OK)
        dry_inputs_release(rooms, a.luggage.inputs);
    dry_rooms_unlock(rooms);
    if (result != DRY_OK)
        dry_world_destroy(world);
    return result;
}

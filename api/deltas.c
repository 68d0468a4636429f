/* Deltas: what changed since an earlier step, and bringing a mirror there.
 *
 * Both sides make the save of the earlier step: the sender from its history, the mirror of itself. The new
 * save then follows from the delta, and is checked as any save. Next: snapshot/delta.h, snapshot/history.h.
 */
#include "api/saves.h"
#include "snapshot/delta.h"
#include "snapshot/history.h"
#include "snapshot/restore.h"
#include "snapshot/write.h"
#include "world/check.h"
#include "world/state_tables.h"
#include "world/world.h"

#include <inttypes.h>
#include <string.h>

/* Writes the delta that leads from an earlier state to the present one. */
static dry_result write_delta(const dry_world *world, const char *name, const dry_tables *base,
                              dry_memory *memory, const dry_sink *sink)
{
    const dry_tables now = dry_world_state(world);
    dry_saved from, to;
    if (!dry_write_to_memory(base, memory, &from) || !dry_write_to_memory(&now, memory, &to))
        return dry_lacks_memory(world, name);
    char *code = dry_memory_allocate(memory, dry_delta_code_max(to.size), DRY_CACHE_LINE);
    if (!code)
        return dry_lacks_memory(world, name);
    const size_t size = dry_delta_encode(&from, to.bytes, to.size, code);
    DRY_ASSERT(size > 0);
    const dry_delta_header header = {.magic = DRY_DELTA_MAGIC,
                                     .format = DRY_SAVE_FORMAT,
                                     .arithmetic = DRY_ARITHMETIC_REVISION,
                                     .base_step = base->world.step_count,
                                     .base_sum = dry_delta_sum_of_save(from.bytes, from.size),
                                     .sum = dry_delta_sum_of_save(to.bytes, to.size),
                                     .base_leases = (uint64_t)base->leases.count,
                                     .base_bytes = from.size,
                                     .bytes = to.size,
                                     .code_bytes = size,
                                     .code_sum = dry_delta_sum(code, size)};
    dry_writes_to_sink(world, true);
    const bool written =
        sink->write(sink->user, &header, sizeof header) && sink->write(sink->user, code, size);
    dry_writes_to_sink(world, false);
    if (!written)
        return dry_refuse(world, name, "the sink has failed");
    return DRY_OK;
}

dry_result dry_world_save_delta(const dry_world *world, uint64_t step, const dry_sink *sink)
{
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    if (!sink || !sink->write)
        return dry_refuse(world, __func__, "sink is null");
    if (!world->history)
        return dry_refuse(world, __func__, "the world has no history");
    const int back = dry_history_find(world->history, step);
    if (back < 0)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT,
                              "%s: the history does not hold the end of step %" PRIu64, __func__, step);
    dry_memory memory;
    dry_past past;
    dry_memory_init(&memory, world->memory.allocator);
    const dry_result result = dry_history_recall(world->history, back, &memory, &past)
                                  ? write_delta(world, __func__, &past.tables, &memory, sink)
                                  : dry_lacks_memory(world, __func__);
    dry_memory_release_all(&memory);
    return result;
}

/* Checks what a header says by itself. */
static dry_result check_header(const dry_world *world, const char *name, const dry_delta_header *h,
                               const char *code, size_t code_size)
{
    if (h->magic != DRY_DELTA_MAGIC)
        return dry_refuse(world, name, "the bytes are no delta");
    if (h->format > DRY_SAVE_FORMAT)
        return dry_world_fail(world, DRY_ERROR_UNSUPPORTED, "%s: the format is %u, and this library has %u",
                              name, (unsigned)h->format, DRY_SAVE_FORMAT);
    if (h->format != DRY_SAVE_FORMAT || h->arithmetic != DRY_ARITHMETIC_REVISION)
        return dry_world_fail(world, DRY_ERROR_UNSUPPORTED,
                              "%s: the delta is of another format or arithmetic", name);
    if (h->code_bytes != code_size || code_size % 8 != 0 || dry_delta_sum(code, code_size) != h->code_sum)
        return dry_refuse(world, name, "bytes are missing, or the checksum is wrong");
    return DRY_OK;
}

/* Checks that the mirror is the state that a delta begins with. */
static dry_result check_base(const dry_world *world, const char *name, const dry_delta_header *h,
                             const dry_saved *base)
{
    if (world->step_count != h->base_step)
        return dry_world_fail(world, DRY_ERROR_ARGUMENT,
                              "%s: the delta begins with step %" PRIu64 ", and the world is at step %" PRIu64,
                              name, h->base_step, world->step_count);
    if (base->size == h->base_bytes && dry_delta_sum_of_save(base->bytes, base->size) == h->base_sum)
        return DRY_OK;
    return dry_world_fail(world, DRY_ERROR_ARGUMENT,
                          "%s: the world has another state, or other user data, at step %" PRIu64, name,
                          h->base_step);
}

/* A new row has at least a byte of code, and takes at most this in a save. */
enum { BYTES_OF_CODE = 1024 };

static dry_result apply(dry_world *world, const char *name, const dry_delta_header *h, const char *code,
                        dry_memory *memory, const dry_load_options *options)
{
    dry_tables state = dry_world_state(world);
    dry_saved base;
    /* Numbers that were drawn are no state: a world that went back has more than the step had, and so has a
     * mirror that was loaded from it then. */
    if (h->base_leases < (uint64_t)state.leases.count)
        state.leases.count = (int)h->base_leases;
    if (!dry_write_to_memory(&state, memory, &base))
        return dry_lacks_memory(world, name);
    DRY_RETURN_REFUSAL(check_base(world, name, h, &base));
    if (h->bytes % 8 != 0 || h->bytes > base.size + BYTES_OF_CODE * (h->code_bytes + sizeof *h))
        return dry_refuse(world, name, "the size of the new state is no size");
    char *save = dry_memory_allocate(memory, (size_t)h->bytes, DRY_CACHE_LINE);
    if (!save)
        return dry_world_fail(world, h->bytes ? DRY_ERROR_MEMORY : DRY_ERROR_ARGUMENT, "%s: %s", name,
                              h->bytes ? "out of memory" : "there is no new state");
    if (!dry_delta_decode(&base, code, (size_t)h->code_bytes, save, (size_t)h->bytes) ||
        dry_delta_sum_of_save(save, (size_t)h->bytes) != h->sum)
        return dry_refuse(world, name, "the bytes lead to no state");
    dry_data_search search = {world, options, 0};
    const dry_load_options with = {.find_data = dry_find_own_data, .user = &search};
    return dry_restore_bytes(world, name, save, (size_t)h->bytes, &with, NULL);
}

dry_result dry_world_apply_delta(dry_world *world, const void *bytes, size_t size,
                                 const dry_load_options *options)
{
    dry_delta_header header;
    DRY_RETURN_REFUSAL(dry_check_world(world, __func__));
    if (!bytes || size < sizeof header)
        return dry_refuse(world, __func__, bytes ? "the bytes are no delta" : "bytes is null");
    memcpy(&header, bytes, sizeof header);
    const char *code = (const char *)bytes + sizeof header;
    DRY_RETURN_REFUSAL(check_header(world, __func__, &header, code, size - sizeof header));
    dry_memory memory;
    dry_memory_init(&memory, world->memory.allocator);
    const dry_result result = apply(world, __func__, &header, code, &memory, options);
    dry_memory_release_all(&memory);
    return result;
}

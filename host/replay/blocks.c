/* The blocks of a recording: their bounds, checksums and tables. Next: host/replay/replay.c. */
#include "core/assert.h"
#include "host/replay/replay.h"

#include "core/fail.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

dry_result dry_replay_fail(const dry_replay *r, dry_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dry_fail_with(&r->log, result, format, arguments);
    va_end(arguments);
    return result;
}

/* Reads the header of a block. Returns false if the block is not whole. */
static bool read_block(const dry_replay *r, size_t end, size_t at, dry_block *block)
{
    const size_t around = sizeof block->header + sizeof(uint64_t);
    if (at > end || end - at < around)
        return false;
    memcpy(&block->header, r->bytes + at, sizeof block->header);
    if (block->header.bytes % 8 != 0 || block->header.bytes > end - at - around)
        return false;
    block->bytes = r->bytes + at + sizeof block->header;
    block->size = (size_t)block->header.bytes;
    block->at = at;
    block->next = at + around + block->size;
    DRY_ASSERT(block->next <= end && block->size % 8 == 0);
    return true;
}

bool dry_replay_block(const dry_replay *r, size_t at, dry_block *block)
{
    return read_block(r, r->end, at, block);
}

static bool is_sound(const dry_block *block)
{
    dry_checksum sum = dry_checksum_begin();
    uint64_t saved;
    dry_checksum_add(&sum, block->bytes - sizeof block->header, (sizeof block->header + block->size) / 8);
    memcpy(&saved, block->bytes + block->size, sizeof saved);
    return saved == dry_checksum_end(&sum);
}

/* Returns what is wrong with a block by itself, in words; null if nothing is. */
static const char *block_error(const dry_block *block)
{
    switch (block->header.kind) {
    case DRY_BLOCK_FIELDS:
        return block->size / sizeof(dry_field_units) > UINT16_MAX ? "there are too many fields" : NULL;
    case DRY_BLOCK_SAVE:
        return block->size < sizeof(uint64_t) || block->header.number >= DRY_SAVE_REASONS
                   ? "a save has no steps, or no known reason"
                   : NULL;
    case DRY_BLOCK_CALL:
        return block->size < sizeof(uint64_t) ? "a call has no arguments" : NULL;
    case DRY_BLOCK_STEP:
        return block->size < sizeof(dry_step_block) ? "a step is too short" : NULL;
    case DRY_SECTION_DATA:
    case DRY_SECTION_END:
        return NULL;
    default:
        return "a block is of no known kind";
    }
}

dry_result dry_replay_check_blocks(dry_replay *r)
{
    dry_block block;
    size_t at = sizeof(dry_save_header);
    for (uint32_t count = 0; read_block(r, r->size, at, &block); at = block.next, count++) {
        const char *error = is_sound(&block) ? block_error(&block) : "a checksum is wrong";
        if (error)
            return dry_replay_fail(r, DRY_ERROR_ARGUMENT, "dry_replay_create: block at byte %zu: %s", at,
                                   error);
        r->has_stages = r->has_stages ||
                        (block.header.kind == DRY_BLOCK_STEP && (block.header.fields & DRY_STEP_HAS_STAGES));
        if (block.header.kind == DRY_SECTION_END) {
            if (block.header.rows != count || block.next != r->size)
                return dry_replay_fail(r, DRY_ERROR_ARGUMENT,
                                       "dry_replay_create: the end at byte %zu counts %" PRIu32
                                       " blocks, of which %" PRIu32 " came, and %zu bytes follow",
                                       at, block.header.rows, count, r->size - block.next);
            r->report.has_end = true;
            break;
        }
    }
    r->end = at;
    return DRY_OK;
}

/* Returns the first unit here of a field, of which the recording has a number of units; -1: there is no such
 * field, or it has others. */
static int find_field(const dry_sum_units *units, const dry_field_units *there)
{
    for (int column = 0; column < DRY_COLUMN_COUNT; column++) {
        if (dry_columns[column].number != there->column)
            continue;
        int first = units->layout[column].first;
        const int end = units->layout[column].end;
        while (first < end && dry_columns[column].fields[units->unit[first].field].number != there->field)
            first++;
        int count = 0;
        while (first + count < end && units->unit[first + count].field == units->unit[first].field)
            count++;
        return first < end && count == there->units ? first : -1;
    }
    return -1;
}

static dry_result bad_fields(const dry_replay *r)
{
    return dry_replay_fail(r, DRY_ERROR_ARGUMENT, "dry_replay_create: the first block does not list fields");
}

dry_result dry_replay_read_fields(dry_replay *r)
{
    dry_block block;
    dry_field_units field;
    if (!dry_replay_block(r, sizeof(dry_save_header), &block) || block.header.kind != DRY_BLOCK_FIELDS)
        return bad_fields(r);
    size_t count = 0;
    for (size_t at = 0; at < block.size; at += sizeof field) {
        memcpy(&field, block.bytes + at, sizeof field);
        count += field.units;
        if (count > 1 << 20)
            return bad_fields(r);
    }
    r->there = dry_memory_allocate(&r->memory, (count + 1) * sizeof *r->there, DRY_CACHE_LINE);
    r->unit_of = dry_memory_allocate(&r->memory, (count + 1) * sizeof *r->unit_of, DRY_CACHE_LINE);
    if (!r->there || !r->unit_of)
        return dry_replay_fail(r, DRY_ERROR_MEMORY, "dry_replay_create: out of memory");
    dry_sum_units_find(&r->units);
    for (size_t at = 0; at < block.size; at += sizeof field) {
        memcpy(&field, block.bytes + at, sizeof field);
        const int first = find_field(&r->units, &field);
        for (int i = 0; i < field.units; i++)
            r->unit_of[r->recorded++] = first < 0 ? -1 : first + i;
    }
    DRY_ASSERT((size_t)r->recorded == count);
    return DRY_OK;
}

/* Returns the place of data with a hash, or the free place where they belong. */
static size_t place_of(const dry_replay_data *table, uint64_t hash)
{
    DRY_ASSERT(table->capacity > 0 && (table->capacity & (table->capacity - 1)) == 0);
    size_t place = hash & (table->capacity - 1);
    while (table->data[place] && dry_shape_data_hash(table->data[place]) != hash)
        place = (place + 1) & (table->capacity - 1);
    return place;
}

dry_result dry_replay_read_data(dry_replay *r)
{
    const dry_data_services services = {r->allocator, r->log};
    dry_block block;
    size_t count = 0;
    for (size_t at = sizeof(dry_save_header); dry_replay_block(r, at, &block); at = block.next)
        count += block.header.kind == DRY_SECTION_DATA;
    for (r->shapes.capacity = 1; r->shapes.capacity < 2 * count + 1;)
        r->shapes.capacity *= 2;
    r->shapes.data =
        dry_memory_allocate(&r->memory, r->shapes.capacity * sizeof *r->shapes.data, DRY_CACHE_LINE);
    if (!r->shapes.data)
        return dry_replay_fail(r, DRY_ERROR_MEMORY, "dry_replay_create: out of memory");
    memset(r->shapes.data, 0, r->shapes.capacity * sizeof *r->shapes.data);
    for (size_t at = sizeof(dry_save_header); dry_replay_block(r, at, &block); at = block.next) {
        dry_shape_data *data;
        if (block.header.kind != DRY_SECTION_DATA)
            continue;
        const dry_result result = dry_shape_data_load(block.bytes, block.size, &services, &data);
        if (result != DRY_OK)
            return dry_replay_fail(r, result, "dry_replay_create: block at byte %zu: no sound shape data",
                                   at);
        const size_t place = place_of(&r->shapes, dry_shape_data_hash(data));
        if (r->shapes.data[place])
            dry_shape_data_release(data);
        else
            r->shapes.data[place] = data;
    }
    return DRY_OK;
}

dry_shape_data *dry_replay_find_data(void *replay, uint64_t hash)
{
    const dry_replay *r = replay;
    dry_shape_data *data = r->shapes.data[place_of(&r->shapes, hash)];
    if (!data && r->options.find_data)
        data = r->options.find_data(r->options.user, hash);
    return data;
}

void dry_replay_release_data(dry_replay *r)
{
    for (size_t i = 0; r->shapes.data && i < r->shapes.capacity; i++)
        dry_shape_data_release(r->shapes.data[i]);
}

bool dry_replay_read_sums(dry_replay *r, const char *bytes, size_t size)
{
    size_t words = size / 8;
    for (int first = 0; first < r->recorded; first += 64) {
        uint64_t set;
        if (words-- == 0)
            return false;
        memcpy(&set, bytes, sizeof set);
        bytes += sizeof set;
        for (int i = first; i < first + 64 && i < r->recorded; i++) {
            r->there[i] = 0;
            if (!(set >> (i - first) & 1))
                continue;
            if (words-- == 0)
                return false;
            memcpy(&r->there[i], bytes, sizeof r->there[i]);
            bytes += sizeof r->there[i];
        }
    }
    return words == 0;
}

/* Declares what the fuzz targets of saves and deltas share: bytes of a save, changes of them that an input
 * names, and checksums that fit the changed bytes. */
#ifndef TESTS_FUZZ_CHANGED_BYTES_H
#define TESTS_FUZZ_CHANGED_BYTES_H

#include "tests/fuzz/fuzz.h"

#include "host/validate/validate.h"
#include "snapshot/recording.h"
#include "tests/counting_allocator.h"

#include <drystone/save.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGE_BYTES = 6, CHANGES_MAX = 64, SAVE_MAX = 1 << 19 };

typedef struct bytes {
    uint8_t *at;
    size_t size;
} bytes;

static inline bool append(void *user, const void *more, size_t size)
{
    bytes *to = user;
    if (to->size + size > SAVE_MAX)
        return false;
    memcpy(to->at + to->size, more, size);
    to->size += size;
    return true;
}

static inline bytes save_of(const dry_world *world)
{
    bytes b = {malloc(SAVE_MAX), 0};
    const dry_sink sink = {append, &b};
    FUZZ_CHECK(b.at && dry_world_save(world, NULL, &sink) == DRY_OK);
    return b;
}

/* Changes a word of 1 to 4 bytes: sets it, adds to it, copies one from elsewhere, or takes a number that is
 * wrong in many places. */
static inline void change(bytes *b, const uint8_t *how)
{
    static const uint32_t odd[] = {0,          UINT32_MAX, 0x7fffffff, 0x80000000u,    0x7fc00000, 0x7f800000,
                                   0x3f800000, 0x40000000, 0x00ffffff, UINT32_MAX - 1, 0xffff,     63};
    const size_t place = (size_t)((how[0] | how[1] << 8 | how[2] << 16) * (uint64_t)(b->size - 8) >> 24);
    const unsigned kind = how[3] >> 5, size = 1 + (how[3] & 3);
    uint8_t *at = b->at + (kind & 1 ? place : place & ~(size_t)3);
    uint32_t word;
    memcpy(&word, at, sizeof word);
    uint32_t value = how[4] | (uint32_t)how[5] << 8;
    if (kind < 2)
        value = word ^ 1u << how[4] % 32;
    else if (kind < 4)
        value = word + (uint32_t)(int8_t)how[4];
    else if (kind < 6)
        value = odd[how[4] % (sizeof odd / sizeof *odd)];
    else if (kind == 6)
        memcpy(&value, at + (how[4] < b->size - (size_t)(at - b->at) - 4 ? how[4] & ~3 : 0), sizeof value);
    memcpy(at, &value, size);
}

/* Makes all checksums those of the bytes, those of saves in recordings first. */
static inline void repair(const bytes *b)
{
    for (size_t at = sizeof(dry_save_header); at + sizeof(dry_section_header) + 8 <= b->size;) {
        dry_section_header header;
        memcpy(&header, b->at + at, sizeof header);
        if (header.bytes % 8 != 0 || header.bytes > b->size - at - sizeof header - 8)
            return;
        if (header.kind == DRY_BLOCK_SAVE && header.bytes > 8 + sizeof(dry_save_header))
            repair(&(bytes){b->at + at + sizeof header + 8, (size_t)header.bytes - 8});
        dry_checksum sum = dry_checksum_begin();
        dry_checksum_add(&sum, b->at + at, (sizeof header + (size_t)header.bytes) / 8);
        const uint64_t end = dry_checksum_end(&sum);
        at += sizeof header + (size_t)header.bytes;
        memcpy(b->at + at, &end, sizeof end);
        at += sizeof end;
    }
}

/* Makes the changes that an input names. */
static inline void change_all(bytes *b, const uint8_t *data, size_t size)
{
    for (size_t at = 0; at + CHANGE_BYTES <= size && at < CHANGES_MAX * CHANGE_BYTES; at += CHANGE_BYTES)
        change(b, data + at);
}

static inline void check_failed(const dry_validation *validation, const char *condition, const char *file,
                                int line)
{
    (void)validation;
    fuzz_failed(condition, file, line);
}

static inline void validate(const dry_world *world, const char *place)
{
    const dry_validation validation = {.failed = check_failed, .place = place};
    dry_world_validate(world, DRY_SETTLED_NONE, &validation);
}

/* Steps a world that came from changed bytes, beside a world of its save. */
static inline void step_beside_twin(dry_world *world, const dry_world_def *def, int steps)
{
    dry_world *twin = NULL;
    validate(world, "before steps");
    bytes again = save_of(world);
    FUZZ_CHECK(dry_world_load(again.at, again.size, def, NULL, &twin, NULL) == DRY_OK);
    FUZZ_CHECK(dry_world_hash(world) == dry_world_hash(twin));
    free(again.at);
    for (int i = 0; i < steps; ++i) {
        FUZZ_CHECK(dry_world_step(world, 1.0f / 60.0f) == DRY_OK);
        FUZZ_CHECK(dry_world_step(twin, 1.0f / 60.0f) == DRY_OK);
        FUZZ_CHECK(dry_world_hash(world) == dry_world_hash(twin));
        fuzz_sums.steps++;
    }
    validate(world, "after steps");
    dry_world_destroy(twin);
}

#endif

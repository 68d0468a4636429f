/* Scratch memory: a stack of parts in one block. */
#include "core/scratch.h"

#include "core/assert.h"

#include <stdint.h>
#include <string.h>

/* A block's first cache line. Its room begins behind it. */
typedef struct dry_scratch_block {
    _Alignas(DRY_CACHE_LINE) struct dry_scratch_block *older;
    size_t bytes; /* of the room */
} dry_scratch_block;

_Static_assert(sizeof(dry_scratch_block) == DRY_CACHE_LINE, "the room is aligned as the block is");

static size_t room_of(const dry_scratch *scratch)
{
    return scratch->block ? scratch->block->bytes - scratch->used : 0;
}

size_t dry_scratch_room(const dry_scratch *scratch)
{
    return scratch->block ? scratch->block->bytes : 0;
}

void dry_scratch_begin(dry_scratch *scratch, dry_memory *memory, dry_lifetime lifetime)
{
    scratch->lifetime = lifetime;
    scratch->used = 0;
    dry_scratch_block *block = scratch->block;
    if (!block)
        return;
    while (block->older) {
        dry_scratch_block *older = block->older;
        block->older = older->older;
        dry_memory_release(memory, older, sizeof *older + older->bytes);
    }
#ifdef DRY_VALIDATE
    /* Fills the block with NaN, so that a read outside a part's lifetime shows. */
    memset(block + 1, 0xFF, block->bytes);
    scratch->lost = block->bytes;
#endif
}

/* A block grows by 1/4, and from so many lines on by 1/16. Arrays grow by more (core/memory.c), since they
 * are copied; of scratch memory no more is lost than bundles that would have been kept. */
enum { MEDIUM_LINES = (1 << 14) / DRY_CACHE_LINE, FEW_LINES = 4 };

/* Adds a block with room for `bytes`. */
static bool add_block(dry_scratch *scratch, dry_memory *memory, size_t bytes)
{
    size_t lines = (bytes + DRY_CACHE_LINE - 1) / DRY_CACHE_LINE;
    size_t before = scratch->block ? scratch->block->bytes / DRY_CACHE_LINE : 0;
    if (lines > INT32_MAX || before > INT32_MAX)
        return false;
    const size_t more = before < MEDIUM_LINES ? before / 4 + FEW_LINES : before / 16;
    const size_t room = (lines > before + more ? lines : before + more) * DRY_CACHE_LINE;
    dry_scratch_block *block = dry_memory_allocate(memory, sizeof *block + room, DRY_CACHE_LINE);
    if (!block)
        return false;
    *block = (dry_scratch_block){.bytes = room};
    if (scratch->used > 0) {
        block->older = scratch->block; /* its parts still live */
    } else if (scratch->block) {
        block->older = scratch->block->older;
        dry_memory_release(memory, scratch->block, sizeof *scratch->block + scratch->block->bytes);
    }
    scratch->block = block;
    scratch->used = 0;
    scratch->lost = room;
    return true;
}

bool dry_scratch_reserve(dry_scratch *scratch, dry_memory *memory, size_t bytes)
{
    return bytes <= room_of(scratch) || add_block(scratch, memory, bytes);
}

bool dry_scratch_promise(dry_scratch *scratch, dry_memory *memory, dry_promise promise, size_t bytes)
{
    size_t before = scratch->promised[promise];
    size_t whole = dry_scratch_bytes(bytes, 1);
    if (whole > before)
        scratch->promised[promise] = whole;
    if (dry_scratch_reserve(scratch, memory, dry_scratch_promised(scratch)))
        return true;
    scratch->promised[promise] = before;
    return false;
}

size_t dry_scratch_promised(const dry_scratch *scratch)
{
    size_t bytes = 0;
    for (int promise = 0; promise < DRY_PROMISE_COUNT; promise++)
        bytes += scratch->promised[promise];
    return bytes;
}

void *dry_scratch_take_spare(dry_scratch *scratch, size_t bytes)
{
    DRY_ASSERT(bytes <= room_of(scratch));
    if (bytes == 0)
        return NULL;
    char *part = (char *)(scratch->block + 1) + scratch->used;
    scratch->used += bytes;
    return part;
}

void dry_scratch_lose(dry_scratch *scratch, const void *end)
{
    const size_t written = (size_t)((const char *)end - (const char *)(scratch->block + 1));
    DRY_ASSERT(written <= scratch->used);
    if (scratch->lost < written)
        scratch->lost = written;
}

void *dry_scratch_take(dry_scratch *scratch, size_t bytes)
{
    char *part = dry_scratch_take_spare(scratch, bytes);
    if (part)
        dry_scratch_lose(scratch, part + bytes);
    return part;
}

void dry_scratch_keep(dry_scratch *scratch)
{
    scratch->lost = 0;
}

const void *dry_scratch_kept(const dry_scratch *scratch)
{
    return scratch->block ? (const char *)(scratch->block + 1) + scratch->lost : NULL;
}

bool dry_scratch_keeps(const dry_scratch *scratch, const void *part, size_t bytes)
{
    if (!scratch->block)
        return false;
    const uintptr_t begin = (uintptr_t)dry_scratch_kept(scratch), at = (uintptr_t)part;
    return at >= begin && at + bytes <= (uintptr_t)(scratch->block + 1) + scratch->block->bytes;
}

void *dry_scratch_rest(dry_scratch *scratch, size_t *bytes)
{
    *bytes = room_of(scratch);
    scratch->lost = dry_scratch_room(scratch);
    return scratch->block ? (char *)(scratch->block + 1) + scratch->used : NULL;
}

void dry_scratch_give_back(dry_scratch *scratch, size_t mark)
{
    DRY_ASSERT(mark <= scratch->used);
    scratch->used = mark;
}

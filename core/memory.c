/* Counting allocation and growing arrays. */
#include "core/memory.h"

#include "core/assert.h"

#include <stdlib.h>
#include <string.h>

/* An array grows by 1/2 of its capacity, from the first size on by 1/4, and from the second on by 1/8. Each
 * element is then copied twice in the array's life, four times or eight times. At most 1/3, 1/5 or 1/9 of the
 * array is unused room: a server holds many worlds, most of whose memory is arrays of some ten kilobytes. */
static const size_t MEDIUM_BYTES = 1 << 14, LARGE_BYTES = 1 << 20;

/* A small array gets this many bytes more, but between one and sixteen elements: a server holds many small
 * worlds, and one bundle alone takes eight times these bytes. */
static const size_t FEW_BYTES = 512;

static void *default_allocate(size_t bytes, size_t alignment, void *user)
{
    (void)user;
    /* C17 wants a size that is a multiple of the alignment. */
    return aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
}

static void default_release(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(memory);
}

void dry_memory_init(dry_memory *memory, dry_allocator allocator)
{
    *memory = (dry_memory){.allocator = allocator};
    if (!allocator.allocate)
        memory->allocator = (dry_allocator){default_allocate, default_release, NULL};
}

/* Stands right before each block, and links it into the list of all: what writes past a block's end is found
 * by the checks of the allocator. */
typedef struct dry_memory_link {
    struct dry_memory_link *newer, *older;
    size_t bytes, before; /* of the block; from the beginning of what was allocated to the block */
} dry_memory_link;

static dry_memory_link *link_of(void *block)
{
    return (dry_memory_link *)block - 1;
}

static void link_block(dry_memory *memory, dry_memory_link *link)
{
    link->newer = NULL;
    link->older = memory->newest;
    if (link->older)
        link->older->newer = link;
    memory->newest = link;
    memory->bytes += link->before + link->bytes;
}

static void unlink_block(dry_memory *memory, const dry_memory_link *link)
{
    *(link->newer ? &link->newer->older : &memory->newest) = link->older;
    if (link->older)
        link->older->newer = link->newer;
    memory->bytes -= link->before + link->bytes;
}

void *dry_memory_allocate(dry_memory *memory, size_t bytes, size_t alignment)
{
    alignment = alignment > _Alignof(dry_memory_link) ? alignment : _Alignof(dry_memory_link);
    const size_t before = alignment > sizeof(dry_memory_link) ? alignment : sizeof(dry_memory_link);
    if (bytes == 0 || bytes > SIZE_MAX - before)
        return NULL;
    char *all = memory->allocator.allocate(before + bytes, alignment, memory->allocator.user);
    if (!all)
        return NULL;
    dry_memory_link *link = link_of(all + before);
    *link = (dry_memory_link){.bytes = bytes, .before = before};
    link_block(memory, link);
    memory->allocations++;
    return all + before;
}

void dry_memory_release(dry_memory *memory, void *block, size_t bytes)
{
    if (!block)
        return;
    const dry_memory_link *link = link_of(block);
    const size_t before = link->before;
    DRY_ASSERT(link->bytes == bytes && memory->bytes >= before + bytes);
    unlink_block(memory, link);
    memory->allocator.release((char *)block - before, before + bytes, memory->allocator.user);
}

void dry_memory_release_all(dry_memory *memory)
{
    while (memory->newest)
        dry_memory_release(memory, memory->newest + 1, memory->newest->bytes);
}

int dry_memory_grown(int capacity, int needed, size_t element_bytes)
{
    const size_t bytes = (size_t)capacity * element_bytes;
    const int part = bytes >= LARGE_BYTES ? 8 : bytes >= MEDIUM_BYTES ? 4 : 2;
    size_t few = FEW_BYTES / element_bytes;
    few = few < 1 ? 1 : few > 16 ? 16 : few;
    int64_t grown = (int64_t)capacity + capacity / part + (int)few;
    if (grown < needed)
        grown = needed;
    return (int)(grown > INT32_MAX ? INT32_MAX : grown);
}

bool dry_memory_grow(dry_memory *memory, void **array, int *capacity, int needed, size_t element_bytes)
{
    return needed <= *capacity ||
           dry_memory_fit(memory, array, capacity, dry_memory_grown(*capacity, needed, element_bytes),
                          element_bytes);
}

bool dry_memory_fit(dry_memory *memory, void **array, int *capacity, int grown, size_t element_bytes)
{
    DRY_ASSERT(*capacity >= 0);
    if (grown <= *capacity)
        return true;
    size_t old_bytes = (size_t)*capacity * element_bytes;
    size_t new_bytes = (size_t)grown * element_bytes;
    char *block = dry_memory_allocate(memory, new_bytes, DRY_CACHE_LINE);
    if (!block)
        return false;
    DRY_ASSERT(*array || old_bytes == 0);
    if (old_bytes)
        memcpy(block, *array, old_bytes);
    memset(block + old_bytes, 0, new_bytes - old_bytes);
    dry_memory_release(memory, *array, old_bytes);
    *array = block;
    *capacity = grown;
    return true;
}

bool dry_memory_make(dry_memory *memory, void **array, int *capacity, int grown, int count,
                     const void *standard, size_t element_bytes)
{
    if (*array || grown <= *capacity)
        return true;
    const size_t all = (size_t)grown * element_bytes, used = (size_t)count * element_bytes;
    char *block = dry_memory_allocate(memory, all, DRY_CACHE_LINE);
    if (!block)
        return false;
    /* Copies copies, of up to MEDIUM_BYTES: 5 times as fast as copies of one element. */
    for (size_t done = 0, part = element_bytes; done < used; done += part) {
        if (done > 0 && done < MEDIUM_BYTES)
            part = done;
        if (part > used - done)
            part = used - done;
        memcpy(block + done, done > 0 ? block : standard, part);
    }
    memset(block + used, 0, all - used);
    *array = block;
    *capacity = grown;
    return true;
}

void dry_memory_hand_over(dry_memory *from, dry_memory *to, void *block)
{
    if (!block)
        return;
    unlink_block(from, link_of(block));
    link_block(to, link_of(block));
}

void dry_memory_take_over(dry_memory *memory, dry_memory *from)
{
    dry_memory_link *oldest = from->newest;
    while (oldest && oldest->older)
        oldest = oldest->older;
    if (!oldest)
        return;
    oldest->older = memory->newest;
    if (memory->newest)
        memory->newest->newer = oldest;
    memory->newest = from->newest;
    memory->bytes += from->bytes;
    memory->allocations += from->allocations;
    from->newest = NULL;
    from->bytes = 0;
}

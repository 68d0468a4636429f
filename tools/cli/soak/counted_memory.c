/* Counts and refuses memory (counted_memory.h). A mark lies before each block. */
#include "tools/cli/soak/counted_memory.h"

#include <stdlib.h>
#include <string.h>

#define MARK 0x64727973746f6e65u

typedef struct block_mark {
    uint64_t mark;
    size_t bytes, room; /* of the block; from the start of what malloc gave to the block */
} block_mark;

static void *allocate(size_t bytes, size_t alignment, void *user)
{
    counted_memory *memory = user;
    bool sound = bytes > 0 && alignment > 0 && alignment <= 4096 && (alignment & (alignment - 1)) == 0;
    memory->requests++;
    memory->faults += !sound;
    bool refused = memory->refuse_in > 0 && --memory->refuse_in == 0;
    size_t room = alignment < 64 ? 64 : alignment;
    if (!sound || refused || bytes > SIZE_MAX / 2) {
        memory->refusals++;
        return NULL;
    }
    char *start = aligned_alloc(room, room + (bytes + room - 1) / room * room);
    if (start == NULL) {
        memory->refusals++;
        return NULL;
    }
    /* Nothing may depend on what new memory holds: a different pattern in each block shows it. */
    memset(start + room, (int)(memory->requests & 0xff), bytes);
    const block_mark mark = {MARK, bytes, room};
    memcpy(start + room - sizeof mark, &mark, sizeof mark);
    memory->bytes += bytes;
    memory->bytes_max = memory->bytes > memory->bytes_max ? memory->bytes : memory->bytes_max;
    memory->blocks++;
    return start + room;
}

static void release(void *block, size_t bytes, void *user)
{
    counted_memory *memory = user;
    block_mark mark;
    memcpy(&mark, (char *)block - sizeof mark, sizeof mark);
    if (mark.mark != MARK || mark.bytes != bytes) {
        memory->faults++;
        return;
    }
    memset((char *)block - sizeof mark, 0, sizeof mark);
    memory->bytes -= bytes;
    memory->blocks--;
    free((char *)block - mark.room);
}

dry_allocator counted_memory_hooks(counted_memory *memory)
{
    return (dry_allocator){allocate, release, memory};
}

/* An allocator that counts, checks what is given back, fills new memory with a pattern, and fails where it
 * is told to. */
#ifndef TESTS_COUNTING_ALLOCATOR_H
#define TESTS_COUNTING_ALLOCATOR_H

#include "tests/test_world.h"

typedef struct counting_allocator {
    uint64_t calls;     /* of allocate, failed ones included */
    uint64_t successes; /* of allocate */
    size_t bytes;       /* held now */
    size_t most_bytes;  /* held at any time */
    int64_t fail_at;    /* the number of the call that fails, from 0; -1: none */
    bool fail_all;      /* every call from fail_at on fails */
    int wrong;          /* releases that do not match an allocation */
} counting_allocator;

/* Before each block, within one alignment's room: its size and a mark. */
typedef struct counting_header {
    size_t bytes, room;
    uint64_t mark;
} counting_header;

#define COUNTING_MARK 0xA110CA7ED0B10C00ull

static inline void *counting_allocate(size_t bytes, size_t alignment, void *user)
{
    counting_allocator *counter = user;
    int64_t number = (int64_t)counter->calls++;
    bool sound = bytes > 0 && alignment > 0 && alignment <= 4096 && (alignment & (alignment - 1)) == 0;
    counter->wrong += !sound;
    if (!sound || (counter->fail_at >= 0 &&
                   (number == counter->fail_at || (counter->fail_all && number > counter->fail_at))))
        return NULL;
    size_t room = alignment < 64 ? 64 : alignment;
    char *block = aligned_alloc(room, room + (bytes + room - 1) / room * room);
    if (!block)
        return NULL;
    memset(block + room, 0xA5, bytes);
    ((counting_header *)(void *)(block + room))[-1] = (counting_header){bytes, room, COUNTING_MARK};
    counter->bytes += bytes;
    counter->most_bytes = counter->bytes > counter->most_bytes ? counter->bytes : counter->most_bytes;
    counter->successes++;
    return block + room;
}

static inline void counting_release(void *memory, size_t bytes, void *user)
{
    counting_allocator *counter = user;
    counting_header *header = (counting_header *)memory - 1;
    if (header->mark != COUNTING_MARK || header->bytes != bytes) {
        counter->wrong++;
        return;
    }
    header->mark = 0;
    counter->bytes -= bytes;
    free((char *)memory - header->room);
}

static inline dry_allocator counting_hooks(counting_allocator *counter)
{
    return (dry_allocator){counting_allocate, counting_release, counter};
}

#endif

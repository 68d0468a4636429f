/* Memory of one world: every byte comes from its allocator and is counted.
 *
 * Only the thread that called into the world allocates; workers never do. Arrays grow by a share of their
 * capacity, and are reserved before a change begins, so that a failing allocator leaves nothing half done.
 * All blocks are in one list: an array that lives as long as its world needs no release of its own. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include "core/shared.h"
#include <drystone/types.h>

#define DRY_CACHE_LINE 64

typedef struct dry_memory {
    dry_allocator allocator;
    size_t bytes;         /* held now, with the links of the list */
    uint64_t allocations; /* calls of allocate that succeeded */
    struct dry_memory_link *newest;
} dry_memory;

/* Takes the allocator over. Null functions in it mean those of the C library. */
void dry_memory_init(dry_memory *memory, dry_allocator allocator);

/* Returns a block that is not cleared; null if the allocator fails or `bytes` is 0. */
DRY_SHARED void *dry_memory_allocate(dry_memory *memory, size_t bytes, size_t alignment);
DRY_SHARED void dry_memory_release(dry_memory *memory, void *block, size_t bytes);
/* Releases all blocks that are held. */
void dry_memory_release_all(dry_memory *memory);
/* Makes a block of one memory, or null, a block of another memory with the same allocator. */
void dry_memory_hand_over(dry_memory *from, dry_memory *to, void *block);
/* Makes all blocks of another memory with the same allocator blocks of this one. */
void dry_memory_take_over(dry_memory *memory, dry_memory *from);

/* Returns the new capacity of an array in which `needed` elements do not fit: its capacity grown by a share,
 * or `needed` where that is more. */
int dry_memory_grown(int capacity, int needed, size_t element_bytes);

/* Makes room for `needed` elements in *array and keeps the first *capacity ones. New room is zeroed and
 * aligned to a cache line. Returns false and changes nothing if the allocator fails. */
DRY_SHARED bool dry_memory_grow(dry_memory *memory, void **array, int *capacity, int needed,
                                size_t element_bytes);

/* Does so without spare room, for an array that goes by the capacity of another. */
bool dry_memory_fit(dry_memory *memory, void **array, int *capacity, int grown, size_t element_bytes);

/* Does so for an array that is absent, and makes its first `count` elements copies of `standard`. Does
 * nothing to one that is there. */
bool dry_memory_make(dry_memory *memory, void **array, int *capacity, int grown, int count,
                     const void *standard, size_t element_bytes);

/* Call dry_memory_grow, dry_memory_fit and dry_memory_make for a typed pointer and its capacity. */
#define DRY_RESERVE(memory, array, capacity, needed)                                                         \
    ((needed) <= (capacity) ||                                                                               \
     dry_memory_grow((memory), (void **)&(array), &(capacity), (needed), sizeof *(array)))

#define DRY_FIT(memory, array, capacity, grown)                                                              \
    ((grown) <= (capacity) ||                                                                                \
     dry_memory_fit((memory), (void **)&(array), &(capacity), (grown), sizeof *(array)))

#define DRY_MAKE(memory, array, capacity, grown, count, standard)                                            \
    dry_memory_make((memory), (void **)&(array), &(capacity), (grown), (count), &(standard), sizeof *(array))

#define DRY_RELEASE(memory, array, capacity)                                                                 \
    (dry_memory_release((memory), (array), (size_t)(capacity) * sizeof *(array)), (array) = NULL,            \
     (capacity) = 0)

#endif

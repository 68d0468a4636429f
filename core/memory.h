/* Memory of one world: every byte comes from its allocator and is counted.
 *
 * Only the thread that called into the world allocates; workers never do. Arrays grow by half, large
 * ones by an eighth, and are reserved before a change begins, so that a failing allocator leaves nothing half
 * done. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <drystone/types.h>

#define DRY_CACHE_LINE 64

typedef struct dry_memory {
    dry_allocator allocator;
    size_t bytes;         /* held now */
    uint64_t allocations; /* calls of allocate that succeeded */
} dry_memory;

/* Null functions in `allocator` mean the C library's. */
void dry_memory_init(dry_memory *memory, dry_allocator allocator);

/* Not cleared; null if the allocator fails or bytes is 0. */
void *dry_memory_allocate(dry_memory *memory, size_t bytes, size_t alignment);
void dry_memory_release(dry_memory *memory, void *block, size_t bytes);

/* How many elements an array of `capacity` gets when `needed` do not fit: `needed` itself if that is much. */
int dry_memory_grown(int capacity, int needed, size_t element_bytes);

/* Makes room for `needed` elements in *array, keeping the first *capacity ones; new room is zeroed and
 * aligned to a cache line. False, and nothing changed, if the allocator fails. */
bool dry_memory_grow(dry_memory *memory, void **array, int *capacity, int needed, size_t element_bytes);

/* dry_memory_grow for a typed pointer and its capacity. */
#define DRY_RESERVE(memory, array, capacity, needed)                                                         \
    ((needed) <= (capacity) ||                                                                               \
     dry_memory_grow((memory), (void **)&(array), &(capacity), (needed), sizeof *(array)))

#define DRY_RELEASE(memory, array, capacity)                                                                 \
    (dry_memory_release((memory), (array), (size_t)(capacity) * sizeof *(array)), (array) = NULL,            \
     (capacity) = 0)

#endif

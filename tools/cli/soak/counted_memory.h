/* An allocator that counts what a world holds and refuses memory when it is told to. */
#ifndef TOOLS_CLI_SOAK_COUNTED_MEMORY_H
#define TOOLS_CLI_SOAK_COUNTED_MEMORY_H

#include <drystone/drystone.h>

typedef struct counted_memory {
    size_t bytes, bytes_max; /* held now; the most so far */
    uint64_t blocks;         /* held now */
    uint64_t requests;       /* so far */
    uint64_t refusals;       /* so far, of those */
    uint64_t faults;         /* releases that match no block, and requests that make no sense */
    int refuse_in;           /* the request that is refused, counted from now, from 1; 0 refuses none */
} counted_memory;

/* Returns the functions for dry_world_def.allocator. */
dry_allocator counted_memory_hooks(counted_memory *memory);

#endif

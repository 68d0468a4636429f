/* Prefetching a world that is to be stepped next, while another one is stepped.
 *
 * A worker that steps many small worlds in turn finds each of them in memory, not in its cache. It notes
 * which memory a step reads when one has ended. In the last stage of the step before the world's next one, it
 * prefetches that memory, some lines for each body. Nothing follows from a note but time: one that is out of
 * date costs a slow step.
 *
 * Reads: the world's arrays and counts, not what they hold. Next: finalize.c, host/rooms/worker.c. */
#ifndef STEP_PREFETCH_H
#define STEP_PREFETCH_H

#include "core/compiler.h"

#include <stdint.h>

enum { DRY_WORKING_PARTS = 40 };

/* The memory that a step of a world reads. A part has the number of its first cache line, times 2^13, and how
 * many lines it has. */
typedef struct dry_working_set {
    int count;
    int lines; /* of all parts */
    uint64_t part[DRY_WORKING_PARTS];
} dry_working_set;

/* A walk over the lines of a set. */
typedef struct dry_prefetch {
    dry_working_set set;
    int part, line; /* the next one, and its part */
} dry_prefetch;

/* Prefetches up to `lines` lines into the second level of the cache, without waiting for them. */
static inline void dry_prefetch_lines(dry_prefetch *prefetch, int lines)
{
    while (lines > 0 && prefetch->part < prefetch->set.count) {
        const uint64_t part = prefetch->set.part[prefetch->part];
        const int left = (int)(part & 0x1fff) - prefetch->line, n = lines < left ? lines : left;
        const uint64_t first = (part >> 13) + (uint64_t)prefetch->line;
        for (int i = 0; i < n; i++)
            DRY_PREFETCH_TO_SECOND((const void *)(uintptr_t)((first + (uint64_t)i) << 6));
        lines -= n;
        prefetch->line += n;
        if (n == left)
            prefetch->part++, prefetch->line = 0;
    }
}

#endif

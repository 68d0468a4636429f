/* Which memory a room's next step reads, and prefetching it while another room is stepped. */
#ifndef HOST_ROOMS_PREFETCH_H
#define HOST_ROOMS_PREFETCH_H

#include "step/prefetch.h"

#include <drystone/types.h>
#include <stddef.h>

/* Adds the memory that a world's next step reads if it is like the last one. */
void dry_working_set_note(dry_working_set *set, const dry_world *world);

/* Adds a block. Leaves out what lies behind the first 256 KiB of a set. */
void dry_working_set_add(dry_working_set *set, const void *block, size_t bytes);

/* Lets steps of a world with one thread prefetch; null: they do not. The caller keeps the walk until then.
 * Prefetches the first line of each page now, so that later the core knows where the pages are. */
void dry_step_prefetches(dry_world *world, dry_prefetch *prefetch);

#endif

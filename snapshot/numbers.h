/* The numbers that a world draws for its ids, and those that it takes over from a recording. Next:
 * core/leases.h.
 */
#ifndef SNAPSHOT_NUMBERS_H
#define SNAPSHOT_NUMBERS_H

#include <drystone/world.h>

/* Draws the numbers that new objects of a world need. Errors: NUMBERS. */
dry_result dry_draw_numbers(dry_world *world, const char *name);
/* Gives a world a lease that it drew when it was recorded: `first` is its first number. Errors: ARGUMENT. */
dry_result dry_world_take_lease(dry_world *world, uint64_t first);

#endif

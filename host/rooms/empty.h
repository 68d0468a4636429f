/* Counts steps in which nothing happens without making them: those of a world that sleeps. */
#ifndef HOST_ROOMS_EMPTY_H
#define HOST_ROOMS_EMPTY_H

#include <drystone/world.h>

/* Tells whether the next step of this length would change nothing but the number of steps: the last one was
 * of this length and found nothing awake, and no call has changed anything since that a step goes over. Takes
 * less than 0.1 us. */
bool dry_step_is_empty(const dry_world *world, float dt);

/* Counts empty steps. The state is, to the bit, that after so many calls of dry_world_step. */
void dry_step_count_empty(dry_world *world, uint64_t count);

#endif

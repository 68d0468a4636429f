/* Gives memory back that a world no longer needs. */
#ifndef SNAPSHOT_TRIM_H
#define SNAPSHOT_TRIM_H

#include <stdbool.h>

struct dry_world;

/* Moves a world's state to room for what it holds, and releases all other memory: steps make it anew. A world
 * that would not be smaller stays where it is. The events of the last step are gone. Returns false, and
 * changes nothing, if memory fails. */
bool dry_world_move_to_less(struct dry_world *world);

#endif

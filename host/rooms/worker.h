/* The workers of a pool: threads that run ticks. */
#ifndef HOST_ROOMS_WORKER_H
#define HOST_ROOMS_WORKER_H

#include "host/rooms/pool.h"

/* Starts a pool's workers. Returns 0, or the system's error number if one could not be started: then none
 * runs. */
int dry_workers_start(dry_rooms *rooms);
/* Ends all workers, after their present ticks, and joins them. */
void dry_workers_end(dry_rooms *rooms);

/* Destroys a room that has left, in a locked pool; unlocks it meanwhile. */
void dry_room_destroy(dry_room *room);

#endif

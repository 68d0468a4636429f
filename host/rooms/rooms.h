/* Functions that the calls share which add, change and move rooms. */
#ifndef HOST_ROOMS_ROOMS_H
#define HOST_ROOMS_ROOMS_H

#include "host/rooms/pool.h"

/* The luggage that a room brings along from another pool. */
typedef struct dry_room_luggage {
    bool arrives;           /* its next tick is due at once, so that a move costs no tick */
    uint64_t tick, wake_at; /* its next one; dry_room */
    dry_input *inputs;
    int substeps_own, substeps_cap; /* dry_room; 0: those of its world */
} dry_room_luggage;

/* Checks a room's definition; the log has what is wrong. */
dry_result dry_rooms_check_def(const dry_rooms *rooms, const char *name, const dry_room_def *def);

/* Makes a room of a world, as dry_rooms_add does, in a locked pool. */
dry_result dry_room_add(dry_rooms *rooms, const char *name, const dry_room_def *def, dry_world *world,
                        const dry_room_luggage *luggage, dry_room_id *id);

/* Returns the room of an id that is not being taken, in a locked pool; null with the reason in *result. */
dry_room *dry_room_to_change(const dry_rooms *rooms, const char *name, dry_room_id id, dry_result *result);
/* Waits until no worker runs a room, in a locked pool. */
void dry_room_wait(dry_rooms *rooms, dry_room_id id);

/* Returns a copy of bytes as an input, in a locked pool; null if memory fails. */
dry_input *dry_input_new(dry_rooms *rooms, const void *bytes, size_t size);
/* Puts an input at the end of a room's queue. */
void dry_input_append(dry_room *room, dry_input *input);

#endif

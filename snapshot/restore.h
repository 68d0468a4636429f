/* Putting the state of a save into a world: all or nothing. */
#ifndef SNAPSHOT_RESTORE_H
#define SNAPSHOT_RESTORE_H

#include "snapshot/read.h"

#include <drystone/save.h>

/* Replaces the state of a world by that of a save, whose sections have been found. Checks everything, and
 * changes nothing before the last check and the last allocation. Returns ARGUMENT with the fault, or MEMORY.
 * `options` may be null. */
dry_result dry_world_restore_saved(dry_world *world, const dry_saved *saved, const dry_load_options *options,
                                   dry_save_fault *fault);

/* A search for the data of shapes: among those that a world has, and then by the function of `options`, which
 * may be null. */
typedef struct dry_data_search {
    const dry_world *world;
    const dry_load_options *options;
    int next; /* the shape to look at first: mostly they come in the same order */
} dry_data_search;
/* Is the function of options to load, whose `user` is a search. */
dry_shape_data *dry_find_own_data(void *search, uint64_t hash);

/* Makes the tables that a load of the present state has, with room for more contacts; they hold references to
 * data of shapes, which dry_shapes_hold_data drops. What is reserved comes from `memory`. Returns false with
 * the fault, or without if memory has failed: then nothing but `memory` is left to be released. */
bool dry_restore_own(const dry_world *world, int contacts_to_come, dry_memory *memory, dry_tables *tables,
                     dry_save_fault *fault);

/* Moves a world's state to room for what it holds, and releases all other memory: steps make it anew. A world
 * that would not be smaller stays where it is. The events of the last step are gone. Returns false, and
 * changes nothing, if memory fails. */
bool dry_world_move_to_less(dry_world *world);

#endif

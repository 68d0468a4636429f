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

#endif

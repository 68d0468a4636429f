/* The last steps of a world: what brings it back to the end of each of them.
 *
 * A step that a world has done is kept when it ends, and what calls changed before it is kept with it. Of
 * columns only what changed is kept (snapshot/shadow.h); the numbers of tables are kept whole. What follows
 * from columns and is in none (trees, the map of pairs, islands) is built anew when the world goes back.
 *
 * Reads: the world's tables. Writes: them, and all that follows, when it goes back. */
#ifndef SNAPSHOT_HISTORY_H
#define SNAPSHOT_HISTORY_H

#include "snapshot/shadow.h"

#include <drystone/history.h>

/* Keeps the step that has just ended; `some` tells that it held bodies (world/hold.h). A step that was not
 * done is kept with the next one. If memory fails, all steps are forgotten, and the log says so. */
void dry_history_keep(dry_history *history, bool done, bool some);
/* Forgets all steps, since the world has another state. The next step is the first that is kept again. */
void dry_history_forget(dry_history *history);
/* Begins a history of the present state, which is the world's from now on. Returns null if memory fails. */
dry_history *dry_history_begin(dry_world *world, int steps);
/* Takes a history from its world and releases it. */
void dry_history_end(dry_history *history);
/* Brings the world back by as many steps, of which the history has so many. */
void dry_history_go_back(dry_history *history, int steps);
/* Tells whether nothing is kept, not even the end of the last step. */
bool dry_history_is_lost(const dry_history *history);
/* Returns by how many steps one goes back to the end of a step, by the world's count of steps; -1: the
 * history does not hold it. */
int dry_history_find(const dry_history *history, uint64_t step);
/* An earlier state, until the history changes. Data of shapes are not held. */
typedef struct dry_past {
    dry_shadow shadow;
    dry_tables tables; /* whose arrays are those of the shadow */
} dry_past;
/* Makes the state that lies so many steps back. Returns false if memory fails. All memory of it comes from
 * `memory`, which the caller releases. */
bool dry_history_recall(const dry_history *history, int steps, dry_memory *memory, dry_past *past);
/* Returns the world of a history. */
dry_world *dry_history_world(const dry_history *history);

#endif

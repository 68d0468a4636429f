/* Sleepers that awake bodies move. */
#ifndef STEP_WAKE_H
#define STEP_WAKE_H

#include <stdbool.h>

struct dry_world;

/* Wakes the sleepers that awake bodies strike within `dt` seconds, and those that no longer hold what they
 * bear. Islands must be built; they are stale afterwards if a body woke. Returns false if memory fails. */
bool dry_wake_neighbors(struct dry_world *world, float dt);

#endif

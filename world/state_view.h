/* The state of a world as state/state.h wants it. */
#ifndef WORLD_STATE_VIEW_H
#define WORLD_STATE_VIEW_H

#include "state/state.h"

/* Returns a view of a world's state; valid until the world changes. */
dry_state dry_world_state(const dry_world *world);

#endif

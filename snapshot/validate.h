/* Validation of a whole world: its structures agree (rows and slots, lists, colors, pairs) if they are those
 * that a load of its save makes. A load checks what a save says, and derives all else from scratch, without
 * the code that keeps the structures. Islands and the solver's layout, which no save has, have checks of
 * their own (world/validate.h).
 *
 * Tests call it in every build. A validating build (-Dvalidate=true) also calls it after every stage of every
 * step: step/validate.c. */
#ifndef SNAPSHOT_VALIDATE_H
#define SNAPSHOT_VALIDATE_H

#include "world/validate.h"

/* The contacts of which no change waits for the graph, so that those that are active touch exactly where
 * their manifolds have points. */
typedef enum dry_settled {
    DRY_SETTLED_NONE,  /* between calls, and before the graph is done */
    DRY_SETTLED_AWAKE, /* those of awake bodies */
    DRY_SETTLED_ALL    /* all: no step has run out of memory */
} dry_settled;

/* Checks all of a world. Needs memory of its own, which no allocator of the world counts. */
void dry_world_validate(const struct dry_world *world, dry_settled settled, const dry_validation *validation);

#endif

/* The derived data that a world keeps when it gets another state: islands, the layout and bundles that follow
 * from both states alike. They decide nothing; without them the next step makes them anew. */
#ifndef SNAPSHOT_KEPT_H
#define SNAPSHOT_KEPT_H

#include "snapshot/shadow.h"
#include "state/tables.h"

#include <drystone/world.h>

/* A state that a world has and another one that it gets next. */
typedef struct dry_change_of_state {
    const dry_tables *now, *then;
    const dry_shadow
        *changes;   /* the rows that differ are among those that it has changed; null: look at all */
    uint64_t *anew; /* room for a set of the world's contacts */
} dry_change_of_state;

/* Tells whether the islands and the layout of the last step are those of the other state, too. If so, contact
 * bundles that stay take its impulses. Changes no table. */
bool dry_kept_find(dry_world *world, const dry_change_of_state *change);
/* Tells whether all pairs of shapes have the same contacts in both states. */
bool dry_kept_pairs(const dry_change_of_state *change);

#endif

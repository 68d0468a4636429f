/* The derived data that a world keeps when it gets another state: islands, the layout and bundles that follow
 * from both states alike. They decide nothing; without them the next step makes them anew. */
#ifndef WORLD_KEPT_H
#define WORLD_KEPT_H

#include "state/tables.h"

#include <drystone/world.h>

/* Tells whether the islands and the layout of the last step are those of another state, too, which the world
 * gets next. If so, contact bundles that stay take its impulses. Changes no table. */
bool dry_kept_find(dry_world *world, const dry_tables *now, const dry_tables *then);

#endif

/* The tables of a world as one, and back: what a restoration exchanges and a history keeps. */
#ifndef WORLD_STATE_TABLES_H
#define WORLD_STATE_TABLES_H

#include "state/tables.h"

#include <drystone/types.h>

/* Returns the tables of a world with all numbers of its state. The arrays are the world's. */
dry_tables dry_world_state(const dry_world *world);
/* Gives a world other tables, with the numbers of their state, but for the proxies, which the broadphase has.
 * With `keeps` islands, their layout and bundles stay (snapshot/kept.h); otherwise the next step makes them
 * anew. */
void dry_world_put_tables(dry_world *world, const dry_tables *tables, bool keeps);
/* Lets the next step build islands, their layout and bundles anew. */
void dry_world_forget_islands(dry_world *world);
/* Makes islands, their layout and contact bundles of a world at rest that has none, as the next step would if
 * it is as long as the last one. They decide nothing: without memory for them the next step makes them. */
void dry_make_ahead(dry_world *world);

#endif

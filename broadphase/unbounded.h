/* Proxies without bounds: a list of few, which no tree holds. Their owner tells which boxes they reach. */
#ifndef BROADPHASE_UNBOUNDED_H
#define BROADPHASE_UNBOUNDED_H

#include "broadphase/internal.h"

/* Goes through the proxies without bounds, in no particular order:
 * for (int u = dry_unbounded_first(b); u >= 0; u = dry_unbounded_next(b, u)) */
static inline int dry_unbounded_first(const dry_broadphase *broadphase)
{
    return broadphase->first_unbounded;
}

static inline int dry_unbounded_next(const dry_broadphase *broadphase, int proxy)
{
    return broadphase->trees.places[proxy];
}

/* Returns whether a proxy without bounds reaches the fat box of another one. */
bool dry_unbounded_overlaps(const dry_broadphase *broadphase, int unbounded, int proxy);

/* Puts a proxy on the list; takes it off. */
void dry_unbounded_link(dry_broadphase *broadphase, int proxy);
void dry_unbounded_unlink(dry_broadphase *broadphase, int proxy);

/* Returns the most pairs that dry_unbounded_find_pairs may find when `moved` proxies with bounds moved. */
int64_t dry_unbounded_pairs_max(const dry_broadphase *broadphase, int moved);

/* Writes the pairs of proxies without bounds, of which one of the two moved, and returns their number. The
 * proxies with bounds that moved are broadphase->moved. */
int dry_unbounded_find_pairs(const dry_broadphase *broadphase, int moved, dry_pair *pairs);

#endif

/* The order of the pairs that the broadphase found. */
#ifndef BROADPHASE_PAIR_SORT_H
#define BROADPHASE_PAIR_SORT_H

#include "core/pair_map.h"

/* Sorts pairs by (first, second), in place. */
void dry_pairs_sort(dry_pair *pairs, int count);

#endif

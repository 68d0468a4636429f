/* A hash map from pairs of indices to values: which contact a pair of shapes has.
 *
 * Open addressing with linear probing and backward-shift deletion. Nothing iterates over the map, so
 * its layout decides nothing. */
#ifndef CORE_PAIR_MAP_H
#define CORE_PAIR_MAP_H

#include "core/memory.h"

/* Two indices, first < second. */
typedef struct dry_pair {
    uint32_t first, second;
} dry_pair;

typedef struct dry_pair_entry {
    dry_pair key; /* first and second are both 0 in an empty entry */
    int32_t value;
} dry_pair_entry;

typedef struct dry_pair_map {
    dry_pair_entry *entries;
    int capacity;
    int count;
} dry_pair_map;

/* Returns the key of {a, b}, in either order, a != b. */
static inline dry_pair dry_pair_key_of(uint32_t a, uint32_t b)
{
    return a < b ? (dry_pair){a, b} : (dry_pair){b, a};
}

/* Makes room for `count` entries in all. Returns false if memory fails. */
bool dry_pair_map_reserve(dry_pair_map *map, dry_memory *memory, int count);

/* Returns the value of a key, or -1. */
int32_t dry_pair_map_find(const dry_pair_map *map, dry_pair key);
/* Moves the pairs that are not in the map to the front; returns their number. */
int dry_pair_map_drop_known(const dry_pair_map *map, dry_pair *pairs, int count);
/* Adds a key that is not in the map; room must have been reserved. */
void dry_pair_map_insert(dry_pair_map *map, dry_pair key, int32_t value);
/* Removes a key. */
void dry_pair_map_remove(dry_pair_map *map, dry_pair key);
/* Removes all keys and keeps the room. */
void dry_pair_map_clear(dry_pair_map *map);
/* Returns the entry where the search for a key begins, for a prefetch. */
const dry_pair_entry *dry_pair_map_home(const dry_pair_map *map, dry_pair key);

#endif

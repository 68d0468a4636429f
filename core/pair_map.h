/* A hash map from a pair of indices to a value: which shape pairs have a contact, and which one.
 * Open addressing with linear probing and backward-shift deletion; never iterated, so its layout decides
 * nothing. */
#ifndef CORE_PAIR_MAP_H
#define CORE_PAIR_MAP_H

#include "core/memory.h"

/* Two indices: first < second. */
typedef struct dry_pair {
    uint32_t first, second;
} dry_pair;

typedef struct dry_pair_entry {
    uint32_t first, second; /* first < second; both 0: empty */
    int32_t value;
} dry_pair_entry;

typedef struct dry_pair_set {
    dry_pair_entry *entries;
    int capacity;
    int count;
} dry_pair_set;

/* Room for `count` entries in all; false if memory fails. */
bool dry_pair_set_reserve(dry_pair_set *set, dry_memory *memory, int count);
void dry_pair_set_free(dry_pair_set *set, dry_memory *memory);

/* The value of {a, b} in either order, or -1. */
int32_t dry_pair_set_find(const dry_pair_set *set, uint32_t a, uint32_t b);
/* Moves the pairs (first < second) that are not there to the front; returns their number. */
int dry_pair_set_drop_known(const dry_pair_set *set, dry_pair *pairs, int count);
/* Adds a pair that is not there; room must have been reserved. a != b. */
void dry_pair_set_insert(dry_pair_set *set, uint32_t a, uint32_t b, int32_t value);
/* Removes a pair that is there. */
void dry_pair_set_remove(dry_pair_set *set, uint32_t a, uint32_t b);
/* Forgets all pairs and keeps the room. */
void dry_pair_set_clear(dry_pair_set *set);
/* The entry where the search for a pair begins, to be fetched before it. */
const dry_pair_entry *dry_pair_set_home(const dry_pair_set *set, uint32_t a, uint32_t b);

#endif

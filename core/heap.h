/* The first items of a sequence in an order, kept in the caller's array without allocation: a binary heap
 * with the last of the kept items on top, which the next one that comes before it replaces. */
#ifndef CORE_HEAP_H
#define CORE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Tells whether item a comes before item b. The order is strict and total. */
typedef bool dry_comes_before(const void *context, const void *a, const void *b);

typedef struct dry_heap {
    void *items;
    size_t item_bytes;
    int capacity, kept;
    dry_comes_before *comes_before;
    const void *context;
} dry_heap;

/* Keeps an item if it is one of the first `capacity` so far: O(log capacity). */
void dry_heap_keep(dry_heap *heap, const void *item);
/* Puts the kept items in order. Nothing may be kept after that. */
void dry_heap_sort(dry_heap *heap);

#endif

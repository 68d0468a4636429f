/* Halving a list of leaves along the longest axis of their centers. */
#ifndef BROADPHASE_TREE_SELECT_H
#define BROADPHASE_TREE_SELECT_H

#include <stdint.h>

/* A leaf while a tree is built. */
typedef struct dry_tree_item {
    float center[3]; /* twice the center of its box, m */
    int32_t proxy;
} dry_tree_item;

/* Moves the k items that are least along the longest axis to the front; 0 < k < count. */
void dry_tree_select(dry_tree_item *items, int count, int k);

#endif

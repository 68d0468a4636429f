/* Changing a tree leaf by leaf, with the boxes of `proxies`. No call fails within the room that was reserved.
 */
#ifndef BROADPHASE_TREE_EDIT_H
#define BROADPHASE_TREE_EDIT_H

#include "broadphase/tree_pool.h"

void dry_tree_insert(dry_trees *trees, dry_tree_kind kind, int proxy);
void dry_tree_remove(dry_trees *trees, dry_tree_kind kind, int proxy);

/* Takes over a proxy's changed box: in place where its node holds the box or the node's other children are
 * near, else by removal and insertion. */
void dry_tree_move(dry_trees *trees, dry_tree_kind kind, int proxy);

#endif

/* The pool of nodes: room, free list.
 *
 * Next: tree_build.c, for changes in bulk, and tree_edit.c, for changes leaf by leaf. */
#include "broadphase/trees.h"

/* Returns how many nodes an insertion into a tree just built needs at most: one a level, and a new root. */
static int nodes_of_a_path(int leaves)
{
    int levels = 2;
    for (; leaves > 0; leaves /= 2)
        levels++;
    return levels;
}

/* Returns the number of nodes to reserve. Leaf by leaf, trees may come to need more nodes than a build does:
 * 0.37 to 0.40 a proxy after one, 0.48 while a pile of 10,000 falls. Beyond 0.45 nodes a proxy all trees are
 * built anew, instead of holding 128 bytes a proxy for the worst case. An insertion may split every node of
 * its path. */
static int nodes_needed(int leaves)
{
    return leaves / 2 - leaves / 20 + DRY_TREE_KINDS + nodes_of_a_path(leaves);
}

void dry_trees_init(dry_trees *trees, const dry_proxies *proxies, dry_scratch *scratch)
{
    *trees = (dry_trees){.proxies = proxies, .scratch = scratch, .free_node = DRY_TREE_NONE};
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        trees->tree[kind].root = DRY_TREE_NONE;
}

void dry_trees_clear(dry_trees *trees)
{
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        trees->tree[kind] = (dry_tree){.root = DRY_TREE_NONE};
    trees->nodes_used = trees->free_count = 0;
    trees->free_node = DRY_TREE_NONE;
}

bool dry_trees_reserve(dry_trees *trees, dry_memory *memory, int proxies, int leaves)
{
    return DRY_RESERVE(memory, trees->places, trees->place_capacity, proxies) &&
           dry_scratch_promise(trees->scratch, memory, DRY_PROMISE_TREES,
                               (size_t)leaves * sizeof *trees->items) &&
           DRY_RESERVE(memory, trees->nodes, trees->node_capacity, nodes_needed(leaves));
}

int32_t dry_tree_allocate_node(dry_trees *trees)
{
    int32_t index = trees->free_node;
    if (index != DRY_TREE_NONE) {
        trees->free_node = trees->nodes[index].parent;
        trees->free_count--;
    } else {
        DRY_ASSERT(trees->nodes_used < trees->node_capacity);
        index = trees->nodes_used++;
    }
    dry_tree_node *node = &trees->nodes[index];
    *node = (dry_tree_node){.parent = DRY_TREE_NONE};
    for (int slot = 0; slot < DRY_TREE_WIDTH; slot++)
        dry_node_clear_slot(node, slot);
    return index;
}

void dry_tree_free_node(dry_trees *trees, int32_t index)
{
    DRY_ASSERT(index >= 0 && index < trees->nodes_used);
    trees->nodes[index].count = 0;
    trees->nodes[index].parent = trees->free_node;
    trees->free_node = index;
    trees->free_count++;
}

void dry_trees_sort_free_nodes(dry_trees *trees)
{
    while (trees->nodes_used > 0 && trees->nodes[trees->nodes_used - 1].count == 0)
        trees->nodes_used--;
    trees->free_node = DRY_TREE_NONE;
    trees->free_count = 0;
    for (int32_t i = trees->nodes_used - 1; i >= 0; i--) {
        if (trees->nodes[i].count == 0) {
            trees->nodes[i].parent = trees->free_node;
            trees->free_node = i;
            trees->free_count++;
        }
    }
}

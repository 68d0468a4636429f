/* Making all boxes of a tree tight, in parallel over subtrees.
 *
 * Reads: fat boxes. Writes: the boxes of nodes. */
#include "broadphase/trees.h"

/* Refits the tree below a node; returns the sum of its inner boxes' areas, m^2. */
static double refit_below(dry_trees *trees, int32_t index)
{
    double areas = 0.0;
    dry_tree_node *node = &trees->nodes[index];
    for (int slot = 0; slot < node->count; slot++) {
        int32_t child = node->child[slot];
        if (child < 0) {
            dry_node_set_box(node, slot, &trees->proxies->box[~child]);
        } else {
            areas += refit_below(trees, child);
            dry_box box = dry_node_bounds(&trees->nodes[child]);
            dry_node_set_box(node, slot, &box);
            areas += (double)dry_box_area(&box);
        }
    }
    return areas;
}

/* The nodes near the root in breadth-first order. The caller does `top` of them last; the rest are roots of
 * separate subtrees. */
typedef struct refit_work {
    dry_trees *trees;
    int32_t nodes[DRY_TREE_TOP_MAX];
    double areas[DRY_TREE_TOP_MAX];
    int top, count;
} refit_work;

static void refit_run(void *context, dry_items items)
{
    refit_work *work = context;
    for (int i = work->top + items.begin; i < work->top + items.end; i++)
        work->areas[i] = refit_below(work->trees, work->nodes[i]);
}

void dry_tree_refit(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs)
{
    dry_tree *tree = &trees->tree[kind];
    if (tree->root == DRY_TREE_NONE)
        return;
    refit_work work;
    work.trees = trees;
    work.nodes[0] = tree->root;
    work.top = 0;
    work.count = 1;
    int tasks = tree->leaves < DRY_TREE_PARALLEL_LEAVES ? 1 : DRY_TREE_TASKS;
    while (work.top < work.count && work.count - work.top < tasks &&
           work.count + DRY_TREE_WIDTH <= DRY_TREE_TOP_MAX) {
        const dry_tree_node *node = &trees->nodes[work.nodes[work.top++]];
        for (int slot = 0; slot < node->count; slot++) {
            if (node->child[slot] >= 0)
                work.nodes[work.count++] = node->child[slot];
        }
    }
    dry_tree_for(jobs, work.count - work.top, 1, refit_run, &work);

    /* Summed in the order of the list, not of the workers. */
    double areas = 0.0;
    for (int i = work.top; i < work.count; i++)
        areas += work.areas[i];
    for (int i = work.top - 1; i >= 0; i--) {
        dry_tree_node *node = &trees->nodes[work.nodes[i]];
        for (int slot = 0; slot < node->count; slot++) {
            int32_t child = node->child[slot];
            dry_box box = child < 0 ? trees->proxies->box[~child] : dry_node_bounds(&trees->nodes[child]);
            dry_node_set_box(node, slot, &box);
            if (child >= 0)
                areas += (double)dry_box_area(&box);
        }
    }
    tree->area = areas;
}

/* Three bounding volume hierarchies, one each for fixed, movable and sleeping shapes, in one pool of nodes.
 *
 * Few changes are made one by one, as in an R-tree [Guttman 84]: a full node splits and hands one half to its
 * parent, so that the tree stays level whatever the order of insertions (tree_edit.c). Many changes are made
 * by a refit of all boxes or by a build whose shape depends only on the number of leaves (tree_build.c).
 * Every node but a root has at least two children, so n leaves never need more than n nodes. */
#ifndef BROADPHASE_TREES_H
#define BROADPHASE_TREES_H

#include "broadphase/node.h"
#include "core/scratch.h"
#include "jobs/jobs.h"
#include "state/proxies.h"

/* A build of 2^29 leaves is 15 levels high, and a tree grows a level only when all nodes of a path are full.
 * Only contrived sequences reach this height; such a tree is built anew. */
#define DRY_TREE_HEIGHT_MAX 40

typedef enum dry_tree_kind {
    DRY_TREE_FIXED,
    DRY_TREE_MOVABLE,
    DRY_TREE_SLEEPING, /* movable ones that sleep */
    DRY_TREE_KINDS
} dry_tree_kind;

/* The entries of a depth-first traversal: it keeps at most three siblings a level, with the roots of all
 * trees, and pushes four entries before it counts. */
#define DRY_TREE_STACK (3 * DRY_TREE_HEIGHT_MAX + 4 * DRY_TREE_KINDS + 4)

/* A leaf while a tree is built. */
typedef struct dry_tree_item {
    float center[3]; /* twice the center of its box, m */
    int32_t proxy;
} dry_tree_item;

typedef struct dry_tree {
    int32_t root; /* DRY_TREE_NONE: no leaves */
    int leaves;
    int height;        /* an upper bound on the nodes from the root to a leaf */
    int added;         /* leaves inserted since the last build */
    int reinserted;    /* leaves moved to another place since the last build */
    int64_t stretched; /* leaves moved beyond the box of their node, but kept there, since the last build */
    int refits;        /* since the last build */
    double area;       /* of all inner boxes, m^2: a query's visits are proportional to it */
    double area_built; /* the same area at the last build; 0: never built */
} dry_tree;

typedef struct dry_trees {
    const dry_proxies *proxies; /* the leaves' fat boxes and flags */
    dry_tree tree[DRY_TREE_KINDS];
    dry_tree_node *nodes;
    int node_capacity, nodes_used;
    int32_t free_node; /* list through `parent` */
    int free_count;
    int32_t *places; /* by proxy: 4 * node + slot; without bounds: the next such proxy */
    int place_capacity;
    dry_scratch *scratch;
    dry_tree_item *items; /* of the build under way, in scratch memory */
} dry_trees;

void dry_trees_init(dry_trees *trees, const dry_proxies *proxies, dry_scratch *scratch);

/* Drops all leaves and nodes, and keeps the room. */
void dry_trees_clear(dry_trees *trees);

/* Makes room for proxies [0, proxies), of which so many are leaves; false if memory fails. */
bool dry_trees_reserve(dry_trees *trees, dry_memory *memory, int proxies, int leaves);

/* Takes a node without children. */
int32_t dry_tree_allocate_node(dry_trees *trees);
void dry_tree_free_node(dry_trees *trees, int32_t index);

/* Lists the free nodes by rising index, so that the nodes of a build lie in the order of its traversal. */
void dry_trees_sort_free_nodes(dry_trees *trees);

static inline int dry_trees_available_nodes(const dry_trees *trees)
{
    return trees->node_capacity - trees->nodes_used + trees->free_count;
}

/* Puts a child and its box into a slot, and tells the child where it is. */
static inline void dry_tree_put(dry_trees *trees, int32_t index, int slot, int32_t child, const dry_box *box)
{
    dry_tree_node *node = &trees->nodes[index];
    dry_node_set_box(node, slot, box);
    node->child[slot] = child;
    int32_t place = DRY_TREE_WIDTH * index + slot;
    if (child >= 0)
        trees->nodes[child].parent = place;
    else
        trees->places[~child] = place;
}

/* Leaf by leaf, with the boxes of `proxies`. No call fails within the room that was reserved. */

void dry_tree_insert(dry_trees *trees, dry_tree_kind kind, int proxy);
void dry_tree_remove(dry_trees *trees, dry_tree_kind kind, int proxy);

/* Takes over a proxy's changed box: in place where its node holds the box or the node's other children are
 * near, else by removal and insertion. */
void dry_tree_move(dry_trees *trees, dry_tree_kind kind, int proxy);

/* In bulk. */

/* Builds the tree anew from its leaves whose proxies are in use. `jobs` may be null here and below: then the
 * calling thread does all.
 */
void dry_tree_build(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs);

/* Builds the tree anew from its leaves and `count` proxies more. */
void dry_tree_build_with(dry_trees *trees, dry_tree_kind kind, const int32_t *proxies, int count,
                         dry_jobs *jobs);

/* Builds MOVABLE and SLEEPING anew from the leaves of both: SLEEPING gets those whose flags say so. */
void dry_tree_divide(dry_trees *trees, dry_jobs *jobs);

/* Moves the k items that are least along the longest axis to the front; 0 < k < count. */
void dry_tree_select(dry_tree_item *items, int count, int k);

/* Shares out a tree's work in subtrees. */
enum {
    /* Subtrees to share out, several a worker on any machine of today so that their times even out. */
    DRY_TREE_TASKS = 256,
    DRY_TREE_TOP_MAX = 4 * DRY_TREE_TASKS,
    /* Below this number of leaves a tree is done on one thread: some 50 us of work. */
    DRY_TREE_PARALLEL_LEAVES = 2048,
};

/* Copies all fat boxes into the leaves and makes every inner box tight. */
void dry_tree_refit(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs);

/* Calls dry_jobs_for, or `run` on the calling thread where `jobs` is null. */
static inline void dry_tree_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context)
{
    dry_jobs_for(jobs ? jobs : dry_jobs_alone(), count, grain, run, context);
}

#endif

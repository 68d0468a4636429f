/* The bounding volume hierarchies of the broadphase: one of the shapes that never move by themselves, one
 * of those that do, one of those that could but sleep, in one pool of nodes.
 *
 * A node has up to four children and holds their boxes, lane by lane, so one node is two cache lines and
 * one test of six 4-lane comparisons:
 *
 *      min.x  [c0 c1 c2 c3]      child  [n7 ~p3 ~p9 --]     n: node, ~p: leaf of proxy p, --: empty
 *      min.y  [c0 c1 c2 c3]      parent  4 * node + slot
 *      ...                       count   3
 *      max.z  [c0 c1 c2 c3]
 *
 * Few changes are made one by one, as in an R-tree [Guttman 84]: a full node splits and hands one half to
 * its parent, so that the tree stays level whatever the order of insertions. Many changes are made by a
 * refit of all boxes, or by a bulk build whose shape depends only on the number of leaves.
 * Every node but a root has at least two children, so n leaves never need more than n nodes.
 *
 * tree.c: one by one, and pruning. tree_build.c, tree_select.c: refit and build. pairs.c and query.c:
 * traversals. */
#ifndef BROADPHASE_TREE_H
#define BROADPHASE_TREE_H

#include "broadphase/broadphase.h"

#include <simde/x86/sse2.h>

#define DRY_TREE_WIDTH 4
#define DRY_TREE_EMPTY INT32_MIN
#define DRY_TREE_NONE (-1)

/* A build of 2^29 leaves is 15 levels high and a tree grows a level only when all nodes of a path are full,
 * so this is met only by contrived sequences; a tree that reaches it is built anew. */
#define DRY_TREE_HEIGHT_MAX 40

/* A depth-first traversal keeps at most three siblings a level, and pushes four entries before it counts. */
#define DRY_TREE_STACK (3 * DRY_TREE_HEIGHT_MAX + 8)

typedef struct dry_tree_node {
    float min[3][DRY_TREE_WIDTH], max[3][DRY_TREE_WIDTH]; /* empty: min +inf, max -inf */
    int32_t child[DRY_TREE_WIDTH];                        /* node, ~proxy, or DRY_TREE_EMPTY */
    int32_t parent;                                       /* 4 * node + slot, or DRY_TREE_NONE */
    int32_t count;                                        /* children, in slots 0 to count - 1; 0: free */
    int32_t moved;                                        /* bits of children to be paired; 0 between calls */
    int32_t unused;
} dry_tree_node;

_Static_assert(sizeof(dry_tree_node) == 128, "a node is two cache lines");

typedef enum dry_tree_kind {
    DRY_TREE_FIXED,
    DRY_TREE_MOVABLE,
    DRY_TREE_RESTING, /* movable ones that sleep */
    DRY_TREE_KINDS
} dry_tree_kind;

typedef struct dry_tree {
    int32_t root; /* DRY_TREE_NONE: no leaves */
    int leaves;
    int height;        /* an upper bound on the nodes from the root to a leaf */
    int added;         /* leaves inserted since the last build */
    int reinserted;    /* leaves moved to another place since the last build */
    int64_t stretched; /* leaves moved beyond what their node spanned, but kept there, likewise */
    int refits;        /* since the last build */
    double area;       /* of all inner boxes, m^2: what a query's visits are proportional to */
    double area_built; /* the same when it was built; 0: never */
} dry_tree;

/* A leaf while building: twice its box's centre. */
typedef struct dry_tree_item {
    float center[3];
    int32_t proxy;
} dry_tree_item;

typedef struct dry_trees {
    dry_tree tree[DRY_TREE_KINDS];
    dry_tree_node *nodes;
    int node_capacity, nodes_used;
    int32_t free_node; /* list through `parent` */
    int free_count;
    dry_box *boxes; /* by proxy: its fat box */
    int box_capacity;
    int32_t *places; /* by proxy: 4 * node + slot */
    int place_capacity;
    dry_tree_item *items; /* scratch of a build, and then of a search for pairs */
    int item_capacity;
} dry_trees;

void dry_trees_init(dry_trees *trees);
void dry_trees_free(dry_trees *trees, dry_memory *memory);

/* Room for proxies [0, proxies), all of them leaves; false if memory fails. */
bool dry_trees_reserve(dry_trees *trees, dry_memory *memory, int proxies);

/* Leaf by leaf, with the boxes of trees->boxes. None of these can fail within what was reserved. */
void dry_tree_insert(dry_trees *trees, dry_tree_kind kind, int proxy);
void dry_tree_remove(dry_trees *trees, dry_tree_kind kind, int proxy);
/* The proxy's box changed: in place where its node holds it or the node's other children are near, else out
 * and in again. */
void dry_tree_move(dry_trees *trees, dry_tree_kind kind, int proxy);

/* Takes out all leaves that do not have `used` in their state. */
void dry_tree_prune(dry_trees *trees, dry_tree_kind kind, const unsigned char *states, unsigned char used);

/* Takes over all boxes and makes every inner box tight. */
void dry_tree_refit(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs);

/* Builds the tree anew from its leaves, or from those and more. */
void dry_tree_build(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs);
void dry_tree_build_with(dry_trees *trees, dry_tree_kind kind, const int32_t *proxies, int count,
                         dry_jobs *jobs);
/* Builds MOVABLE and RESTING anew, the latter of those leaves that have `resting` in their state. */
void dry_tree_divide(dry_trees *trees, const unsigned char *states, unsigned char resting, dry_jobs *jobs);

/* The nodes that a build of so many leaves takes at the most: its leaf nodes are full but for one a subtree.
 */
static inline int dry_tree_nodes_max(int leaves)
{
    return leaves / 2 + 1;
}

/* Shared by tree.c and tree_build.c. */
int32_t dry_tree_allocate_node(dry_trees *trees);
void dry_tree_free_node(dry_trees *trees, int32_t index);
/* Moves the k items that are least along the longest axis to the front; 0 < k < count. tree_select.c */
void dry_tree_select(dry_tree_item *items, int count, int k);

/* dry_jobs_for, or the calling thread where there are no jobs. */
static inline void dry_tree_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context)
{
    if (jobs)
        dry_jobs_for(jobs, count, grain, run, context);
    else if (count > 0)
        run(context, 0, count, 0);
}

/* Boxes. */

static inline dry_box dry_box_union(const dry_box *a, const dry_box *b)
{
    dry_box u;
    for (int k = 0; k < 3; k++) {
        u.min[k] = dry_min(a->min[k], b->min[k]);
        u.max[k] = dry_max(a->max[k], b->max[k]);
    }
    return u;
}

/* Half the surface. */
static inline float dry_box_area(const dry_box *a)
{
    float x = a->max[0] - a->min[0], y = a->max[1] - a->min[1], z = a->max[2] - a->min[2];
    return x * y + y * z + z * x;
}

static inline bool dry_box_contains(const dry_box *outer, const dry_box *inner)
{
    return outer->min[0] <= inner->min[0] && outer->min[1] <= inner->min[1] &&
           outer->min[2] <= inner->min[2] && inner->max[0] <= outer->max[0] &&
           inner->max[1] <= outer->max[1] && inner->max[2] <= outer->max[2];
}

static inline dry_box dry_node_box(const dry_tree_node *node, int slot)
{
    return (dry_box){{node->min[0][slot], node->min[1][slot], node->min[2][slot]},
                     {node->max[0][slot], node->max[1][slot], node->max[2][slot]}};
}

static inline void dry_node_set_box(dry_tree_node *node, int slot, const dry_box *box)
{
    for (int k = 0; k < 3; k++) {
        node->min[k][slot] = box->min[k];
        node->max[k][slot] = box->max[k];
    }
}

/* The union of all four boxes; empty ones are neutral. */
static inline dry_box dry_node_bounds(const dry_tree_node *node)
{
    dry_box u;
    for (int k = 0; k < 3; k++) {
        const float *low = node->min[k], *high = node->max[k];
        u.min[k] = dry_min(dry_min(low[0], low[1]), dry_min(low[2], low[3]));
        u.max[k] = dry_max(dry_max(high[0], high[1]), dry_max(high[2], high[3]));
    }
    return u;
}

/* One box in all four lanes, to be tested against nodes. */
typedef struct dry_box4 {
    simde__m128 min[3], max[3];
} dry_box4;

static inline dry_box4 dry_box4_splat(const dry_box *box)
{
    dry_box4 b;
    for (int k = 0; k < 3; k++) {
        b.min[k] = simde_mm_set1_ps(box->min[k]);
        b.max[k] = simde_mm_set1_ps(box->max[k]);
    }
    return b;
}

static inline dry_box4 dry_box4_splat_child(const dry_tree_node *node, int slot)
{
    dry_box4 b;
    for (int k = 0; k < 3; k++) {
        b.min[k] = simde_mm_set1_ps(node->min[k][slot]);
        b.max[k] = simde_mm_set1_ps(node->max[k][slot]);
    }
    return b;
}

/* Bit s: child s overlaps. */
static inline int dry_node_overlaps(const dry_tree_node *node, const dry_box4 *box)
{
    simde__m128 x = simde_mm_and_ps(simde_mm_cmple_ps(simde_mm_load_ps(node->min[0]), box->max[0]),
                                    simde_mm_cmple_ps(box->min[0], simde_mm_load_ps(node->max[0])));
    simde__m128 y = simde_mm_and_ps(simde_mm_cmple_ps(simde_mm_load_ps(node->min[1]), box->max[1]),
                                    simde_mm_cmple_ps(box->min[1], simde_mm_load_ps(node->max[1])));
    simde__m128 z = simde_mm_and_ps(simde_mm_cmple_ps(simde_mm_load_ps(node->min[2]), box->max[2]),
                                    simde_mm_cmple_ps(box->min[2], simde_mm_load_ps(node->max[2])));
    return simde_mm_movemask_ps(simde_mm_and_ps(simde_mm_and_ps(x, y), z));
}

#endif

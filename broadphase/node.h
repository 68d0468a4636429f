/* A node of the broadphase's trees: up to four children and their boxes, lane by lane.
 *
 *      min.x  [c0 c1 c2 c3]      child  [n7 ~p3 ~p9 --]     n: node, ~p: leaf of proxy p, --: empty
 *      min.y  [c0 c1 c2 c3]      parent  4 * node + slot
 *      ...                       count   3
 *      max.z  [c0 c1 c2 c3]
 *
 * One node is two cache lines, and a box is tested against four children by six 4-lane comparisons. */
#ifndef BROADPHASE_NODE_H
#define BROADPHASE_NODE_H

#include "core/bounds.h"
#include "simd/fours.h"

#define DRY_TREE_WIDTH 4
#define DRY_TREE_EMPTY INT32_MIN
#define DRY_TREE_NONE (-1)

typedef struct dry_tree_node {
    float min[3][DRY_TREE_WIDTH], max[3][DRY_TREE_WIDTH]; /* empty: min +inf, max -inf */
    int32_t child[DRY_TREE_WIDTH];                        /* node, ~proxy, or DRY_TREE_EMPTY */
    int32_t parent;                                       /* 4 * node + slot, or DRY_TREE_NONE */
    int32_t count;                                        /* children, in slots 0 to count - 1; 0: free */
    int32_t moved; /* bits of children that a search for pairs takes up; 0 between searches */
    int32_t unused;
} dry_tree_node;

_Static_assert(sizeof(dry_tree_node) == 128, "a node is two cache lines");

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

static inline void dry_node_clear_slot(dry_tree_node *node, int slot)
{
    static const dry_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    dry_node_set_box(node, slot, &empty);
    node->child[slot] = DRY_TREE_EMPTY;
}

/* Returns the union of all four boxes; empty ones are neutral. */
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

/* One box in all four lanes, ready for tests against nodes. */
typedef struct dry_box4 {
    float4 min[3], max[3];
} dry_box4;

static inline dry_box4 dry_box4_splat(const dry_box *box)
{
    dry_box4 b;
    for (int k = 0; k < 3; k++) {
        b.min[k] = float4_set(box->min[k]);
        b.max[k] = float4_set(box->max[k]);
    }
    return b;
}

static inline dry_box4 dry_box4_splat_child(const dry_tree_node *node, int slot)
{
    const dry_box box = dry_node_box(node, slot);
    return dry_box4_splat(&box);
}

/* Returns a bit for each child whose box overlaps: bit s for slot s. */
static inline int dry_node_overlaps(const dry_tree_node *node, const dry_box4 *box)
{
    float4 within[3];
    for (int k = 0; k < 3; k++)
        within[k] = float4_and(float4_less_equal(float4_load_aligned(node->min[k]), box->max[k]),
                               float4_less_equal(box->min[k], float4_load_aligned(node->max[k])));
    return float4_true(float4_and(float4_and(within[0], within[1]), within[2]));
}

#endif

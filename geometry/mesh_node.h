/* A node of a mesh's tree: four children whose boxes are bytes on a grid of the node's own, in one cache
 * line.
 *
 *      origin.xyz step.xyz        a box's side is origin + step * byte, in float, computed exactly so
 *      low.x  [c0 c1 c2 c3]       child  0: empty
 *      ...                               leaf bit | (count - 1) << 24 | first slot
 *      high.z [c0 c1 c2 c3]              or the number of a node
 *
 * Bytes are rounded outward with that very formula, so the boxes that queries see hold their triangles.
 * Nodes are numbered in depth-first order and slots follow it, so that each of both is named once. */
#ifndef GEOMETRY_MESH_NODE_H
#define GEOMETRY_MESH_NODE_H

#include "geometry/mesh_tree.h"
#include "simd/fours.h"

enum {
    DRY_MESH_WIDTH = 4,
    DRY_MESH_LEAF_FILL = 4,  /* the most triangles of a leaf as it is built */
    DRY_MESH_LEAF_MAX = 8,   /* of a leaf in a block */
    DRY_MESH_DEPTH_MAX = 64, /* levels of nodes */
    DRY_MESH_STACK = (DRY_MESH_WIDTH - 1) * DRY_MESH_DEPTH_MAX + DRY_MESH_WIDTH,
    DRY_MESH_COUNT_SHIFT = 24,
    DRY_MESH_SLOT_MASK = (1 << DRY_MESH_COUNT_SHIFT) - 1,
};
#define DRY_MESH_LEAF (1u << 31)

typedef struct dry_mesh_node {
    float origin[3], step[3];
    uint8_t low[3][DRY_MESH_WIDTH], high[3][DRY_MESH_WIDTH];
    uint32_t child[DRY_MESH_WIDTH];
} dry_mesh_node;
_Static_assert(sizeof(dry_mesh_node) == 64, "a node is one cache line");

static inline const dry_mesh_node *dry_mesh_tree_nodes(const dry_mesh_tree *tree)
{
    return dry_mesh_tree_at(tree, tree->nodes);
}

static inline uint32_t dry_mesh_leaf_first(uint32_t child)
{
    return child & DRY_MESH_SLOT_MASK;
}

static inline uint32_t dry_mesh_leaf_end(uint32_t child)
{
    return (child & DRY_MESH_SLOT_MASK) + (child >> DRY_MESH_COUNT_SHIFT & 7) + 1;
}

/* Prefetches a node, or the first corners of a leaf. */
static inline void dry_mesh_prefetch_child(const dry_mesh_tree *tree, uint32_t child)
{
    const void *leaf = dry_mesh_tree_corners(tree) + 3 * (size_t)dry_mesh_leaf_first(child),
               *node = dry_mesh_tree_nodes(tree) + (child & DRY_MESH_SLOT_MASK);
    DRY_PREFETCH(child & DRY_MESH_LEAF ? leaf : node);
}

static inline float dry_mesh_grid_side(float origin, float step, int byte)
{
    return origin + step * (float)byte;
}

static inline dry_box dry_mesh_node_box(const dry_mesh_node *node, int slot)
{
    dry_box box;
    for (int k = 0; k < 3; k++) {
        box.min[k] = dry_mesh_grid_side(node->origin[k], node->step[k], node->low[k][slot]);
        box.max[k] = dry_mesh_grid_side(node->origin[k], node->step[k], node->high[k][slot]);
    }
    return box;
}

/* Returns the sides of the children's boxes along an axis. */
static inline float4 dry_mesh_sides(const dry_mesh_node *node, int axis, const uint8_t bytes[DRY_MESH_WIDTH])
{
    return float4_set(node->origin[axis]) + float4_set(node->step[axis]) * float4_of_bytes(bytes);
}

/* Returns a bit for each child that exists. */
static inline int dry_mesh_node_children(const dry_mesh_node *node)
{
    return bits4_nonzero(bits4_load(node->child));
}

/* Returns a bit for each child whose box meets a box. */
static inline int dry_mesh_node_overlaps(const dry_mesh_node *node, const dry_box *box)
{
    float4 meets = float4_less_equal(float4_set(0.0f), float4_set(0.0f));
    for (int k = 0; k < 3; k++) {
        const float4 low = dry_mesh_sides(node, k, node->low[k]),
                     high = dry_mesh_sides(node, k, node->high[k]);
        meets = float4_and(meets, float4_and(float4_less_equal(low, float4_set(box->max[k])),
                                             float4_less_equal(float4_set(box->min[k]), high)));
    }
    return float4_true(meets) & dry_mesh_node_children(node);
}

static inline dry_box dry_mesh_slot_box(const dry_mesh_tree *tree, uint32_t slot)
{
    const dry_vec3 a = dry_mesh_tree_vertex(tree, slot, 0), b = dry_mesh_tree_vertex(tree, slot, 1),
                   c = dry_mesh_tree_vertex(tree, slot, 2);
    const dry_vec3 low = vec3_min(vec3_min(a, b), c), high = vec3_max(vec3_max(a, b), c);
    return (dry_box){{low.x, low.y, low.z}, {high.x, high.y, high.z}};
}

/* Tells whether the box of a slot meets a box. */
static inline bool dry_mesh_slot_overlaps(const dry_mesh_tree *tree, uint32_t slot, const dry_box *box)
{
    float4 v[3];
    for (int i = 0; i < 3; i++) {
        const dry_vec3 at = dry_mesh_tree_vertex(tree, slot, i);
        v[i] = float4_of(at.x, at.y, at.z, at.z);
    }
    const float4 low = float4_min(float4_min(v[0], v[1]), v[2]),
                 high = float4_max(float4_max(v[0], v[1]), v[2]);
    const float4 min = float4_of(box->min[0], box->min[1], box->min[2], box->min[2]),
                 max = float4_of(box->max[0], box->max[1], box->max[2], box->max[2]);
    return float4_true(float4_and(float4_less_equal(low, max), float4_less_equal(min, high))) == 15;
}

#endif

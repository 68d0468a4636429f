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

#include <simde/x86/sse2.h>
#include <string.h>

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

static inline float dry_mesh_side(float origin, float step, int byte)
{
    return origin + step * (float)byte;
}

static inline dry_box dry_mesh_node_box(const dry_mesh_node *node, int slot)
{
    dry_box box;
    for (int k = 0; k < 3; k++) {
        box.min[k] = dry_mesh_side(node->origin[k], node->step[k], node->low[k][slot]);
        box.max[k] = dry_mesh_side(node->origin[k], node->step[k], node->high[k][slot]);
    }
    return box;
}

/* Returns four bytes as floats. */
static inline simde__m128 dry_mesh_bytes4(const uint8_t bytes[DRY_MESH_WIDTH])
{
    int32_t word;
    memcpy(&word, bytes, sizeof word);
    const simde__m128i zero = simde_mm_setzero_si128();
    const simde__m128i halves = simde_mm_unpacklo_epi8(simde_mm_cvtsi32_si128(word), zero);
    return simde_mm_cvtepi32_ps(simde_mm_unpacklo_epi16(halves, zero));
}

/* Returns a bit for each child that exists. */
static inline int dry_mesh_node_children(const dry_mesh_node *node)
{
    const simde__m128i child = simde_mm_loadu_si128((const simde__m128i *)(const void *)node->child);
    const simde__m128i empty = simde_mm_cmpeq_epi32(child, simde_mm_setzero_si128());
    return ~simde_mm_movemask_ps(simde_mm_castsi128_ps(empty)) & 15;
}

/* Returns a bit for each child whose box meets a box. */
static inline int dry_mesh_node_overlaps(const dry_mesh_node *node, const dry_box *box)
{
    simde__m128 meets = simde_mm_castsi128_ps(simde_mm_set1_epi32(-1));
    for (int k = 0; k < 3; k++) {
        const simde__m128 origin = simde_mm_set1_ps(node->origin[k]), step = simde_mm_set1_ps(node->step[k]);
        const simde__m128 low = simde_mm_add_ps(origin, simde_mm_mul_ps(step, dry_mesh_bytes4(node->low[k])));
        const simde__m128 high =
            simde_mm_add_ps(origin, simde_mm_mul_ps(step, dry_mesh_bytes4(node->high[k])));
        meets =
            simde_mm_and_ps(meets, simde_mm_and_ps(simde_mm_cmple_ps(low, simde_mm_set1_ps(box->max[k])),
                                                   simde_mm_cmple_ps(simde_mm_set1_ps(box->min[k]), high)));
    }
    return simde_mm_movemask_ps(meets) & dry_mesh_node_children(node);
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
    simde__m128 v[3];
    for (int i = 0; i < 3; i++) {
        const dry_vec3 at = dry_mesh_tree_vertex(tree, slot, i);
        v[i] = simde_mm_set_ps(at.z, at.z, at.y, at.x);
    }
    const simde__m128 low = simde_mm_min_ps(simde_mm_min_ps(v[0], v[1]), v[2]),
                      high = simde_mm_max_ps(simde_mm_max_ps(v[0], v[1]), v[2]);
    const simde__m128 min = simde_mm_set_ps(box->min[2], box->min[2], box->min[1], box->min[0]),
                      max = simde_mm_set_ps(box->max[2], box->max[2], box->max[1], box->max[0]);
    return simde_mm_movemask_ps(simde_mm_and_ps(simde_mm_cmple_ps(low, max), simde_mm_cmple_ps(min, high))) ==
           15;
}

#endif

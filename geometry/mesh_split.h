/* Divides a mesh's triangles into a tree of boxes. */
#ifndef GEOMETRY_MESH_SPLIT_H
#define GEOMETRY_MESH_SPLIT_H

#include "geometry/mesh_node.h"

/* A triangle's box, ready for lanes, and its number. */
typedef struct dry_mesh_item {
    float min[4]; /* the last one is the triangle's number: floats count exactly to 2^24 */
    float max[4]; /* the last one is 0 */
} dry_mesh_item;

static inline uint32_t dry_mesh_item_triangle(const dry_mesh_item *item)
{
    return (uint32_t)item->min[3];
}

/* Returns the most nodes that a tree of `count` items takes. */
static inline size_t dry_mesh_nodes_max(size_t count)
{
    return count / 2 + 2;
}

/* Orders the items by the tree's leaves, and writes its nodes. Returns the number of nodes; `depth` is the
 * number of levels. */
uint32_t dry_mesh_split(dry_mesh_item *items, uint32_t count, dry_mesh_node *nodes, uint32_t *depth);

#endif

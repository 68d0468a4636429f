/* Tells whether bytes are a mesh's block. The header says where all lies, and the hash is that of the rest.
 * Then every number is checked, since a hash can be computed by anyone: vertices, corners, tags, and the tree
 * in depth-first order, where each node and each slot must come next. No memory is taken.
 *
 * Reads: bytes. */
#include "geometry/geometry.h"
#include "geometry/mesh_layout.h"

#include <string.h>

static bool header_is_good(const dry_mesh_tree *tree, size_t size)
{
    if (size < sizeof *tree || tree->magic != DRY_MESH_MAGIC || tree->version != DRY_MESH_VERSION ||
        tree->bytes != size || tree->flags > (DRY_MESH_TWO_SIDED | DRY_MESH_SOLID) ||
        tree->materials_present > 1 || tree->triangle_count < 1 ||
        tree->triangle_count > DRY_MESH_TRIANGLES_MAX || tree->slot_count < 1 ||
        tree->slot_count > tree->triangle_count || tree->vertex_count < 3 ||
        tree->vertex_count > 3 * (uint64_t)tree->slot_count || tree->node_count < 1 ||
        tree->node_count > tree->slot_count)
        return false;
    dry_mesh_tree laid = *tree;
    dry_mesh_lay_out(&laid);
    return memcmp(&laid, tree, sizeof laid) == 0 && dry_mesh_tree_hash(tree) == tree->hash;
}

static bool vertices_are_good(const dry_mesh_tree *tree)
{
    const dry_vec3 *vertices = dry_mesh_tree_vertices(tree);
    bool is_good = true;
    for (uint32_t v = 0; v < tree->vertex_count; v++)
        is_good = is_good && dry_is_within_extent(vertices[v]);
    return is_good;
}

/* An edge that is flat has the angle 0, an open one the largest. */
static bool corners_are_good(const dry_mesh_tree *tree)
{
    const uint32_t *corners = dry_mesh_tree_corners(tree), *tags = dry_mesh_tree_tags(tree);
    bool is_good = true;
    for (size_t i = 0; i < 3 * (size_t)tree->slot_count; i++) {
        const uint32_t kind = corners[i] >> DRY_MESH_KIND_SHIFT & 3,
                       angle = corners[i] >> DRY_MESH_ANGLE_SHIFT;
        is_good &= (corners[i] & DRY_MESH_VERTEX_MASK) < tree->vertex_count;
        is_good &= (kind != DRY_MESH_EDGE_FLAT) | (angle == 0);
        is_good &= (kind != DRY_MESH_EDGE_OPEN) | (angle == DRY_MESH_ANGLE_STEPS - 1);
    }
    for (uint32_t slot = 0; slot < tree->slot_count; slot++)
        is_good &= tags[slot] >> (DRY_MESH_ACTIVE_SHIFT + 3) == 0 &&
                   (tags[slot] & DRY_MESH_TRIANGLE_MASK) < tree->triangle_count;
    return is_good;
}

/* Tells whether each caller's number is there once at most: a pass for each window of numbers. */
static bool triangles_differ(const dry_mesh_tree *tree)
{
    enum { WINDOW = 1 << 19 };
    uint8_t seen[WINDOW / 8];
    const uint32_t *tags = dry_mesh_tree_tags(tree);
    for (uint32_t begin = 0; begin < tree->triangle_count; begin += WINDOW) {
        memset(seen, 0, sizeof seen);
        for (uint32_t slot = 0; slot < tree->slot_count; slot++) {
            const uint32_t at = (tags[slot] & DRY_MESH_TRIANGLE_MASK) - begin;
            if (at >= WINDOW)
                continue;
            if (seen[at / 8] >> (at % 8) & 1)
                return false;
            seen[at / 8] |= (uint8_t)(1 << (at % 8));
        }
    }
    return true;
}

/* A walk in depth-first order. */
typedef struct walk {
    const dry_mesh_tree *tree;
    uint32_t node_count, slot_count, depth; /* met so far */
} walk;

/* Takes up a leaf, and returns its box. */
static bool leaf_is_good(walk *w, uint32_t leaf, dry_box *box)
{
    const uint32_t end = dry_mesh_leaf_end(leaf);
    if (leaf >> 27 != DRY_MESH_LEAF >> 27 || dry_mesh_leaf_first(leaf) != w->slot_count ||
        end > w->tree->slot_count)
        return false;
    *box = dry_mesh_slot_box(w->tree, w->slot_count);
    for (w->slot_count++; w->slot_count < end; w->slot_count++) {
        const dry_box own = dry_mesh_slot_box(w->tree, w->slot_count);
        *box = dry_box_union(box, &own);
    }
    return true;
}

static bool grid_is_good(const dry_mesh_node *node)
{
    bool is_good = true;
    for (int k = 0; k < 3; k++)
        is_good = is_good && dry_abs(node->origin[k]) <= DRY_EXTENT_MAX && node->step[k] >= 0.0f &&
                  node->step[k] <= DRY_EXTENT_MAX;
    return is_good;
}

/* Takes up the node that comes next, and returns the box of all triangles below. */
static bool node_is_good(walk *w, uint32_t level, dry_box *box)
{
    if (level >= DRY_MESH_DEPTH_MAX || w->node_count >= w->tree->node_count)
        return false;
    const dry_mesh_node *node = &dry_mesh_tree_nodes(w->tree)[w->node_count++];
    w->depth = level + 1 > w->depth ? level + 1 : w->depth;
    if (!node->child[0] || !grid_is_good(node))
        return false;
    for (int i = 0; i < DRY_MESH_WIDTH && node->child[i]; i++) {
        const uint32_t child = node->child[i];
        dry_box below;
        if (child & DRY_MESH_LEAF ? !leaf_is_good(w, child, &below)
                                  : child != w->node_count || !node_is_good(w, level + 1, &below))
            return false;
        const dry_box own = dry_mesh_node_box(node, i);
        if (!dry_box_contains(&own, &below))
            return false;
        *box = i ? dry_box_union(box, &below) : below;
    }
    for (int i = 1; i < DRY_MESH_WIDTH; i++)
        if (node->child[i] && !node->child[i - 1])
            return false;
    return true;
}

static bool nodes_are_good(const dry_mesh_tree *tree)
{
    walk w = {.tree = tree};
    dry_box box;
    return node_is_good(&w, 0, &box) && w.node_count == tree->node_count &&
           w.slot_count == tree->slot_count && w.depth == tree->depth &&
           memcmp(&box, &tree->bounds, sizeof box) == 0;
}

bool dry_mesh_tree_check(const void *bytes, size_t size)
{
    const dry_mesh_tree *tree = bytes;
    return header_is_good(tree, size) && vertices_are_good(tree) && corners_are_good(tree) &&
           triangles_differ(tree) && nodes_are_good(tree);
}

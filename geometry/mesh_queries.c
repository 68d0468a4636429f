/* Triangles in a box. */
#include "geometry/mesh_node.h"

bool dry_mesh_tree_visit_box(const dry_mesh_tree *tree, const dry_box *box, dry_triangles_visitor *visit,
                             void *context)
{
    const dry_mesh_node *nodes = dry_mesh_tree_nodes(tree);
    uint32_t stack[DRY_MESH_STACK];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const uint32_t child = stack[--top];
        if (child & DRY_MESH_LEAF) {
            uint32_t hit[DRY_MESH_LEAF_MAX];
            int count = 0;
            for (uint32_t slot = dry_mesh_leaf_first(child); slot < dry_mesh_leaf_end(child); slot++) {
                hit[count] = slot;
                count += dry_mesh_slot_overlaps(tree, slot, box);
            }
            for (int i = 0; i < count; i++)
                if (!visit(context, hit[i]))
                    return false;
            continue;
        }
        const dry_mesh_node *node = &nodes[child];
        const int hits = dry_mesh_node_overlaps(node, box);
        /* Branches here would be guesses: every child is put on the stack, and those without a hit are
         * overwritten. */
        for (int i = DRY_MESH_WIDTH - 1; i >= 0; i--) {
            stack[top] = node->child[i];
            dry_mesh_prefetch_child(tree, node->child[i]);
            top += hits >> i & 1;
        }
    }
    return true;
}

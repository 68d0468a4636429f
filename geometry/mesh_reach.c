/* How far a mesh reaches in a direction: down the tree, the farthest boxes first.
 *
 * Reads: a block. Next: shapes/surface.c, which makes bounds of it. */
#include "geometry/mesh_node.h"

typedef struct far_child {
    uint32_t child;
    double bound; /* of the product, m */
} far_child;

static double reach_of_box(const dry_box *box, const double direction[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += direction[k] * (double)(direction[k] > 0.0 ? box->max[k] : box->min[k]);
    return sum;
}

/* Puts the children of a node on the stack, the farthest on top. Returns their number. */
static int push_far(const dry_mesh_node *node, const double direction[3], far_child *stack)
{
    int count = 0;
    for (int i = 0; i < DRY_MESH_WIDTH && node->child[i]; i++) {
        const dry_box box = dry_mesh_node_box(node, i);
        const double bound = reach_of_box(&box, direction);
        int j = count++;
        for (; j > 0 && stack[j - 1].bound > bound; j--)
            stack[j] = stack[j - 1];
        stack[j] = (far_child){node->child[i], bound};
    }
    return count;
}

static double reach_of_leaf(const dry_mesh_tree *tree, uint32_t leaf, const double direction[3])
{
    double most = -DBL_MAX;
    for (uint32_t slot = dry_mesh_leaf_first(leaf); slot < dry_mesh_leaf_end(leaf); slot++)
        for (int i = 0; i < 3; i++) {
            const dry_vec3 v = dry_mesh_tree_vertex(tree, slot, i);
            const double reach =
                direction[0] * (double)v.x + direction[1] * (double)v.y + direction[2] * (double)v.z;
            most = reach > most ? reach : most;
        }
    return most;
}

double dry_mesh_tree_reach(const dry_mesh_tree *tree, const double direction[3], double slack)
{
    far_child stack[DRY_MESH_STACK];
    double most = -DBL_MAX, passed = -DBL_MAX;
    int top = 0;
    stack[top++] = (far_child){0, DBL_MAX};
    while (top > 0) {
        const far_child next = stack[--top];
        if (next.bound <= most + slack) {
            passed = next.bound > passed ? next.bound : passed;
        } else if (next.child & DRY_MESH_LEAF) {
            const double reach = reach_of_leaf(tree, next.child, direction);
            most = reach > most ? reach : most;
        } else {
            top += push_far(&dry_mesh_tree_nodes(tree)[next.child], direction, stack + top);
        }
    }
    return passed > most ? passed : most;
}

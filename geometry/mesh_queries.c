/* Triangles in a box, the point nearest to another, and whether a normal holds. */
#include "geometry/mesh_node.h"
#include "geometry/triangle.h"

/* Prefetches a node, or the first corners of a leaf. */
static inline void prefetch_child(const dry_mesh_tree *tree, uint32_t child)
{
    const void *leaf = dry_mesh_tree_corners(tree) + 3 * (size_t)dry_mesh_leaf_first(child),
               *node = dry_mesh_tree_nodes(tree) + (child & DRY_MESH_SLOT_MASK);
    DRY_PREFETCH(child & DRY_MESH_LEAF ? leaf : node);
}

bool dry_mesh_tree_visit_box(const dry_mesh_tree *tree, const dry_box *box, dry_mesh_visit *visit,
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
                if (!visit(context, tree, hit[i]))
                    return false;
            continue;
        }
        const dry_mesh_node *node = &nodes[child];
        const int hits = dry_mesh_node_overlaps(node, box);
        /* Branches here would be guesses: every child is put on the stack, and those without a hit are
         * overwritten. */
        for (int i = DRY_MESH_WIDTH - 1; i >= 0; i--) {
            stack[top] = node->child[i];
            prefetch_child(tree, node->child[i]);
            top += hits >> i & 1;
        }
    }
    return true;
}

/* A search for the nearest point. Boxes are tested in float, with room for its rounding. */
typedef struct search {
    const dry_mesh_tree *tree;
    double from[3], best; /* m^2 */
    float at[3], slack;   /* m */
    dry_mesh_nearest *nearest;
    bool is_found;
} search;

typedef struct near_child {
    uint32_t child;
    float square; /* lower bound, m^2 */
} near_child;

static void judge_slot(search *s, uint32_t slot)
{
    double corner[3][3], point[3];
    dry_mesh_tree_corner_points(s->tree, slot, corner);
    const int feature = dry_triangle_nearest(corner, s->from, point);
    const double square = dry_square_between(point, s->from);
    const uint32_t triangle = dry_mesh_tree_triangle(s->tree, slot);
    if (!(square <= s->best) || (s->is_found && square == s->best && triangle > s->nearest->triangle))
        return;
    s->best = square;
    s->is_found = true;
    *s->nearest = (dry_mesh_nearest){{point[0], point[1], point[2]}, sqrt(square), slot, triangle, feature};
}

/* Returns lower bounds of the squares of the distances to the children's boxes. */
static float4 squares_to(const search *s, const dry_mesh_node *node)
{
    const float4 slack = float4_set(s->slack), zero = float4_set(0.0f);
    float4 sum = zero;
    for (int k = 0; k < 3; k++) {
        const float4 at = float4_set(s->at[k]), low = dry_mesh_sides(node, k, node->low[k]),
                     high = dry_mesh_sides(node, k, node->high[k]);
        const float4 apart = float4_max(float4_max(low - at, at - high) - slack, zero);
        sum += apart * apart;
    }
    return sum * float4_set(1.0f - 4.0f * FLT_EPSILON);
}

/* Puts the children of a node on the stack, the nearest on top. Returns their number. */
static int push_near(const search *s, const dry_mesh_node *node, near_child *stack)
{
    float square[DRY_MESH_WIDTH];
    float4_store(square, squares_to(s, node));
    int count = 0;
    for (int i = 0; i < DRY_MESH_WIDTH; i++) {
        if (!node->child[i] || (double)square[i] > s->best)
            continue;
        int j = count++;
        for (; j > 0 && stack[j - 1].square < square[i]; j--)
            stack[j] = stack[j - 1];
        stack[j] = (near_child){node->child[i], square[i]};
    }
    return count;
}

bool dry_mesh_tree_find_nearest(const dry_mesh_tree *tree, const double from[3], double distance,
                                dry_mesh_nearest *nearest)
{
    search s = {.tree = tree, .best = distance * distance, .nearest = nearest};
    if (!(distance >= 0.0))
        return false;
    float farthest = 0.0f;
    for (int k = 0; k < 3; k++) {
        s.from[k] = from[k];
        s.at[k] = (float)from[k];
        farthest = dry_max(farthest, dry_abs(s.at[k]));
        farthest = dry_max(farthest, dry_max(dry_abs(tree->bounds.min[k]), dry_abs(tree->bounds.max[k])));
    }
    s.slack = 4.0f * FLT_EPSILON * farthest;
    near_child stack[DRY_MESH_STACK];
    int top = 0;
    stack[top++] = (near_child){0, 0.0f};
    while (top > 0) {
        const near_child next = stack[--top];
        if ((double)next.square > s.best)
            continue;
        if (!(next.child & DRY_MESH_LEAF)) {
            top += push_near(&s, &dry_mesh_tree_nodes(tree)[next.child], stack + top);
            continue;
        }
        for (uint32_t slot = dry_mesh_leaf_first(next.child); slot < dry_mesh_leaf_end(next.child); slot++)
            judge_slot(&s, slot);
    }
    return s.is_found;
}

/* Changing a tree leaf by leaf: R-tree insertion with exhaustive splits, removal with collapse.
 *
 * Reads: fat boxes. Writes: nodes, the places of leaves. */
#include "broadphase/trees.h"

/* By how many times its own surface a leaf that moves may enlarge the surface of its node's other children.
 * Beyond this it goes elsewhere. */
static const float NEAR_AREAS = 2.0f;

/* Returns by how much an area grows when one box takes the place of another, m^2. */
static double area_between(const dry_box *before, const dry_box *after)
{
    return (double)dry_box_area(after) - (double)dry_box_area(before);
}

/* One half of a split. */
typedef struct half {
    int members[3], count;
    dry_box box;
} half;

static half make_half(const dry_box boxes[5], const uint8_t *members, int count)
{
    half h = {.count = count, .box = boxes[members[0]]};
    for (int k = 0; k < count; k++) {
        h.members[k] = members[k];
        h.box = dry_box_union(&h.box, &boxes[members[k]]);
    }
    return h;
}

/* Parts two of five boxes from the other three, in the one of ten ways with the least sum of areas. */
static void choose_split(const dry_box boxes[5], half *two, half *three)
{
    static const uint8_t ways[10][5] = {{0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {0, 3, 1, 2, 4}, {0, 4, 1, 2, 3},
                                        {1, 2, 0, 3, 4}, {1, 3, 0, 2, 4}, {1, 4, 0, 2, 3}, {2, 3, 0, 1, 4},
                                        {2, 4, 0, 1, 3}, {3, 4, 0, 1, 2}};
    int best = 0;
    float least = INFINITY;
    for (int i = 0; i < 10; i++) {
        const uint8_t *way = ways[i];
        dry_box of_two = dry_box_union(&boxes[way[0]], &boxes[way[1]]);
        dry_box of_three = dry_box_union(&boxes[way[2]], &boxes[way[3]]);
        of_three = dry_box_union(&of_three, &boxes[way[4]]);
        float sum = dry_box_area(&of_two) + dry_box_area(&of_three);
        best = sum < least ? i : best;
        least = dry_min(sum, least);
    }
    *two = make_half(boxes, ways[best], 2);
    *three = make_half(boxes, ways[best] + 2, 3);
}

/* Adds a child whose box the ancestors' boxes already hold; splits full nodes upward. */
static void add_child(dry_trees *trees, dry_tree *tree, int32_t index, int32_t child, dry_box box)
{
    for (;;) {
        dry_tree_node *node = &trees->nodes[index];
        if (node->count < DRY_TREE_WIDTH) {
            dry_tree_put(trees, index, node->count++, child, &box);
            return;
        }

        dry_box boxes[5];
        int32_t children[5];
        half two, three;
        for (int slot = 0; slot < DRY_TREE_WIDTH; slot++) {
            boxes[slot] = dry_node_box(node, slot);
            children[slot] = node->child[slot];
        }
        boxes[4] = box;
        children[4] = child;
        choose_split(boxes, &two, &three);

        int32_t fresh = dry_tree_allocate_node(trees);
        tree->area += (double)dry_box_area(&two.box) + (double)dry_box_area(&three.box);
        for (int k = 0; k < 2; k++)
            dry_tree_put(trees, fresh, k, children[two.members[k]], &boxes[two.members[k]]);
        trees->nodes[fresh].count = 2;
        for (int k = 0; k < 3; k++)
            dry_tree_put(trees, index, k, children[three.members[k]], &boxes[three.members[k]]);
        dry_node_clear_slot(node, 3);
        node->count = 3;

        if (node->parent == DRY_TREE_NONE) {
            int32_t root = dry_tree_allocate_node(trees);
            dry_tree_put(trees, root, 0, index, &three.box);
            dry_tree_put(trees, root, 1, fresh, &two.box);
            trees->nodes[root].count = 2;
            tree->root = root;
            tree->height++;
            return;
        }
        int32_t place = node->parent;
        dry_box before = dry_node_box(&trees->nodes[place / DRY_TREE_WIDTH], place % DRY_TREE_WIDTH);
        tree->area -= (double)dry_box_area(&before);
        dry_tree_put(trees, place / DRY_TREE_WIDTH, place % DRY_TREE_WIDTH, index, &three.box);
        index = place / DRY_TREE_WIDTH;
        child = fresh;
        box = two.box;
    }
}

static float4 areas_of(const float4 low[3], const float4 high[3])
{
    const float4 x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
}

/* Returns the child whose box grows least by taking `box` in; of equal ones the smaller. */
static int choose_child(const dry_tree_node *node, const dry_box4 *box)
{
    float4 low[3], high[3];
    float area[DRY_TREE_WIDTH], growth[DRY_TREE_WIDTH];
    for (int k = 0; k < 3; k++) {
        low[k] = float4_load_aligned(node->min[k]);
        high[k] = float4_load_aligned(node->max[k]);
    }
    float4 own = areas_of(low, high);
    for (int k = 0; k < 3; k++) {
        low[k] = float4_min(low[k], box->min[k]);
        high[k] = float4_max(high[k], box->max[k]);
    }
    float4_store(area, own);
    float4_store(growth, areas_of(low, high) - own);
    int best = 0;
    float best_growth = INFINITY, best_area = INFINITY;
    for (int slot = 0; slot < node->count; slot++)
        if (growth[slot] < best_growth || (growth[slot] == best_growth && area[slot] < best_area)) {
            best = slot;
            best_growth = growth[slot];
            best_area = area[slot];
        }
    return best;
}

static void insert_leaf(dry_trees *trees, dry_tree_kind kind, int proxy)
{
    dry_tree *tree = &trees->tree[kind];
    if (dry_trees_available_nodes(trees) < tree->height + 2) {
        for (int other = 0; other < DRY_TREE_KINDS; other++)
            dry_tree_build(trees, (dry_tree_kind)other, NULL);
    } else if (tree->height >= DRY_TREE_HEIGHT_MAX) {
        dry_tree_build(trees, kind, NULL);
    }

    dry_box box = trees->proxies->box[proxy];
    if (tree->root == DRY_TREE_NONE) {
        tree->root = dry_tree_allocate_node(trees);
        tree->height = 1;
    }
    int32_t index = tree->root;
    dry_box4 lanes = dry_box4_splat(&box);
    for (;;) {
        dry_tree_node *node = &trees->nodes[index];
        int slot = choose_child(node, &lanes);
        if (node->child[slot] < 0)
            break;
        dry_box own = dry_node_box(node, slot), grown = dry_box_union(&own, &box);
        tree->area += area_between(&own, &grown);
        dry_node_set_box(node, slot, &grown);
        index = node->child[slot];
    }
    add_child(trees, tree, index, ~proxy, box);
    tree->leaves++;
}

/* Makes the boxes of a node's ancestors tight, up to the first that does not change. */
static void tighten(dry_trees *trees, dry_tree *tree, int32_t index)
{
    while (trees->nodes[index].parent != DRY_TREE_NONE) {
        int32_t place = trees->nodes[index].parent;
        dry_tree_node *parent = &trees->nodes[place / DRY_TREE_WIDTH];
        dry_box box = dry_node_bounds(&trees->nodes[index]);
        dry_box old = dry_node_box(parent, place % DRY_TREE_WIDTH);
        if (dry_box_contains(&box, &old) && dry_box_contains(&old, &box))
            return;
        tree->area += area_between(&old, &box);
        dry_node_set_box(parent, place % DRY_TREE_WIDTH, &box);
        index = place / DRY_TREE_WIDTH;
    }
}

/* Returns the sibling with room for all children of the node at `place` whose box grows least by them; or -1.
 */
static int choose_host(const dry_trees *trees, int32_t place)
{
    const dry_tree_node *parent = &trees->nodes[place / DRY_TREE_WIDTH];
    int own = place % DRY_TREE_WIDTH, best = -1;
    dry_box box = dry_node_bounds(&trees->nodes[parent->child[own]]);
    float best_growth = INFINITY;
    for (int slot = 0; slot < parent->count; slot++) {
        if (slot == own || parent->child[slot] < 0 ||
            trees->nodes[parent->child[slot]].count + trees->nodes[parent->child[own]].count > DRY_TREE_WIDTH)
            continue;
        dry_box host = dry_node_box(parent, slot), both = dry_box_union(&host, &box);
        float growth = dry_box_area(&both) - dry_box_area(&host);
        if (best < 0 || growth < best_growth) {
            best = slot;
            best_growth = growth;
        }
    }
    return best;
}

/* Makes the only child of a root the root. */
static void hand_over_root(dry_trees *trees, dry_tree *tree)
{
    const int32_t root = tree->root;
    dry_box box = dry_node_box(&trees->nodes[root], 0);
    tree->area -= (double)dry_box_area(&box);
    tree->root = trees->nodes[root].child[0];
    tree->height--;
    trees->nodes[tree->root].parent = DRY_TREE_NONE;
    dry_tree_free_node(trees, root);
}

/* Takes a child out of a node. A node that is left with few children hands them to a sibling with room, and
 * so on upward. Otherwise a shape that moves through a tree would leave a trail of half-empty nodes, and the
 * tree would run out of nodes. */
static void remove_child(dry_trees *trees, dry_tree *tree, int32_t index, int slot)
{
    for (;;) {
        dry_tree_node *node = &trees->nodes[index];
        int last = --node->count;
        if (slot != last) {
            dry_box box = dry_node_box(node, last);
            dry_tree_put(trees, index, slot, node->child[last], &box);
        }
        dry_node_clear_slot(node, last);

        int32_t place = node->parent;
        if (place == DRY_TREE_NONE) {
            if (node->count == 0) {
                tree->root = DRY_TREE_NONE;
                tree->height = 0;
                dry_tree_free_node(trees, index);
            } else if (node->count == 1 && node->child[0] >= 0) {
                hand_over_root(trees, tree);
            }
            return;
        }
        int32_t parent = place / DRY_TREE_WIDTH;
        int host = choose_host(trees, place);
        const dry_box spanned = dry_node_box(&trees->nodes[parent], place % DRY_TREE_WIDTH);
        if (host < 0 && node->count == 1) {
            dry_box box = dry_node_box(node, 0);
            tree->area -= (double)dry_box_area(&spanned);
            dry_tree_put(trees, parent, place % DRY_TREE_WIDTH, node->child[0], &box);
            dry_tree_free_node(trees, index);
            index = parent;
        }
        if (host < 0) {
            tighten(trees, tree, index);
            return;
        }
        int32_t into = trees->nodes[parent].child[host];
        for (int k = 0; k < node->count; k++) {
            dry_box box = dry_node_box(node, k);
            dry_tree_put(trees, into, trees->nodes[into].count++, node->child[k], &box);
        }
        dry_box host_before = dry_node_box(&trees->nodes[parent], host);
        dry_box grown = dry_node_bounds(&trees->nodes[into]);
        tree->area += area_between(&host_before, &grown) - (double)dry_box_area(&spanned);
        dry_node_set_box(&trees->nodes[parent], host, &grown);
        dry_tree_free_node(trees, index);
        index = parent;
        slot = place % DRY_TREE_WIDTH;
    }
}

void dry_tree_remove(dry_trees *trees, dry_tree_kind kind, int proxy)
{
    dry_tree *tree = &trees->tree[kind];
    tree->leaves--;
    remove_child(trees, tree, trees->places[proxy] / DRY_TREE_WIDTH, trees->places[proxy] % DRY_TREE_WIDTH);
}

void dry_tree_insert(dry_trees *trees, dry_tree_kind kind, int proxy)
{
    insert_leaf(trees, kind, proxy);
    trees->tree[kind].added++;
}

/* Returns whether a box is near a node's other children: the surface around all is not much larger than the
 * surfaces of the others and of the box by themselves. The node's own box is not the measure, since a leaf
 * could take its node along, little by little, as far as it goes. Several leaves that move together still do
 * so until dry_tree.area shows it. */
static bool is_near_others(const dry_tree_node *node, int slot, const dry_box *box)
{
    dry_box others = dry_node_box(node, slot == 0);
    for (int other = 1 + (slot == 0); other < node->count; other++)
        if (other != slot) {
            dry_box next = dry_node_box(node, other);
            others = dry_box_union(&others, &next);
        }
    dry_box all = dry_box_union(&others, box);
    return dry_box_area(&all) <= dry_box_area(&others) + NEAR_AREAS * dry_box_area(box);
}

void dry_tree_move(dry_trees *trees, dry_tree_kind kind, int proxy)
{
    const dry_box *box = &trees->proxies->box[proxy];
    const int32_t index = trees->places[proxy] / DRY_TREE_WIDTH;
    const int slot = trees->places[proxy] % DRY_TREE_WIDTH;
    dry_tree_node *node = &trees->nodes[index];
    bool stays = node->parent == DRY_TREE_NONE;
    if (!stays) {
        dry_box bounds =
            dry_node_box(&trees->nodes[node->parent / DRY_TREE_WIDTH], node->parent % DRY_TREE_WIDTH);
        stays = dry_box_contains(&bounds, box);
        if (!stays && is_near_others(node, slot, box)) {
            stays = true;
            trees->tree[kind].stretched++;
        }
    }
    if (stays) {
        dry_node_set_box(node, slot, box);
        tighten(trees, &trees->tree[kind], index);
    } else {
        dry_tree_remove(trees, kind, proxy);
        insert_leaf(trees, kind, proxy);
        trees->tree[kind].reinserted++;
    }
}

/* Changing a tree leaf by leaf: R-tree insertion with exhaustive splits, removal with collapse; and removal
 * of many leaves in one pass.
 *
 * Reads: fat boxes. Writes: nodes, the places of leaves. Next: tree_build.c, for changes in bulk. */
#include "broadphase/tree.h"

/* By how many times its own surface a leaf that moves may enlarge that of its node's others; beyond, it goes
 * elsewhere. */
static const float NEAR_AREAS = 2.0f;

/* One by one leaves may come to need more nodes than a build does: 0.37 to 0.40 a proxy after one, 0.48 while
 * a pile of 10,000 falls. Beyond half a node a proxy, both trees are built anew instead of holding 128 bytes
 * a proxy for the worst case. An insertion may split every node of its path. */
static int nodes_needed(int proxies)
{
    return proxies / 2 + 1 + 2 * (DRY_TREE_HEIGHT_MAX + 2);
}

void dry_trees_init(dry_trees *trees)
{
    *trees = (dry_trees){.free_node = DRY_TREE_NONE};
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        trees->tree[kind].root = DRY_TREE_NONE;
}

void dry_trees_free(dry_trees *trees, dry_memory *memory)
{
    DRY_RELEASE(memory, trees->nodes, trees->node_capacity);
    DRY_RELEASE(memory, trees->boxes, trees->box_capacity);
    DRY_RELEASE(memory, trees->places, trees->place_capacity);
    DRY_RELEASE(memory, trees->items, trees->item_capacity);
    dry_trees_init(trees);
}

bool dry_trees_reserve(dry_trees *trees, dry_memory *memory, int proxies)
{
    return DRY_RESERVE(memory, trees->boxes, trees->box_capacity, proxies) &&
           DRY_RESERVE(memory, trees->places, trees->place_capacity, proxies) &&
           DRY_RESERVE(memory, trees->items, trees->item_capacity, proxies) &&
           DRY_RESERVE(memory, trees->nodes, trees->node_capacity, nodes_needed(proxies));
}

/* By how much an area grows where one box takes the place of another, m^2. */
static double area_between(const dry_box *before, const dry_box *after)
{
    return (double)dry_box_area(after) - (double)dry_box_area(before);
}

static void clear_slot(dry_tree_node *node, int slot)
{
    static const dry_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    dry_node_set_box(node, slot, &empty);
    node->child[slot] = DRY_TREE_EMPTY;
}

int32_t dry_tree_allocate_node(dry_trees *trees)
{
    int32_t index = trees->free_node;
    if (index != DRY_TREE_NONE) {
        trees->free_node = trees->nodes[index].parent;
        trees->free_count--;
    } else {
        index = trees->nodes_used++;
    }
    dry_tree_node *node = &trees->nodes[index];
    *node = (dry_tree_node){.parent = DRY_TREE_NONE};
    for (int slot = 0; slot < DRY_TREE_WIDTH; slot++)
        clear_slot(node, slot);
    return index;
}

void dry_tree_free_node(dry_trees *trees, int32_t index)
{
    trees->nodes[index].count = 0;
    trees->nodes[index].parent = trees->free_node;
    trees->free_node = index;
    trees->free_count++;
}

/* Puts a child and its box into a slot, and tells the child where it is. */
static void put(dry_trees *trees, int32_t index, int slot, int32_t child, const dry_box *box)
{
    dry_tree_node *node = &trees->nodes[index];
    dry_node_set_box(node, slot, box);
    node->child[slot] = child;
    int32_t place = DRY_TREE_WIDTH * index + slot;
    if (child >= 0)
        trees->nodes[child].parent = place;
    else
        trees->places[~child] = place;
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

/* Parts two of five boxes from the other three: the least sum of areas of the ten ways. */
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
            put(trees, index, node->count++, child, &box);
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
            put(trees, fresh, k, children[two.members[k]], &boxes[two.members[k]]);
        trees->nodes[fresh].count = 2;
        for (int k = 0; k < 3; k++)
            put(trees, index, k, children[three.members[k]], &boxes[three.members[k]]);
        clear_slot(node, 3);
        node->count = 3;

        if (node->parent == DRY_TREE_NONE) {
            int32_t root = dry_tree_allocate_node(trees);
            put(trees, root, 0, index, &three.box);
            put(trees, root, 1, fresh, &two.box);
            trees->nodes[root].count = 2;
            tree->root = root;
            tree->height++;
            return;
        }
        int32_t place = node->parent;
        dry_box before = dry_node_box(&trees->nodes[place / DRY_TREE_WIDTH], place % DRY_TREE_WIDTH);
        tree->area -= (double)dry_box_area(&before);
        put(trees, place / DRY_TREE_WIDTH, place % DRY_TREE_WIDTH, index, &three.box);
        index = place / DRY_TREE_WIDTH;
        child = fresh;
        box = two.box;
    }
}

static simde__m128 areas_of(const simde__m128 low[3], const simde__m128 high[3])
{
    simde__m128 x = simde_mm_sub_ps(high[0], low[0]), y = simde_mm_sub_ps(high[1], low[1]),
                z = simde_mm_sub_ps(high[2], low[2]);
    return simde_mm_add_ps(simde_mm_add_ps(simde_mm_mul_ps(x, y), simde_mm_mul_ps(y, z)),
                           simde_mm_mul_ps(z, x));
}

/* The child whose box grows least by taking `box` in; of equals the smaller one. */
static int choose_child(const dry_tree_node *node, const dry_box4 *box)
{
    simde__m128 low[3], high[3];
    float area[DRY_TREE_WIDTH], growth[DRY_TREE_WIDTH];
    for (int k = 0; k < 3; k++) {
        low[k] = simde_mm_load_ps(node->min[k]);
        high[k] = simde_mm_load_ps(node->max[k]);
    }
    simde__m128 own = areas_of(low, high);
    for (int k = 0; k < 3; k++) {
        low[k] = simde_mm_min_ps(low[k], box->min[k]);
        high[k] = simde_mm_max_ps(high[k], box->max[k]);
    }
    simde_mm_storeu_ps(area, own);
    simde_mm_storeu_ps(growth, simde_mm_sub_ps(areas_of(low, high), own));
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
    int available = trees->node_capacity - trees->nodes_used + trees->free_count;
    if (available < DRY_TREE_HEIGHT_MAX + 2) {
        for (int other = 0; other < DRY_TREE_KINDS; other++)
            dry_tree_build(trees, (dry_tree_kind)other, NULL);
    } else if (tree->height >= DRY_TREE_HEIGHT_MAX) {
        dry_tree_build(trees, kind, NULL);
    }

    dry_box box = trees->boxes[proxy];
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

/* Makes the boxes of a node's ancestors tight, as far as they change. */
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

/* The sibling that can take all children of the node at `place` in: the one that grows least; or -1. */
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

/* The only child of a root becomes the root. */
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

/* Takes a child out of a node. A node left with few hands them to a sibling with room, as far up as that
 * goes: else what moves through a tree would leave a trail of nodes half empty, and the tree would run out
 * of them. */
static void remove_child(dry_trees *trees, dry_tree *tree, int32_t index, int slot)
{
    for (;;) {
        dry_tree_node *node = &trees->nodes[index];
        int last = --node->count;
        if (slot != last) {
            dry_box box = dry_node_box(node, last);
            put(trees, index, slot, node->child[last], &box);
        }
        clear_slot(node, last);

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
            put(trees, parent, place % DRY_TREE_WIDTH, node->child[0], &box);
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
            put(trees, into, trees->nodes[into].count++, node->child[k], &box);
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

static void remove_leaf(dry_trees *trees, dry_tree_kind kind, int proxy)
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

void dry_tree_remove(dry_trees *trees, dry_tree_kind kind, int proxy)
{
    remove_leaf(trees, kind, proxy);
}

/* Whether a box is near a node's other children: all together have a surface not much larger than those and
 * the box have by themselves. Held against the others, not against what the node spans with it: else a leaf
 * could take its node along, little by little, as far as it goes. Some that go together still do, until
 * dry_tree.area tells. */
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
    const dry_box *box = &trees->boxes[proxy];
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
        remove_leaf(trees, kind, proxy);
        insert_leaf(trees, kind, proxy);
        trees->tree[kind].reinserted++;
    }
}

/* The same below a node, whose leaves and inner boxes the tree then counts. A child node that is left with
 * one child hands it over; the number of children that are left. */
static int prune_below(dry_trees *trees, dry_tree *tree, int32_t index, const unsigned char *states,
                       unsigned char used)
{
    dry_tree_node *node = &trees->nodes[index];
    int kept = 0, count = node->count;
    for (int slot = 0; slot < count; slot++)
        if (node->child[slot] >= 0) {
            __builtin_prefetch(&trees->nodes[node->child[slot]]);
            __builtin_prefetch(trees->nodes[node->child[slot]].child);
        }
    for (int slot = 0; slot < count; slot++) {
        int32_t child = node->child[slot];
        dry_box box = dry_node_box(node, slot);
        if (child < 0) {
            if (!(states[~child] & used))
                continue;
            tree->leaves++;
        } else {
            int grandchildren = prune_below(trees, tree, child, states, used);
            const dry_tree_node *below = &trees->nodes[child];
            box = dry_node_bounds(below);
            int32_t only = below->child[0];
            if (grandchildren < 2)
                dry_tree_free_node(trees, child);
            if (grandchildren == 0)
                continue;
            if (grandchildren == 1)
                child = only;
            else
                tree->area += (double)dry_box_area(&box);
        }
        put(trees, index, kept++, child, &box);
    }
    for (int slot = kept; slot < count; slot++)
        clear_slot(node, slot);
    node->count = kept;
    return kept;
}

void dry_tree_prune(dry_trees *trees, dry_tree_kind kind, const unsigned char *states, unsigned char used)
{
    dry_tree *tree = &trees->tree[kind];
    int32_t root = tree->root;
    if (root == DRY_TREE_NONE)
        return;
    tree->leaves = 0;
    tree->area = 0.0;
    int kept = prune_below(trees, tree, root, states, used);
    if (kept == 0) {
        tree->root = DRY_TREE_NONE;
        tree->height = 0;
        dry_tree_free_node(trees, root);
    } else if (kept == 1 && trees->nodes[root].child[0] >= 0) {
        hand_over_root(trees, tree);
    }
}

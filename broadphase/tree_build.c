/* Changing a tree in bulk: a refit of all its boxes, and a build from its leaves.
 *
 * The build halves the leaves by count along the longest axis of their centres, twice a node. Counting,
 * not space, decides the shape: it does not care how far an outlier lies (space-filling curves and spatial
 * splits spend their bits on the gap), the height is logarithmic, and the nodes can be linked before any
 * leaf is placed, so that subtrees are filled in parallel. Halves are multiples of four leaves: then all
 * leaf nodes are full but one a subtree.
 *
 * Reads: fat boxes. Writes: nodes, the places of leaves. */
#include "broadphase/tree.h"

enum {
    /* Subtrees to share out, several a worker on any machine of today so that their times even out. */
    TASKS = 256,
    TOP_MAX = 4 * TASKS,
    /* Below this, a tree is done on one thread: some 50 us of work. */
    PARALLEL_LEAVES = 2048,
    /* Free nodes are sorted if the leaves are more than one in so many of all nodes: a nanosecond a node
     * against more than a hundred for each leaf that is built. */
    SORT_SHARE = 8,
};

/* Refit. */

static double refit_below(dry_trees *trees, int32_t index)
{
    double areas = 0.0;
    dry_tree_node *node = &trees->nodes[index];
    for (int slot = 0; slot < node->count; slot++) {
        int32_t child = node->child[slot];
        if (child < 0) {
            dry_node_set_box(node, slot, &trees->boxes[~child]);
        } else {
            areas += refit_below(trees, child);
            dry_box box = dry_node_bounds(&trees->nodes[child]);
            dry_node_set_box(node, slot, &box);
            areas += (double)dry_box_area(&box);
        }
    }
    return areas;
}

/* The nodes near the root in breadth-first order: `top` of them are done last, by the caller; the rest are
 * roots of separate subtrees. */
typedef struct refit_work {
    dry_trees *trees;
    int32_t nodes[TOP_MAX];
    double areas[TOP_MAX];
    int top, count;
} refit_work;

static void refit_run(void *context, int begin, int end, int worker)
{
    (void)worker;
    refit_work *work = context;
    for (int i = work->top + begin; i < work->top + end; i++)
        work->areas[i] = refit_below(work->trees, work->nodes[i]);
}

double dry_tree_refit(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs)
{
    dry_tree *tree = &trees->tree[kind];
    if (tree->root == DRY_TREE_NONE)
        return 0.0;
    refit_work work;
    work.trees = trees;
    work.nodes[0] = tree->root;
    work.top = 0;
    work.count = 1;
    int tasks = tree->leaves < PARALLEL_LEAVES ? 1 : TASKS;
    while (work.top < work.count && work.count - work.top < tasks && work.count + DRY_TREE_WIDTH <= TOP_MAX) {
        const dry_tree_node *node = &trees->nodes[work.nodes[work.top++]];
        for (int slot = 0; slot < node->count; slot++) {
            if (node->child[slot] >= 0)
                work.nodes[work.count++] = node->child[slot];
        }
    }
    dry_tree_for(jobs, work.count - work.top, 1, refit_run, &work);

    /* Summed in the order of the list, not of the workers. */
    double areas = 0.0;
    for (int i = work.top; i < work.count; i++)
        areas += work.areas[i];
    for (int i = work.top - 1; i >= 0; i--) {
        dry_tree_node *node = &trees->nodes[work.nodes[i]];
        for (int slot = 0; slot < node->count; slot++) {
            int32_t child = node->child[slot];
            dry_box box = child < 0 ? trees->boxes[~child] : dry_node_bounds(&trees->nodes[child]);
            dry_node_set_box(node, slot, &box);
            if (child >= 0)
                areas += (double)dry_box_area(&box);
        }
    }
    return areas;
}

/* Build. */

static int first_half(int count)
{
    return (count / 2 + 2) / 4 * 4;
}

/* The numbers of leaves of a node's children: a function of `count` alone. */
static int child_sizes(int count, int sizes[DRY_TREE_WIDTH])
{
    int n = 0;
    if (count <= DRY_TREE_WIDTH) {
        while (n < count)
            sizes[n++] = 1;
        return n;
    }
    int halves[2] = {first_half(count), count - first_half(count)};
    for (int h = 0; h < 2; h++) {
        if (halves[h] > DRY_TREE_WIDTH) {
            sizes[n++] = first_half(halves[h]);
            sizes[n++] = halves[h] - first_half(halves[h]);
        } else {
            sizes[n++] = halves[h];
        }
    }
    return n;
}

/* Whole: what is written in pieces cannot be read back at once without waiting. */
static simde__m128i load_item(const dry_tree_item *item)
{
    return simde_mm_loadu_si128((const void *)item);
}

static void store_item(dry_tree_item *item, simde__m128i value)
{
    simde_mm_storeu_si128((void *)item, value);
}

/* The longest axis of the items' centres. */
static int longest_axis(const dry_tree_item *items, int count)
{
    simde__m128 low = simde_mm_set1_ps(INFINITY), high = simde_mm_set1_ps(-INFINITY);
    for (int i = 0; i < count; i++) {
        /* The fourth lane is the proxy, and nobody reads it. */
        simde__m128 center = simde_mm_castsi128_ps(load_item(&items[i]));
        low = simde_mm_min_ps(low, center);
        high = simde_mm_max_ps(high, center);
    }
    float size[4];
    simde_mm_storeu_ps(size, simde_mm_sub_ps(high, low));
    int axis = 0;
    for (int a = 1; a < 3; a++) {
        if (size[a] > size[axis])
            axis = a;
    }
    return axis;
}

/* Moves the items of [begin, end) that are below the pivot, or not above it, to the front; returns where the
 * others begin. Every item is exchanged, so that there is nothing to mispredict. */
static int partition(dry_tree_item *items, int begin, int end, int axis, float pivot, bool also_equal)
{
    int front = begin;
    for (int i = begin; i < end; i++) {
        float key = items[i].center[axis];
        simde__m128i item = load_item(&items[i]);
        store_item(&items[i], load_item(&items[front]));
        store_item(&items[front], item);
        front += (key < pivot) | (also_equal & (key == pivot));
    }
    return front;
}

/* An item's place along the axis near the one of rank `rank` in [begin, begin + count): of a sample drawn by
 * a fixed generator, since orders met in practice (rows up and down a pile) are the worst case of fixed
 * positions. */
static float choose_pivot(const dry_tree_item *items, int count, int rank, int axis, uint32_t *random)
{
    enum { SAMPLES_MAX = 15 };
    float sample[SAMPLES_MAX];
    int samples = count > 256 ? SAMPLES_MAX : count > 64 ? 7 : 3;
    for (int s = 0; s < samples; s++) {
        *random = *random * 1664525u + 1013904223u;
        float key = items[(uint64_t)*random * (uint64_t)count >> 32].center[axis];
        int at = s;
        for (; at > 0 && sample[at - 1] > key; at--)
            sample[at] = sample[at - 1];
        sample[at] = key;
    }
    return sample[(int64_t)rank * samples / count];
}

/* Moves the k items that are least along the longest axis to the front: quickselect. */
static void select_items(dry_tree_item *items, int count, int k)
{
    enum { SORTED = 8 }; /* so few are sorted */
    int axis = longest_axis(items, count);
    uint32_t random = (uint32_t)count;
    int begin = 0, end = count;
    while (end - begin > SORTED) {
        float pivot = choose_pivot(items + begin, end - begin, k - begin, axis, &random);
        int rest = partition(items, begin, end, axis, pivot, false);
        if (rest == k) {
            return;
        } else if (rest > k) {
            end = rest;
        } else if (rest > begin) {
            begin = rest;
        } else {
            /* None is below the pivot: then those like it go. */
            rest = partition(items, begin, end, axis, pivot, true);
            if (rest >= k)
                return;
            begin = rest;
        }
    }
    for (int i = begin + 1; i < end; i++) {
        simde__m128i item = load_item(&items[i]);
        float key = items[i].center[axis];
        int at = i;
        for (; at > begin && items[at - 1].center[axis] > key; at--)
            store_item(&items[at], load_item(&items[at - 1]));
        store_item(&items[at], item);
    }
}

/* Links the nodes of a tree of `count` leaves; the leaves themselves are still empty slots. */
static int32_t link_nodes(dry_trees *trees, int count, int32_t parent, int depth, int *height)
{
    int sizes[DRY_TREE_WIDTH];
    int32_t index = dry_tree_allocate_node(trees);
    int children = child_sizes(count, sizes);
    trees->nodes[index].parent = parent;
    trees->nodes[index].count = children;
    for (int slot = 0; slot < children; slot++) {
        if (sizes[slot] > 1)
            trees->nodes[index].child[slot] =
                link_nodes(trees, sizes[slot], DRY_TREE_WIDTH * index + slot, depth + 1, height);
    }
    *height = dry_max_int(*height, depth);
    return index;
}

/* Items [begin, begin + count) are the leaves below a node. */
typedef struct fill_task {
    int32_t node;
    int begin, count;
} fill_task;

/* Shares a node's items out to its children and puts in those that are leaves; returns how many of its
 * children are nodes, and their tasks. */
static int fill_node(dry_trees *trees, const fill_task *task, fill_task below[DRY_TREE_WIDTH])
{
    dry_tree_item *items = trees->items + task->begin;
    int count = task->count;
    if (count > DRY_TREE_WIDTH) {
        int half = first_half(count), rest = count - half;
        select_items(items, count, half);
        if (half > DRY_TREE_WIDTH)
            select_items(items, half, first_half(half));
        if (rest > DRY_TREE_WIDTH)
            select_items(items + half, rest, first_half(rest));
    }
    int sizes[DRY_TREE_WIDTH], n = 0;
    int children = child_sizes(count, sizes);
    int begin = task->begin;
    dry_tree_node *node = &trees->nodes[task->node];
    for (int slot = 0; slot < children; slot++) {
        if (sizes[slot] == 1) {
            int proxy = trees->items[begin].proxy;
            node->child[slot] = ~proxy;
            trees->places[proxy] = DRY_TREE_WIDTH * task->node + slot;
        } else {
            below[n++] = (fill_task){node->child[slot], begin, sizes[slot]};
        }
        begin += sizes[slot];
    }
    return n;
}

static void fill_below(dry_trees *trees, const fill_task *task)
{
    fill_task below[DRY_TREE_WIDTH];
    int n = fill_node(trees, task, below);
    for (int i = 0; i < n; i++)
        fill_below(trees, &below[i]);
}

typedef struct fill_work {
    dry_trees *trees;
    fill_task tasks[TOP_MAX];
    int top, count;
} fill_work;

static void fill_run(void *context, int begin, int end, int worker)
{
    (void)worker;
    fill_work *work = context;
    for (int i = work->top + begin; i < work->top + end; i++)
        fill_below(work->trees, &work->tasks[i]);
}

static void set_item(dry_trees *trees, int at, int32_t proxy)
{
    const dry_box *box = &trees->boxes[proxy];
    dry_tree_item *item = &trees->items[at];
    for (int a = 0; a < 3; a++)
        item->center[a] = box->min[a] + box->max[a];
    item->proxy = proxy;
}

/* Lists the leaves below a node in the old tree's order, which keeps memory order close to space, from the
 * back: the last one goes before `end`. Frees its nodes so that they will be taken again in the order of the
 * traversal. */
static void take_apart(dry_trees *trees, int32_t index, int *end)
{
    const dry_tree_node *node = &trees->nodes[index];
    for (int slot = node->count - 1; slot >= 0; slot--) {
        int32_t child = node->child[slot];
        if (child >= 0)
            take_apart(trees, child, end);
        else
            set_item(trees, --*end, ~child);
    }
    dry_tree_free_node(trees, index);
}

/* Lists the free nodes by rising index, so that the new tree's lie in the order of its traversal. */
static void sort_free_nodes(dry_trees *trees)
{
    while (trees->nodes_used > 0 && trees->nodes[trees->nodes_used - 1].count == 0)
        trees->nodes_used--;
    trees->free_node = DRY_TREE_NONE;
    trees->free_count = 0;
    for (int32_t i = trees->nodes_used - 1; i >= 0; i--) {
        if (trees->nodes[i].count == 0) {
            trees->nodes[i].parent = trees->free_node;
            trees->free_node = i;
            trees->free_count++;
        }
    }
}

/* Builds a tree of the `leaves` items from `begin` on. */
static void build_from_items(dry_trees *trees, dry_tree_kind kind, int begin, int leaves, dry_jobs *jobs)
{
    dry_tree *tree = &trees->tree[kind];
    int height = 0;
    if (leaves == 0)
        return;
    int32_t root = link_nodes(trees, leaves, DRY_TREE_NONE, 1, &height);

    fill_work work;
    work.trees = trees;
    work.tasks[0] = (fill_task){root, begin, leaves};
    work.top = 0;
    work.count = 1;
    int tasks = leaves < PARALLEL_LEAVES ? 1 : TASKS;
    while (work.top < work.count && work.count - work.top < tasks && work.count + DRY_TREE_WIDTH <= TOP_MAX) {
        work.count += fill_node(trees, &work.tasks[work.top], &work.tasks[work.count]);
        work.top++;
    }
    dry_tree_for(jobs, work.count - work.top, 1, fill_run, &work);

    *tree = (dry_tree){.root = root, .leaves = leaves, .height = height};
    tree->area_sum = dry_tree_refit(trees, kind, jobs);
}

void dry_tree_build(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs)
{
    dry_tree_build_with(trees, kind, NULL, 0, jobs);
}

/* Trees taken apart: of each kind the items [begin, end). */
typedef struct taken {
    int begin[DRY_TREE_KINDS], end[DRY_TREE_KINDS];
    bool is_taken[DRY_TREE_KINDS];
    int items;
} taken;

static void take(dry_trees *trees, taken *t, dry_tree_kind kind)
{
    dry_tree *tree = &trees->tree[kind];
    t->begin[kind] = t->items;
    t->end[kind] = t->items += tree->leaves;
    t->is_taken[kind] = true;
    int end = t->items;
    if (tree->root != DRY_TREE_NONE)
        take_apart(trees, tree->root, &end);
    *tree = (dry_tree){.root = DRY_TREE_NONE};
}

/* Builds what was taken apart. The other trees may have spread since they were built, over nodes that these
 * need: then they are built anew too. */
static void build_taken(dry_trees *trees, taken *t, dry_jobs *jobs)
{
    int needed = 0;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        needed += t->is_taken[kind] ? dry_tree_nodes_max(t->end[kind] - t->begin[kind]) : 0;
    /* Not where few leaves are built beside many: looking for free nodes among all would take longer. */
    if (t->items > trees->nodes_used / SORT_SHARE)
        sort_free_nodes(trees);
    if (trees->node_capacity - trees->nodes_used + trees->free_count < needed) {
        for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
            if (!t->is_taken[kind])
                take(trees, t, (dry_tree_kind)kind);
        sort_free_nodes(trees);
    }
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        if (t->is_taken[kind])
            build_from_items(trees, (dry_tree_kind)kind, t->begin[kind], t->end[kind] - t->begin[kind], jobs);
}

void dry_tree_build_with(dry_trees *trees, dry_tree_kind kind, const int32_t *proxies, int count,
                         dry_jobs *jobs)
{
    taken t = {.items = 0};
    take(trees, &t, kind);
    for (int i = 0; i < count; i++)
        set_item(trees, t.items++, proxies[i]);
    t.end[kind] = t.items;
    build_taken(trees, &t, jobs);
}

void dry_tree_divide(dry_trees *trees, const unsigned char *states, unsigned char resting, dry_jobs *jobs)
{
    taken t = {.items = 0};
    take(trees, &t, DRY_TREE_MOVABLE);
    take(trees, &t, DRY_TREE_RESTING);
    int front = 0;
    for (int i = 0; i < t.items; i++) {
        dry_tree_item item = trees->items[i];
        if (states[item.proxy] & resting)
            continue;
        trees->items[i] = trees->items[front];
        trees->items[front++] = item;
    }
    t.end[DRY_TREE_MOVABLE] = t.begin[DRY_TREE_RESTING] = front;
    build_taken(trees, &t, jobs);
}

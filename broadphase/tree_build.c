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

void dry_tree_refit(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs)
{
    dry_tree *tree = &trees->tree[kind];
    if (tree->root == DRY_TREE_NONE)
        return;
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
    tree->area = areas;
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
        dry_tree_select(items, count, half);
        if (half > DRY_TREE_WIDTH)
            dry_tree_select(items, half, first_half(half));
        if (rest > DRY_TREE_WIDTH)
            dry_tree_select(items + half, rest, first_half(rest));
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
    dry_tree_refit(trees, kind, jobs);
    tree->area_built = tree->area;
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

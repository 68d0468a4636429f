/* Changing a tree in bulk: a build from its leaves.
 *
 * The build halves the leaves by count along the longest axis of their centers, twice a node. Counting, not
 * space, decides the shape. The distance of an outlier does not matter (space-filling curves and spatial
 * splits spend their bits on the gap), and the height is logarithmic. The nodes can be linked before any leaf
 * is placed, so that subtrees are filled in parallel. Halves are multiples of four leaves: then all leaf
 * nodes are full but one a subtree.
 *
 * Reads: fat boxes. Writes: nodes, the places of leaves. */
#include "broadphase/trees.h"

/* Free nodes are sorted if the leaves are more than one in SORT_SHARE of all nodes: a nanosecond a node
 * against more than a hundred for each leaf that is built. */
enum { SORT_SHARE = 8 };

static int first_half(int count)
{
    return (count / 2 + 2) / 4 * 4;
}

/* Sets the numbers of leaves of a node's children, a function of `count` alone; returns the number of
 * children. */
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

/* Returns the most nodes that a build of `leaves` leaves takes: its leaf nodes are full but for one a
 * subtree.
 */
static int nodes_max(int leaves)
{
    return leaves / 2 + 1;
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

/* Shares a node's items out to its children and puts the leaves in. Returns the number of children that are
 * nodes, with their tasks. */
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
    fill_task tasks[DRY_TREE_TOP_MAX];
    int top, count;
} fill_work;

static void fill_run(void *context, dry_items items)
{
    fill_work *work = context;
    for (int i = work->top + items.begin; i < work->top + items.end; i++)
        fill_below(work->trees, &work->tasks[i]);
}

static void set_item(dry_trees *trees, int at, int32_t proxy)
{
    const dry_box *box = &trees->proxies->box[proxy];
    dry_tree_item *item = &trees->items[at];
    for (int a = 0; a < 3; a++)
        item->center[a] = box->min[a] + box->max[a];
    item->proxy = proxy;
}

/* Lists the leaves below a node in the old tree's order, which keeps memory order close to space; those with
 * the flags `kept`. The list is written from the back: the last leaf goes before `end`. Frees the nodes,
 * which are then taken again in the order of the traversal. */
static void take_apart(dry_trees *trees, int32_t index, unsigned kept, int *end)
{
    const dry_tree_node *node = &trees->nodes[index];
    for (int slot = node->count - 1; slot >= 0; slot--) {
        int32_t child = node->child[slot];
        if (child >= 0)
            take_apart(trees, child, kept, end);
        else if ((trees->proxies->flags[~child] & kept) == kept)
            set_item(trees, --*end, ~child);
    }
    dry_tree_free_node(trees, index);
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
    int tasks = leaves < DRY_TREE_PARALLEL_LEAVES ? 1 : DRY_TREE_TASKS;
    while (work.top < work.count && work.count - work.top < tasks &&
           work.count + DRY_TREE_WIDTH <= DRY_TREE_TOP_MAX) {
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

/* Trees taken apart: the leaves of each kind are the items [begin, end). */
typedef struct taken {
    int begin[DRY_TREE_KINDS], end[DRY_TREE_KINDS];
    bool is_taken[DRY_TREE_KINDS];
    int items;
} taken;

/* Takes one tree apart, and keeps the leaves with some flags. */
static void take(dry_trees *trees, taken *t, dry_tree_kind kind, unsigned kept)
{
    dry_tree *tree = &trees->tree[kind];
    t->begin[kind] = t->end[kind] = t->items += tree->leaves;
    t->is_taken[kind] = true;
    if (tree->root != DRY_TREE_NONE)
        take_apart(trees, tree->root, kept, &t->begin[kind]);
    *tree = (dry_tree){.root = DRY_TREE_NONE};
}

/* Builds the trees that were taken apart. The other trees may have spread since they were built, over nodes
 * that these need; then they are built anew too. */
static void build_taken(dry_trees *trees, taken *t, dry_jobs *jobs)
{
    int needed = 0;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        needed += t->is_taken[kind] ? nodes_max(t->end[kind] - t->begin[kind]) : 0;
    /* A build of few leaves beside many would take longer if it looked for free nodes among all. */
    if (t->items > trees->nodes_used / SORT_SHARE)
        dry_trees_sort_free_nodes(trees);
    if (dry_trees_available_nodes(trees) < needed) {
        for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
            if (!t->is_taken[kind])
                take(trees, t, (dry_tree_kind)kind, 0);
        dry_trees_sort_free_nodes(trees);
    }
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        if (t->is_taken[kind])
            build_from_items(trees, (dry_tree_kind)kind, t->begin[kind], t->end[kind] - t->begin[kind], jobs);
}

/* Takes room for all leaves and so many new ones; returns what gives it back. */
static size_t take_items(dry_trees *trees, int leaves)
{
    size_t mark = trees->scratch->used;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
        leaves += trees->tree[kind].leaves;
    trees->items = DRY_SCRATCH_TAKE(trees->scratch, dry_tree_item, leaves);
    return mark;
}

static void give_items_back(dry_trees *trees, size_t mark)
{
    trees->items = NULL;
    dry_scratch_give_back(trees->scratch, mark);
}

void dry_tree_build_with(dry_trees *trees, dry_tree_kind kind, const int32_t *proxies, int count,
                         dry_jobs *jobs)
{
    size_t mark = take_items(trees, count);
    taken t = {.items = 0};
    take(trees, &t, kind, count > 0 ? 0 : DRY_PROXY_USED);
    for (int i = 0; i < count; i++)
        set_item(trees, t.items++, proxies[i]);
    t.end[kind] = t.items;
    build_taken(trees, &t, jobs);
    give_items_back(trees, mark);
}

void dry_tree_divide(dry_trees *trees, dry_jobs *jobs)
{
    size_t mark = take_items(trees, 0);
    taken t = {.items = 0};
    take(trees, &t, DRY_TREE_MOVABLE, 0);
    take(trees, &t, DRY_TREE_SLEEPING, 0);
    int front = 0;
    for (int i = 0; i < t.items; i++) {
        dry_tree_item item = trees->items[i];
        if (trees->proxies->flags[item.proxy] & DRY_PROXY_SLEEPING)
            continue;
        trees->items[i] = trees->items[front];
        trees->items[front++] = item;
    }
    t.end[DRY_TREE_MOVABLE] = t.begin[DRY_TREE_SLEEPING] = front;
    build_taken(trees, &t, jobs);
    give_items_back(trees, mark);
}

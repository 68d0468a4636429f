/* Stage "pairs", second part: descending the trees in pairs of nodes, in parallel, and the sorting of what
 * was found.
 *
 * A descent begins with all pairs of roots but (fixed root, itself), and goes on to the pairs of children
 * whose boxes overlap, as long as one of the two holds a moved leaf: each pair of leaves is met once. Where
 * few moved, each goes down from the roots by itself instead. For 10,000 falling cubes of which half moved
 * the descent in pairs took 1.6 ms and single ones 3.9; for 50 of 100,000, 0.18 and 0.09 ms.
 *
 * Of a descent in pairs the first levels are done breadth-first on the calling thread; the pairs then
 * pending are shared out. The workers claim chunks of one common output. What they find does not depend on
 * who looks where, and sorting by (first, second) takes away the order in which it was found. If the output
 * is too small they go on counting; the calling thread then makes room and the pass is repeated.
 *
 * Reads: fat boxes, states, trees. Writes: the pairs, states (nothing is moved any more). */
#include "broadphase/proxies.h"

#include <string.h>

enum {
    /* Pairs of nodes to share out: the largest, a subtree with itself at the fourth level, is then less than
     * a hundredth of the work. */
    TASKS = 2048,
    /* Two nodes have at most 16 pairs of children. */
    STEP_MAX = DRY_TREE_WIDTH * DRY_TREE_WIDTH,
    /* A step goes down a level on at least one side and leaves at most 15 pairs behind. */
    STACK_MAX = 2 * DRY_TREE_HEIGHT_MAX * STEP_MAX,
    QUEUE_MAX = 2 * TASKS,
    TASK_GRAIN = 4,
    /* Moved proxies that go down by themselves: at most one leaf in SINGLE_SHARE, SINGLE_GRAIN at a time. */
    SINGLE_SHARE = 16,
    SINGLE_GRAIN = 32,
    /* Ranges this short are sorted by insertion. */
    INSERTION_MAX = 32,
};

/* Two children to descend into: nodes, or one of them a leaf (~proxy). Twice the same: all pairs below it. */
typedef struct node_pair {
    int32_t a, b;
} node_pair;

typedef struct pair_search {
    const dry_broadphase *broadphase;
    dry_pairs_drop_known *drop_known;
    const void *context;
    dry_pair *pairs;
    int chunks;         /* that the output has room for */
    atomic_int claimed; /* may exceed `chunks` by one a worker */
    dry_pair_writer *writers;
    bool single; /* each moved leaf by itself */
    int moved;
    node_pair queue[QUEUE_MAX];
    int head, tail;
} pair_search;

static void write_pair(pair_search *search, dry_pair_writer *writer, dry_pair pair)
{
    if (writer->left == 0 && !writer->full) {
        int chunk = atomic_fetch_add_explicit(&search->claimed, 1, memory_order_relaxed);
        writer->full = chunk >= search->chunks;
        if (!writer->full) {
            writer->next = search->pairs + (size_t)chunk * PAIR_CHUNK;
            writer->left = PAIR_CHUNK;
        }
    }
    if (writer->full) {
        writer->lost++;
        return;
    }
    *writer->next++ = pair;
    writer->left--;
}

static void flush_met(pair_search *search, dry_pair_writer *writer)
{
    int count = writer->met_count;
    if (search->drop_known && count > 0)
        count = search->drop_known(search->context, writer->met, count);
    for (int i = 0; i < count; i++)
        write_pair(search, writer, writer->met[i]);
    writer->met_count = 0;
}

static void meet(pair_search *search, dry_pair_writer *writer, int32_t leaf_a, int32_t leaf_b)
{
    const uint32_t *users = search->broadphase->users;
    uint32_t a = users[~leaf_a], b = users[~leaf_b];
    writer->met[writer->met_count++] = (dry_pair){a < b ? a : b, a < b ? b : a};
    if (writer->met_count == PAIR_BATCH)
        flush_met(search, writer);
}

/* The step on from one pair: meets the leaves, writes the other pairs to `next`, returns their number. */

static int step_leaf(pair_search *search, dry_pair_writer *writer, int32_t leaf, int32_t index,
                     node_pair next[STEP_MAX])
{
    const dry_broadphase *broadphase = search->broadphase;
    const dry_tree_node *node = &broadphase->trees.nodes[index];
    dry_box4 box = dry_box4_splat(&broadphase->trees.boxes[~leaf]);
    int n = 0, hits = dry_node_overlaps(node, &box);
    if (!(broadphase->states[~leaf] & PROXY_MOVED))
        hits &= node->moved;
    for (; hits; hits &= hits - 1) {
        int32_t child = node->child[__builtin_ctz((unsigned)hits)];
        if (child >= 0)
            next[n++] = (node_pair){leaf, child};
        else if (!search->single || !(broadphase->states[~child] & PROXY_MOVED) || ~leaf < ~child)
            /* Of two moved leaves that go down by themselves, the smaller proxy meets the other. */
            meet(search, writer, leaf, child);
    }
    return n;
}

static int step_nodes(pair_search *search, dry_pair_writer *writer, node_pair pair, node_pair next[STEP_MAX])
{
    const dry_tree_node *a = &search->broadphase->trees.nodes[pair.a];
    const dry_tree_node *b = &search->broadphase->trees.nodes[pair.b];
    bool same = pair.a == pair.b;
    int n = 0, hits = 0;
    /* Bit 4 i + j: child i of a and child j of b; of a node and itself only j > i. */
    for (int i = 0; i < DRY_TREE_WIDTH; i++) {
        int row = (a->moved >> i & 1 ? 15 : b->moved) & (same ? 14 << i : 15);
        if (row == 0)
            continue;
        dry_box4 box = dry_box4_splat_child(a, i);
        hits |= (dry_node_overlaps(b, &box) & row) << DRY_TREE_WIDTH * i;
    }
    for (; hits; hits &= hits - 1) {
        int bit = __builtin_ctz((unsigned)hits);
        int32_t child_a = a->child[bit / DRY_TREE_WIDTH], child_b = b->child[bit % DRY_TREE_WIDTH];
        if ((child_a & child_b) < 0)
            meet(search, writer, child_a, child_b);
        else
            next[n++] = (node_pair){child_a, child_b};
    }
    for (int i = 0; same && i < a->count; i++) {
        if (a->child[i] >= 0 && a->moved >> i & 1)
            next[n++] = (node_pair){a->child[i], a->child[i]};
    }
    return n;
}

static int step(pair_search *search, dry_pair_writer *writer, node_pair pair, node_pair next[STEP_MAX])
{
    if (pair.a < 0)
        return step_leaf(search, writer, pair.a, pair.b, next);
    if (pair.b < 0)
        return step_leaf(search, writer, pair.b, pair.a, next);
    return step_nodes(search, writer, pair, next);
}

static void descend(pair_search *search, dry_pair_writer *writer, node_pair begin)
{
    node_pair stack[STACK_MAX];
    int top = step(search, writer, begin, stack);
    while (top > 0) {
        node_pair pair = stack[--top];
        top += step(search, writer, pair, &stack[top]);
    }
}

static void run_queue(void *context, int begin, int end, int worker)
{
    pair_search *search = context;
    for (int i = search->head + begin; i < search->head + end; i++)
        descend(search, &search->writers[worker], search->queue[i]);
    flush_met(search, &search->writers[worker]);
}

static void run_single(void *context, int begin, int end, int worker)
{
    pair_search *search = context;
    const dry_broadphase *broadphase = search->broadphase;
    const dry_tree *trees = broadphase->trees.tree;
    for (int i = begin; i < end; i++) {
        int proxy = broadphase->moved[i];
        for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
            if (trees[kind].root != DRY_TREE_NONE &&
                (kind != DRY_TREE_FIXED || broadphase->states[proxy] & PROXY_MOVABLE))
                descend(search, &search->writers[worker], (node_pair){~proxy, trees[kind].root});
    }
    flush_met(search, &search->writers[worker]);
}

static void search_in_pairs(pair_search *search, dry_jobs *jobs)
{
    const dry_tree *trees = search->broadphase->trees.tree;
    search->head = search->tail = 0;
    for (int a = 0; a < DRY_TREE_KINDS; a++)
        for (int b = a; b < DRY_TREE_KINDS; b++)
            if (b != DRY_TREE_FIXED && trees[a].root != DRY_TREE_NONE && trees[b].root != DRY_TREE_NONE)
                search->queue[search->tail++] = (node_pair){trees[b].root, trees[a].root};
    while (search->head < search->tail && search->tail - search->head < TASKS &&
           search->tail + STEP_MAX <= QUEUE_MAX) {
        node_pair pair = search->queue[search->head++];
        search->tail += step(search, &search->writers[0], pair, &search->queue[search->tail]);
    }
    flush_met(search, &search->writers[0]);
    dry_tree_for(jobs, search->tail - search->head, TASK_GRAIN, run_queue, search);
}

/* One pass over everything; returns the number of pairs that there was no room for. */
static int64_t search_all(pair_search *search, dry_jobs *jobs, int workers)
{
    int64_t lost = 0;
    atomic_store_explicit(&search->claimed, 0, memory_order_relaxed);
    memset(search->writers, 0, (size_t)workers * sizeof *search->writers);
    if (search->single)
        dry_tree_for(jobs, search->moved, SINGLE_GRAIN, run_single, search);
    else
        search_in_pairs(search, jobs);
    for (int w = 0; w < workers; w++)
        lost += search->writers[w].lost;
    return lost;
}

/* The moved proxies. */

static int collect_moved(dry_broadphase *broadphase)
{
    int count = 0;
    const dry_proxy_flag *flags = broadphase->moved_blocks;
    int blocks = dry_proxy_blocks(broadphase);
    for (int block = -1; (block = dry_proxy_flag_next(flags, block + 1, blocks)) < blocks;) {
        int begin = block * PROXY_BLOCK, end = dry_min_int(begin + PROXY_BLOCK, broadphase->slots);
        for (int proxy = begin; proxy < end; proxy++) {
            broadphase->moved[count] = proxy;
            count += (broadphase->states[proxy] & PROXY_MOVED) != 0;
        }
    }
    return count;
}

static void clear_moved(dry_broadphase *broadphase, int count)
{
    for (int i = 0; i < count; i++)
        broadphase->states[broadphase->moved[i]] &= (unsigned char)~PROXY_MOVED;
    dry_proxy_flags_lower(broadphase->moved_blocks, dry_proxy_blocks(broadphase));
    dry_proxy_flag_lower(&broadphase->any_moved);
}

/* Sets, or clears again, the marks on the ways from the moved leaves up to the roots. */
static void mark_ways(dry_broadphase *broadphase, int count, bool set)
{
    dry_tree_node *nodes = broadphase->trees.nodes;
    for (int i = 0; i < count; i++) {
        int32_t place = broadphase->trees.places[broadphase->moved[i]];
        while (place != DRY_TREE_NONE) {
            dry_tree_node *node = &nodes[place / DRY_TREE_WIDTH];
            int32_t before = node->moved;
            node->moved = set ? before | 1 << place % DRY_TREE_WIDTH : 0;
            if ((before != 0) == set)
                break;
            place = node->parent;
        }
    }
}

/* The output. */

static bool reserve_pairs(dry_broadphase *broadphase, int64_t count)
{
    /* Builds are over when pairs are looked for. */
    const int per_item = (int)(sizeof(dry_tree_item) / sizeof(dry_pair));
    dry_trees *trees = &broadphase->trees;
    if (count > INT32_MAX / 2 || !DRY_RESERVE(broadphase->memory, trees->items, trees->item_capacity,
                                              (int)((count + per_item - 1) / per_item)))
        return false;
    broadphase->pairs = (dry_pair *)(void *)trees->items;
    broadphase->pair_capacity =
        trees->item_capacity > INT32_MAX / per_item ? INT32_MAX : trees->item_capacity * per_item;
    return true;
}

/* Closes the gaps that the writers left at the ends of their last chunks; returns the number of pairs. */
static int close_gaps(pair_search *search, int workers)
{
    /* No pair's first is the largest number, since its second is larger. */
    static const dry_pair gap = {UINT32_MAX, UINT32_MAX};
    for (int w = 0; w < workers; w++) {
        for (int i = 0; i < search->writers[w].left; i++)
            search->writers[w].next[i] = gap;
    }
    int count = 0, written = atomic_load_explicit(&search->claimed, memory_order_relaxed) * PAIR_CHUNK;
    for (int i = 0; i < written; i++) {
        search->pairs[count] = search->pairs[i];
        count += search->pairs[i].first != UINT32_MAX;
    }
    return count;
}

static uint64_t pair_key(dry_pair pair)
{
    return (uint64_t)pair.first << 32 | pair.second;
}

/* Sorts pairs by (first, second), of which the bits from `shift` + 8 up are equal: radix sort in place from
 * the top ("American flag sort" [McIlroy, Bostic, McIlroy 93]), so that the first step's many pairs need no
 * second array. */
static void sort_pairs(dry_pair *pairs, int count, int shift)
{
    if (count <= INSERTION_MAX) {
        for (int i = 1; i < count; i++) {
            dry_pair pair = pairs[i];
            int j = i;
            for (; j > 0 && pair_key(pairs[j - 1]) > pair_key(pair); j--)
                pairs[j] = pairs[j - 1];
            pairs[j] = pair;
        }
        return;
    }
    int ends[256] = {0}, next[256], begin = 0;
    for (int i = 0; i < count; i++)
        ends[pair_key(pairs[i]) >> shift & 255]++;
    for (int digit = 0; digit < 256; digit++) {
        next[digit] = begin;
        begin = ends[digit] += begin;
    }
    for (int digit = 0; digit < 256; digit++) {
        while (next[digit] < ends[digit]) {
            dry_pair pair = pairs[next[digit]];
            int home = (int)(pair_key(pair) >> shift & 255);
            if (home == digit) {
                next[digit]++;
            } else {
                pairs[next[digit]] = pairs[next[home]];
                pairs[next[home]++] = pair;
            }
        }
    }
    if (shift == 0)
        return;
    /* The lowest digits overlap where less than a whole one is left; they are equal there. */
    begin = 0;
    for (int digit = 0; digit < 256; digit++) {
        if (ends[digit] - begin > 1)
            sort_pairs(pairs + begin, ends[digit] - begin, shift < 8 ? 0 : shift - 8);
        begin = ends[digit];
    }
}

/* The shift of the highest digit in which pairs differ. */
static int sort_shift(const dry_pair *pairs, int count)
{
    uint64_t differing = 0;
    int shift = 0;
    for (int i = 1; i < count; i++)
        differing |= pair_key(pairs[i]) ^ pair_key(pairs[0]);
    while (differing >> shift >> 8 != 0)
        shift++;
    return shift;
}

bool dry_broadphase_find_pairs(dry_broadphase *broadphase, dry_jobs *jobs, dry_pairs_drop_known *drop_known,
                               const void *context, const dry_pair **pairs, int *pair_count)
{
    *pairs = NULL;
    *pair_count = 0;
    dry_broadphase_refresh(broadphase, jobs);
    if (!dry_proxy_flag_is_up(&broadphase->any_moved))
        return true;

    int workers = jobs ? dry_jobs_workers(jobs) : 1;
    if (!DRY_RESERVE(broadphase->memory, broadphase->writers, broadphase->writer_capacity, workers) ||
        !reserve_pairs(broadphase, (int64_t)workers * PAIR_CHUNK))
        return false;
    pair_search search;
    search.broadphase = broadphase;
    search.drop_known = drop_known;
    search.context = context;
    search.writers = broadphase->writers;

    search.moved = collect_moved(broadphase);
    int resting = broadphase->trees.tree[DRY_TREE_RESTING].leaves;
    search.single = search.moved <= (broadphase->count - resting) / SINGLE_SHARE;
    bool room = true;
    if (!search.single)
        mark_ways(broadphase, search.moved, true);
    for (;;) {
        search.pairs = broadphase->pairs;
        search.chunks = broadphase->pair_capacity / PAIR_CHUNK;
        int64_t lost = search_all(&search, jobs, workers);
        if (lost == 0)
            break;
        /* The next pass may leave other tails unused than this one. */
        room = reserve_pairs(broadphase, ((int64_t)search.chunks + workers + 1) * PAIR_CHUNK + lost);
        if (!room)
            break;
    }
    if (!search.single)
        mark_ways(broadphase, search.moved, false);
    if (!room)
        return false;

    *pair_count = close_gaps(&search, workers);
    *pairs = broadphase->pairs;
    sort_pairs(broadphase->pairs, *pair_count, sort_shift(broadphase->pairs, *pair_count));
    clear_moved(broadphase, search.moved);
    return true;
}

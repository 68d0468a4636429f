/* Stage "pairs", second part: descending the trees in pairs of nodes, in parallel.
 *
 * A descent begins with all pairs of roots but (fixed root, itself). The next pairs are children whose boxes
 * overlap, as long as one of the two holds a moved leaf: each pair of leaves is found once. If few proxies
 * moved, or if few are movable, each of them descends from the roots by itself instead. For 10,000 falling
 * cubes of which half moved, the descent in pairs took 1.6 ms and single descents 3.9 ms. For 50 of 100,000
 * the times were 0.18 ms and 0.09 ms. For ten beside 1,000,000 fixed ones, all new, they were 40 ms and 4 ms.
 *
 * The calling thread does the first levels of a descent in pairs breadth-first and shares out the pairs then
 * pending. The workers claim chunks of one common output. The set of pairs does not depend on who looks
 * where, and sorting by (first, second) takes away the order of discovery. If the output is too small the
 * workers go on counting; the calling thread then makes room and the pass is repeated.
 *
 * Reads: fat boxes, flags, trees. Writes: the pairs, flags (no proxy is moved any more). */
#include "broadphase/internal.h"

enum {
    /* Pairs of nodes to share out: the largest, a subtree with itself at the fourth level, is then less than
     * a hundredth of the work. */
    TASKS = 2048,
    /* Two nodes have at most 16 pairs of children. */
    STEP_MAX = DRY_TREE_WIDTH * DRY_TREE_WIDTH,
    /* A step goes down a level on at least one side and leaves at most 15 pairs behind. */
    STACK_MAX = 2 * DRY_TREE_HEIGHT_MAX * STEP_MAX,
    /* At most so many pairs of roots. */
    ROOTS_MAX = DRY_TREE_KINDS * (DRY_TREE_KINDS + 1) / 2,
    TASK_GRAIN = 4,
    /* Single descents are used if at most one leaf in SINGLE_SHARE moved, or if at most one in SINGLE_SHARE
     * is movable. A worker claims SINGLE_GRAIN proxies at a time. */
    SINGLE_SHARE = 16,
    SINGLE_GRAIN = 32,
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
    dry_proxy_flags single; /* leaves with this flag descend, each by itself; 0: pairs of nodes do */
    int32_t *seekers;       /* those leaves */
    int seeker_count, moved;
    node_pair *queue; /* in scratch memory */
    int tasks;        /* pairs to share out; 0: the pairs of roots */
    int head, tail;
} pair_search;

/* Writes a pair to the worker's chunk of the output, or counts it as lost. */
static void write_pair(pair_search *search, dry_pair_writer *writer, dry_pair pair)
{
    if (writer->left == 0 && !writer->full) {
        int chunk = atomic_fetch_add_explicit(&search->claimed, 1, memory_order_relaxed);
        writer->full = chunk >= search->chunks;
        if (!writer->full) {
            writer->next = search->pairs + (size_t)chunk * DRY_PAIR_CHUNK;
            writer->left = DRY_PAIR_CHUNK;
        }
    }
    if (writer->full) {
        writer->lost++;
        return;
    }
    *writer->next++ = pair;
    writer->left--;
}

/* Writes the pairs of the worker's batch that are new. */
static void flush_found(pair_search *search, dry_pair_writer *writer)
{
    int count = writer->found_count;
    if (search->drop_known && count > 0)
        count = search->drop_known(search->context, writer->found, count);
    for (int i = 0; i < count; i++)
        write_pair(search, writer, writer->found[i]);
    writer->found_count = 0;
}

/* Takes two leaves that overlap into the worker's batch. */
static void add_found(pair_search *search, dry_pair_writer *writer, int32_t leaf_a, int32_t leaf_b)
{
    const uint32_t *user = search->broadphase->proxies.user;
    uint32_t a = user[~leaf_a], b = user[~leaf_b];
    writer->found[writer->found_count++] = (dry_pair){a < b ? a : b, a < b ? b : a};
    if (writer->found_count == DRY_PAIR_BATCH)
        flush_found(search, writer);
}

/* A step goes on from one pair: it takes in the pairs of leaves, writes the other pairs to `next`, and
 * returns their number. */

static int step_leaf(pair_search *search, dry_pair_writer *writer, int32_t leaf, int32_t index,
                     node_pair next[STEP_MAX])
{
    const dry_broadphase *broadphase = search->broadphase;
    const dry_tree_node *node = &broadphase->trees.nodes[index];
    const dry_proxy_flags *flags = broadphase->proxies.flags;
    dry_box4 box = dry_box4_splat(&broadphase->proxies.box[~leaf]);
    int n = 0, hits = dry_node_overlaps(node, &box);
    if (!search->single && !(flags[~leaf] & DRY_PROXY_MOVED))
        hits &= node->moved;
    for (; hits; hits &= hits - 1) {
        int32_t child = node->child[dry_lowest_bit((unsigned)hits)];
        if (child >= 0)
            next[n++] = (node_pair){leaf, child};
        else if (!search->single || (((flags[~leaf] | flags[~child]) & DRY_PROXY_MOVED) &&
                                     (!(flags[~child] & search->single) || ~leaf < ~child)))
            /* If two leaves descend by themselves, the smaller proxy finds the pair. */
            add_found(search, writer, leaf, child);
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
        int bit = dry_lowest_bit((unsigned)hits);
        int32_t child_a = a->child[bit / DRY_TREE_WIDTH], child_b = b->child[bit % DRY_TREE_WIDTH];
        if ((child_a & child_b) < 0)
            add_found(search, writer, child_a, child_b);
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

static void run_queue(void *context, dry_items items)
{
    pair_search *search = context;
    for (int i = search->head + items.begin; i < search->head + items.end; i++)
        descend(search, &search->writers[items.worker], search->queue[i]);
    flush_found(search, &search->writers[items.worker]);
}

static void run_single(void *context, dry_items items)
{
    pair_search *search = context;
    const dry_broadphase *broadphase = search->broadphase;
    const dry_tree *trees = broadphase->trees.tree;
    for (int i = items.begin; i < items.end; i++) {
        int proxy = search->seekers[i];
        for (int kind = 0; kind < DRY_TREE_KINDS; kind++)
            if (trees[kind].root != DRY_TREE_NONE &&
                (kind != DRY_TREE_FIXED || broadphase->proxies.flags[proxy] & DRY_PROXY_MOVABLE))
                descend(search, &search->writers[items.worker], (node_pair){~proxy, trees[kind].root});
    }
    flush_found(search, &search->writers[items.worker]);
}

/* Returns the length of a queue in which some pairs are to pend. */
static int queue_room(int tasks)
{
    return dry_max_int(2 * tasks, ROOTS_MAX);
}

static void search_in_pairs(pair_search *search, dry_jobs *jobs)
{
    const dry_tree *trees = search->broadphase->trees.tree;
    search->head = search->tail = 0;
    for (int a = 0; a < DRY_TREE_KINDS; a++)
        for (int b = a; b < DRY_TREE_KINDS; b++)
            if (b != DRY_TREE_FIXED && trees[a].root != DRY_TREE_NONE && trees[b].root != DRY_TREE_NONE)
                search->queue[search->tail++] = (node_pair){trees[b].root, trees[a].root};
    while (search->head < search->tail && search->tail - search->head < search->tasks &&
           search->tail + STEP_MAX <= queue_room(search->tasks)) {
        node_pair pair = search->queue[search->head++];
        search->tail += step(search, &search->writers[0], pair, &search->queue[search->tail]);
    }
    flush_found(search, &search->writers[0]);
    dry_tree_for(jobs, search->tail - search->head, TASK_GRAIN, run_queue, search);
}

/* Makes one pass over everything; returns the number of pairs without room. */
static int64_t search_all(pair_search *search, dry_jobs *jobs, int workers)
{
    int64_t lost = 0;
    atomic_store_explicit(&search->claimed, 0, memory_order_relaxed);
    memset(search->writers, 0, (size_t)workers * sizeof *search->writers);
    if (search->single)
        dry_tree_for(jobs, search->seeker_count, SINGLE_GRAIN, run_single, search);
    else
        search_in_pairs(search, jobs);
    for (int w = 0; w < workers; w++)
        lost += search->writers[w].lost;
    return lost;
}

/* Lists the moved proxies with bounds by rising index; returns their number. */
static int collect_moved(dry_broadphase *broadphase)
{
    int count = 0;
    const dry_proxy_flag *flags = broadphase->moved_blocks;
    int blocks = dry_broadphase_blocks(broadphase);
    for (int block = -1; (block = dry_proxy_flag_next(flags, block + 1, blocks)) < blocks;) {
        int begin = block * DRY_PROXY_BLOCK,
            end = dry_min_int(begin + DRY_PROXY_BLOCK, broadphase->proxies.used);
        for (int proxy = begin; proxy < end; proxy++) {
            broadphase->moved[count] = proxy;
            count += (broadphase->proxies.flags[proxy] & (DRY_PROXY_MOVED | DRY_PROXY_UNBOUNDED)) ==
                     DRY_PROXY_MOVED;
        }
    }
    return count;
}

/* Chooses the leaves that descend by themselves, if any do. */
static void choose_seekers(pair_search *search)
{
    const dry_broadphase *b = search->broadphase;
    const int sleeping = b->trees.tree[DRY_TREE_SLEEPING].leaves,
              few = (b->proxies.count - b->unbounded_count - sleeping) / SINGLE_SHARE;
    search->seekers = b->moved;
    search->seeker_count = search->moved;
    if (search->moved <= few) {
        search->single = DRY_PROXY_MOVED;
    } else if (b->trees.tree[DRY_TREE_MOVABLE].leaves + sleeping <= few) {
        search->single = DRY_PROXY_MOVABLE;
        search->seekers = b->moved + search->moved;
        search->seeker_count = 0;
        for (int proxy = 0; proxy < b->proxies.used; proxy++)
            if (b->proxies.flags[proxy] & DRY_PROXY_MOVABLE)
                search->seekers[search->seeker_count++] = proxy;
    }
}

static void clear_moved(dry_broadphase *broadphase, int count)
{
    for (int u = dry_unbounded_first(broadphase); u >= 0; u = dry_unbounded_next(broadphase, u))
        broadphase->proxies.flags[u] &= (unsigned char)~DRY_PROXY_MOVED;
    for (int i = 0; i < count; i++)
        broadphase->proxies.flags[broadphase->moved[i]] &= (unsigned char)~DRY_PROXY_MOVED;
    dry_proxy_flags_lower(broadphase->moved_blocks, dry_broadphase_blocks(broadphase));
    dry_proxy_flag_lower(&broadphase->any_moved);
}

/* Sets or clears the marks on the ways from the moved leaves up to the roots. */
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

/* Makes room for `count` pairs; false if memory fails. */
static bool reserve_pairs(dry_broadphase *broadphase, int64_t count)
{
    if (count > INT32_MAX / 2 ||
        !dry_scratch_reserve(broadphase->scratch, broadphase->memory, (size_t)count * sizeof(dry_pair)))
        return false;
    size_t bytes;
    broadphase->pairs = dry_scratch_rest(broadphase->scratch, &bytes);
    size_t capacity = bytes / sizeof(dry_pair);
    broadphase->pair_capacity = capacity > INT32_MAX ? INT32_MAX : (int)capacity;
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
    int count = 0, written = atomic_load_explicit(&search->claimed, memory_order_relaxed) * DRY_PAIR_CHUNK;
    for (int i = 0; i < written; i++) {
        search->pairs[count] = search->pairs[i];
        count += search->pairs[i].first != UINT32_MAX;
    }
    return count;
}

/* Writes the new pairs of proxies without bounds, sorted; returns their number. */
static int add_unbounded_pairs(const pair_search *search, dry_pair *pairs)
{
    int count = dry_unbounded_find_pairs(search->broadphase, search->moved, pairs);
    DRY_ASSERT(count <= dry_unbounded_pairs_max(search->broadphase, search->moved));
    if (search->drop_known && count > 0)
        count = search->drop_known(search->context, pairs, count);
    dry_pairs_sort(pairs, count);
    return count;
}

bool dry_broadphase_has_moved(const dry_broadphase *broadphase)
{
    return dry_proxy_flag_is_up(&broadphase->any_moved);
}

bool dry_broadphase_find_pairs(dry_broadphase *broadphase, dry_jobs *jobs, dry_pairs_drop_known *drop_known,
                               const void *context, const dry_pair **pairs, int *pair_count)
{
    *pairs = NULL;
    *pair_count = 0;
    dry_broadphase_refresh(broadphase, jobs);
    if (!dry_proxy_flag_is_up(&broadphase->any_moved))
        return true;

    int slots = broadphase->proxies.used;
    pair_search search = {.tasks = jobs && dry_jobs_sharing(jobs) > 1 ? TASKS : 0};
    if (!dry_scratch_reserve(broadphase->scratch, broadphase->memory,
                             dry_scratch_bytes((size_t)(slots + slots / SINGLE_SHARE), sizeof(int32_t)) +
                                 dry_scratch_bytes((size_t)queue_room(search.tasks), sizeof(node_pair))))
        return false;
    search.queue = DRY_SCRATCH_TAKE(broadphase->scratch, node_pair, queue_room(search.tasks));
    broadphase->moved = DRY_SCRATCH_TAKE(broadphase->scratch, int32_t, slots + slots / SINGLE_SHARE);
    int moved = collect_moved(broadphase);
    int64_t unbounded = dry_unbounded_pairs_max(broadphase, moved);
    int workers = jobs ? dry_jobs_workers(jobs) : 1;
    if (!DRY_RESERVE(broadphase->memory, broadphase->writers, broadphase->writer_capacity, workers) ||
        !reserve_pairs(broadphase, (int64_t)workers * DRY_PAIR_CHUNK + unbounded))
        return false;
    search.broadphase = broadphase;
    search.drop_known = drop_known;
    search.context = context;
    search.writers = broadphase->writers;

    search.moved = moved;
    choose_seekers(&search);
    bool room = true;
    if (!search.single)
        mark_ways(broadphase, search.moved, true);
    for (;;) {
        search.pairs = broadphase->pairs;
        search.chunks = (int)((broadphase->pair_capacity - unbounded) / DRY_PAIR_CHUNK);
        int64_t lost = search_all(&search, jobs, workers);
        if (lost == 0)
            break;
        /* The next pass may leave other tails unused than this one. */
        room = reserve_pairs(broadphase,
                             ((int64_t)search.chunks + workers + 1) * DRY_PAIR_CHUNK + lost + unbounded);
        if (!room)
            break;
    }
    if (!search.single)
        mark_ways(broadphase, search.moved, false);
    if (!room)
        return false;

    *pair_count = close_gaps(&search, workers);
    dry_pairs_sort(broadphase->pairs, *pair_count);
    *pair_count += add_unbounded_pairs(&search, broadphase->pairs + *pair_count);
    *pairs = DRY_SCRATCH_TAKE(broadphase->scratch, dry_pair, *pair_count);
    clear_moved(broadphase, search.moved);
    return true;
}

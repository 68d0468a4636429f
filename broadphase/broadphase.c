/* Stage "pairs", first part: proxies, their fat boxes, and keeping the trees up to date.
 *
 * Reads: tight bounds. Writes: fat boxes, states, trees. Next: pairs.c. */
#include "broadphase/proxies.h"

/* How far a fat box extends beyond the shape. Larger: fewer proxies leave their boxes, more pairs that
 * never touch. 5 cm is what a falling body covers in the first 0.1 s, six steps; a shape smaller than half
 * a metre gets a tenth of its size, lest gravel should pair with everything around it. */
static const float MARGIN_MAX = 0.05f;
static const float MARGIN_PER_SIZE = 0.1f;

/* The predicted displacement counts up to these: beyond them a box swept over the whole way would pair with
 * more than leaving it every step costs. */
static const float DISPLACEMENT_MAX = 1.0f;
static const float DISPLACEMENT_PER_SIZE = 2.0f;

/* A fat box that extends this many margins beyond a new one is replaced although the shape is inside it:
 * else what came to rest after a fall would keep its long box, and the pairs that come with it. */
static const float OVERSIZE_MARGINS = 4.0f;

/* A tree of which more than one leaf in REFIT_SHARE moved is refitted as a whole: 11 ns a leaf against
 * some 90 for each that moves by itself. */
enum { REFIT_SHARE = 8 };

/* When more than one leaf in so many fell asleep or woke, the trees of both are built anew: 60 to 100 ns a
 * leaf against 700 for each that changes by itself. */
enum { SHIFT_SHARE = 8 };

/* A tree is built anew: after so many refits (mixing bodies spoil it slowly, and a build costs
 * about eight refits); when its inner boxes have grown by so much, by refits or by changes of one leaf in
 * CHANGED_SHARE, lest one that goes far and comes back should have a tree built each time; when half as many
 * leaves were added as it was built with; when all its leaves have moved to other places so many times, or
 * stretched their nodes, which the area does not tell where one leaf is so far away that it outweighs all. */
enum { REFITS_MAX = 16, REINSERTED_MAX = 4, STRETCHED_MAX = 2, CHANGED_SHARE = 16 };
static const double AREA_GROWTH_MAX = 1.3, AREA_SHRINKAGE_MAX = 4.0;
static const double ADDED_SHARE_MAX = 0.5;
static const int ADDED_MIN = 32;

/* A batch of more leaves than this, and than one in BATCH_SHARE of the tree's, is built into the tree with
 * the others, at 60 to 100 ns a leaf; else each goes in by itself, at 180 to 280. */
enum { BATCH_MIN = 32, BATCH_SHARE = 4 };

/* When more than one leaf in so many is removed at once, one pass takes them out of the tree: 5 to 30 ns for
 * each that was there against 100 for each that goes by itself. */
enum { PRUNE_SHARE = 8 };

/* What is left of 31 bits when a place is 4 * node + slot, with room to spare. */
static const int PROXIES_MAX = 1 << 28;

dry_broadphase *dry_broadphase_create(dry_memory *memory)
{
    dry_broadphase *broadphase = dry_memory_allocate(memory, sizeof *broadphase, DRY_CACHE_LINE);
    if (!broadphase)
        return NULL;
    *broadphase = (dry_broadphase){.memory = memory, .free_proxy = -1};
    dry_trees_init(&broadphase->trees);
    return broadphase;
}

void dry_broadphase_destroy(dry_broadphase *broadphase)
{
    if (!broadphase)
        return;
    dry_memory *memory = broadphase->memory;
    dry_trees_free(&broadphase->trees, memory);
    DRY_RELEASE(memory, broadphase->users, broadphase->user_capacity);
    DRY_RELEASE(memory, broadphase->states, broadphase->state_capacity);
    DRY_RELEASE(memory, broadphase->moved_blocks, broadphase->moved_block_capacity);
    DRY_RELEASE(memory, broadphase->stale_blocks, broadphase->stale_block_capacity);
    DRY_RELEASE(memory, broadphase->moved, broadphase->moved_capacity);
    DRY_RELEASE(memory, broadphase->writers, broadphase->writer_capacity);
    dry_memory_release(memory, broadphase, sizeof *broadphase);
}

bool dry_broadphase_reserve(dry_broadphase *broadphase, int count)
{
    dry_memory *memory = broadphase->memory;
    /* Indices in use and free ones together are `slots`. */
    if (count < 0 || count > PROXIES_MAX - broadphase->count)
        return false;
    int needed = dry_max_int(broadphase->slots, broadphase->count + count);
    int blocks = needed / PROXY_BLOCK + 1;
    return dry_trees_reserve(&broadphase->trees, memory, needed) &&
           DRY_RESERVE(memory, broadphase->users, broadphase->user_capacity, needed) &&
           DRY_RESERVE(memory, broadphase->states, broadphase->state_capacity, needed) &&
           DRY_RESERVE(memory, broadphase->moved_blocks, broadphase->moved_block_capacity, blocks) &&
           DRY_RESERVE(memory, broadphase->stale_blocks, broadphase->stale_block_capacity, blocks) &&
           DRY_RESERVE(memory, broadphase->moved, broadphase->moved_capacity, needed);
}

/* Fat boxes. */

/* The least float that is surely not above x: after the conversion (half a unit in the last place off at
 * most) two to four more units down; the constant is for where those units underflow. */
static inline float below(float f)
{
    return f - (dry_abs(f) * (1.0f / 4194304.0f) + 1e-30f);
}

static float round_down(double x)
{
    return below((float)x);
}

static float round_up(double x)
{
    return -round_down(-x);
}

dry_box dry_broadphase_box(const dry_broadphase *broadphase, const dry_bounds *bounds)
{
    dry_position o = broadphase->origin;
    return (dry_box){
        {round_down(bounds->min.x - o.x), round_down(bounds->min.y - o.y), round_down(bounds->min.z - o.z)},
        {round_up(bounds->max.x - o.x), round_up(bounds->max.y - o.y), round_up(bounds->max.z - o.z)}};
}

/* The fat box of a shape, and its margin. */
static dry_box fatten(const dry_box *tight, dry_vec3 displacement, float *margin)
{
    float size = dry_max(dry_max(tight->max[0] - tight->min[0], tight->max[1] - tight->min[1]),
                         tight->max[2] - tight->min[2]);
    float reach = dry_min(DISPLACEMENT_MAX, DISPLACEMENT_PER_SIZE * size);
    dry_box fat;
    *margin = dry_min(MARGIN_MAX, MARGIN_PER_SIZE * size);
    for (int k = 0; k < 3; k++) {
        float d = dry_clamp(vec3_get(displacement, k), -reach, reach);
        fat.min[k] = tight->min[k] - (*margin - dry_min(d, 0.0f));
        fat.max[k] = tight->max[k] + (*margin + dry_max(d, 0.0f));
    }
    return fat;
}

static bool is_oversized(const dry_box *box, const dry_box *wanted, float excess)
{
    bool over = false;
    for (int k = 0; k < 3; k++)
        over |= wanted->min[k] - box->min[k] > excess || box->max[k] - wanted->max[k] > excess;
    return over;
}

/* Proxies. */

static void mark_moved(dry_broadphase *broadphase, int proxy)
{
    dry_proxy_flag_raise(&broadphase->moved_blocks[proxy / PROXY_BLOCK]);
    dry_proxy_flag_raise(&broadphase->any_moved);
}

int dry_broadphase_add(dry_broadphase *broadphase, const dry_bounds *tight, uint32_t user, bool movable)
{
    if (broadphase->count == 0)
        broadphase->origin =
            (dry_position){0.5 * (tight->min.x + tight->max.x), 0.5 * (tight->min.y + tight->max.y),
                           0.5 * (tight->min.z + tight->max.z)};
    int proxy = broadphase->free_proxy;
    if (proxy >= 0)
        broadphase->free_proxy = (int)broadphase->users[proxy];
    else
        proxy = broadphase->slots++;
    broadphase->count++;

    float margin;
    dry_box box = dry_broadphase_box(broadphase, tight);
    broadphase->trees.boxes[proxy] = fatten(&box, vec3(0.0f, 0.0f, 0.0f), &margin);
    broadphase->users[proxy] = user;
    unsigned char state = (unsigned char)(PROXY_USED | PROXY_MOVED | (movable ? PROXY_MOVABLE : 0));
    broadphase->states[proxy] = state;
    mark_moved(broadphase, proxy);
    if (broadphase->batch)
        broadphase->moved[broadphase->batch_count++] = proxy;
    else
        dry_tree_insert(&broadphase->trees, dry_proxy_tree(state), proxy);
    return proxy;
}

void dry_broadphase_set_resting(dry_broadphase *broadphase, int proxy, bool resting)
{
    unsigned char *state = &broadphase->states[proxy];
    if (!(*state & PROXY_MOVABLE) || ((*state & PROXY_RESTING) != 0) == resting)
        return;
    *state ^= PROXY_RESTING;
    if (broadphase->batch)
        return;
    *state ^= PROXY_SHIFTED;
    dry_proxy_flag_raise(&broadphase->stale_blocks[proxy / PROXY_BLOCK]);
    dry_proxy_flag_raise(&broadphase->any_stale);
}

void dry_broadphase_begin_batch(dry_broadphase *broadphase)
{
    broadphase->batch = true;
    broadphase->batch_count = 0;
}

/* Puts those of the batch that belong to one tree at the front of the rest; returns their number. */
static int gather_kind(const dry_broadphase *broadphase, int32_t *rest, int count, dry_tree_kind kind)
{
    int own = 0;
    for (int i = 0; i < count; i++) {
        if (dry_proxy_tree(broadphase->states[rest[i]]) != kind)
            continue;
        int32_t proxy = rest[i];
        rest[i] = rest[own];
        rest[own++] = proxy;
    }
    return own;
}

void dry_broadphase_end_batch(dry_broadphase *broadphase)
{
    dry_trees *trees = &broadphase->trees;
    int32_t *rest = broadphase->moved;
    int left = broadphase->batch_count;
    broadphase->batch = false;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        int count = gather_kind(broadphase, rest, left, (dry_tree_kind)kind);
        if (count > BATCH_MIN && count > trees->tree[kind].leaves / BATCH_SHARE) {
            dry_tree_build_with(trees, (dry_tree_kind)kind, rest, count, NULL);
        } else {
            for (int i = 0; i < count; i++)
                dry_tree_insert(trees, (dry_tree_kind)kind, rest[i]);
        }
        rest += count;
        left -= count;
    }
}

void dry_broadphase_remove(dry_broadphase *broadphase, int proxy)
{
    if (broadphase->removal) {
        broadphase->moved[broadphase->batch_count++] = proxy;
        broadphase->states[proxy] &= (unsigned char)~PROXY_USED;
    } else {
        dry_tree_remove(&broadphase->trees, dry_proxy_tree(broadphase->states[proxy]), proxy);
        broadphase->states[proxy] = 0;
    }
    broadphase->users[proxy] = (uint32_t)broadphase->free_proxy;
    broadphase->free_proxy = proxy;
    broadphase->count--;
}

void dry_broadphase_begin_removal(dry_broadphase *broadphase)
{
    broadphase->removal = true;
    broadphase->batch_count = 0;
}

void dry_broadphase_end_removal(dry_broadphase *broadphase)
{
    dry_trees *trees = &broadphase->trees;
    int32_t *rest = broadphase->moved;
    int left = broadphase->batch_count;
    broadphase->removal = false;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        int count = gather_kind(broadphase, rest, left, (dry_tree_kind)kind);
        if (count > BATCH_MIN && count > trees->tree[kind].leaves / PRUNE_SHARE) {
            dry_tree_prune(trees, (dry_tree_kind)kind, broadphase->states, PROXY_USED);
        } else {
            for (int i = 0; i < count; i++)
                dry_tree_remove(trees, (dry_tree_kind)kind, rest[i]);
        }
        for (int i = 0; i < count; i++)
            broadphase->states[rest[i]] = 0;
        rest += count;
        left -= count;
    }
}

bool dry_broadphase_update(dry_broadphase *broadphase, int proxy, const dry_bounds *tight,
                           dry_vec3 displacement)
{
    float margin;
    dry_box *fat = &broadphase->trees.boxes[proxy];
    dry_box box = dry_broadphase_box(broadphase, tight);
    dry_box wanted = fatten(&box, displacement, &margin);
    if (dry_box_contains(fat, &box) && !is_oversized(fat, &wanted, OVERSIZE_MARGINS * margin))
        return false;
    *fat = wanted;
    broadphase->states[proxy] |= PROXY_MOVED | PROXY_STALE;
    mark_moved(broadphase, proxy);
    dry_proxy_flag_raise(&broadphase->stale_blocks[proxy / PROXY_BLOCK]);
    dry_proxy_flag_raise(&broadphase->any_stale);
    return true;
}

/* Boxes as lanes, so that compilers take several at a time. */
typedef float update_lanes[DRY_UPDATES_MAX];

typedef struct update_block {
    update_lanes min[3], max[3], fat_min[3], fat_max[3], displacement[3];
} update_block;

/* Lanes beyond `count` repeat the last one. */
static void load_updates(const dry_broadphase *broadphase, const dry_proxy_update *updates, int count,
                         update_block *u)
{
    dry_position o = broadphase->origin;
    for (int i = 0; i < DRY_UPDATES_MAX; i++) {
        const dry_proxy_update *from = &updates[dry_min_int(i, count - 1)];
        const dry_box *fat = &broadphase->trees.boxes[from->proxy];
        u->min[0][i] = (float)(from->tight.min.x - o.x), u->max[0][i] = (float)(from->tight.max.x - o.x);
        u->min[1][i] = (float)(from->tight.min.y - o.y), u->max[1][i] = (float)(from->tight.max.y - o.y);
        u->min[2][i] = (float)(from->tight.min.z - o.z), u->max[2][i] = (float)(from->tight.max.z - o.z);
        u->displacement[0][i] = from->displacement.x;
        u->displacement[1][i] = from->displacement.y;
        u->displacement[2][i] = from->displacement.z;
        for (int k = 0; k < 3; k++)
            u->fat_min[k][i] = fat->min[k], u->fat_max[k][i] = fat->max[k];
    }
}

/* Which of them dry_broadphase_update would give new fat boxes: its tests, lane by lane. */
static void find_leaving(update_block *u, int32_t leaves[DRY_UPDATES_MAX])
{
    update_lanes size = {0.0f}, margin, reach;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < DRY_UPDATES_MAX; i++) {
            u->min[k][i] = below(u->min[k][i]);
            u->max[k][i] = -below(-u->max[k][i]);
            size[i] = dry_max(size[i], u->max[k][i] - u->min[k][i]);
        }
    for (int i = 0; i < DRY_UPDATES_MAX; i++) {
        margin[i] = dry_min(MARGIN_MAX, MARGIN_PER_SIZE * size[i]);
        reach[i] = dry_min(DISPLACEMENT_MAX, DISPLACEMENT_PER_SIZE * size[i]);
        leaves[i] = 0;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < DRY_UPDATES_MAX; i++) {
            float d = dry_clamp(u->displacement[k][i], -reach[i], reach[i]);
            float low = u->min[k][i] - (margin[i] - dry_min(d, 0.0f));
            float high = u->max[k][i] + (margin[i] + dry_max(d, 0.0f));
            float excess = OVERSIZE_MARGINS * margin[i];
            leaves[i] |= (u->fat_min[k][i] > u->min[k][i]) | (u->max[k][i] > u->fat_max[k][i]) |
                         (low - u->fat_min[k][i] > excess) | (u->fat_max[k][i] - high > excess);
        }
}

void dry_broadphase_update_many(dry_broadphase *broadphase, const dry_proxy_update *updates, int count)
{
    if (count == 0)
        return;
    update_block block;
    int32_t leaves[DRY_UPDATES_MAX];
    load_updates(broadphase, updates, count, &block);
    find_leaving(&block, leaves);
    for (int i = 0; i < count; i++)
        if (leaves[i])
            dry_broadphase_update(broadphase, updates[i].proxy, &updates[i].tight, updates[i].displacement);
}

void dry_broadphase_touch(dry_broadphase *broadphase, int proxy)
{
    broadphase->states[proxy] |= PROXY_MOVED;
    mark_moved(broadphase, proxy);
}

bool dry_broadphase_overlaps(const dry_broadphase *broadphase, int proxy_a, int proxy_b)
{
    return dry_box_overlap(&broadphase->trees.boxes[proxy_a], &broadphase->trees.boxes[proxy_b]);
}

void *dry_broadphase_lend(dry_broadphase *broadphase, size_t bytes)
{
    dry_trees *trees = &broadphase->trees;
    size_t items = (bytes + sizeof *trees->items - 1) / sizeof *trees->items;
    if (items > INT32_MAX || !DRY_RESERVE(broadphase->memory, trees->items, trees->item_capacity, (int)items))
        return NULL;
    return trees->items;
}

int dry_broadphase_proxy_count(const dry_broadphase *broadphase)
{
    return broadphase->count;
}

/* Keeping the trees. */

typedef void proxy_visit(dry_broadphase *broadphase, int proxy, void *context);

/* Stale or shifted. */
static void for_each_stale(dry_broadphase *broadphase, proxy_visit *visit, void *context)
{
    const dry_proxy_flag *flags = broadphase->stale_blocks;
    int blocks = dry_proxy_blocks(broadphase);
    for (int block = -1; (block = dry_proxy_flag_next(flags, block + 1, blocks)) < blocks;) {
        int begin = block * PROXY_BLOCK, end = dry_min_int(begin + PROXY_BLOCK, broadphase->slots);
        for (int proxy = begin; proxy < end; proxy++) {
            if (broadphase->states[proxy] & (PROXY_STALE | PROXY_SHIFTED))
                visit(broadphase, proxy, context);
        }
    }
}

typedef struct stale_count {
    int stale[DRY_TREE_KINDS], shifted;
} stale_count;

static void count_stale(dry_broadphase *broadphase, int proxy, void *context)
{
    stale_count *count = context;
    unsigned char state = broadphase->states[proxy];
    count->stale[dry_proxy_tree(state)] += (state & PROXY_STALE) != 0;
    count->shifted += (state & PROXY_SHIFTED) != 0;
}

/* Moves one leaf, unless its whole tree was done. */
static void settle_stale(dry_broadphase *broadphase, int proxy, void *context)
{
    const bool *whole = context;
    dry_trees *trees = &broadphase->trees;
    unsigned char *state = &broadphase->states[proxy];
    dry_tree_kind from = dry_proxy_tree(*state);
    bool shifted = (*state & PROXY_SHIFTED) != 0;
    *state &= (unsigned char)~(PROXY_STALE | PROXY_SHIFTED);
    if (shifted) {
        dry_tree_remove(trees, from, proxy);
        dry_tree_insert(trees, dry_proxy_tree(*state), proxy);
    } else if (!whole[from]) {
        dry_tree_move(trees, from, proxy);
    }
}

static void clear_shifted(dry_broadphase *broadphase, int proxy, void *context)
{
    (void)context;
    broadphase->states[proxy] &= (unsigned char)~PROXY_SHIFTED;
}

/* So also where the area is no number any more. */
static bool is_grown(const dry_tree *tree)
{
    return !(tree->area <= AREA_GROWTH_MAX * tree->area_built);
}

static bool is_worn(const dry_tree *tree)
{
    const int64_t changed = tree->added + tree->reinserted + tree->stretched;
    /* Much smaller: what it is held against has gone. */
    const bool other = is_grown(tree) || tree->area * AREA_SHRINKAGE_MAX < tree->area_built;
    return tree->added > ADDED_MIN + (int)(ADDED_SHARE_MAX * tree->leaves) ||
           (other && changed > ADDED_MIN + tree->leaves / CHANGED_SHARE) ||
           tree->reinserted / REINSERTED_MAX + tree->stretched / STRETCHED_MAX > tree->leaves;
}

void dry_broadphase_refresh(dry_broadphase *broadphase, dry_jobs *jobs)
{
    dry_trees *trees = &broadphase->trees;
    stale_count count = {{0}, 0};
    bool whole[DRY_TREE_KINDS] = {false};
    bool any_stale = dry_proxy_flag_is_up(&broadphase->any_stale);
    if (any_stale)
        for_each_stale(broadphase, count_stale, &count);
    int movable = trees->tree[DRY_TREE_MOVABLE].leaves + trees->tree[DRY_TREE_RESTING].leaves;
    if (count.shifted > movable / SHIFT_SHARE) {
        dry_tree_divide(trees, broadphase->states, PROXY_RESTING, jobs);
        whole[DRY_TREE_MOVABLE] = whole[DRY_TREE_RESTING] = true;
        for_each_stale(broadphase, clear_shifted, NULL);
    }
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        dry_tree *tree = &trees->tree[kind];
        if (whole[kind])
            continue;
        whole[kind] = is_worn(tree);
        if (whole[kind]) {
            dry_tree_build(trees, (dry_tree_kind)kind, jobs);
        } else if (count.stale[kind] > tree->leaves / REFIT_SHARE) {
            whole[kind] = true;
            if (tree->refits >= REFITS_MAX) {
                dry_tree_build(trees, (dry_tree_kind)kind, jobs);
            } else {
                tree->refits++;
                dry_tree_refit(trees, (dry_tree_kind)kind, jobs);
                if (is_grown(tree))
                    dry_tree_build(trees, (dry_tree_kind)kind, jobs);
            }
        }
    }
    if (!any_stale)
        return;
    for_each_stale(broadphase, settle_stale, whole);
    dry_proxy_flags_lower(broadphase->stale_blocks, dry_proxy_blocks(broadphase));
    dry_proxy_flag_lower(&broadphase->any_stale);
}

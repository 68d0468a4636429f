/* Proxies and their fat boxes: adding, removing, updating.
 *
 * Reads: tight bounds. Writes: fat boxes, flags, trees. Next: refresh.c. */
#include "broadphase/broadphase.h"

#include "broadphase/fat_box.h"
#include "broadphase/internal.h"

/* A batch of more than BATCH_MIN leaves, and of more than one in BATCH_SHARE of the tree's, is built into the
 * tree with the others, at 60 to 100 ns a leaf. Otherwise each leaf goes in by itself, at 180 to 280 ns. */
enum { BATCH_MIN = 32, BATCH_SHARE = 4 };

/* When more than one leaf in PRUNE_SHARE is removed at once, the tree is built from the others: 60 to 100 ns
 * for each of these against 100 ns for each that goes by itself. */
enum { PRUNE_SHARE = 4 };

/* A place, 4 * node + slot, has 31 bits; this limit leaves room to spare. */
static const int PROXIES_MAX = 1 << 28;

dry_broadphase *dry_broadphase_create(dry_memory *memory, dry_scratch *scratch,
                                      dry_unbounded_reaches *reaches, const void *context)
{
    dry_broadphase *broadphase = dry_memory_allocate(memory, sizeof *broadphase, DRY_CACHE_LINE);
    if (!broadphase)
        return NULL;
    *broadphase = (dry_broadphase){.memory = memory,
                                   .scratch = scratch,
                                   .proxies = {.free_proxy = -1},
                                   .reaches = reaches,
                                   .reaches_context = context,
                                   .first_unbounded = -1};
    dry_trees_init(&broadphase->trees, &broadphase->proxies, scratch);
    return broadphase;
}

/* Makes room for indices below `needed`, of which `leaves` are in use. */
static bool reserve(dry_broadphase *broadphase, int needed, int leaves)
{
    dry_memory *memory = broadphase->memory;
    int blocks = needed / DRY_PROXY_BLOCK + 1;
    return dry_proxies_reserve(&broadphase->proxies, memory, needed) &&
           dry_trees_reserve(&broadphase->trees, memory, needed, leaves) &&
           DRY_RESERVE(memory, broadphase->moved_blocks, broadphase->moved_block_capacity, blocks) &&
           DRY_RESERVE(memory, broadphase->stale_blocks, broadphase->stale_block_capacity, blocks) &&
           dry_scratch_promise(broadphase->scratch, memory, DRY_PROMISE_BATCH,
                               (size_t)leaves * sizeof(int32_t));
}

bool dry_broadphase_reserve(dry_broadphase *broadphase, int count)
{
    const dry_proxies *proxies = &broadphase->proxies;
    if (count < 0 || count > PROXIES_MAX - proxies->count)
        return false;
    /* Indices in use and free ones together are `used`. */
    const int leaves = proxies->count + count;
    return reserve(broadphase, dry_max_int(proxies->used, leaves), leaves);
}

bool dry_broadphase_reserve_like(dry_broadphase *broadphase, const dry_proxies *proxies)
{
    return proxies->used == 0 || reserve(broadphase, proxies->used, proxies->count);
}

int dry_broadphase_add(dry_broadphase *broadphase, const dry_bounds *tight, uint32_t user, bool movable)
{
    dry_proxies *proxies = &broadphase->proxies;
    if (proxies->count == broadphase->unbounded_count)
        proxies->origin =
            (dry_position){0.5 * (tight->min.x + tight->max.x), 0.5 * (tight->min.y + tight->max.y),
                           0.5 * (tight->min.z + tight->max.z)};
    int proxy = dry_proxies_take(proxies);
    dry_box box = dry_box_from_bounds(proxies->origin, tight);
    dry_proxy_flags flags =
        (dry_proxy_flags)(DRY_PROXY_USED | DRY_PROXY_MOVED | (movable ? DRY_PROXY_MOVABLE : 0));
    proxies->box[proxy] = dry_fat_box(&box);
    proxies->user[proxy] = user;
    proxies->flags[proxy] = flags;
    dry_flag_moved(broadphase, proxy);
    if (broadphase->batch)
        dry_batch_add(broadphase, proxy);
    else
        dry_tree_insert(&broadphase->trees, dry_proxy_tree(flags), proxy);
    return proxy;
}

int dry_broadphase_add_unbounded(dry_broadphase *broadphase, uint32_t user)
{
    static const dry_box everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    dry_proxies *proxies = &broadphase->proxies;
    int proxy = dry_proxies_take(proxies);
    proxies->box[proxy] = everywhere;
    proxies->user[proxy] = user;
    proxies->flags[proxy] = DRY_PROXY_USED | DRY_PROXY_UNBOUNDED | DRY_PROXY_MOVED;
    dry_unbounded_link(broadphase, proxy);
    dry_flag_moved(broadphase, proxy);
    return proxy;
}

void dry_broadphase_set_sleeping(dry_broadphase *broadphase, int proxy, bool sleeping)
{
    dry_proxy_flags *flags = &broadphase->proxies.flags[proxy];
    if (!(*flags & DRY_PROXY_MOVABLE) || ((*flags & DRY_PROXY_SLEEPING) != 0) == sleeping)
        return;
    *flags ^= DRY_PROXY_SLEEPING;
    if (broadphase->batch)
        return;
    *flags ^= DRY_PROXY_SHIFTED;
    dry_flag_stale(broadphase, proxy);
}

/* Takes room for the list of a batch: all that was promised, since it is not known how many will come. */
static void begin_list(dry_broadphase *broadphase)
{
    dry_scratch *scratch = broadphase->scratch;
    broadphase->batch_mark = scratch->used;
    broadphase->changed = dry_scratch_take(scratch, scratch->promised[DRY_PROMISE_BATCH]);
    broadphase->batch_count = 0;
}

void dry_broadphase_begin_batch(dry_broadphase *broadphase)
{
    broadphase->batch = true;
    begin_list(broadphase);
}

/* Puts those of the batch that belong to one tree at the front of the rest; returns their number. */
static int gather_kind(const dry_broadphase *broadphase, int32_t *rest, int count, dry_tree_kind kind)
{
    int own = 0;
    for (int i = 0; i < count; i++) {
        if (dry_proxy_tree(broadphase->proxies.flags[rest[i]]) != kind)
            continue;
        int32_t proxy = rest[i];
        rest[i] = rest[own];
        rest[own++] = proxy;
    }
    return own;
}

/* Lets each tree have its own of the list, with their number, and gives the list back. */
static void end_list(dry_broadphase *broadphase, void (*give)(dry_broadphase *broadphase, dry_tree_kind kind,
                                                              const int32_t *own, int count))
{
    int32_t *rest = broadphase->changed;
    int left = broadphase->batch_count;
    for (int kind = 0; kind < DRY_TREE_KINDS; kind++) {
        const int count = gather_kind(broadphase, rest, left, (dry_tree_kind)kind);
        if (count == 0) /* the list may be null */
            continue;
        give(broadphase, (dry_tree_kind)kind, rest, count);
        rest += count;
        left -= count;
    }
    dry_scratch_give_back(broadphase->scratch, broadphase->batch_mark);
    broadphase->changed = NULL;
}

static void insert_own(dry_broadphase *broadphase, dry_tree_kind kind, const int32_t *own, int count)
{
    dry_trees *trees = &broadphase->trees;
    if (count > BATCH_MIN && count > trees->tree[kind].leaves / BATCH_SHARE)
        dry_tree_build_with(trees, kind, own, count, NULL);
    else
        for (int i = 0; i < count; i++)
            dry_tree_insert(trees, kind, own[i]);
}

void dry_broadphase_end_batch(dry_broadphase *broadphase)
{
    broadphase->batch = false;
    end_list(broadphase, insert_own);
}

void dry_broadphase_remove(dry_broadphase *broadphase, int proxy)
{
    if (broadphase->proxies.flags[proxy] & DRY_PROXY_UNBOUNDED) {
        dry_unbounded_unlink(broadphase, proxy);
        broadphase->proxies.flags[proxy] = 0;
    } else if (broadphase->removal) {
        dry_batch_add(broadphase, proxy);
        broadphase->proxies.flags[proxy] &= (dry_proxy_flags)~DRY_PROXY_USED;
    } else {
        dry_tree_remove(&broadphase->trees, dry_proxy_tree(broadphase->proxies.flags[proxy]), proxy);
        broadphase->proxies.flags[proxy] = 0;
    }
    dry_proxies_give_back(&broadphase->proxies, proxy);
}

void dry_broadphase_begin_removal(dry_broadphase *broadphase)
{
    broadphase->removal = true;
    begin_list(broadphase);
}

static void remove_own(dry_broadphase *broadphase, dry_tree_kind kind, const int32_t *own, int count)
{
    dry_trees *trees = &broadphase->trees;
    if (count > BATCH_MIN && count > trees->tree[kind].leaves / PRUNE_SHARE)
        dry_tree_build(trees, kind, NULL);
    else
        for (int i = 0; i < count; i++)
            dry_tree_remove(trees, kind, own[i]);
    for (int i = 0; i < count; i++)
        broadphase->proxies.flags[own[i]] = 0;
}

void dry_broadphase_end_removal(dry_broadphase *broadphase)
{
    broadphase->removal = false;
    end_list(broadphase, remove_own);
}

int dry_broadphase_blocks(const dry_broadphase *broadphase)
{
    return (broadphase->proxies.used + DRY_PROXY_BLOCK - 1) / DRY_PROXY_BLOCK;
}

bool dry_broadphase_block_moved(const dry_broadphase *broadphase, int block)
{
    return dry_proxy_flag_is_up(&broadphase->moved_blocks[block]);
}

bool dry_broadphase_update(dry_broadphase *broadphase, int proxy, const dry_bounds *tight,
                           dry_vec3 displacement)
{
    dry_proxies *proxies = &broadphase->proxies;
    DRY_ASSERT((proxies->flags[proxy] & DRY_PROXY_USED) && !(proxies->flags[proxy] & DRY_PROXY_UNBOUNDED));
    dry_box box = dry_box_from_bounds(proxies->origin, tight);
    if (!dry_fat_box_update(&proxies->box[proxy], &box, displacement))
        return false;
    proxies->flags[proxy] |= DRY_PROXY_MOVED | DRY_PROXY_STALE;
    dry_flag_moved(broadphase, proxy);
    dry_flag_stale(broadphase, proxy);
    return true;
}

/* Lanes beyond `count` repeat the last update. */
static void load_updates(const dry_proxies *proxies, const dry_proxy_update *updates, int count,
                         dry_fat_box_block *block)
{
    dry_fat_box_block *b = block;
    dry_position o = proxies->origin;
    for (int i = 0; i < DRY_UPDATES_MAX; i++) {
        const dry_proxy_update *from = &updates[dry_min_int(i, count - 1)];
        const dry_box *fat = &proxies->box[from->proxy];
        b->min[0][i] = (float)(from->tight.min.x - o.x), b->max[0][i] = (float)(from->tight.max.x - o.x);
        b->min[1][i] = (float)(from->tight.min.y - o.y), b->max[1][i] = (float)(from->tight.max.y - o.y);
        b->min[2][i] = (float)(from->tight.min.z - o.z), b->max[2][i] = (float)(from->tight.max.z - o.z);
        b->displacement[0][i] = from->displacement.x;
        b->displacement[1][i] = from->displacement.y;
        b->displacement[2][i] = from->displacement.z;
        for (int k = 0; k < 3; k++)
            b->fat_min[k][i] = fat->min[k], b->fat_max[k][i] = fat->max[k];
    }
}

void dry_broadphase_update_many(dry_broadphase *broadphase, const dry_proxy_update *updates, int count)
{
    _Static_assert((int)DRY_UPDATES_MAX == (int)DRY_FAT_BOXES, "one block takes all updates");
    if (count == 0)
        return;
    dry_fat_box_block block;
    int32_t expired[DRY_FAT_BOXES];
    load_updates(&broadphase->proxies, updates, count, &block);
    dry_fat_boxes_find_expired(&block, expired);
    for (int i = 0; i < count; i++)
        if (expired[i])
            dry_broadphase_update(broadphase, updates[i].proxy, &updates[i].tight, updates[i].displacement);
}

void dry_broadphase_mark_moved(dry_broadphase *broadphase, int proxy)
{
    broadphase->proxies.flags[proxy] |= DRY_PROXY_MOVED;
    dry_flag_moved(broadphase, proxy);
}

bool dry_broadphase_overlaps(const dry_broadphase *broadphase, int proxy_a, int proxy_b)
{
    const dry_proxies *proxies = &broadphase->proxies;
    if (proxies->flags[proxy_a] & DRY_PROXY_UNBOUNDED)
        return dry_unbounded_overlaps(broadphase, proxy_a, proxy_b);
    if (proxies->flags[proxy_b] & DRY_PROXY_UNBOUNDED)
        return dry_unbounded_overlaps(broadphase, proxy_b, proxy_a);
    return dry_box_overlaps(&proxies->box[proxy_a], &proxies->box[proxy_b]);
}

const dry_proxies *dry_broadphase_proxies(const dry_broadphase *broadphase)
{
    return &broadphase->proxies;
}

/* The broadphase's own struct, for the files of this folder, tests and benchmarks.
 *
 * dry_broadphase_update runs on many threads at once. Each call writes nothing but its own proxy's columns
 * and flags of blocks, which only go up meanwhile. */
#ifndef BROADPHASE_INTERNAL_H
#define BROADPHASE_INTERNAL_H

#include "broadphase/block_flags.h"
#include "broadphase/broadphase.h"
#include "broadphase/trees.h"
#include "core/assert.h"
#include "state/proxies.h"

/* Pairs that a worker claims at once from the common output: few enough that idle tails are small, enough
 * that the shared counter is rarely touched. */
#define DRY_PAIR_CHUNK 128

/* Pairs that a worker found and has not asked about yet. */
#define DRY_PAIR_BATCH 32

/* One worker's part of the output. */
typedef struct dry_pair_writer {
    _Alignas(DRY_CACHE_LINE) dry_pair *next;
    int left;
    bool full; /* the output ran out: pairs are only counted */
    int64_t lost;
    int found_count;
    dry_pair found[DRY_PAIR_BATCH];
} dry_pair_writer;

struct dry_broadphase {
    dry_memory *memory;
    dry_scratch *scratch;
    dry_proxies proxies;
    dry_trees trees;
    /* By proxy / DRY_PROXY_BLOCK: whether the block may hold a moved proxy; a stale or shifted one. */
    dry_proxy_flag *moved_blocks, *stale_blocks;
    int moved_block_capacity, stale_block_capacity;
    dry_proxy_flag any_moved, any_stale;

    dry_unbounded_reaches *reaches;
    const void *reaches_context;
    int32_t first_unbounded; /* list through trees.places, which only leaves use otherwise; -1: none */
    int unbounded_count;

    /* Lists in scratch memory. */
    int32_t *moved;   /* of a search: the moved proxies with bounds, rising */
    int32_t *changed; /* of a batch: the proxies that were added or removed */
    int batch_count;
    size_t batch_mark; /* where scratch memory goes on without the batch's list */
    bool batch;        /* proxies that are added are in no tree yet */
    bool removal;      /* proxies that are removed are in a tree still */
    dry_pair *pairs;   /* of the search under way, in scratch memory */
    int pair_capacity;
    dry_pair_writer *writers;
    int writer_capacity;
};

/* Returns the first proxy above `proxy` with one of some flags, to which flags of blocks lead; `used` if
 * there is none. */
static inline int dry_next_flagged(const dry_broadphase *broadphase, const dry_proxy_flag *blocks,
                                   unsigned wanted, int proxy)
{
    const int used = broadphase->proxies.used;
    for (proxy++; proxy < used;) {
        int block = proxy / DRY_PROXY_BLOCK;
        if (proxy % DRY_PROXY_BLOCK == 0) {
            block = dry_proxy_flag_next(blocks, block, dry_broadphase_blocks(broadphase));
            proxy = DRY_PROXY_BLOCK * block;
        }
        for (const int end = dry_min_int(DRY_PROXY_BLOCK * (block + 1), used); proxy < end; proxy++)
            if (broadphase->proxies.flags[proxy] & wanted)
                return proxy;
    }
    return used;
}

/* Returns the tree that a proxy's leaf is in. */
static inline dry_tree_kind dry_proxy_tree(dry_proxy_flags flags)
{
    if (!(flags & DRY_PROXY_MOVABLE))
        return DRY_TREE_FIXED;
    return !(flags & DRY_PROXY_SLEEPING) == !(flags & DRY_PROXY_SHIFTED) ? DRY_TREE_MOVABLE
                                                                         : DRY_TREE_SLEEPING;
}

/* Raises the flags that lead to a moved proxy. */
static inline void dry_flag_moved(dry_broadphase *broadphase, int proxy)
{
    dry_proxy_flag_raise(&broadphase->moved_blocks[proxy / DRY_PROXY_BLOCK]);
    dry_proxy_flag_raise(&broadphase->any_moved);
}

/* Raises the flags that lead to a stale or shifted proxy. */
static inline void dry_flag_stale(dry_broadphase *broadphase, int proxy)
{
    dry_proxy_flag_raise(&broadphase->stale_blocks[proxy / DRY_PROXY_BLOCK]);
    dry_proxy_flag_raise(&broadphase->any_stale);
}

static inline void dry_batch_add(dry_broadphase *broadphase, int proxy)
{
    DRY_ASSERT((size_t)broadphase->batch_count <
               broadphase->scratch->promised[DRY_PROMISE_BATCH] / sizeof *broadphase->changed);
    broadphase->changed[broadphase->batch_count++] = proxy;
}

/* Proxies without bounds: a list of few, which no tree holds. Their owner tells which boxes they reach. */

/* Goes through the proxies without bounds, in no particular order:
 * for (int u = dry_unbounded_first(b); u >= 0; u = dry_unbounded_next(b, u)) */
static inline int dry_unbounded_first(const dry_broadphase *broadphase)
{
    return broadphase->first_unbounded;
}

static inline int dry_unbounded_next(const dry_broadphase *broadphase, int proxy)
{
    return broadphase->trees.places[proxy];
}

/* Returns whether a proxy without bounds reaches the fat box of another one. */
bool dry_unbounded_overlaps(const dry_broadphase *broadphase, int unbounded, int proxy);

/* Puts a proxy on the list; takes it off. */
void dry_unbounded_link(dry_broadphase *broadphase, int proxy);
void dry_unbounded_unlink(dry_broadphase *broadphase, int proxy);

/* Returns the most pairs that dry_unbounded_find_pairs may find when `moved` proxies with bounds moved. */
int64_t dry_unbounded_pairs_max(const dry_broadphase *broadphase, int moved);

/* Writes the pairs of proxies without bounds, of which one of the two moved, and returns their number. The
 * proxies with bounds that moved are broadphase->moved. */
int dry_unbounded_find_pairs(const dry_broadphase *broadphase, int moved, dry_pair *pairs);

/* Sorts pairs by (first, second), in place. */
void dry_pairs_sort(dry_pair *pairs, int count);

#endif

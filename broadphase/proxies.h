/* What a broadphase is made of; for broadphase.c, pairs.c and query.c only.
 *
 * `update` runs on many threads at once, so it writes nothing but its own proxy's slots, and flags that
 * only ever go up while it runs (relaxed atomics: whoever reads them has been joined with the writers). */
#ifndef BROADPHASE_PROXIES_H
#define BROADPHASE_PROXIES_H

#include "broadphase/tree.h"

#include <stdatomic.h>
#include <string.h>

/* A proxy's state. */
enum {
    PROXY_USED = 1,
    PROXY_MOVABLE = 2,
    PROXY_MOVED = 4, /* to be paired in the next find_pairs */
    PROXY_STALE = 8, /* its leaf in the tree still has an older box */
    PROXY_RESTING = 16,
    PROXY_SHIFTED = 32, /* still in the tree where it was before RESTING changed */
};

/* Proxies per flag of a block: one cache line of flags covers 32,768 proxies, so that finding the few that
 * moved among a million costs some microseconds. */
#define PROXY_BLOCK 512

/* Pairs that a worker claims at once from the common output: few enough that idle tails are small,
 * enough that the shared counter is rarely touched. */
#define PAIR_CHUNK 128

typedef atomic_uchar dry_proxy_flag;

/* Pairs that a worker has met and not yet asked about. */
#define PAIR_BATCH 32

/* One worker's part of the output. */
typedef struct dry_pair_writer {
    _Alignas(DRY_CACHE_LINE) dry_pair *next;
    int left;
    bool full; /* the output ran out: pairs are only counted */
    int64_t lost;
    int met_count;
    dry_pair met[PAIR_BATCH];
} dry_pair_writer;

struct dry_broadphase {
    dry_memory *memory;
    dry_position origin; /* fixed by the first proxy, until all are gone */
    int count;           /* proxies in use */
    int slots;           /* indices ever in use: the extent of the columns */
    int free_proxy;      /* list through `users`; -1: none */

    dry_trees trees; /* with the fat boxes */
    uint32_t *users;
    int user_capacity;
    unsigned char *states;
    int state_capacity;
    /* By proxy / PROXY_BLOCK: may hold a moved one; a stale or shifted one. */
    dry_proxy_flag *moved_blocks, *stale_blocks;
    int moved_block_capacity, stale_block_capacity;
    dry_proxy_flag any_moved, any_stale;

    int32_t *moved; /* the moved proxies, rising; while a batch is added or removed, its proxies */
    int moved_capacity;
    bool batch;   /* proxies that are added are in no tree yet */
    bool removal; /* proxies that are removed are in a tree still */
    int batch_count;
    dry_pair *pairs; /* of the search under way or the last one: in the memory of the trees' items */
    int pair_capacity;
    dry_pair_writer *writers;
    int writer_capacity;
};

/* Writes only where needed, so that the flag's line stays shared among the caches. */
static inline void dry_proxy_flag_raise(dry_proxy_flag *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, 1, memory_order_relaxed);
}

static inline bool dry_proxy_flag_is_up(const dry_proxy_flag *flag)
{
    return atomic_load_explicit(flag, memory_order_relaxed) != 0;
}

static inline void dry_proxy_flag_lower(dry_proxy_flag *flag)
{
    atomic_store_explicit(flag, 0, memory_order_relaxed);
}

/* The first flag from `from` on that is up, or `count`: eight at a time while none is. */
static inline int dry_proxy_flag_next(const dry_proxy_flag *flags, int from, int count)
{
    _Static_assert(sizeof *flags == 1, "flags are bytes");
    uint64_t eight = 0;
    for (; from + 8 <= count; from += 8) {
        memcpy(&eight, (const void *)(flags + from), sizeof eight);
        if (eight != 0)
            break;
    }
    while (from < count && !dry_proxy_flag_is_up(&flags[from]))
        from++;
    return from;
}

static inline void dry_proxy_flags_lower(dry_proxy_flag *flags, int count)
{
    for (int i = -1; (i = dry_proxy_flag_next(flags, i + 1, count)) < count;)
        dry_proxy_flag_lower(&flags[i]);
}

static inline int dry_proxy_blocks(const dry_broadphase *broadphase)
{
    return (broadphase->slots + PROXY_BLOCK - 1) / PROXY_BLOCK;
}

/* The tree that its leaf is in. */
static inline dry_tree_kind dry_proxy_tree(unsigned char state)
{
    if (!(state & PROXY_MOVABLE))
        return DRY_TREE_FIXED;
    return !(state & PROXY_RESTING) == !(state & PROXY_SHIFTED) ? DRY_TREE_MOVABLE : DRY_TREE_RESTING;
}

/* Bounds, within +-1e30, relative to the origin, rounded outward. */
dry_box dry_broadphase_box(const dry_broadphase *broadphase, const dry_bounds *bounds);

#endif

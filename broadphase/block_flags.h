/* Flags of blocks of proxies, which many threads raise at once.
 *
 * Flags only go up while updates run on many threads (relaxed atomics: whoever reads them has been joined
 * with the writers). */
#ifndef BROADPHASE_BLOCK_FLAGS_H
#define BROADPHASE_BLOCK_FLAGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Proxies per flag of a block: one cache line of flags covers 32,768 proxies, so that finding the few that
 * moved among a million costs some microseconds. */
#define DRY_PROXY_BLOCK 512

typedef atomic_uchar dry_proxy_flag;

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

/* Returns the first flag from `from` on that is up, or `count`: eight at a time while none is. */
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

#endif

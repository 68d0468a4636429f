/* Proxies as columns: one for each enabled shape with bounds, under a dense index that is reused after
 * removal.
 *
 * Only the broadphase writes these columns. Boxes are relative to `origin`, so that a world far from zero
 * keeps its precision. */
#ifndef STATE_PROXIES_H
#define STATE_PROXIES_H

#include "core/bounds.h"
#include "core/memory.h"

/* A proxy's flags. */
enum {
    DRY_PROXY_USED = 1,
    DRY_PROXY_MOVABLE = 2,
    DRY_PROXY_MOVED = 4, /* the next search for pairs takes it up */
    DRY_PROXY_STALE = 8, /* its leaf in the tree still has an older box */
    DRY_PROXY_SLEEPING = 16,
    DRY_PROXY_SHIFTED = 32, /* its leaf is in the tree where it was before SLEEPING changed */
};
typedef unsigned char dry_proxy_flags;

/* X(type, name)
 *   box    fat box: the shape's bounds with a margin, m. Written by calls, by stages pairs and finalize.
 *   user   the shape's slot; of a free index the next free one. Written by calls.
 *   flags  DRY_PROXY_... Written by calls, by stages pairs and finalize. */
#define DRY_PROXY_COLUMNS(X)                                                                                 \
    X(dry_box, box)                                                                                          \
    X(uint32_t, user)                                                                                        \
    X(dry_proxy_flags, flags)

typedef struct dry_proxies {
    dry_position origin; /* fixed by the first proxy until all are gone, m */
    int count;           /* proxies in use */
    int used;            /* indices ever in use: the extent of the columns */
    int free_proxy;      /* list through `user`; -1: none */
    int box_capacity, user_capacity, flags_capacity;
#define X(type, name) type *name;
    DRY_PROXY_COLUMNS(X)
#undef X
} dry_proxies;

/* Makes room for indices below `needed`; false if memory fails. */
static inline bool dry_proxies_reserve(dry_proxies *proxies, dry_memory *memory, int needed)
{
#define X(type, name)                                                                                        \
    if (!DRY_RESERVE(memory, proxies->name, proxies->name##_capacity, needed))                               \
        return false;
    DRY_PROXY_COLUMNS(X)
#undef X
    return true;
}

static inline void dry_proxies_free(dry_proxies *proxies, dry_memory *memory)
{
#define X(type, name) DRY_RELEASE(memory, proxies->name, proxies->name##_capacity);
    DRY_PROXY_COLUMNS(X)
#undef X
}

/* Takes a free index, or a new one that there is room for. */
static inline int dry_proxies_take(dry_proxies *proxies)
{
    int proxy = proxies->free_proxy;
    if (proxy >= 0)
        proxies->free_proxy = (int)proxies->user[proxy];
    else
        proxy = proxies->used++;
    proxies->count++;
    return proxy;
}

/* Gives an index back. */
static inline void dry_proxies_give_back(dry_proxies *proxies, int proxy)
{
    proxies->user[proxy] = (uint32_t)proxies->free_proxy;
    proxies->free_proxy = proxy;
    proxies->count--;
}

#endif

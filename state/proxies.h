/* Proxies as columns: one for each enabled shape with bounds, under a dense index that is reused after
 * removal.
 *
 * Only the broadphase writes these columns. Boxes are relative to `origin`, so that a world far from zero
 * keeps its precision. */
#ifndef STATE_PROXIES_H
#define STATE_PROXIES_H

#include "core/assert.h"
#include "core/bounds.h"
#include "core/memory.h"
#include "state/fields.h"

/* A proxy's flags. */
enum {
    DRY_PROXY_USED = 1,
    DRY_PROXY_MOVABLE = 2,
    DRY_PROXY_MOVED = 4, /* the next search for pairs takes it up */
    DRY_PROXY_STALE = 8, /* its leaf in the tree still has an older box */
    DRY_PROXY_SLEEPING = 16,
    DRY_PROXY_SHIFTED = 32,   /* its leaf is in the tree where it was before SLEEPING changed */
    DRY_PROXY_UNBOUNDED = 64, /* in no tree; its box is everything, and its owner tells what it reaches */
    DRY_PROXY_STATE = DRY_PROXY_USED | DRY_PROXY_MOVABLE | DRY_PROXY_MOVED | DRY_PROXY_SLEEPING |
                      DRY_PROXY_UNBOUNDED /* of the state; the others tell of trees, which are made anew */
};
typedef unsigned char dry_proxy_flags;

/* The fat box: the shape's bounds with a margin. */
#define DRY_PROXY_BOX_FIELDS(F, T)                                                                           \
    F(T, 1, float, min, [3], DRY_ARRAY_DEFAULT, "m", DRY_HASHED,                                             \
      DRY_BY_PAIRS | DRY_BY_FINALIZE | DRY_BY_CALLS, "lower corner relative to the origin")                  \
    F(T, 2, float, max, [3], DRY_ARRAY_DEFAULT, "m", DRY_HASHED,                                             \
      DRY_BY_PAIRS | DRY_BY_FINALIZE | DRY_BY_CALLS, "upper corner relative to the origin")

#define DRY_PROXY_USER_FIELDS(F, T)                                                                          \
    F(dry_index_element, 1, int32_t, value, , 0, "", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,             \
      "the shape's slot; of a free index the next free one")

/* STALE and SHIFTED tell how far the trees have followed the boxes; boxes alone decide what pairs are found.
 */
#define DRY_PROXY_FLAGS_FIELDS(F, T)                                                                         \
    F(dry_byte_element, 1, uint8_t, value, , 0, "", DRY_HASHED_BITS(DRY_PROXY_STATE, DRY_PROXY_STATE),       \
      DRY_BY_PAIRS | DRY_BY_GRAPH | DRY_BY_FINALIZE | DRY_BY_CALLS, "DRY_PROXY_...")

DRY_LIST_MATCHES(dry_box, DRY_PROXY_BOX_FIELDS, 0);

/* X(ID, type, name, FIELDS, number), as DRY_BODY_COLUMNS. */
#define DRY_PROXY_COLUMNS(X)                                                                                 \
    X(PROXY_BOX, dry_box, box, DRY_PROXY_BOX_FIELDS, 30)                                                     \
    X(PROXY_USER, uint32_t, user, DRY_PROXY_USER_FIELDS, 31)                                                 \
    X(PROXY_FLAGS, dry_proxy_flags, flags, DRY_PROXY_FLAGS_FIELDS, 32)

/* Numbers that the table of proxies keeps once. */
#define DRY_PROXIES_FIELDS(F, T)                                                                             \
    F(T, 1, dry_position, origin, , DRY_POSITION_DEFAULT, "m", DRY_HASHED, DRY_BY_CALLS,                     \
      "what boxes are relative to; fixed by the first proxy until all are gone")                             \
    F(T, 2, int, count, , 0, "", DRY_DERIVED("follows from the flags"), DRY_BY_FINALIZE | DRY_BY_CALLS,      \
      "proxies in use")                                                                                      \
    F(T, 3, int, used, , 0, "", DRY_HASHED, DRY_BY_CALLS, "indices ever in use: the extent of the columns")  \
    F(T, 4, int, free_proxy, , -1, "", DRY_HASHED, DRY_BY_FINALIZE | DRY_BY_CALLS,                           \
      "head of the list of free indices, through `user`; -1: none")

typedef struct dry_proxies {
    DRY_PROXIES_FIELDS(DRY_FIELD_MEMBER, dry_proxies)
    DRY_PROXY_COLUMNS(DRY_COLUMN_MEMBERS)
} dry_proxies;

/* Makes room for indices below `needed`; false if memory fails. */
static inline bool dry_proxies_reserve(dry_proxies *proxies, dry_memory *memory, int needed)
{
#define X(ID, type, name, ...)                                                                               \
    if (!DRY_RESERVE(memory, proxies->name, proxies->name##_capacity, needed))                               \
        return false;
    DRY_PROXY_COLUMNS(X)
#undef X
    return true;
}

/* Takes a free index, or a new one that there is room for. */
static inline int dry_proxies_take(dry_proxies *proxies)
{
    int proxy = proxies->free_proxy;
    if (proxy >= 0)
        proxies->free_proxy = (int)proxies->user[proxy];
    else
        proxy = proxies->used++;
    DRY_ASSERT(proxy < proxies->box_capacity && proxy < proxies->user_capacity);
    proxies->count++;
    return proxy;
}

/* Gives an index back. */
static inline void dry_proxies_give_back(dry_proxies *proxies, int proxy)
{
    DRY_ASSERT(proxy >= 0 && proxy < proxies->used && proxies->count > 0);
    proxies->user[proxy] = (uint32_t)proxies->free_proxy;
    proxies->free_proxy = proxy;
    proxies->count--;
}

#endif

/* Stage "pairs": which shapes' fat bounds overlap.
 *
 * Every shape with finite bounds has a proxy: a fat box, larger than the shape by a margin, in a tree. A
 * proxy whose shape left its fat box gets a new one and is `moved`; only moved proxies are tested against the
 * trees. Coordinates are floats relative to an origin, rounded outward, so a world far from zero keeps its
 * precision. The pairs that come out are sorted, and depend on neither threads nor history beyond the fat
 * boxes themselves.
 *
 * Reads: tight bounds. Writes: fat bounds, new pairs. Next: narrowphase/.
 *
 * The files, from the ground: node, tree_pool, tree_select, tree_refit, tree_build, tree_edit; fat_box;
 * internal, broadphase, restore, refresh, pair_sort, pairs, query. */
#ifndef BROADPHASE_BROADPHASE_H
#define BROADPHASE_BROADPHASE_H

#include "core/bounds.h"
#include "core/memory.h"
#include "core/pair_map.h"
#include "core/scratch.h"
#include "jobs/jobs.h"
#include "state/proxies.h"

typedef struct dry_broadphase dry_broadphase;

/* Tells whether a shape without bounds reaches a box. Called from workers; changes nothing. */
typedef bool dry_unbounded_reaches(const void *context, uint32_t user, const dry_bounds *box);

/* Builds and searches take parts of `scratch`, which outlives the broadphase. `reaches` is asked about
 * proxies without bounds and may be null if there are none. */
dry_broadphase *dry_broadphase_create(dry_memory *memory, dry_scratch *scratch,
                                      dry_unbounded_reaches *reaches, const void *context);

/* Makes room for `count` more proxies and all that adding them needs; false if memory fails. */
bool dry_broadphase_reserve(dry_broadphase *broadphase, int count);
/* Makes room for other proxies, which dry_broadphase_restore may then take; false if memory fails. */
bool dry_broadphase_reserve_like(dry_broadphase *broadphase, const dry_proxies *proxies);

/* Adds a proxy and returns its index (dense small integers, reused after removal). Cannot fail after
 * a reserve. `user` is the shape's index, no two alike. `movable`: false for shapes of static bodies: two
 * that are not movable are never paired. New proxies count as moved. */
int dry_broadphase_add(dry_broadphase *broadphase, const dry_bounds *tight, uint32_t user, bool movable);
/* Adds a proxy without bounds, which is not movable and counts as moved. Calls that end, mark or pair
 * proxies, and queries, take it as any other. */
int dry_broadphase_add_unbounded(dry_broadphase *broadphase, uint32_t user);
void dry_broadphase_remove(dry_broadphase *broadphase, int proxy);

/* Says that the shape's body fell asleep or woke. Sleeping proxies have a tree of their own, so that changes
 * among awake ones cost no more for them. Does nothing for proxies that are not movable. */
void dry_broadphase_set_sleeping(dry_broadphase *broadphase, int proxy, bool sleeping);

/* Bracket the addition of many proxies, which go into the trees at once for less than one by one. In between,
 * proxies may be added and set sleeping, and no other call may be made. Room for all is reserved
 * before. */
void dry_broadphase_begin_batch(dry_broadphase *broadphase);
void dry_broadphase_end_batch(dry_broadphase *broadphase);
/* Bracket the removal of many proxies: in between, proxies may be removed, and no other call may be
 * made. */
void dry_broadphase_begin_removal(dry_broadphase *broadphase);
void dry_broadphase_end_removal(dry_broadphase *broadphase);

/* Tells where the shape is now; `displacement` (m) is how far it is expected to move in the next step. If the
 * shape left its fat box, makes a new one and marks the proxy as moved; returns whether it did. Different
 * proxies may be updated from different threads at once, while no other call runs. */
bool dry_broadphase_update(dry_broadphase *broadphase, int proxy, const dry_bounds *tight,
                           dry_vec3 displacement);

/* Updates at most DRY_UPDATES_MAX different proxies: cheaper where most shapes stay in their boxes. */
enum { DRY_UPDATES_MAX = 16 };
typedef struct dry_proxy_update {
    dry_bounds tight;
    dry_vec3 displacement;
    int32_t proxy;
} dry_proxy_update;
void dry_broadphase_update_many(dry_broadphase *broadphase, const dry_proxy_update *updates, int count);

/* Marks a proxy as moved although its box stays (a filter changed, a joint went). */
void dry_broadphase_mark_moved(dry_broadphase *broadphase, int proxy);

/* Moves those of `count` pairs that the caller does not know yet to the front, in any order, and returns
 * their number. Called from workers; changes nothing else. Batches let it have several cache misses under way
 * at once. */
typedef int dry_pairs_drop_known(const void *context, dry_pair *pairs, int count);

/* Brings the trees up to date and finds every pair of overlapping fat boxes of which at least one moved. The
 * pairs are sorted by (first, second), without duplicates; those of proxies without bounds follow the others,
 * sorted among themselves. Pairs that the caller knows are reported again unless `drop_known`, which may be
 * null, drops them. Returns false if memory fails: then the proxies stay moved and the call may be repeated.
 * After success no proxy is moved. *pairs are a part of the scratch memory. */
bool dry_broadphase_find_pairs(dry_broadphase *broadphase, dry_jobs *jobs, dry_pairs_drop_known *drop_known,
                               const void *context, const dry_pair **pairs, int *pair_count);

/* Brings the trees up to date without looking for pairs; find_pairs does it by itself. The call is worth its
 * time after many updates between steps if queries follow: until then they test the updated proxies one by
 * one. */
void dry_broadphase_refresh(dry_broadphase *broadphase, dry_jobs *jobs);

/* Returns whether two proxies' fat boxes overlap now. Any thread may call. */
bool dry_broadphase_overlaps(const dry_broadphase *broadphase, int proxy_a, int proxy_b);

/* Calls `visit` with the user of each proxy whose fat box overlaps `bounds`, in no particular order. Any
 * thread may call between steps, and in a stage that changes no proxy. Proxies added or updated since the
 * last find_pairs are seen as they are now. */
void dry_broadphase_query(const dry_broadphase *broadphase, const dry_bounds *bounds,
                          void (*visit)(void *context, uint32_t user), void *context);

/* Returns whether a proxy is moved. */
bool dry_broadphase_has_moved(const dry_broadphase *broadphase);

/* Returns whether there is a proxy without bounds. */
bool dry_broadphase_has_unbounded(const dry_broadphase *broadphase);

/* Returns the lowest user above `after` of the proxies without bounds that reach some bounds; -1: none. */
int64_t dry_broadphase_next_unbounded(const dry_broadphase *broadphase, const dry_bounds *bounds,
                                      int64_t after);

/* Calls `visit` with the user of each movable proxy whose fat box a proxy without bounds reaches. */
void dry_broadphase_query_unbounded(const dry_broadphase *broadphase, int unbounded,
                                    void (*visit)(void *context, uint32_t user), void *context);

/* Calls `visit` with the user of each proxy whose fat box another meets that moves from about `center`, with
 * half extents, m, or 0 as a ray: no later than at the last fraction that `visit` returned (1 at first; a
 * negative fraction ends the cast). Nearer boxes come first as far as the tree tells. Any thread may call. */
void dry_broadphase_cast_box(const dry_broadphase *broadphase, dry_position center, dry_vec3 half,
                             dry_vec3 translation, float (*visit)(void *context, uint32_t user),
                             void *context);

/* Calls `visit` with the user of each proxy whose fat box lies within `limit`, m, of `bounds`; then within
 * what `visit` returned. Nearer boxes come first as far as the tree tells. Proxies without bounds are all
 * visited. Any thread may call. */
void dry_broadphase_query_near(const dry_broadphase *broadphase, const dry_bounds *bounds, double limit,
                               double (*visit)(void *context, uint32_t user), void *context);

/* Replaces all proxies by those of a state; trees are built anew. Room for as many indices as are in use must
 * be reserved. */
void dry_broadphase_restore(dry_broadphase *broadphase, const dry_proxies *proxies);

/* Replace some proxies by those of a state with the same numbers, of which all others are the same: each that
 * differs must be alike, is put, and then moved ones are found. Trees stay. */
bool dry_broadphase_has_numbers(const dry_broadphase *broadphase, const dry_proxies *numbers);
bool dry_broadphase_is_alike(const dry_broadphase *broadphase, int proxy, const dry_proxies *state);
void dry_broadphase_put(dry_broadphase *broadphase, int proxy, const dry_proxies *state);
void dry_broadphase_find_moved(dry_broadphase *broadphase);

/* Returns how many blocks of DRY_PROXY_BLOCK proxies there are, and whether one may have moved proxies. */
int dry_broadphase_blocks(const dry_broadphase *broadphase);
bool dry_broadphase_block_moved(const dry_broadphase *broadphase, int block);

/* Returns the columns of the proxies, for the world's state. */
const dry_proxies *dry_broadphase_proxies(const dry_broadphase *broadphase);

#endif

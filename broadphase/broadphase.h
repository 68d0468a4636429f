/* Stage "pairs": which shapes' fat bounds overlap.
 *
 * Every shape with finite bounds has a proxy: a fat box, larger than the shape by a margin, in a tree. A
 * proxy whose shape left its fat box gets a new one and is `moved`; only moved proxies are queried
 * against the tree. Coordinates are floats relative to `origin`, rounded outward, so a world far from its
 * origin keeps its precision. What comes out is sorted and depends on neither threads nor history beyond
 * the fat boxes themselves.
 *
 * Reads: tight bounds. Writes: fat bounds, new pairs. Next: narrowphase/. */
#ifndef BROADPHASE_BROADPHASE_H
#define BROADPHASE_BROADPHASE_H

#include "core/math.h"
#include "core/memory.h"
#include "core/pair_map.h"
#include "jobs/jobs.h"

/* World bounds, metres. */
typedef struct dry_bounds {
    dry_position min, max;
} dry_bounds;

/* Bounds relative to dry_broadphase.origin, rounded outward. */
typedef struct dry_box {
    float min[3], max[3];
} dry_box;

static inline bool dry_box_overlap(const dry_box *a, const dry_box *b)
{
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] &&
           b->min[1] <= a->max[1] && a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
}

typedef struct dry_broadphase dry_broadphase;

dry_broadphase *dry_broadphase_create(dry_memory *memory);
void dry_broadphase_destroy(dry_broadphase *broadphase);

/* Room for `count` more proxies and all that adding them needs; false if memory fails. */
bool dry_broadphase_reserve(dry_broadphase *broadphase, int count);

/* Adds a proxy and returns its index (dense small integers, reused after removal). Cannot fail after
 * a reserve. `user` is the shape's index, no two alike. `movable`: false for shapes of static bodies: two
 * that are not movable are never paired. New proxies count as moved. */
int dry_broadphase_add(dry_broadphase *broadphase, const dry_bounds *tight, uint32_t user, bool movable);
void dry_broadphase_remove(dry_broadphase *broadphase, int proxy);

/* Says that the shape's body fell asleep or woke. The sleeping have a tree of their own: what changes among
 * the awake costs no more for them. Nothing for proxies that are not movable. */
void dry_broadphase_set_resting(dry_broadphase *broadphase, int proxy, bool resting);

/* Between these two, proxies may be added and set resting and nothing else be done: many go into the trees at
 * once for less than one by one. */
void dry_broadphase_begin_batch(dry_broadphase *broadphase);
void dry_broadphase_end_batch(dry_broadphase *broadphase);
/* Likewise between these, but removed and nothing else. */
void dry_broadphase_begin_removal(dry_broadphase *broadphase);
void dry_broadphase_end_removal(dry_broadphase *broadphase);

/* Tells where the shape is now; `displacement` (m) is how far it is expected to move in the next step. If
 * the shape left its fat box, makes a new one and marks the proxy as moved; returns whether it did.
 * Different proxies may be updated from different threads at once (not while anything else runs). */
bool dry_broadphase_update(dry_broadphase *broadphase, int proxy, const dry_bounds *tight,
                           dry_vec3 displacement);

/* The same for many, at most DRY_UPDATES_MAX, each another proxy: cheaper where most stay in their boxes. */
enum { DRY_UPDATES_MAX = 16 };
typedef struct dry_proxy_update {
    dry_bounds tight;
    dry_vec3 displacement;
    int32_t proxy;
} dry_proxy_update;
void dry_broadphase_update_many(dry_broadphase *broadphase, const dry_proxy_update *updates, int count);

/* Marks a proxy as moved although its box stays (a filter changed, a body was enabled). */
void dry_broadphase_touch(dry_broadphase *broadphase, int proxy);

/* Moves those of `count` pairs that the caller does not know yet to the front, in any order, and returns
 * their number. Called from workers, read-only. Batches, so that it can have several cache misses under way
 * at once. */
typedef int dry_pairs_drop_known(const void *context, dry_pair *pairs, int count);

/* Brings the tree up to date and finds every pair of overlapping fat boxes of which at least one moved.
 * Sorted by (first, second), no duplicates; pairs already known to the caller are reported again unless
 * `drop_known`, which may be null, drops them. False if memory fails: then the proxies
 * stay moved and the call may be repeated. After success nothing is moved. *pairs stays valid until the
 * next call. */
bool dry_broadphase_find_pairs(dry_broadphase *broadphase, dry_jobs *jobs, dry_pairs_drop_known *drop_known,
                               const void *context, const dry_pair **pairs, int *pair_count);

/* Brings the trees up to date without looking for pairs; find_pairs does it by itself. Worth calling after
 * many updates between steps if queries follow: until then they test the updated proxies one by one. */
void dry_broadphase_refresh(dry_broadphase *broadphase, dry_jobs *jobs);

/* Whether two proxies' fat boxes overlap now. Any thread. */
bool dry_broadphase_overlaps(const dry_broadphase *broadphase, int proxy_a, int proxy_b);

/* Calls `visit` with the user of each proxy whose fat box overlaps `bounds`; order unspecified. Any thread
 * between steps. Proxies added or updated since the last find_pairs are seen as they are now. */
void dry_broadphase_query(const dry_broadphase *broadphase, const dry_bounds *bounds,
                          void (*visit)(void *context, uint32_t user), void *context);

/* Calls `visit` with the user of each proxy whose fat box the segment meets no later than at the fraction
 * that `visit` last returned (begin with 1; a negative one ends the cast); nearer boxes first as far as the
 * tree tells. Any thread. */
void dry_broadphase_cast_ray(const dry_broadphase *broadphase, dry_position origin, dry_vec3 translation,
                             float (*visit)(void *context, uint32_t user, float fraction_max), void *context);

/* Lends the memory of builds and searches until the next call that adds proxies or finds pairs; null if it
 * cannot be made large enough. */
void *dry_broadphase_lend(dry_broadphase *broadphase, size_t bytes);

int dry_broadphase_proxy_count(const dry_broadphase *broadphase);

#endif

/* Bringing the trees up to date with the fat boxes, in the cheapest way: last in stage "finalize", so that
 * queries between steps find shapes through them, and first in stage "pairs", after calls.
 *
 * Reads: fat boxes, flags. Writes: trees, flags. Next: pairs.c. */
#include "broadphase/internal.h"

/* A tree of which more than one leaf in REFIT_SHARE moved is refitted as a whole: 11 ns a leaf against some
 * 90 ns for each that moves by itself. */
enum { REFIT_SHARE = 8 };

/* When more than one leaf in SHIFT_SHARE fell asleep or woke, the trees of both are built anew: 60 to 100 ns
 * a leaf against 700 ns for each that changes by itself. */
enum { SHIFT_SHARE = 8 };

/* A tree is built anew for any of four reasons:
 * - REFITS_MAX refits: mixing bodies spoil it slowly, and a build costs about eight refits.
 * - Its inner boxes grew or shrank by these factors, by refits or by changes of one leaf in CHANGED_SHARE.
 * Without the share, a leaf that goes far and comes back would have a tree built each time.
 * - More leaves were added than half of the number that it was built with.
 * - All its leaves moved to other places REINSERTED_MAX times, or stretched their nodes STRETCHED_MAX times.
 * The area does not show this where one leaf is so far away that it outweighs all. */
enum { REFITS_MAX = 16, REINSERTED_MAX = 4, STRETCHED_MAX = 2, CHANGED_SHARE = 16 };
static const double AREA_GROWTH_MAX = 1.3, AREA_SHRINKAGE_MAX = 4.0;
static const double ADDED_SHARE_MAX = 0.5;
static const int ADDED_MIN = 32;

/* Returns the first proxy above `proxy` that is stale or shifted. */
static int next_changed(const dry_broadphase *broadphase, int proxy)
{
    return dry_next_flagged(broadphase, broadphase->stale_blocks, DRY_PROXY_STALE | DRY_PROXY_SHIFTED, proxy);
}

typedef struct stale_count {
    int stale[DRY_TREE_KINDS], shifted;
} stale_count;

static stale_count count_stale(const dry_broadphase *broadphase)
{
    stale_count count = {{0}, 0};
    const int used = broadphase->proxies.used;
    for (int proxy = next_changed(broadphase, -1); proxy < used; proxy = next_changed(broadphase, proxy)) {
        const dry_proxy_flags flags = broadphase->proxies.flags[proxy];
        count.stale[dry_proxy_tree(flags)] += (flags & DRY_PROXY_STALE) != 0;
        count.shifted += (flags & DRY_PROXY_SHIFTED) != 0;
    }
    return count;
}

/* Moves one leaf, unless its whole tree was refitted or built. */
static void settle_stale(dry_broadphase *broadphase, int proxy, const bool *whole)
{
    dry_trees *trees = &broadphase->trees;
    dry_proxy_flags *flags = &broadphase->proxies.flags[proxy];
    dry_tree_kind from = dry_proxy_tree(*flags);
    bool shifted = (*flags & DRY_PROXY_SHIFTED) != 0;
    *flags &= (dry_proxy_flags) ~(DRY_PROXY_STALE | DRY_PROXY_SHIFTED);
    if (shifted) {
        dry_tree_remove(trees, from, proxy);
        dry_tree_insert(trees, dry_proxy_tree(*flags), proxy);
    } else if (!whole[from]) {
        dry_tree_move(trees, from, proxy);
    }
}

/* Returns true also where the area is not a number any more. */
static bool is_grown(const dry_tree *tree)
{
    return !(tree->area <= AREA_GROWTH_MAX * tree->area_built);
}

/* Returns whether changes have spoiled the tree so far that it is built anew. */
static bool is_worn(const dry_tree *tree)
{
    const int64_t changed = tree->added + tree->reinserted + tree->stretched;
    /* A much smaller area has lost its measure: the leaves that made the built area are gone. */
    const bool other = is_grown(tree) || tree->area * AREA_SHRINKAGE_MAX < tree->area_built;
    return tree->added > ADDED_MIN + (int)(ADDED_SHARE_MAX * tree->leaves) ||
           (other && changed > ADDED_MIN + tree->leaves / CHANGED_SHARE) ||
           tree->reinserted / REINSERTED_MAX + tree->stretched / STRETCHED_MAX > tree->leaves;
}

void dry_broadphase_refresh(dry_broadphase *broadphase, dry_jobs *jobs)
{
    dry_trees *trees = &broadphase->trees;
    bool whole[DRY_TREE_KINDS] = {false};
    bool any_stale = dry_proxy_flag_is_up(&broadphase->any_stale);
    const int used = any_stale ? broadphase->proxies.used : 0;
    const stale_count count = any_stale ? count_stale(broadphase) : (stale_count){{0}, 0};
    int movable = trees->tree[DRY_TREE_MOVABLE].leaves + trees->tree[DRY_TREE_SLEEPING].leaves;
    if (count.shifted > movable / SHIFT_SHARE) {
        dry_tree_divide(trees, jobs);
        whole[DRY_TREE_MOVABLE] = whole[DRY_TREE_SLEEPING] = true;
        for (int proxy = next_changed(broadphase, -1); proxy < used; proxy = next_changed(broadphase, proxy))
            broadphase->proxies.flags[proxy] &= (dry_proxy_flags)~DRY_PROXY_SHIFTED;
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
    for (int proxy = next_changed(broadphase, -1); proxy < used; proxy = next_changed(broadphase, proxy))
        settle_stale(broadphase, proxy, whole);
    dry_proxy_flags_lower(broadphase->stale_blocks, dry_broadphase_blocks(broadphase));
    dry_proxy_flag_lower(&broadphase->any_stale);
}

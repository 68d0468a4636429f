/* Changing a tree in bulk: a build from its leaves. The trees are refitted afterwards (tree_refit.h). */
#ifndef BROADPHASE_TREE_BUILD_H
#define BROADPHASE_TREE_BUILD_H

#include "broadphase/tree_pool.h"
#include "jobs/jobs.h"

/* Builds the tree anew from its leaves whose proxies are in use. `jobs` may be null here and below: then the
 * calling thread does all.
 */
void dry_tree_build(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs);

/* Builds the tree anew from its leaves and `count` proxies more. */
void dry_tree_build_with(dry_trees *trees, dry_tree_kind kind, const int32_t *proxies, int count,
                         dry_jobs *jobs);

/* Builds MOVABLE and SLEEPING anew from the leaves of both: SLEEPING gets those whose flags say so. */
void dry_tree_divide(dry_trees *trees, dry_jobs *jobs);

#endif

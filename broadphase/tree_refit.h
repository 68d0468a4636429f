/* Making all boxes of a tree tight. */
#ifndef BROADPHASE_TREE_REFIT_H
#define BROADPHASE_TREE_REFIT_H

#include "broadphase/tree_pool.h"
#include "jobs/jobs.h"

/* Shares out a tree's work in subtrees. */
enum {
    /* Subtrees to share out, several a worker on any machine of today so that their times even out. */
    DRY_TREE_TASKS = 256,
    DRY_TREE_TOP_MAX = 4 * DRY_TREE_TASKS,
    /* Below this number of leaves a tree is done on one thread: some 50 us of work. */
    DRY_TREE_PARALLEL_LEAVES = 2048,
};

/* Copies all fat boxes into the leaves and makes every inner box tight. */
void dry_tree_refit(dry_trees *trees, dry_tree_kind kind, dry_jobs *jobs);

/* Calls dry_jobs_for, or `run` on the calling thread where `jobs` is null. */
static inline void dry_tree_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context)
{
    dry_jobs_for(jobs ? jobs : dry_jobs_alone(), count, grain, run, context);
}

#endif

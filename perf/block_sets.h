/* Declares the data for benchmarks of the kernels of block descent: a pyramid that took a few steps of the
 * method and begins another. */
#ifndef PERF_BLOCK_SETS_H
#define PERF_BLOCK_SETS_H

#include "methods/blocks/blocks.h"
#include "methods/blocks/kernel_list.h"
#include "perf/kernel_sets.h"

typedef struct block_set {
    set_size size;
    bench_world made;           /* whose arrays the kernels work on */
    dry_block_contact *contact; /* as the substep began, as are the rows */
    dry_solver_row *rows;
    int contacts, groups, row_count;
    double manifolds, bodies; /* in lanes of contacts and of groups */
    dry_block_sweep sweep;
} block_set;

block_set *block_set_make(set_size size);
void block_set_free(block_set *set);

/* Restores the beginning of the substep. */
void block_set_restore(block_set *set);

/* Runs a kernel on all contacts or on all groups, color after color; on the first sixteen lanes if `one`. */
void block_set_run(const block_set *set, dry_block_kernel *run, bool over_groups, bool one);
uint64_t block_set_hash(const block_set *set);

/* Returns the bytes of contacts, rows and entries. */
size_t block_set_bytes(const block_set *set);

#endif

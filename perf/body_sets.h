/* What the kernels of bodies work on in the benchmarks: columns of cubes that turn and fall a little. */
#ifndef PERF_BODY_SETS_H
#define PERF_BODY_SETS_H

#include "perf/kernel_sets.h"
#include "solver/rows/body_blocks.h"
#include "solver/rows/kernel_list.h"
#include "solver/rows/solver_row.h"

/* Neither kernel changes what it reads, so that there is nothing to put back. */
typedef struct body_set {
    set_size size;
    int count; /* of bodies, a multiple of DRY_BUNDLE */
    dry_bodies bodies;
    dry_shape_form *form;
    dry_solver_row *rows, *last_rows; /* what beginning writes; what finishing reads */
    dry_start_row *start;
    dry_body_begin begin;
    dry_body_finish finish;
} body_set;

body_set *body_set_make(set_size size);
void body_set_free(body_set *set);

/* Bodies [0, end), end a multiple of DRY_BUNDLE; begin if `begins`, else finish. With `hash` it becomes that
 * of what was written. */
void body_set_run(body_set *set, const dry_body_kernels *kernels, bool begins, int end, uint64_t *hash);

/* Bytes of columns that a body's share of a kernel reads and writes, whole columns where it is a part. */
double body_bytes(bool begins);

#endif

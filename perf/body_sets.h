/* Declares the bodies for benchmarks of the body kernels: columns of cubes that rotate and fall a little. */
#ifndef PERF_BODY_SETS_H
#define PERF_BODY_SETS_H

#include "perf/kernel_sets.h"
#include "solver/bodies/body_blocks.h"
#include "solver/bodies/kernel_list.h"
#include "solver/data/solver_row.h"

/* A set of bodies. No kernel changes its inputs, so nothing needs to be restored. */
typedef struct body_set {
    set_size size;
    int count; /* number of bodies, a multiple of DRY_BUNDLE */
    dry_bodies bodies;
    dry_shape_form *form;
    dry_solver_row *rows, *last_rows; /* output of the begin kernel; input of the finish kernel */
    dry_start_row *start;
    dry_body_begin begin;
    dry_body_finish finish;
} body_set;

body_set *body_set_make(set_size size);
void body_set_free(body_set *set);

/* Runs the begin kernel if `begins`, else the finish kernel, on bodies [0, end); end is a multiple of
 * DRY_BUNDLE. If `hash` is not null, sets it to a hash of the output. */
void body_set_run(body_set *set, const dry_body_kernels *kernels, bool begins, int end, uint64_t *hash);

/* Returns the bytes of columns that a kernel reads and writes for one body; a column used in part counts as a
 * whole. */
double body_bytes(bool begins);

#endif

/* The kernels of pairs of shapes. One list feeds the table, the tests and the benchmarks; kernels.c fills one
 * table for each level. */
#ifndef NARROWPHASE_PAIRS_KERNEL_LIST_H
#define NARROWPHASE_PAIRS_KERNEL_LIST_H

#include "simd/processor.h"

struct dry_box_pair;
struct dry_local_manifold;

/* X(kernel): box against box, many pairs at once. */
#define DRY_BOX_KERNELS(X) X(collide_boxes)

/* Pairs [0, count) give manifolds [0, count). */
typedef void dry_box_kernel(const struct dry_box_pair *pairs, int count,
                            struct dry_local_manifold *manifolds);

typedef struct dry_box_kernels {
#define X(name) dry_box_kernel *name;
    DRY_BOX_KERNELS(X)
#undef X
} dry_box_kernels;

DRY_TABLES(dry_box_kernels, dry_box_kernels_at)

#endif

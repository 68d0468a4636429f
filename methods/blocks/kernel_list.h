/* The kernels of block descent. One list feeds the table and the tests; kernels.c fills one table for each
 * rare level. */
#ifndef METHODS_BLOCKS_KERNEL_LIST_H
#define METHODS_BLOCKS_KERNEL_LIST_H

#include "simd/processor.h"

struct dry_block_sweep;

typedef void dry_block_kernel(const struct dry_block_sweep *sweep, int begin, int end);

/* X(kernel): over contacts [begin, end), multiples of sixteen, or over groups [begin, end).
 *   blocks_begin    contacts: the bias of a substep's sweeps
 *   blocks_relax    contacts: the bias of sweeps that push no overlap apart
 *   blocks_warm     groups: velocities from the targets and the impulses of all contacts
 *   blocks_descend  groups: each body's velocity minimizes the potential while all others stay [Waterson 7.8]
 *   blocks_multiply contacts: multipliers and penalties [Waterson 7.10] */
#define DRY_BLOCK_KERNELS(X)                                                                                 \
    X(blocks_begin)                                                                                          \
    X(blocks_relax)                                                                                          \
    X(blocks_warm)                                                                                           \
    X(blocks_descend)                                                                                        \
    X(blocks_multiply)

typedef struct dry_block_kernels {
#define X(name) dry_block_kernel *name;
    DRY_BLOCK_KERNELS(X)
#undef X
} dry_block_kernels;

DRY_RARE_TABLES(dry_block_kernels, dry_block_kernels_at)

#endif

/* The kernels of quads: the sweeps of all joints (solver/sweeps/joints/kernel_list.h), and the line search's.
 * kernels.c fills one table for each rare level. */
#ifndef METHODS_VOLUMES_KERNEL_LIST_H
#define METHODS_VOLUMES_KERNEL_LIST_H

#include "solver/sweeps/joints/kernel_list.h"

typedef struct dry_quad_kernels {
    dry_sweep_kernel *kernel[DRY_SWEEP_COUNT][DRY_UPDATE_COUNT]; /* null: there is none */
    dry_sweep_kernel *slope;
} dry_quad_kernels;

/* X(kind, KIND, sweep, SWEEP, UPDATE): the kernel quad_<sweep>. */
#define DRY_QUAD_SWEEPS(X)                                                                                   \
    DRY_JOINT_SWEEPS(X, quad, QUAD)                                                                          \
    DRY_RARE_JOINT_SWEEPS(X, quad, QUAD)                                                                     \
    DRY_ADDED_JOINT_SWEEPS(X, quad, QUAD)

DRY_RARE_TABLES(dry_quad_kernels, dry_quad_kernels_at)

#endif

/* The kernels of joints: every kind has the same sweeps. kernels.c fills a table for each level;
 * rare_kernels.c fills one of the sweeps that no default uses for each of DRY_RARE_LEVELS, seldom_kernels.c
 * one of the kernels that run once a substep for each of DRY_SELDOM_LEVELS. */
#ifndef SOLVER_SWEEPS_JOINTS_KERNEL_LIST_H
#define SOLVER_SWEEPS_JOINTS_KERNEL_LIST_H

#include "simd/processor.h"
#include "solver/data/constraint.h"
#include "solver/data/joints/places.h"

/* X(kind, KIND, sweep, SWEEP, UPDATE): the kernel <kind>_<sweep>. */
#define DRY_JOINT_SWEEPS(X, kind, KIND)                                                                      \
    X(kind, KIND, warm, WARM, DIRECT)                                                                        \
    X(kind, KIND, solve, SOLVE, DIRECT)                                                                      \
    X(kind, KIND, relax, RELAX, DIRECT)

#define DRY_RARE_JOINT_SWEEPS(X, kind, KIND)                                                                 \
    X(kind, KIND, solve_summed, SOLVE, SUMMED)                                                               \
    X(kind, KIND, relax_summed, RELAX, SUMMED)

/* The kernels that run once a substep. */
typedef struct dry_seldom_joint_kernels {
    dry_make_kernel *make[DRY_KIND_JOINTS], *keep[DRY_KIND_JOINTS]; /* <kind>_make; null: none */
    dry_sweep_kernel *slope[DRY_KIND_JOINTS]; /* the line search's: <kind>_slope (seldom_kernels.c) */
} dry_seldom_joint_kernels;

typedef struct dry_joint_kernels {
    dry_sweep_kernel *kernel[DRY_KIND_JOINTS][DRY_SWEEP_COUNT][DRY_UPDATE_COUNT]; /* null: there is none */
} dry_joint_kernels;

/* The same table, of the rare sweeps. */
typedef dry_joint_kernels dry_rare_joint_kernels;

/* What the second volume adds where the tables above have null (joint_bundles.h). */
typedef struct dry_added_joint_kernels {
    dry_joint_kernels sweeps;
    dry_sweep_kernel *slope[DRY_KIND_JOINTS];
} dry_added_joint_kernels;

DRY_TABLES(dry_joint_kernels, dry_joint_kernels_at)
DRY_RARE_TABLES(dry_rare_joint_kernels, dry_rare_joint_kernels_at)
DRY_SELDOM_TABLES(dry_seldom_joint_kernels, dry_seldom_joint_kernels_at)

#endif

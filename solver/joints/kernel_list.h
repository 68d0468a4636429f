/* The kernels of joints. One list feeds the table, the tests and the benchmarks; kernels.c fills one table
 * for each level. */
#ifndef SOLVER_JOINTS_KERNEL_LIST_H
#define SOLVER_JOINTS_KERNEL_LIST_H

#include "simd/processor.h"
#include "solver/sweep.h"

struct dry_ball_bundle;
struct dry_distance_bundle;

/* X(kernel): sweeps over bundles [begin, end) of an array; warm, solve, relax and jacobi_ as those of
 * contacts. */
#define DRY_BALL_SWEEPS(X)                                                                                   \
    X(ball_warm)                                                                                             \
    X(ball_solve)                                                                                            \
    X(ball_relax)                                                                                            \
    X(jacobi_ball_solve)                                                                                     \
    X(jacobi_ball_relax)

#define DRY_DISTANCE_SWEEPS(X)                                                                               \
    X(distance_warm)                                                                                         \
    X(distance_solve)                                                                                        \
    X(distance_relax)                                                                                        \
    X(jacobi_distance_solve)                                                                                 \
    X(jacobi_distance_relax)

typedef void dry_ball_sweep(struct dry_ball_bundle *bundles, int begin, int end, const dry_sweep *sweep);
typedef void dry_distance_sweep(struct dry_distance_bundle *bundles, int begin, int end,
                                const dry_sweep *sweep);

typedef struct dry_joint_kernels {
#define X(name) dry_ball_sweep *name;
    DRY_BALL_SWEEPS(X)
#undef X
#define X(name) dry_distance_sweep *name;
    DRY_DISTANCE_SWEEPS(X)
#undef X
} dry_joint_kernels;

DRY_LEVELS(DRY_LEVEL_DECLARE, dry_joint_kernels)

static inline const dry_joint_kernels *dry_joint_kernels_at(dry_level level)
{
    static const dry_joint_kernels *const tables[] = {DRY_LEVELS(DRY_LEVEL_ENTRY, dry_joint_kernels)};
    return tables[level];
}

#endif

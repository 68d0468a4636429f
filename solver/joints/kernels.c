/* The kernels of joints at one level: see kernel_list.h. Compiled once for each level. */
#include "solver/joints/kernel_list.h"

#include "solver/joints/sweep_kernels.h"

#define BALL(name, pass, jacobi)                                                                             \
    static void name(dry_ball_bundle *bundles, int begin, int end, const dry_sweep *sweep)                   \
    {                                                                                                        \
        ball_sweep(bundles, begin, end, sweep, pass, jacobi);                                                \
    }

BALL(ball_warm, JOINT_WARM, false)
BALL(ball_solve, JOINT_SOLVE, false)
BALL(ball_relax, JOINT_RELAX, false)
BALL(jacobi_ball_solve, JOINT_SOLVE, true)
BALL(jacobi_ball_relax, JOINT_RELAX, true)

#define DISTANCE(name, pass, jacobi)                                                                         \
    static void name(dry_distance_bundle *bundles, int begin, int end, const dry_sweep *sweep)               \
    {                                                                                                        \
        distance_sweep(bundles, begin, end, sweep, pass, jacobi);                                            \
    }

DISTANCE(distance_warm, JOINT_WARM, false)
DISTANCE(distance_solve, JOINT_SOLVE, false)
DISTANCE(distance_relax, JOINT_RELAX, false)
DISTANCE(jacobi_distance_solve, JOINT_SOLVE, true)
DISTANCE(jacobi_distance_relax, JOINT_RELAX, true)

const dry_joint_kernels DRY_LEVEL_TABLE(dry_joint_kernels) = {
#define X(name) .name = name,
    DRY_BALL_SWEEPS(X) DRY_DISTANCE_SWEEPS(X)
#undef X
};

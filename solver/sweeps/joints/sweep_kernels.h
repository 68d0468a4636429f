/* All kinds of joint bundles, for the kernel files: defines a kernel for each line of a list of sweeps
 * (kernel_list.h), and its entry in a table. Included by files of kernels alone. */
#ifndef SOLVER_SWEEPS_JOINTS_SWEEP_KERNELS_H
#define SOLVER_SWEEPS_JOINTS_SWEEP_KERNELS_H

#include "solver/sweeps/joints/axes_kernels.h"
#include "solver/sweeps/joints/block_kernels.h"
#include "solver/sweeps/joints/line_kernels.h"
#include "solver/sweeps/joints/point_kernels.h"

#define JOINT_SWEEP(kind, KIND, sweep, SWEEP, UPDATE)                                                        \
    JOINT_KERNEL(kind##_##sweep, kind, dry_sweep,                                                            \
                 kind##_sweep(c, p, DRY_SWEEP_##SWEEP, DRY_UPDATE_##UPDATE, at))

#define JOINT_ENTRY(kind, KIND, sweep, SWEEP, UPDATE)                                                        \
    .kernel[DRY_KIND_##KIND][DRY_SWEEP_##SWEEP][DRY_UPDATE_##UPDATE] = kind##_##sweep,

#endif

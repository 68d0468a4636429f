/* The kernels of joints that this library adds, at one level. Compiled once for each rare level. */
#include "methods/added_kernels.h"
#include "methods/volumes/quad_kernels.h"
#include "solver/sweeps/joints/sweep_kernels.h"

DRY_ADDED_JOINT_SWEEPS(JOINT_SWEEP)

const dry_added_joint_kernels DRY_LEVEL_TABLE(dry_added_joint_kernels) = {
    .sweeps = {DRY_ADDED_JOINT_SWEEPS(JOINT_ENTRY)},
    .slope[DRY_KIND_QUAD] = quad_slope,
};

/* The kernels of joints at one level: see kernel_list.h. Compiled once for each level. */
#include "solver/sweeps/joints/kernel_list.h"

#include "solver/sweeps/joints/sweep_kernels.h"

#define SWEEPS(kind, KIND) DRY_JOINT_SWEEPS(JOINT_SWEEP, kind, KIND)
DRY_BOOK_JOINT_KINDS(SWEEPS)
#undef SWEEPS

#define ENTRIES(kind, KIND) DRY_JOINT_SWEEPS(JOINT_ENTRY, kind, KIND)
const dry_joint_kernels DRY_LEVEL_TABLE(dry_joint_kernels) = {DRY_BOOK_JOINT_KINDS(ENTRIES)};
#undef ENTRIES

/* The kernels of joints that no default uses, at one level: see kernel_list.h. Compiled once for each rare
 * level. */
#include "solver/sweeps/joints/kernel_list.h"

#define JOINT_SWEEPS_ARE_RARE
#include "solver/sweeps/joints/sweep_kernels.h"

#define SWEEPS(kind, KIND) DRY_RARE_JOINT_SWEEPS(JOINT_SWEEP, kind, KIND)
DRY_BOOK_JOINT_KINDS(SWEEPS)
#undef SWEEPS

#define ENTRIES(kind, KIND) DRY_RARE_JOINT_SWEEPS(JOINT_ENTRY, kind, KIND)
const dry_rare_joint_kernels DRY_LEVEL_TABLE(dry_rare_joint_kernels) = {DRY_BOOK_JOINT_KINDS(ENTRIES)};
#undef ENTRIES

/* The kernels of joints that this library adds, at one level: those of methods that solve for positions.
 * Compiled once for each rare level. */
#include "methods/added_kernels.h"
#include "solver/sweeps/joints/sweep_kernels.h"

#define SWEEPS(kind, KIND) DRY_ADDED_JOINT_SWEEPS(JOINT_SWEEP, kind, KIND)
DRY_BOOK_JOINT_KINDS(SWEEPS)
#undef SWEEPS

#define ENTRIES(kind, KIND) DRY_ADDED_JOINT_SWEEPS(JOINT_ENTRY, kind, KIND)
const dry_added_joint_kernels DRY_LEVEL_TABLE(dry_added_joint_kernels) = {DRY_BOOK_JOINT_KINDS(ENTRIES)};
#undef ENTRIES

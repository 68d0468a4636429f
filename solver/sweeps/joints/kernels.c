/* The kernels of joints at one level: see kernel_list.h. Compiled once for each level. */
#include "solver/sweeps/joints/kernel_list.h"

#include "solver/sweeps/joints/make_kernels.h"
#include "solver/sweeps/joints/slope_kernels.h"
#include "solver/sweeps/joints/sweep_kernels.h"

#define SWEEPS(kind, KIND) DRY_JOINT_SWEEPS(JOINT_SWEEP, kind, KIND)
DRY_JOINT_KINDS(SWEEPS)
#undef SWEEPS

#define MAKER(kind, KIND) .make[DRY_KIND_##KIND] = kind##_make,
#define SEARCH(kind, KIND) .slope[DRY_KIND_##KIND] = kind##_slope, .scale[DRY_KIND_##KIND] = kind##_scale,
#define ENTRIES(kind, KIND) DRY_JOINT_SWEEPS(JOINT_ENTRY, kind, KIND)
const dry_joint_kernels DRY_LEVEL_TABLE(dry_joint_kernels) = {
    DRY_JOINT_MAKERS(MAKER).keep[DRY_KIND_AXES] = axes_keep,
    DRY_JOINT_KINDS(SEARCH) DRY_JOINT_KINDS(ENTRIES)};
#undef ENTRIES

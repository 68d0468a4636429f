/* The kernels of joints that run once a substep, at one level: see kernel_list.h. Compiled once for each of
 * DRY_SELDOM_LEVELS. */
#include "solver/sweeps/joints/kernel_list.h"

#include "solver/sweeps/joints/make_kernels.h"
#include "solver/sweeps/joints/slope_kernels.h"

#define MAKER(kind, KIND) .make[DRY_KIND_##KIND] = kind##_make,
#define SEARCH(kind, KIND) .slope[DRY_KIND_##KIND] = kind##_slope,
const dry_seldom_joint_kernels DRY_LEVEL_TABLE(dry_seldom_joint_kernels) = {
    DRY_BOOK_JOINT_KINDS(MAKER).keep[DRY_KIND_AXES] = axes_keep, DRY_BOOK_JOINT_KINDS(SEARCH)};
#undef SEARCH
#undef MAKER

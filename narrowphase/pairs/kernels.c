/* The kernels of pairs of shapes and of manifolds at one level: see kernel_list.h. Compiled once for each
 * level. */
#include "narrowphase/pairs/kernel_list.h"

#include "narrowphase/manifold_motion_kernel.h"
#include "narrowphase/pairs/box_box_kernel.h"
#include "narrowphase/pairs/polytope_kernel.h"
#include "narrowphase/patches/sides_kernel.h"

const dry_pair_kernels DRY_LEVEL_TABLE(dry_pair_kernels) = {
#define X(name, result, parameters) .name = name,
    DRY_PAIR_KERNELS(X)
#undef X
};

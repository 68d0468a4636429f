/* The kernels of pairs of shapes and of manifolds at one level: see kernel_list.h, manifold_motion.h and
 * patches/sides.h.
 * Compiled once for each level. */
#include "narrowphase/pairs/kernel_list.h"

#include "narrowphase/manifold_motion_kernel.h"
#include "narrowphase/pairs/box_box_kernel.h"
#include "narrowphase/pairs/polytope_kernel.h"
#include "narrowphase/patches/sides_kernel.h"

const dry_box_kernels DRY_LEVEL_TABLE(dry_box_kernels) = {
#define X(name) .name = name,
    DRY_BOX_KERNELS(X)
#undef X
};

const dry_polytope_kernels DRY_LEVEL_TABLE(dry_polytope_kernels) = {
#define X(name, result, parameters) .name = name,
    DRY_POLYTOPE_KERNELS(X)
#undef X
};

const dry_motion_kernels DRY_LEVEL_TABLE(dry_motion_kernels) = {
#define X(name) .name = name,
    DRY_MOTION_KERNELS(X)
#undef X
};

const dry_side_kernels DRY_LEVEL_TABLE(dry_side_kernels) = {
#define X(name) .name = name,
    DRY_SIDE_KERNELS(X)
#undef X
};

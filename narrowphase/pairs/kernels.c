/* The kernels of pairs of shapes at one level: see kernel_list.h. Compiled once for each level. */
#include "narrowphase/pairs/kernel_list.h"

#include "narrowphase/pairs/box_box_kernel.h"

const dry_box_kernels DRY_LEVEL_TABLE(dry_box_kernels) = {
#define X(name) .name = name,
    DRY_BOX_KERNELS(X)
#undef X
};

/* Which kernels a world runs: the processor is asked once per world, the widest level wins unless one is
 * forced. */
#ifndef SIMD_DISPATCH_H
#define SIMD_DISPATCH_H

#include "simd/kernel_list.h"

/* The table of a level; AUTO takes the environment variable DRYSTONE_ISA, then the widest there is. Null if
 * the build or the processor lacks it, or the variable names no level. */
const dry_kernels *dry_kernels_for(dry_isa isa);
/* The table for bundles whose second half holds nothing: half as wide where that is faster. */
const dry_kernels *dry_kernels_narrow(const dry_kernels *kernels);

#endif

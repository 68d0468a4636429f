/* Which kernels a world runs: the processor is asked once per world, the widest level wins unless one is
 * forced. */
#ifndef SIMD_PROCESSOR_H
#define SIMD_PROCESSOR_H

#include "simd/kernel_list.h"

/* The table of a level; AUTO takes the environment variable DRYSTONE_ISA, then the widest there is. Null if
 * the build or the processor lacks it, or the variable names no level. */
const dry_kernels *dry_kernels_for(dry_isa isa);

/* How much of a bundle holds something: more than half, half or less, one lane. */
typedef enum dry_fill { DRY_FILL_WHOLE, DRY_FILL_HALF, DRY_FILL_ONE, DRY_FILL_COUNT } dry_fill;

/* The table that sweeps such bundles fastest, with the same bits as `kernels`: narrower where that helps. */
const dry_kernels *dry_kernels_filled(const dry_kernels *kernels, dry_fill fill);

#endif

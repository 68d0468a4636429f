/* The kernels of quads at one level: see kernel_list.h. Compiled once for each rare level. */
#include "methods/volumes/kernel_list.h"

#include "methods/volumes/quad_kernels.h"

#define SWEEP(kind, KIND, sweep, SWEEP, UPDATE)                                                              \
    static void quad_##sweep(void *bundles, int begin, int end, const dry_sweep *s)                          \
    {                                                                                                        \
        quad_sweep(bundles, begin, end, s, DRY_SWEEP_##SWEEP, DRY_UPDATE_##UPDATE);                          \
    }
DRY_QUAD_SWEEPS(SWEEP)
#undef SWEEP

const dry_quad_kernels DRY_LEVEL_TABLE(dry_quad_kernels) = {
#define ENTRY(kind, KIND, sweep, SWEEP, UPDATE)                                                              \
    .kernel[DRY_SWEEP_##SWEEP][DRY_UPDATE_##UPDATE] = quad_##sweep,
    DRY_QUAD_SWEEPS(ENTRY)
#undef ENTRY
        .slope = quad_slope,
};

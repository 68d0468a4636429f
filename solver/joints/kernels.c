/* The kernels of joints at one level: see kernel_list.h. Compiled once for each level. */
#include "solver/joints/kernel_list.h"

#include "solver/joints/axes_kernels.h"
#include "solver/joints/block_kernels.h"
#include "solver/joints/line_kernels.h"
#include "solver/joints/point_kernels.h"
#include "solver/joints/quad_kernels.h"

#define SWEEP(kind, KIND, sweep, SWEEP, UPDATE)                                                              \
    static void kind##_##sweep(void *bundles, int begin, int end, const dry_sweep *s)                        \
    {                                                                                                        \
        kind##_sweep(bundles, begin, end, s, DRY_SWEEP_##SWEEP, DRY_UPDATE_##UPDATE);                        \
    }
#define KIND_SWEEPS(kind, KIND) DRY_JOINT_SWEEPS(SWEEP, kind, KIND)
DRY_JOINT_KINDS(KIND_SWEEPS)

#define ENTRY(kind, KIND, sweep, SWEEP, UPDATE)                                                              \
    .kernel[DRY_KIND_##KIND][DRY_SWEEP_##SWEEP][DRY_UPDATE_##UPDATE] = kind##_##sweep,
#define KIND_ENTRIES(kind, KIND) DRY_JOINT_SWEEPS(ENTRY, kind, KIND)

const dry_joint_kernels DRY_LEVEL_TABLE(dry_joint_kernels) = {DRY_JOINT_KINDS(KIND_ENTRIES)};

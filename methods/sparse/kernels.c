/* The kernels of panels at one level: see kernel_list.h. Compiled once for each rare level. */
#include "methods/sparse/kernel_list.h"

#include "methods/sparse/panel_kernels.h"
#include "methods/sparse/path_kernels.h"

const dry_panel_kernels DRY_LEVEL_TABLE(dry_panel_kernels) = {
#define X(name) .name = name,
    DRY_PANEL_KERNELS(X)
#undef X
};

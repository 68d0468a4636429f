/* The kernels of block descent at one level: see kernel_list.h. Compiled once for each rare level. */
#include "methods/blocks/kernel_list.h"

#include "methods/blocks/block_kernels.h"
#include "methods/blocks/multiplier_kernels.h"

#define OVER_CONTACTS(name)                                                                                  \
    static void blocks_##name(const dry_block_sweep *s, int begin, int end)                                  \
    {                                                                                                        \
        for (int i = begin; i < end; i += DRY_LANES)                                                         \
            block_##name##_lanes(s, i);                                                                      \
    }
OVER_CONTACTS(begin)
OVER_CONTACTS(relax)
OVER_CONTACTS(multiply)

#define OVER_GROUPS(name)                                                                                    \
    static void blocks_##name(const dry_block_sweep *s, int begin, int end)                                  \
    {                                                                                                        \
        for (int g = begin; g < end; g++)                                                                    \
            for (int at = 0; at < s->group[g].lanes; at += DRY_LANES)                                        \
                block_##name##_lanes(s, &s->group[g], at);                                                   \
    }
OVER_GROUPS(warm)
OVER_GROUPS(descend)

const dry_block_kernels DRY_LEVEL_TABLE(dry_block_kernels) = {
#define X(name) .name = name,
    DRY_BLOCK_KERNELS(X)
#undef X
};

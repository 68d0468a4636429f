/* The kernels of block descent at one level: see kernel_list.h. Compiled once for each rare level. */
#include "solver/methods/blocks/kernel_list.h"

#include "solver/methods/blocks/block_kernels.h"
#include "solver/methods/blocks/contact_kernels.h"

static void blocks_begin(const dry_block_sweep *s, int begin, int end)
{
    for (int i = begin; i < end; i += DRY_LANES)
        block_begin_lanes(s, i);
}

static void blocks_relax(const dry_block_sweep *s, int begin, int end)
{
    for (int i = begin; i < end; i += DRY_LANES)
        block_relax_lanes(s, i);
}

static void blocks_warm(const dry_block_sweep *s, int begin, int end)
{
    for (int g = begin; g < end; g++)
        for (int at = 0; at < s->group[g].lanes; at += DRY_LANES)
            block_warm_lanes(s, &s->group[g], at);
}

static void blocks_descend(const dry_block_sweep *s, int begin, int end)
{
    for (int g = begin; g < end; g++)
        for (int at = 0; at < s->group[g].lanes; at += DRY_LANES)
            block_descend_lanes(s, &s->group[g], at);
}

static void blocks_multiply(const dry_block_sweep *s, int begin, int end)
{
    for (int i = begin; i < end; i += DRY_LANES)
        block_multiply_lanes(s, i);
}

const dry_block_kernels DRY_LEVEL_TABLE(dry_block_kernels) = {
#define X(name) .name = name,
    DRY_BLOCK_KERNELS(X)
#undef X
};

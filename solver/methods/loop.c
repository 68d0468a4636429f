/* The table of loops over substeps. */
#include "solver/methods/loop.h"

#include "solver/methods/blocks/blocks.h"
#include "solver/methods/method.h"

static const dry_loop loops[DRY_LOOP_COUNT] = {
    [DRY_LOOP_BLOCKS] = {dry_blocks_prepare, dry_blocks_solve_tier, dry_blocks_store},
};

const dry_loop *dry_loop_of(const dry_settings *settings)
{
    return &loops[dry_method_of(settings)->loop];
}

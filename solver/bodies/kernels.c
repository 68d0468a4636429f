/* The kernels of bodies at one level: see kernel_list.h. Compiled once for each level. */
#include "solver/bodies/kernel_list.h"

#include "core/half_turns.h"
#include "solver/bodies/begin_kernel.h"
#include "solver/bodies/finish_kernel.h"

static void bodies_begin(const dry_body_begin *begin, const dry_begin_block *block, dry_body_squares *squares)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        begin_lanes(begin, block, squares, at);
}

static void bodies_finish(const dry_body_finish *finish, const dry_finish_block *block,
                          dry_body_motion *motion)
{
    for (int at = 0; at < DRY_BUNDLE; at += DRY_LANES)
        finish_lanes(finish, block, motion, at);
}

const dry_body_kernels DRY_LEVEL_TABLE(dry_body_kernels) = {
#define X(name) .name = name,
    DRY_BODY_KERNELS(X)
#undef X
        .find_half_turns = half_turns_find,
};

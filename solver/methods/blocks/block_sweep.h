/* The parameters of the kernels of block descent: the same for all groups and contacts of a tier. */
#ifndef SOLVER_METHODS_BLOCKS_BLOCK_SWEEP_H
#define SOLVER_METHODS_BLOCKS_BLOCK_SWEEP_H

#include "solver/data/sweep.h"
#include "solver/methods/blocks/blocks.h"

#include <stdbool.h>

typedef struct dry_block_sweep {
    dry_sweep sweep; /* what all methods have: `rate` is that of joints, too; `stiction` is null while no
                        contact has static friction */
    const dry_start_row *target, *force; /* of row r: target[r - 1], force[r - 1] */
    dry_block_contact *contact;
    struct dry_contact_bundle *bundle; /* contact i is lane i % 16 of bundle i / 16 */
    const dry_block_group *group;
    const dry_block_locks *locks;
    const int32_t *entry;
    dry_block_joint_row *row;
    const int32_t *row_entry;
    float growth;      /* of a penalty over the row's mass for each m/s of its error, s/m */
    float penalty_max; /* over the row's mass */
    bool rolling;      /* some contact resists rolling */
    bool last;         /* the substep's last sweep */
} dry_block_sweep;

/* Returns the parameters of all substeps of length h, but for their times. */
dry_block_sweep dry_block_sweep_of(const struct dry_solver_step *step, float h);

#endif

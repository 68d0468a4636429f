/* The parameters of the kernels of block descent: the same for all groups and contacts of a tier. */
#ifndef SOLVER_METHODS_BLOCKS_BLOCK_SWEEP_H
#define SOLVER_METHODS_BLOCKS_BLOCK_SWEEP_H

#include "solver/methods/blocks/blocks.h"

#include <stdbool.h>

typedef struct dry_block_sweep {
    dry_solver_row *rows;
    const dry_start_row *target, *force; /* of row r: target[r - 1], force[r - 1] */
    const dry_start_row *start;          /* velocities when the substep began, likewise */
    dry_block_contact *contact;
    struct dry_contact_bundle *bundle; /* contact i is lane i % 16 of bundle i / 16 */
    const struct dry_contact_header *header;
    const struct dry_contact_cold *cold;
    struct dry_contact_stiction *patch; /* by cold block, if `stiction` */
    const dry_block_group *group;
    const dry_block_locks *locks;
    const int32_t *entry;
    dry_block_joint_row *row;
    const int32_t *row_entry;
    float h;                 /* s */
    float rate_free;         /* 1 / h: a gap may close within the substep */
    float rate;              /* of an overlap that is pushed apart, 1/s; 0 while relaxing */
    float bias_speed_max;    /* at which overlaps separate, m/s */
    float bounce_speed;      /* as in dry_sweep, of stops */
    float time;              /* since the step began, s */
    float acceleration_time; /* as in dry_sweep */
    float joint_rate;        /* of a rigid joint's error, 1/s */
    float growth;            /* of a penalty over the row's mass for each m/s of its error, s/m */
    bool rolling;            /* some contact resists rolling */
    bool stiction;           /* some contact has static friction */
    bool last;               /* the substep's last sweep */
    float penalty_max;       /* over the row's mass */
} dry_block_sweep;

/* Returns the parameters of all substeps of length h, but for their times. */
dry_block_sweep dry_block_sweep_of(const struct dry_solver_step *step, float h);

#endif

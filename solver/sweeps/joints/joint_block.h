/* The rows of one joint, whitened, with the inverse of their block G M^-1 G^T, in double. */
#ifndef SOLVER_SWEEPS_JOINTS_JOINT_BLOCK_H
#define SOLVER_SWEEPS_JOINTS_JOINT_BLOCK_H

#include "solver/constraint/joints/joint_type.h"
#include "solver/data/bundle.h"

/* A row with both bodies' parts whitened: linear, angular; a's with its minus sign [Spook 25]. */
typedef struct dry_whitened_row {
    double a[6], b[6];
} dry_whitened_row;

typedef struct dry_joint_block {
    dry_whitening w[2]; /* of both sides; without a mass if nothing pushes one */
    dry_whitened_row row[DRY_BLOCK_ROWS];
    double block[DRY_BLOCK_ELEMENTS],
        inverse[DRY_BLOCK_ELEMENTS]; /* 1/kg; kg, 0 for a row that moves nothing */
} dry_joint_block;

/* Fills its whitened rows, their products and the inverse of these; both whitenings are set. */
void dry_joint_fill_block(dry_joint_block *block, const dry_joint_row *rows, int count);

#endif

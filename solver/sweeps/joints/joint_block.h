/* The locked rows of one joint, whitened, with the inverse of their block G M^-1 G^T, in double. */
#ifndef SOLVER_SWEEPS_JOINTS_JOINT_BLOCK_H
#define SOLVER_SWEEPS_JOINTS_JOINT_BLOCK_H

#include "solver/constraint/joints/joint_type.h"
#include "solver/data/bundle.h"

/* A row with both bodies' parts whitened: linear, angular; a's with its minus sign [Spook 25]. */
typedef struct dry_whitened_row {
    double a[6], b[6];
} dry_whitened_row;

typedef struct dry_joint_block {
    dry_joint_side a, b;
    dry_side_motion motion[2];
    dry_joint_frames mean; /* where rows are made */
    dry_joint_parts now;   /* where errors are measured */
    dry_joint_parts parts; /* where rows are made */
    int rows;
    bool torn;  /* the anchors are too far apart to warm-start */
    bool exact; /* `inverse` is that of the block; false: of each row alone */
    dry_whitened_row row[DRY_BLOCK_ROWS];
    double block[DRY_BLOCK_ELEMENTS],
        inverse[DRY_BLOCK_ELEMENTS]; /* 1/kg; kg, 0 for a row that moves nothing */
} dry_joint_block;

/* Fills the block of the joint in slot `joint`. */
void dry_joint_find_block(const struct dry_solver_step *step, int joint, dry_joint_block *block);

/* Fills its whitened rows, their products and the inverse of these; both sides and `torn` are set. */
void dry_joint_fill_block(dry_joint_block *block, const dry_joint_row *rows, int count);

/* Returns the factor from the joint's stored impulses to those that a substep of length h begins with. */
float dry_joint_block_warm_scale(const struct dry_solver_step *step, int joint, const dry_joint_block *block,
                                 float h);

/* Returns a row of the joint, whitened. */
dry_whitened_row dry_joint_whiten(const dry_joint_block *block, const dry_joint_row *row);
/* Puts a row's force at anchor b and torque in a lane. */
void dry_joint_put_world(const dry_joint_block *block, const dry_joint_row *row, dry_lanes *linear,
                         dry_lanes *about, int lane);
/* Returns the product of two rows. */
double dry_whitened_dot(const dry_whitened_row *x, const dry_whitened_row *y);
/* Returns the row's speed by bodies that nothing pushes and that move all the same. */
double dry_joint_kinematic_speed(const struct dry_solver_step *step, int joint, const dry_joint_block *block,
                                 const dry_joint_row *row);

/* Tells whether a gap, which is a lever arm of body a, is too long to warm-start: by the roots of the mass
 * and of the sum of its inverse inertia. */
bool dry_joint_gap_is_torn(dry_double3 apart, double root, double inverse_inertia);

#endif

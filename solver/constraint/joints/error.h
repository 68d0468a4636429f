/* How far a joint is from where its rigid rows would have it. */
#ifndef SOLVER_CONSTRAINT_JOINTS_ERROR_H
#define SOLVER_CONSTRAINT_JOINTS_ERROR_H

#include "core/shared.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/terms.h"

typedef struct dry_joint_error {
    double gap;  /* of rows that part the bodies, m */
    double turn; /* of rows that only turn them, rad */
} dry_joint_error;

/* The forms of a joint's locked rows, and of stops that are passed: what they are beyond these is their
 * error. Springs have none. */
typedef struct dry_open_rows {
    int count;
    uint8_t form[DRY_BLOCK_ROWS + 1]; /* each a dry_row_form */
    double error[DRY_BLOCK_ROWS + 1]; /* m or rad */
    dry_joint_error all;
    dry_swing_twist swing; /* that the rows share: form.h */
} dry_open_rows;

/* Finds these of a joint of two sides where its frames are. */
void dry_joint_find_open_rows(const dry_joints *joints, int joint, const dry_joint_frames *frames,
                              dry_open_rows *open);

/* Returns the error of a joint where its bodies are; springs have none. */
DRY_SHARED dry_joint_error dry_joint_error_now(const dry_bodies *bodies, const dry_joints *joints, int joint);

/* Returns the value of a joint with one row over four bodies where its bodies are. */
dry_quad_value dry_joint_quad_now(const dry_bodies *bodies, const dry_joints *joints, int joint);

/* Tells whether that is beyond the bounds. */
bool dry_joint_is_open(const dry_bodies *bodies, const dry_joints *joints, int joint);

#endif

/* The rows of joints in double, by their forms. */
#ifndef SOLVER_CONSTRAINT_JOINTS_FORM_H
#define SOLVER_CONSTRAINT_JOINTS_FORM_H

#include "solver/constraint/joints/types/swing_twist.h"
#include "solver/data/joints/row_form.h"

/* Fills the numbers that the rows of teeth need: the teeth of two wheels, or the radius of a pinion. A type
 * has one of the two, and the other is 1. */
static inline void dry_joint_find_mesh(const dry_joint_def *def, float mesh[2])
{
    mesh[0] = def->teeth_a * def->radius;
    mesh[1] = def->teeth_b;
}

/* Returns the coordinate of a form of a joint where these frames are, m or rad. Coordinates and rows of the
 * same frames share `swing`, which begins as zero. */
double dry_joint_form_value(const dry_joint_def *def, const dry_joint_frames *frames, dry_row_form form,
                            dry_swing_twist *swing);
/* Returns its row; its error is the coordinate. */
dry_joint_row dry_joint_form_row(const dry_joint_def *def, const dry_joint_frames *frames, dry_row_form form,
                                 dry_swing_twist *swing);

#endif

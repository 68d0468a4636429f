/* The rows of joints in double, by their forms. */
#ifndef SOLVER_CONSTRAINT_JOINTS_FORM_H
#define SOLVER_CONSTRAINT_JOINTS_FORM_H

#include "solver/constraint/joints/frames.h"
#include "solver/data/joints/row_form.h"

/* Returns the row of a form where these frames are; its error is the coordinate. */
dry_joint_row dry_joint_form_row(const dry_joint_frames *frames, dry_row_form form);

#endif

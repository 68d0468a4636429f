#ifndef STEP_CORRECTION_H
#define STEP_CORRECTION_H

#include "solver/data/context.h"
#include "state/bodies.h"

/* Finds the islands with a joint that began the step open, once the rows of joints have been made. */
void dry_corrections_begin(dry_world *world, dry_solver_step *step);
/* Notes the correction of a body that goes to this pose and velocity. */
void dry_correction_note(const dry_solver_step *step, int row, const dry_body_pose *pose,
                         const dry_body_velocity *velocity);

#endif

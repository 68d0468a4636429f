/* The angle about x of frame a, for types that keep the x axes of both frames parallel. */
#ifndef SOLVER_CONSTRAINT_JOINTS_TYPES_HINGE_ANGLE_H
#define SOLVER_CONSTRAINT_JOINTS_TYPES_HINGE_ANGLE_H

#include "core/angle.h"
#include "solver/constraint/joints/joint_type.h"

/* Returns the row of axis RX. */
static inline dry_joint_row dry_hinge_axis(const dry_joint_frames *frames, int axis)
{
    (void)axis;
    const dry_double3 *a = frames->a.axis, *b = frames->b.axis;
    return dry_row_about(a[0], dry_angle_of(double3_dot(a[2], b[1]), double3_dot(a[1], b[1])));
}

#endif

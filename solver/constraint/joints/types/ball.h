/* The rows of joints that keep two anchors together. */
#ifndef SOLVER_CONSTRAINT_JOINTS_TYPES_BALL_H
#define SOLVER_CONSTRAINT_JOINTS_TYPES_BALL_H

#include "solver/constraint/joints/joint_type.h"

static inline void dry_joint_measure_apart(const dry_joint *joint, const dry_joint_def *def,
                                           const dry_joint_side *a, const dry_joint_side *b,
                                           dry_joint_rows *rows)
{
    (void)joint;
    (void)def;
    const dry_vec3 apart = position_sub(b->center, a->center);
    const dry_vec3 error = vec3_add(apart, vec3_sub(b->lever_arm, a->lever_arm));
    const dry_vec3 acceleration = vec3_sub(b->acceleration, a->acceleration);
    *rows = (dry_joint_rows){
        .error = {error.x, error.y, error.z},
        .acceleration = {acceleration.x, acceleration.y, acceleration.z},
    };
}

#endif

/* Rows of springs in the joint correction. Reads definitions and springs. Next: springs.c. */
#include "solver/direct/spring_rows.h"

#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"

void dry_springs_measure(const dry_linkage *l, const dry_articulated_joint *joint, dry_joint_row *rows)
{
    const dry_joints *joints = l->step->joints;
    const dry_joint_def *def = &joints->def[joint->joint];
    dry_spring_def springs[DRY_BLOCK_ROWS];
    const int count = dry_joint_find_springs(def, springs);
    for (int k = 0; k < count && k < joint->springs; k++) {
        dry_joint_row *row = &rows[dry_linkage_locked(joint) + k];
        const int coordinate = springs[k].coordinate;
        if (coordinate >= 0)
            row->error = dry_joint_known_value(def, coordinate, true, &joints->axes[joint->joint], row,
                                               &l->spring[joint->spring + k].value);
        row->error -= springs[k].rest;
    }
}

double dry_spring_left(const dry_linkage *l, const dry_articulated_joint *joint, int i,
                       const dry_joint_row *row)
{
    const dry_articulated_spring *spring = &l->spring[joint->spring + i - dry_linkage_locked(joint)];
    if (spring->sigma >= DRY_SPRING_NO_IMPULSE)
        return 0.0;
    return dry_spring_sign(spring, row->linear) * row->error +
           spring->begin[0] / spring->begin[1] * spring->before + spring->sigma * l->h * spring->impulse;
}

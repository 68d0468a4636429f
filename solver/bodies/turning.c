/* Stage "prepare": joints that turn far within the step. Reads joints, poses, velocities, rows; writes marks
 * of tiers. Next: solver/stages/prepare.c. */
#include "solver/bodies/turning.h"

#include "solver/bodies/side_motion.h"
#include "solver/bodies/turned.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/method.h"
#include "solver/plan/islands.h"

/* Tells whether a vector that changes at `rate` turns by more than the angle whose square per s^2 is `limit`.
 */
static bool vector_turns(dry_vec3 vector, dry_vec3 rate, float limit)
{
    return !(vec3_length_squared(rate) <= limit * vec3_length_squared(vector));
}

/* Tells whether the line from anchor a to the anchor on a side turns far, or between the centers where there
 * are two. */
static bool line_turns(const dry_solver_step *step, int index, int side, float limit)
{
    const dry_side_motion a = dry_side_motion_in(step, index, 0), b = dry_side_motion_in(step, index, side);
    const dry_joint *joint = &step->joints->joint[index];
    const dry_vec3 centers = position_sub(b.center, a.center), v = vec3_sub(b.velocity, a.velocity);
    if (joint->body_a >= 0 && vector_turns(centers, v, limit))
        return true;
    const dry_kind kind = dry_joint_types[step->joints->def[index].type]->kind;
    if (kind != DRY_KIND_LINE && kind != DRY_KIND_QUAD)
        return false;
    const dry_vec3 arm_a = quat_rotate(a.orientation, joint->anchor_a);
    const dry_vec3 arm_b = quat_rotate(b.orientation, dry_joint_anchor(step->joints, index, side));
    const dry_vec3 sweep = vec3_sub(vec3_cross(b.spin, arm_b), vec3_cross(a.spin, arm_a));
    return vector_turns(vec3_add(centers, vec3_sub(arm_b, arm_a)), vec3_add(v, sweep), limit);
}

bool dry_joint_turns(const dry_solver_step *step, int index, float angle)
{
    int rows[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(step, index, rows);
    const float limit = (angle / step->dt) * (angle / step->dt);
    for (int i = 0; i < count; i++)
        if (dry_body_turns(step, rows[i], angle))
            return true;
    bool turns = false;
    for (int side = 1; side < dry_joint_sides(&step->joints->joint[index]) && !turns; side++)
        turns = line_turns(step, index, side, limit);
    return turns;
}

void dry_joints_find_turning(dry_solver_step *step)
{
    for (int t = 0; t < step->state->plan.range_count; t++) {
        dry_tier_range *range = &step->state->plan.ranges[t];
        range->turning =
            !step->method->sweeps_joints || (t >= DRY_TIER_COUNT && range->body_begin < range->body_end);
    }
}

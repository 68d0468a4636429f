/* The loads of joints that hold for the first time: the springs that pull at their bodies.
 *
 * A spring that is tense where it begins accelerates its bodies, and the joints beside it must keep their
 * anchors together from the first substep on. Measured after the first step the load comes too late: few
 * substeps have let joints open by then, and closing them again lifts springs. In 20 boxes with 28 joints and
 * springs of 1e5 N m/rad gaps of 89 mm gave 3.6 kJ back. So each joint gets the acceleration by which springs
 * alone would part it as its load, along each of its rows.
 *
 * Reads joints, masses and poses. Writes the loads of joints. Next: joint_groups.c. */
#include "solver/plan/spring_load.h"

#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/plan/difficulty.h"

#include <math.h>

/* Returns the angular acceleration of a body by a torque in the world. */
static dry_vec3 turned_by(const dry_solver_step *step, int row, dry_vec3 torque)
{
    const dry_quat q = step->bodies->pose[row].orientation;
    return quat_rotate(q, vec3_mul(quat_rotate_inverse(q, torque), step->bodies->mass[row].inverse_inertia));
}

/* Fills the rows of both sides of a joint; -1: nothing moves there. Returns whether the joint begins to hold:
 * it is enabled and was never solved. A rope that may be slack, a target, and joints of other sides do not.
 */
static bool begins(const dry_solver_step *step, const bool *fresh, int index, int row[2])
{
    const dry_joint *joint = &step->joints->joint[index];
    const int island = dry_joint_island(step, index);
    row[0] = dry_island_row(step, joint->body_a);
    row[1] = dry_island_row(step, joint->body_b);
    return island >= 0 && fresh[island] && (joint->flags & DRY_JOINT_ENABLED) && joint->substep == 0.0f &&
           dry_joint_sides(joint) == 2 && dry_joint_may_be_direct(&step->joints->def[index]);
}

/* Adds the pull of a joint's springs to its bodies. Returns whether there is any. */
static bool add_pull(const dry_solver_step *step, int index, const int row[2], dry_spring_pull *pull)
{
    dry_joint_row rows[DRY_BLOCK_ROWS];
    dry_spring_def springs[DRY_BLOCK_ROWS];
    const dry_joint_def *def = &step->joints->def[index];
    const int count = dry_joint_find_springs(def, springs);
    if (count == 0)
        return false;
    const dry_joint_frames frames = dry_joint_frames_now(step->bodies, &step->joints->joint[index], def);
    const int first = dry_joint_find_direct(def->type, def, &frames, rows) - count;
    for (int k = 0; k < count; k++) {
        const dry_joint_row *r = &rows[first + k];
        const double force = springs[k].stiffness * (springs[k].rest - r->error);
        for (int side = 0; side < 2; side++) {
            if (row[side] < 0)
                continue;
            const float along = (float)(side ? force : -force);
            dry_spring_pull *p = &pull[row[side]];
            p->linear = vec3_add_scaled(p->linear, along * step->bodies->mass[row[side]].inverse_mass,
                                        vec3_of(r->linear));
            p->angular = vec3_add_scaled(
                p->angular, along, turned_by(step, row[side], vec3_of(side ? r->angular_b : r->angular_a)));
        }
    }
    return true;
}

/* Returns how fast springs alone would part a joint, m/s^2: a rotation counts as in store_lane of block.c. */
static float parted_by(const dry_solver_step *step, int index, const int row[2], const dry_spring_pull *pull)
{
    dry_joint_row rows[DRY_BLOCK_ROWS];
    const dry_joint_def *def = &step->joints->def[index];
    const int locked = dry_joint_locked_count(def);
    const dry_joint_frames frames = dry_joint_frames_now(step->bodies, &step->joints->joint[index], def);
    (void)dry_joint_find_direct(def->type, def, &frames, rows);
    float squared = 0.0f;
    for (int k = 0; k < locked; k++) {
        float apart = 0.0f, linear = 0.0f, angular = 0.0f;
        for (int side = 0; side < 2; side++) {
            if (row[side] < 0)
                continue;
            const dry_vec3 about = vec3_of(side ? rows[k].angular_b : rows[k].angular_a);
            const float along = vec3_dot(vec3_of(rows[k].linear), pull[row[side]].linear) +
                                vec3_dot(about, pull[row[side]].angular);
            apart += side ? along : -along;
            linear += step->bodies->mass[row[side]].inverse_mass;
            angular += vec3_dot(about, turned_by(step, row[side], about));
        }
        const bool turns = dry_joint_row_turns(&rows[k]);
        squared += apart * apart * (!turns ? 1.0f : angular > 0.0f ? linear / angular : 0.0f);
    }
    return squared > 0.0f ? dry_min(sqrtf(squared), DRY_LOAD_MAX) : 0.0f; /* 0, too, if it is no number */
}

void dry_spring_loads(const dry_solver_step *step, const bool *fresh, dry_spring_pull *pull)
{
    bool any = false;
    int row[2];
    for (int i = 0; i < step->joints->active_count; i++)
        if (begins(step, fresh, step->joints->active[i], row))
            any |= add_pull(step, step->joints->active[i], row, pull);
    for (int i = 0; any && i < step->joints->active_count; i++) {
        const int joint = step->joints->active[i];
        const float bears = begins(step, fresh, joint, row) ? parted_by(step, joint, row, pull) : 0.0f;
        float *load = &step->joints->load[joint].value;
        if (bears > 0.0f)
            *load = dry_min(dry_max(*load, 0.0f) + bears, DRY_LOAD_MAX);
    }
}

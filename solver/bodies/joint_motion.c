/* The motion of the bodies of joints, and which joints turn far. Reads joints, poses, velocities; rows, where
 * they are refreshed. Writes marks of tiers in stage "prepare". */
#include "solver/bodies/joint_motion.h"

#include "core/rotation.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/turned.h"
#include "solver/bodies/whitening.h"
#include "solver/constraint/joints/joint_type.h"
#include "solver/data/context.h"
#include "solver/data/terms.h"
#include "solver/plan/islands.h"

/* Moves a body by a displacement and a rotation vector. */
static void move(dry_side_motion *m, dry_vec3 displacement, dry_vec3 rotation)
{
    m->center = position_add(m->center, displacement);
    m->orientation = quat_normalize(quat_mul(quat_from_rotation(rotation), m->orientation));
}

dry_side_motion dry_side_motion_in(const dry_solver_step *step, int index, int side, dry_moment at)
{
    const dry_bodies *bodies = step->bodies;
    const int body = dry_joint_body(step->joints, index, side);
    dry_side_motion m = dry_side_motion_of(bodies, body, &step->joints->def[index]);
    const int row = body < 0 ? bodies->awake_count : dry_bodies_row(bodies, body);
    if (row >= bodies->awake_count)
        return m;
    if (bodies->state[row].type != DRY_BODY_DYNAMIC) {
        if (at.since > 0.0f)
            move(&m, vec3_scale(m.velocity, at.since), vec3_scale(m.spin, at.since));
        return m;
    }
    if (step->state->bodies.invalid[row]) {
        m.velocity = m.spin = vec3(0.0f, 0.0f, 0.0f);
        return m;
    }
    if (!at.moved)
        return m;
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_whitening w = dry_frames_whitening(step, row);
    m.velocity = vec3_scale(vec3(r->ul[0], r->ul[1], r->ul[2]), w.inv_sqrt_mass);
    m.spin = dry_whitening_to_world(&w, r->ua);
    float d[6];
    dry_row_displacement(r, at.ahead, d);
    move(&m, vec3_scale(vec3(d[0], d[1], d[2]), w.inv_sqrt_mass), dry_whitening_to_world(&w, d + 3));
    if (at.ahead > 0.0f && dry_frames_turn(step->state, row))
        m.orientation =
            quat_normalize(quat_mul(step->state->bodies.frames[row].ahead, bodies->pose[row].orientation));
    return m;
}

/* Tells whether the line from anchor a to the anchor on a side turns far, or between the centers where there
 * are two. */
static bool line_turns(const dry_solver_step *step, int index, int side, float angle)
{
    const dry_side_motion a = dry_side_motion_in(step, index, 0, DRY_WHERE_STEP_BEGAN),
                          b = dry_side_motion_in(step, index, side, DRY_WHERE_STEP_BEGAN);
    const dry_joint *joint = &step->joints->joint[index];
    const dry_vec3 centers = position_sub(b.center, a.center), v = vec3_sub(b.velocity, a.velocity);
    if (joint->body_a >= 0 &&
        dry_turns(vec3_length_squared(v), vec3_length_squared(centers), angle, step->dt))
        return true;
    const dry_kind kind = dry_joint_types[step->joints->def[index].type]->kind;
    if (kind != DRY_KIND_LINE && kind != DRY_KIND_QUAD)
        return false;
    const dry_vec3 arm_a = quat_rotate(a.orientation, joint->anchor_a);
    const dry_vec3 arm_b = quat_rotate(b.orientation, dry_joint_anchor(step->joints, index, side));
    const dry_vec3 sweep = vec3_sub(vec3_cross(b.spin, arm_b), vec3_cross(a.spin, arm_a));
    return dry_turns(vec3_length_squared(vec3_add(v, sweep)),
                     vec3_length_squared(vec3_add(centers, vec3_sub(arm_b, arm_a))), angle, step->dt);
}

bool dry_joint_turns(const dry_solver_step *step, int index, float angle)
{
    int rows[DRY_JOINT_SIDES];
    const int count = dry_joint_rows_of(step, index, rows);
    for (int i = 0; i < count; i++)
        if (dry_body_turns(step, rows[i], angle))
            return true;
    for (int side = 1; side < dry_joint_sides(&step->joints->joint[index]); side++)
        if (line_turns(step, index, side, angle))
            return true;
    return false;
}

/* The motion of the bodies of joints. Reads joints, poses, velocities; rows, where they are refreshed. */
#include "solver/bodies/side_motion.h"

#include "core/rotation.h"
#include "solver/bodies/frames.h"
#include "solver/bodies/whitening.h"
#include "solver/data/context.h"

/* Moves a body by a displacement and a rotation vector. */
static void move(dry_side_motion *m, dry_vec3 displacement, dry_vec3 rotation)
{
    m->center = position_add(m->center, displacement);
    m->orientation = quat_normalize(quat_mul(quat_from_rotation(rotation), m->orientation));
}

dry_side_motion dry_side_motion_in(const dry_solver_step *step, int index, int side)
{
    const dry_bodies *bodies = step->bodies;
    const int body = dry_joint_body(step->joints, index, side);
    dry_side_motion m = dry_side_motion_of(bodies, body, &step->joints->def[index]);
    const int row = body < 0 ? bodies->awake_count : dry_bodies_row(bodies, body);
    if (row >= bodies->awake_count)
        return m;
    if (bodies->state[row].type != DRY_BODY_DYNAMIC) {
        if (step->since > 0.0f)
            move(&m, vec3_scale(m.velocity, step->since), vec3_scale(m.spin, step->since));
        return m;
    }
    if (step->state->bodies.invalid[row]) {
        m.velocity = m.spin = vec3(0.0f, 0.0f, 0.0f);
        return m;
    }
    if (!step->refresh)
        return m;
    const dry_solver_row *r = &step->state->bodies.rows[row + 1];
    const dry_whitening w = dry_frames_whitening(step, row);
    m.velocity = vec3_scale(vec3(r->ul[0], r->ul[1], r->ul[2]), w.inv_sqrt_mass);
    m.spin = dry_whitening_to_world(&w, r->ua);
    float d[6];
    dry_row_displacement(r, step->ahead, d);
    move(&m, vec3_scale(vec3(d[0], d[1], d[2]), w.inv_sqrt_mass), dry_whitening_to_world(&w, d + 3));
    if (step->ahead > 0.0f && dry_frames_turn(step->state, row))
        m.orientation =
            quat_normalize(quat_mul(step->state->bodies.frames[row].ahead, bodies->pose[row].orientation));
    return m;
}

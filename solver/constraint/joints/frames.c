/* The frames of a joint in the world. Reads joints, poses, velocities. */
#include "solver/constraint/joints/frames.h"

/* Fills a side. `anchor` and `frame` are in the body's principal frame. */
static void fill_side(const dry_precise_motion *m, dry_vec3 anchor, dry_quat frame, dry_joint_frame *side)
{
    side->velocity = m->velocity;
    side->spin = m->spin;
    const dry_rotation to_world = rotation_mul(m->orientation, rotation_from_quat(frame));
    side->axis[0] = rotation_apply(to_world, (dry_double3){1.0, 0.0, 0.0});
    side->axis[1] = rotation_apply(to_world, (dry_double3){0.0, 1.0, 0.0});
    side->axis[2] = rotation_apply(to_world, (dry_double3){0.0, 0.0, 1.0});
    side->arm = rotation_apply(m->orientation, double3_of(anchor));
}

dry_joint_frames dry_joint_frames_between(const dry_joint *joint, const dry_precise_motion *a,
                                          const dry_precise_motion *b)
{
    dry_joint_frames f;
    fill_side(a, joint->anchor_a, joint->frame_a, &f.a);
    fill_side(b, joint->anchor_b, joint->frame_b, &f.b);
    dry_double3 arm_a[3], arm_b[3];
    dry_turning(f.a.arm, f.a.spin, arm_a);
    dry_turning(f.b.arm, f.b.spin, arm_b);
    const dry_double3 drift = double3_add_scaled(f.b.velocity, -1.0, f.a.velocity);
    const dry_double3 centers = {b->center.x - a->center.x, b->center.y - a->center.y,
                                 b->center.z - a->center.z};
    f.apart = double3_add_scaled(centers, 1.0, double3_add_scaled(arm_b[0], -1.0, arm_a[0]));
    f.velocity = double3_add_scaled(drift, 1.0, double3_add_scaled(arm_b[1], -1.0, arm_a[1]));
    f.acceleration = double3_add_scaled(arm_b[2], -1.0, arm_a[2]);
    return f;
}

/* Returns the motion of a side's body between two steps. */
static dry_precise_motion motion_now(const dry_bodies *bodies, const dry_joint *joint,
                                     const dry_joint_def *def, int side)
{
    const int body = side ? joint->body_b : joint->body_a;
    const int row = body < 0 ? -1 : dry_bodies_row(bodies, body);
    dry_precise_motion m = dry_precise_of(dry_side_motion_of(bodies, body, def));
    if (row >= 0)
        m.orientation = dry_bodies_precise_motion(bodies, row).orientation;
    return m;
}

dry_joint_frames dry_joint_frames_now(const dry_bodies *bodies, const dry_joint *joint,
                                      const dry_joint_def *def)
{
    const dry_precise_motion a = motion_now(bodies, joint, def, 0), b = motion_now(bodies, joint, def, 1);
    return dry_joint_frames_between(joint, &a, &b);
}

/* The frames of a joint in the world. Reads joints, poses, velocities. */
#include "solver/joints/frames.h"

#include "core/rotation.h"

/* Returns the rotation by a vector of |v| rad; none beyond the angle that still has digits. */
static dry_rotation rotation_by(dry_double3 v)
{
    const double angle2 = double3_dot(v, v), turn = 6.283185307179586;
    if (!(angle2 <= DRY_ANGLE_MAX * DRY_ANGLE_MAX))
        return (dry_rotation){0.0, 0.0, 0.0, 1.0};
    double scale = 0.5, sinc, cosine;
    if (angle2 > turn * turn * 0.25) {
        const double angle = sqrt(angle2);
        scale = 0.5 * (angle - turn * (double)(int64_t)(angle / turn + 0.5)) / angle;
    }
    dry_sinc_cos(angle2 * scale * scale, &sinc, &cosine);
    return (dry_rotation){v.x * scale * sinc, v.y * scale * sinc, v.z * scale * sinc, cosine};
}

/* Fills a side, `ahead` seconds later. `anchor` and `frame` are in the body's principal frame. */
static void fill_side(const dry_side_motion *m, dry_vec3 anchor, dry_quat frame, double ahead,
                      dry_joint_frame *side)
{
    const dry_double3 none = {0};
    side->velocity = double3_of(m->velocity);
    side->spin = double3_of(m->spin);
    dry_rotation q = rotation_from_quat(m->orientation);
    if (ahead != 0.0)
        q = rotation_mul(rotation_by(double3_add_scaled(none, ahead, side->spin)), q);
    const dry_rotation to_world = rotation_mul(q, rotation_from_quat(frame));
    side->axis[0] = rotation_apply(to_world, (dry_double3){1.0, 0.0, 0.0});
    side->axis[1] = rotation_apply(to_world, (dry_double3){0.0, 1.0, 0.0});
    side->axis[2] = rotation_apply(to_world, (dry_double3){0.0, 0.0, 1.0});
    side->arm = rotation_apply(q, double3_of(anchor));
}

dry_joint_frames dry_joint_frames_ahead(const dry_joint *joint, const dry_side_motion motion[2], double ahead)
{
    const dry_side_motion *a = &motion[0], *b = &motion[1];
    dry_joint_frames f;
    fill_side(a, joint->anchor_a, joint->frame_a, ahead, &f.a);
    fill_side(b, joint->anchor_b, joint->frame_b, ahead, &f.b);
    dry_double3 arm_a[3], arm_b[3];
    dry_turning(f.a.arm, f.a.spin, arm_a);
    dry_turning(f.b.arm, f.b.spin, arm_b);
    const dry_double3 drift = double3_add_scaled(f.b.velocity, -1.0, f.a.velocity);
    const dry_double3 centers = {b->center.x - a->center.x, b->center.y - a->center.y,
                                 b->center.z - a->center.z};
    f.apart = double3_add_scaled(double3_add_scaled(centers, ahead, drift), 1.0,
                                 double3_add_scaled(arm_b[0], -1.0, arm_a[0]));
    f.velocity = double3_add_scaled(drift, 1.0, double3_add_scaled(arm_b[1], -1.0, arm_a[1]));
    f.acceleration = double3_add_scaled(arm_b[2], -1.0, arm_a[2]);
    return f;
}

dry_joint_frames dry_joint_frames_now(const dry_bodies *bodies, const dry_joint *joint,
                                      const dry_joint_def *def)
{
    const dry_side_motion motion[2] = {dry_side_motion_of(bodies, joint, def, 0),
                                       dry_side_motion_of(bodies, joint, def, 1)};
    return dry_joint_frames_ahead(joint, motion, 0.0);
}

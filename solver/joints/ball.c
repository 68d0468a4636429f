/* The ball joint: anchor_b - anchor_a = 0, three rows along the world's axes [Waterson 5.1]. */
#include "solver/joints/joint_type.h"

static void ball_set_defaults(dry_joint_def *def)
{
    (void)def;
}

/* A ball joint ignores its length, but an invalid length is still refused. */
static const char *ball_check(const dry_joint_def *def)
{
    return dry_joint_length_error(def);
}

static void ball_measure(const dry_joint *joint, const dry_joint_side *a, const dry_joint_side *b,
                         dry_joint_rows *rows)
{
    (void)joint;
    const dry_vec3 apart = position_sub(*b->center, *a->center);
    const dry_vec3 error = vec3_add(apart, vec3_sub(b->lever_arm, a->lever_arm));
    const dry_vec3 acceleration = vec3_sub(b->acceleration, a->acceleration);
    *rows = (dry_joint_rows){
        .error = {error.x, error.y, error.z},
        .acceleration = {acceleration.x, acceleration.y, acceleration.z},
    };
}

static double ball_stretch(const dry_joint_def *def, const double apart[3])
{
    (void)def;
    return sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
}

const dry_joint_description dry_joint_ball = {
    .kind = DRY_KIND_POINT,
    .set_defaults = ball_set_defaults,
    .check = ball_check,
    .measure = ball_measure,
    .stretch = ball_stretch,
};

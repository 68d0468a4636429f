/* The distance joint: |anchor_b - anchor_a| = length, one row along the line between the anchors
 * [Spook p. 8, Tamis 5.2]. */
#include "solver/joints/joint_type.h"

static void distance_set_defaults(dry_joint_def *def)
{
    def->length = 1.0f;
}

static const char *distance_check(const dry_joint_def *def)
{
    return dry_joint_length_error(def);
}

static void distance_measure(const dry_joint *joint, const dry_joint_side *a, const dry_joint_side *b,
                             dry_joint_rows *rows)
{
    const dry_vec3 apart = position_sub(*b->center, *a->center);
    const float length = vec3_length(vec3_add(apart, vec3_sub(b->lever_arm, a->lever_arm)));
    /* Anchors in one place have no direction: any will do, the next step has a better one. */
    const dry_vec3 mean = vec3_add(vec3_add(apart, vec3_sub(b->drift, a->drift)),
                                   vec3_sub(b->mean_lever_arm, a->mean_lever_arm));
    const dry_vec3 axis = vec3_normalize_or(mean, vec3(0.0f, 1.0f, 0.0f));
    /* d^2 |line| / dt^2 of free anchors: from the rotating lever arms, and from the line's own rotation,
     * which is |v across|^2 / |line|. */
    const dry_vec3 v = vec3_sub(b->velocity, a->velocity);
    const dry_vec3 across = vec3_add_scaled(v, -vec3_dot(v, axis), axis);
    *rows = (dry_joint_rows){
        .axis = axis,
        .error = {length - joint->def.length},
        .acceleration = {vec3_dot(axis, vec3_sub(b->acceleration, a->acceleration)) +
                         (length > 1e-6f ? vec3_length_squared(across) / length : 0.0f)},
    };
}

static double distance_stretch(const dry_joint_def *def, const double apart[3])
{
    return sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]) - (double)def->length;
}

const dry_joint_description dry_joint_distance = {
    .kind = DRY_KIND_LINE,
    .set_defaults = distance_set_defaults,
    .check = distance_check,
    .measure = distance_measure,
    .stretch = distance_stretch,
};

/* The distance joint: |anchor_b - anchor_a| = length, one row along the line between the anchors
 * [Spook p. 8, Tamis 5.2]. */
#include "solver/constraint/joints/joint_type.h"

static void distance_set_defaults(dry_joint_def *def)
{
    def->length = 1.0f;
}

static const char *distance_check(const dry_joint_def *def)
{
    if (!(def->length_min >= 0.0f && def->length_min <= 1e6f && def->length_min <= def->length_max))
        return "length_min must be 0 to 1e6 and not exceed length_max";
    return def->length_max <= 1e6f || def->length_max == INFINITY
               ? NULL
               : "length_max must be at most 1e6, or INFINITY";
}

/* A rope or a strut: stops, and perhaps a spring, along the line. */
static bool distance_stops(const dry_joint_def *def, dry_joint_axis *acts)
{
    *acts = dry_joint_axis_default(true);
    if (def->length_min > 0.0f)
        acts->min = def->length_min;
    acts->max = def->length_max;
    acts->stiffness = def->stiffness;
    acts->damping = def->damping;
    acts->rest = def->stiffness > 0.0f ? def->length : 0.0f;
    return def->length_min > 0.0f || def->length_max < INFINITY;
}

static void distance_measure(const dry_joint *joint, const dry_joint_def *def, const dry_joint_side *a,
                             const dry_joint_side *b, dry_joint_rows *rows)
{
    (void)joint;
    const dry_vec3 apart = position_sub(b->center, a->center);
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
        .error = {length - def->length},
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
    .more = distance_stops,
    .more_form = DRY_FORM_LINE,
};

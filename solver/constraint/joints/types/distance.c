/* The distance joint: |anchor_b - anchor_a| = length, one row along the line between the anchors
 * [Spook p. 8, Tamis 5.2]. */
#include "solver/constraint/joints/joint_type.h"

static void distance_set_defaults(dry_joint_def *def)
{
    def->length = 1.0f;
}

static const char *distance_check(const dry_joint_def *def)
{
    if (!in_range(def->length_min, 0.0f, 1e6f) || !(def->length_min <= def->length_max))
        return "length_min must be 0 to 1e6 and not exceed length_max";
    return in_range(def->length_max, 0.0f, 1e6f) || def->length_max == INFINITY
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

const dry_joint_description dry_joint_distance = {
    .kind = DRY_KIND_LINE,
    .set_defaults = distance_set_defaults,
    .check = distance_check,
    .locked = 1,
    .locked_form = {DRY_FORM_LINE},
    .more = distance_stops,
    .more_form = DRY_FORM_LINE,
};

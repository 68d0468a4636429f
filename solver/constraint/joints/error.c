/* Measures how far a joint is from where its rigid rows would have it (error.h). Reads joints, poses. */
#include "solver/constraint/joints/error.h"

#include <math.h>

double dry_joint_beyond_stops(const dry_joint_axis *acts, double value)
{
    if (dry_joint_stops_softly(acts))
        return 0.0;
    return fmin(value - (double)acts->min, 0.0) + fmax(value - (double)acts->max, 0.0);
}

/* Adds an error's square to that of the gap or to that of the rotation. */
static void add_error(const dry_joint_row *row, double error, double squares[2])
{
    squares[dry_joint_row_turns(row)] += error * error;
}

/* Adds the errors of the rows of a joint with frames. */
static void add_parts(const dry_joints *joints, int joint, const dry_joint_frames *frames, double squares[2])
{
    dry_joint_parts parts;
    const dry_joint_def *def = &joints->def[joint];
    dry_joint_find_parts(def, frames, &parts);
    for (int i = 0; i < parts.locked_count; i++)
        add_error(&parts.locked[i], parts.locked[i].error, squares);
    for (int i = 0; i < parts.free_count; i++) {
        const double value =
            dry_joint_counted_value(def, parts.coordinate[i], &parts.free[i], &joints->axes[joint]);
        add_error(&parts.free[i], dry_joint_beyond_stops(&parts.acts[i], value), squares);
    }
}

dry_quad_value dry_joint_quad_now(const dry_bodies *bodies, const dry_joints *joints, int joint)
{
    dry_double3 arm[DRY_JOINT_SIDES], edge[3];
    dry_position center[DRY_JOINT_SIDES];
    for (int side = 0; side < DRY_JOINT_SIDES; side++) {
        const dry_body_pose *pose = dry_body_pose_of(bodies, dry_joint_body(joints, joint, side));
        center[side] = pose->position;
        arm[side] = rotation_apply(rotation_from_quat(pose->orientation),
                                   double3_of(dry_joint_anchor(joints, joint, side)));
    }
    for (int i = 0; i < 3; i++) {
        const dry_double3 centers = {center[i + 1].x - center[0].x, center[i + 1].y - center[0].y,
                                     center[i + 1].z - center[0].z};
        edge[i] = double3_add_scaled(centers, 1.0, double3_add_scaled(arm[i + 1], -1.0, arm[0]));
    }
    const dry_joint_def *def = &joints->def[joint];
    return dry_joint_types[def->type]->value(def, edge);
}

dry_joint_error dry_joint_error_now(const dry_bodies *bodies, const dry_joints *joints, int joint)
{
    const dry_joint_def *def = &joints->def[joint];
    const bool soft = dry_joint_is_spring(def);
    const dry_joint_description *type = dry_joint_types[def->type];
    if (type->kind == DRY_KIND_QUAD) {
        const dry_quad_value now = dry_joint_quad_now(bodies, joints, joint);
        return (dry_joint_error){.gap = soft ? 0.0 : fabs(type->gap(now.error, now.steepness))};
    }
    const dry_joint_frames frames = dry_joint_frames_now(bodies, &joints->joint[joint], def);
    if (dry_joint_has_kind(def, DRY_KIND_POINT) || dry_joint_has_kind(def, DRY_KIND_LINE)) {
        const double apart[3] = {frames.apart.x, frames.apart.y, frames.apart.z};
        return (dry_joint_error){.gap = soft ? 0.0 : fabs(type->stretch(def, apart))};
    }
    double squares[2] = {0.0, 0.0};
    add_parts(joints, joint, &frames, squares);
    return (dry_joint_error){sqrt(squares[0]), sqrt(squares[1])};
}

bool dry_joint_is_open(const dry_bodies *bodies, const dry_joints *joints, int joint)
{
    const dry_joint_error error = dry_joint_error_now(bodies, joints, joint);
    return error.gap > DRY_GAP_OPEN || error.turn > DRY_TURN_OPEN;
}

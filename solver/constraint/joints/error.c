/* Measures how far a joint is from where its rigid rows would have it (error.h). Reads joints, poses. */
#include "solver/constraint/joints/error.h"

#include <math.h>

/* Returns how far a coordinate is beyond its hard stops, with its sign. */
static double beyond_stops(const dry_joint_axis *acts, double value)
{
    if (dry_joint_stops_softly(acts))
        return 0.0;
    return fmin(value - (double)acts->min, 0.0) + fmax(value - (double)acts->max, 0.0);
}

void dry_joint_find_open_rows(const dry_joints *joints, int joint, const dry_joint_frames *frames,
                              dry_open_rows *open)
{
    const dry_joint_def *def = &joints->def[joint];
    double squares[2] = {0.0, 0.0};
    open->count = 0;
    if (dry_joint_has_kind(def, DRY_KIND_POINT) || dry_joint_has_kind(def, DRY_KIND_LINE)) {
        if (!dry_joint_is_spring(def))
            open->count = dry_joint_find_direct(def->type, def, frames, open->row);
    } else {
        dry_joint_parts parts;
        dry_joint_find_parts(def, frames, &parts);
        for (int i = 0; i < parts.locked_count; i++)
            open->row[open->count++] = parts.locked[i];
        for (int i = 0; i < parts.free_count; i++) {
            const double beyond =
                beyond_stops(&parts.acts[i], dry_joint_counted_value(def, parts.coordinate[i], &parts.free[i],
                                                                     &joints->axes[joint]));
            if (beyond == 0.0)
                continue;
            open->row[open->count] = parts.free[i];
            open->row[open->count++].error = beyond;
        }
    }
    for (int i = 0; i < open->count; i++)
        squares[dry_joint_row_turns(&open->row[i])] += open->row[i].error * open->row[i].error;
    open->all = (dry_joint_error){sqrt(squares[0]), sqrt(squares[1])};
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
    const dry_joint_description *type = dry_joint_types[def->type];
    if (type->kind == DRY_KIND_QUAD) {
        const dry_quad_value now = dry_joint_quad_now(bodies, joints, joint);
        const bool soft = dry_joint_is_spring(def);
        return (dry_joint_error){.gap = soft ? 0.0 : fabs(type->gap(now.error, now.steepness))};
    }
    const dry_joint_frames frames = dry_joint_frames_now(bodies, &joints->joint[joint], def);
    dry_open_rows open;
    dry_joint_find_open_rows(joints, joint, &frames, &open);
    return open.all;
}

bool dry_joint_is_open(const dry_bodies *bodies, const dry_joints *joints, int joint)
{
    const dry_joint_error error = dry_joint_error_now(bodies, joints, joint);
    return error.gap > DRY_GAP_OPEN || error.turn > DRY_TURN_OPEN;
}

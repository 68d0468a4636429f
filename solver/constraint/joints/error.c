/* Measures how far a joint is from where its rigid rows would have it (error.h). Reads joints, poses. */
#include "solver/constraint/joints/error.h"

#include <math.h>

static void add_row(dry_open_rows *open, int form, double error)
{
    open->form[open->count] = (uint8_t)form;
    open->error[open->count++] = error;
}

void dry_joint_find_open_rows(const dry_joints *joints, int joint, const dry_joint_frames *frames,
                              dry_open_rows *open)
{
    const dry_joint_def *def = &joints->def[joint];
    double squares[2] = {0.0, 0.0};
    dry_joint_coordinates of;
    dry_joint_find_coordinates(def, &of);
    open->count = 0;
    open->swing = (dry_swing_twist){0};
    for (int i = 0; i < of.locked_count; i++)
        add_row(open, of.locked_form[i],
                dry_joint_form_value(def, frames, (dry_row_form)of.locked_form[i], &open->swing) -
                    (double)of.locked_at[i]);
    for (int i = 0; i < of.free_count; i++) {
        const dry_joint_axis *acts = dry_joint_acts(def, &of, i);
        if (!dry_joint_has_hard_stop(acts))
            continue;
        const double alone = dry_joint_form_value(def, frames, (dry_row_form)of.free_form[i], &open->swing);
        dry_joint_row row = {.error = alone, .faded = open->swing.faded};
        double counted;
        const double value =
            dry_joint_known_value(def, of.coordinate[i], false, &joints->axes[joint], &row, &counted);
        const double beyond = fmin(value - (double)acts->min, 0.0) + fmax(value - (double)acts->max, 0.0);
        if (beyond != 0.0)
            add_row(open, of.free_form[i], beyond);
    }
    for (int i = 0; i < open->count; i++)
        squares[!dry_form_moves((dry_row_form)open->form[i])] += open->error[i] * open->error[i];
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
    return dry_is_open(error.gap, error.turn);
}

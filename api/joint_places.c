/* Frames of a joint's definition from the present poses of its bodies. Changes no world. */
#include "core/inertia.h"
#include "state/joint_list.h"
#include "world/check.h"
#include "world/world.h"

#include <drystone/joint.h>

/* Finds the frame of a body. Returns false if the body is not there. */
static bool find_pose(const dry_world *world, dry_body_id id, const char *name, dry_pose *pose)
{
    const int slot = dry_find_body(world, id, name);
    if (slot >= 0)
        *pose = dry_bodies_user_pose(&world->bodies, dry_bodies_row(&world->bodies, slot));
    return slot >= 0;
}

static dry_position to_world(const dry_pose *pose, dry_vec3 anchor)
{
    return position_add(pose->position, quat_rotate(pose->orientation, anchor));
}

static dry_vec3 to_body(const dry_pose *pose, dry_position point)
{
    return quat_rotate_inverse(pose->orientation, position_sub(point, pose->position));
}

/* Returns the orientation, in a body's frame, of the frame with x along a unit vector and y as near as can be
 * to another. */
static dry_quat frame_in(const dry_pose *pose, dry_vec3 x, dry_vec3 near_y)
{
    const dry_vec3 z = vec3_normalize_or(vec3_cross(x, near_y), vec3_perpendicular(x)), y = vec3_cross(z, x);
    double axes[3][3];
    for (int i = 0; i < 3; i++) {
        axes[i][0] = (double)vec3_get(x, i);
        axes[i][1] = (double)vec3_get(y, i);
        axes[i][2] = (double)vec3_get(z, i);
    }
    return quat_normalize(quat_mul(quat_conjugate(pose->orientation), dry_quat_from_axes(axes)));
}

dry_result dry_joint_def_place(const dry_world *world, dry_joint_def *def, dry_position point, dry_vec3 axis)
{
    dry_pose a, b;
    DRY_RETURN_REFUSAL(dry_check_read(world, __func__));
    if (!def || (unsigned)def->type >= DRY_JOINT_TYPE_COUNT ||
        !dry_joint_has(def->type, DRY_JOINT_HAS_ROWS) || dry_joint_has(def->type, DRY_JOINT_HAS_CORNERS))
        return dry_refuse(world, __func__, "def is null, or of a type without a place");
    const bool has_frames = dry_joint_has(def->type, DRY_JOINT_HAS_FRAMES);
    const dry_vec3 x = vec3_normalize_or(axis, (dry_vec3){0});
    if (!dry_finite_position(point) || !vec3_is_finite(axis) || (has_frames && vec3_is_zero(x)))
        return dry_refuse(world, __func__, "point must be finite and at most 1e9, axis finite and not 0");
    /* Two wheels keep their centers; so does a pinion, whose radius tells where it meets the other body. */
    const bool wheels = dry_joint_has(def->type, DRY_JOINT_HAS_TEETH),
               pinion = dry_joint_has(def->type, DRY_JOINT_HAS_RADIUS);
    dry_joint_def placed = *def;
    if (def->body_a.bits == 0 && !wheels && !pinion)
        placed.target = point;
    a = (dry_pose){placed.target, quat_identity()}; /* the world's frame */
    if ((def->body_a.bits && !find_pose(world, def->body_a, __func__, &a)) ||
        !find_pose(world, def->body_b, __func__, &b))
        return DRY_ERROR_STALE_ID;
    /* The frames' y: upright, where that leads across the axis rather than along it. */
    dry_vec3 near_y = x.y * x.y <= 0.5f ? (dry_vec3){0, 1, 0} : (dry_vec3){0, 0, 1}, near_y_b = near_y;
    if (!wheels && !pinion)
        placed.anchor_a = to_body(&a, point);
    if (dry_joint_has(def->type, DRY_JOINT_HAS_LENGTH)) { /* between the ends of the axis */
        placed.anchor_b = to_body(&b, position_add(point, axis));
        placed.length = vec3_length(axis);
    } else if (!wheels) {
        placed.anchor_b = to_body(&b, point);
    }
    const dry_vec3 arm = position_sub(to_world(&b, placed.anchor_b), to_world(&a, placed.anchor_a));
    if (wheels) { /* towards each other, so that teeth mesh */
        near_y = arm;
        near_y_b = vec3_neg(arm);
    } else if (pinion) { /* as the pinion's teeth move where they meet the rack */
        near_y = near_y_b = vec3_cross(x, arm);
        placed.radius = vec3_length(near_y);
    }
    if (has_frames) {
        placed.orientation_a = frame_in(&a, x, near_y);
        placed.orientation_b = frame_in(&b, x, near_y_b);
    }
    *def = placed;
    return DRY_OK;
}

dry_joint_def dry_joint_def_between(const dry_world *world, dry_joint_type type, dry_body_id body_a,
                                    dry_body_id body_b, dry_position point, dry_vec3 axis)
{
    dry_joint_def def = dry_default_joint_def(type);
    def.body_a = body_a;
    def.body_b = body_b;
    if (dry_joint_def_place(world, &def, point, axis) != DRY_OK)
        def.anchor_b.x = NAN; /* which no call takes */
    return def;
}

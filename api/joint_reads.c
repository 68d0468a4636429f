/* Reading joints. */
#include "solver/constraint/joints/error.h"
#include "solver/constraint/joints/joint_type.h"
#include "world/check.h"
#include "world/world.h"

#include <drystone/joint.h>

#define READ(call, type, ...) DRY_READ_CALL(call, dry_joint_to_read, dry_joint_id, type, __VA_ARGS__)
READ(dry_joint_get_def, dry_joint_def, dry_joint_def_as_given(&world->joints.def[at]))
READ(dry_joint_get_user_data, uint64_t, world->joints.def[at].user_data)
READ(dry_joint_get_enabled, bool, (world->joints.joint[at].flags & DRY_JOINT_ENABLED) != 0)
READ(dry_joint_get_impulse, dry_vec3, world->joints.joint[at].impulse)
READ(dry_joint_get_peak_force, float, world->joints.rows[at].peak)

/* Returns how fast a row's coordinate changes as the bodies move: G W. */
static double row_speed(const dry_joint_frames *f, const dry_joint_row *row)
{
    return double3_dot(row->linear, f->b.velocity) - double3_dot(row->linear, f->a.velocity) +
           double3_dot(row->angular_b, f->b.spin) - double3_dot(row->angular_a, f->a.spin);
}

/* Returns the factor from impulses of a joint's last substep to forces. */
static float force_rate(const dry_joint *joint)
{
    return joint->substep > 0.0f ? 1.0f / joint->substep : 0.0f;
}

dry_result dry_joint_get_reaction(const dry_world *world, dry_joint_id id, dry_vec3 *force, dry_vec3 *torque)
{
    const int index = dry_joint_to_read(world, id, force && torque ? force : NULL, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(index));
    *force = world->joints.rows[index].force;
    *torque = world->joints.rows[index].torque;
    return DRY_OK;
}

static dry_joint_frames frames_now(const dry_world *world, int index)
{
    return dry_joint_frames_now(&world->bodies, &world->joints.joint[index], &world->joints.def[index]);
}

dry_result dry_joint_get_axis(const dry_world *world, dry_joint_id id, dry_axis axis,
                              dry_joint_axis_state *state)
{
    const int index = dry_joint_to_read(world, id, state, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(index));
    if ((unsigned)axis >= DRY_AXIS_COUNT || !dry_joint_has_axis(world->joints.def[index].type, (int)axis))
        return dry_refuse(world, __func__, "joints of this type lack the axis");
    const dry_joint_frames frames = frames_now(world, index);
    const dry_joint_def *def = &world->joints.def[index];
    const dry_row_form form = dry_joint_form_of(dry_joint_types[def->type], (int)axis);
    const dry_joint_row row = dry_joint_form_row(def, &frames, form, &(dry_swing_twist){0});
    const dry_joint_axes_state *stored = &world->joints.axes[index];
    const float *impulse = stored->impulse + DRY_PART_COUNT * (int)axis;
    const float rate = force_rate(&world->joints.joint[index]);
    const double value = dry_joint_counted_value(def, (int)axis, row.error, row.faded, stored);
    *state = (dry_joint_axis_state){
        .value = (float)value,
        .speed = (float)row_speed(&frames, &row),
        .spring_force = rate * impulse[DRY_PART_SPRING],
        .motor_force = rate * impulse[DRY_PART_MOTOR],
        .friction_force = rate * impulse[DRY_PART_FRICTION],
        .stop_force = rate * (impulse[DRY_PART_LOWER] - impulse[DRY_PART_UPPER]),
    };
    return DRY_OK;
}

dry_result dry_joint_get_volume(const dry_world *world, dry_joint_id id, float *volume, float *pressure)
{
    const int index = dry_joint_to_read(world, id, volume && pressure ? volume : NULL, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(index));
    if (!dry_joint_has(world->joints.def[index].type, DRY_JOINT_HAS_CORNERS))
        return dry_refuse(world, __func__, "not a volume joint");
    *volume = (float)dry_joint_quad_now(&world->bodies, &world->joints, index).value;
    *pressure = world->joints.rows[index].impulse[1] * force_rate(&world->joints.joint[index]);
    return DRY_OK;
}

dry_result dry_joint_get_error(const dry_world *world, dry_joint_id id, float *error_m, float *error_rad)
{
    const int index = dry_joint_to_read(world, id, error_m && error_rad ? error_m : NULL, __func__);
    DRY_RETURN_REFUSAL(dry_refusal(index));
    const dry_joint_error error = dry_joint_error_now(&world->bodies, &world->joints, index);
    *error_m = (float)error.gap;
    *error_rad = (float)error.turn;
    return DRY_OK;
}

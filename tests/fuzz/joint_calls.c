/* The calls that create, change and destroy joints. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"

#include <math.h>

/* Returns a number of a field that may be infinite as well. */
static float draw_open(fuzz_turn *t, double low, double high)
{
    const bool bad = t->bad_number;
    const float x = draw_between(t, low, high);
    t->bad_number = bad || isnan(x);
    return x;
}

/* Returns settings for an axis; `axis` are those with which nothing acts along it. */
static dry_joint_axis joint_axis(fuzz_turn *t, dry_joint_axis axis)
{
    const unsigned what = draw_byte(t);
    if (what & 1) {
        const float middle = draw_open(t, -1, 1), half = draw_open(t, 0, 1);
        axis.min = middle - half;
        axis.max = middle + half;
    } else if (what & 2) {
        axis.min = -INFINITY;
        axis.max = INFINITY;
    }
    if ((what & 5) == 5)
        axis.stop_restitution = draw_between(t, 0, 1);
    if (what & 8) {
        axis.motor = (dry_motor)draw_whole(t, 0, DRY_MOTOR_COUNT - 1);
        if (axis.motor != DRY_MOTOR_POSITION)
            axis.velocity = draw_number(t, 5);
        if (axis.motor != DRY_MOTOR_VELOCITY)
            axis.position = draw_number(t, 2);
        axis.force_max = draw_open(t, 0, 1e4);
    }
    if (what & 16) {
        axis.stiffness = draw_between(t, 0, 1e5);
        axis.rest = draw_number(t, 1);
    }
    if (what & 32)
        axis.damping = draw_between(t, 0, 1e3);
    if (what & 64)
        axis.friction = draw_between(t, 0, 1e4);
    if (what & 128) {
        axis.motor_hertz = draw_between(t, 0, 10);
        axis.stop_hertz = draw_between(t, 0, 10);
    }
    return axis;
}

/* Draws all but the type and the bodies. */
static void draw_joint_rest(fuzz_turn *t, dry_joint_def *def)
{
    if (def->type == DRY_JOINT_FILTER && !t->wild)
        return;
    def->anchor_a = draw_vector(t, 1);
    def->anchor_b = draw_vector(t, 1);
    const unsigned more = draw_byte(t), bounds = draw_byte(t);
    if (def->type == DRY_JOINT_DISTANCE) {
        def->length = draw_between(t, 0, 2);
        if (bounds & 1)
            def->length_min = draw_between(t, 0, 1);
        if (bounds & 2)
            def->length_max = draw_open(t, 1, 3);
    }
    if (def->body_a.bits == 0)
        def->target = draw_position(t);
    if (def->type == DRY_JOINT_TARGET && (bounds & 1))
        def->force_max = draw_open(t, 0, 1e5);
    if (def->type == DRY_JOINT_BALL && (bounds & 16))
        def->friction = draw_between(t, 0, 1e4);
    if (def->type == DRY_JOINT_CONE_TWIST && (bounds & 1))
        def->swing_max = draw_open(t, 0, 3);
    if (def->type == DRY_JOINT_VOLUME)
        def->volume = draw_number(t, 1);
    if (def->type == DRY_JOINT_GEAR) {
        def->teeth_a = (float)draw_whole(t, 1, 30);
        def->teeth_b = (float)draw_whole(t, 1, 30) * (bounds & 1 ? -32.0f : 1.0f);
    }
    if (def->type == DRY_JOINT_RACK)
        def->radius = draw_between(t, 0.1, 1) * (bounds & 1 ? -1.0f : 1.0f);
    if ((def->type > DRY_JOINT_TARGET && def->type < DRY_JOINT_PAIR_COUNT) || def->type > DRY_JOINT_FILTER) {
        def->orientation_a = draw_rotation(t);
        def->orientation_b = draw_rotation(t);
    } else if (more & 1) {
        def->stiffness = draw_between(t, 1, 1e5);
        def->damping = draw_between(t, 0, 1e3);
    }
    if (def->type == DRY_JOINT_FIXED && (bounds & 1)) {
        def->angular_stiffness = draw_between(t, 1, 1e5);
        def->angular_damping = draw_between(t, 0, 1e3);
    }
    if (def->type == DRY_JOINT_FIXED && (bounds & 2))
        def->stiffness = draw_between(t, 0, 1e5);
    if (bounds & 32)
        def->hertz = draw_between(t, 0, 1e3);
    if (bounds & 4)
        def->break_force = draw_between(t, 0, 1e5);
    if (bounds & 8)
        def->event_torque = draw_between(t, 0, 1e4);
    def->collide = more & 2;
    def->solver = (dry_joint_solver)draw_whole(t, 0, DRY_JOINT_SOLVER_COUNT - 1);
    def->user_data = more;
    const bool has_axes = def->type > DRY_JOINT_TARGET && def->type < DRY_JOINT_PAIR_COUNT;
    const unsigned axes = has_axes ? draw_byte(t) : 0;
    for (int i = 0; i < DRY_AXIS_COUNT; ++i)
        if (axes >> i & 1)
            def->axes[i] = joint_axis(t, def->axes[i]);
    if (t->wild && more >= 0xf8)
        def->type = (dry_joint_type)draw_byte(t);
}

static dry_joint_def joint_def(fuzz_turn *t)
{
    const unsigned type = draw_byte(t);
    dry_joint_def def = dry_default_joint_def(type > 244 ? (dry_joint_type)(DRY_JOINT_FILTER + type % 3)
                                                         : (dry_joint_type)(type % DRY_JOINT_PAIR_COUNT));
    const bool bad_id = t->bad_id;
    if (def.type != DRY_JOINT_TARGET && !draw_chance(t, 4))
        def.body_a = draw_body(t);
    if (def.body_a.bits == 0) /* the world */
        t->bad_id = bad_id;
    def.body_b = draw_body(t);
    draw_joint_rest(t, &def);
    return def;
}

static dry_result create_joints_of(fuzz_turn *t, int count)
{
    dry_joint_def defs[3];
    dry_joint_id ids[3];
    if (t->model->joint_count + count > FUZZ_JOINTS_MAX)
        return DRY_OK;
    for (int i = 0; i < count; ++i)
        defs[i] = joint_def(t);
    const dry_result result = count == 1 ? dry_world_create_joint(t->world, defs, ids)
                                         : dry_world_create_joints(t->world, count, defs, ids);
    for (int i = 0; i < count && result == DRY_OK; ++i)
        t->change.made_joints[i] = (fuzz_model_joint){ids[i], defs[i].body_a, defs[i].body_b, {{0}}};
    t->change.made_joint_count = count;
    return result;
}

dry_result call_create_joint(fuzz_turn *t)
{
    return create_joints_of(t, 1);
}

dry_result call_create_joints(fuzz_turn *t)
{
    return create_joints_of(t, 2 + draw_below(t, 2));
}

dry_result call_create_volumes(fuzz_turn *t)
{
    dry_volume_def defs[2];
    dry_joint_id ids[2];
    const int count = 1 + draw_below(t, 2);
    if (t->model->joint_count + count > FUZZ_JOINTS_MAX)
        return DRY_OK;
    for (int i = 0; i < count; ++i) {
        dry_joint_def *joint = &defs[i].joint;
        *joint = dry_default_joint_def(DRY_JOINT_VOLUME);
        joint->body_a = draw_body(t);
        joint->body_b = draw_body(t);
        defs[i].body_c = draw_body(t);
        defs[i].body_d = draw_body(t);
        defs[i].anchor_c = draw_vector(t, 1);
        defs[i].anchor_d = draw_vector(t, 1);
        draw_joint_rest(t, joint);
    }
    const dry_result result = dry_world_create_volumes(t->world, count, defs, ids);
    for (int i = 0; i < count && result == DRY_OK; ++i) {
        const dry_volume_def *def = &defs[i];
        t->change.made_joints[i] =
            (fuzz_model_joint){ids[i], def->joint.body_a, def->joint.body_b, {def->body_c, def->body_d}};
    }
    t->change.made_joint_count = count;
    return result;
}

dry_result call_joint_destroy(fuzz_turn *t)
{
    t->change.gone_joint = draw_joint(t);
    return dry_joint_destroy(t->world, t->change.gone_joint);
}

dry_result call_joint_set_def(fuzz_turn *t)
{
    const dry_joint_id id = draw_joint(t);
    dry_joint_def now, def = {0};
    if (dry_joint_get_def(t->world, id, &now) == DRY_OK) {
        def = dry_default_joint_def(now.type);
        def.body_a = now.body_a;
        def.body_b = now.body_b;
    }
    draw_joint_rest(t, &def);
    return dry_joint_set_def(t->world, id, &def);
}

dry_result call_joint_set_axes(fuzz_turn *t)
{
    dry_joint_axis_change changes[3];
    const int count = 1 + draw_below(t, 3);
    for (int i = 0; i < count; ++i) {
        dry_joint_def now;
        changes[i].joint = draw_joint(t);
        changes[i].axis = (dry_axis)draw_whole(t, 0, DRY_AXIS_COUNT - 1);
        if (dry_joint_get_def(t->world, changes[i].joint, &now) != DRY_OK ||
            (unsigned)changes[i].axis >= DRY_AXIS_COUNT)
            now = dry_default_joint_def(DRY_JOINT_HINGE);
        changes[i].settings =
            joint_axis(t, dry_default_joint_def(now.type).axes[(unsigned)changes[i].axis % DRY_AXIS_COUNT]);
    }
    return dry_world_set_joint_axes(t->world, count, changes);
}

dry_result call_joint_set_enabled(fuzz_turn *t)
{
    const dry_joint_id id = draw_joint(t);
    return dry_joint_set_enabled(t->world, id, draw_byte(t) & 1);
}

dry_result call_joint_set_motor(fuzz_turn *t)
{
    const dry_joint_id id = draw_joint(t);
    const unsigned what = draw_byte(t);
    return dry_joint_set_motor(t->world, id, (dry_axis)(what & 7), (dry_motor)(what >> 3 & 7),
                               draw_number(t, 5));
}

/* The calls that create and destroy joints. */
#include "tests/fuzz/calls.h"
#include "tests/fuzz/draw.h"

static dry_joint_def joint_def(fuzz_turn *t)
{
    dry_joint_def def = dry_default_joint_def((dry_joint_type)draw_below(t, DRY_JOINT_TYPE_COUNT));
    def.body_a = draw_body(t);
    def.body_b = draw_body(t);
    def.anchor_a = draw_vector(t, 1);
    def.anchor_b = draw_vector(t, 1);
    if (def.type == DRY_JOINT_DISTANCE)
        def.length = draw_between(t, 0, 2);
    const unsigned more = draw_byte(t);
    if (more & 1) {
        def.stiffness = draw_between(t, 1, 1e5);
        def.damping = draw_between(t, 0, 1e3);
    }
    def.collide = more & 2;
    def.user_data = more;
    if (t->wild && more >= 0xf8)
        def.type = (dry_joint_type)draw_byte(t);
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
        t->change.made_joints[i] = (fuzz_model_joint){ids[i], defs[i].body_a, defs[i].body_b};
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

dry_result call_joint_destroy(fuzz_turn *t)
{
    t->change.gone_joint = draw_joint(t);
    return dry_joint_destroy(t->world, t->change.gone_joint);
}

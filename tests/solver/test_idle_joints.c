/* Joints that have no body to move: they are accepted, and do nothing. Filter joints, which have no rows. */
#include "tests/test_joint.h"

enum { IDLE_PAIRS = 4 };

/* A world with fixed and kinematic bodies, a stack that sleeps on the floor, and a swing beside it. */
typedef struct rig {
    dry_world *world;
    dry_body_id floor, wall, lift, belt, box[3], hook, bob;
    dry_joint_id swing, idle[DRY_JOINT_PAIR_COUNT * IDLE_PAIRS];
    int idle_count;
} rig;

static void rig_make(rig *r)
{
    *r = (rig){0};
    dry_settings settings = test_settings();
    settings.sleep = true;
    r->world = world_with(settings);
    r->floor = add_floor(r->world, 0.6, 0);
    r->wall = add_body(r->world, DRY_BODY_STATIC, pose_at(-5, 1, 0), box_shape(0.5, 1, 2));
    r->lift = add_body(r->world, DRY_BODY_KINEMATIC, pose_at(-9, 3, 0), box_shape(0.5, 0.1, 0.5));
    r->belt = add_body(r->world, DRY_BODY_KINEMATIC, pose_at(-9, 6, 0), box_shape(0.5, 0.1, 0.5));
    for (int i = 0; i < COUNT_OF(r->box); i++)
        r->box[i] = add_dynamic(r->world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    r->hook = add_body(r->world, DRY_BODY_STATIC, pose_at(9, 9, 0), sphere_shape(0.1));
    r->bob = add_dynamic(r->world, pose_at(12, 9, 0), sphere_shape(0.2));
    run_steps(r->world, 240, TEST_DT);
    for (int i = 0; i < COUNT_OF(r->box); i++)
        assert_false(dry_body_is_awake(r->world, r->box[i]));
    assert_ok(dry_body_set_pose(r->world, r->bob, pose_at(12, 9, 0)));
    set_velocity(r->world, r->bob, (d3){0}, (d3){0});
}

/* Gives a joint all that its type has of springs, motors and bounds. */
static void drive(dry_joint_def *def)
{
    def->break_force = def->break_torque = def->event_force = def->event_torque = 1e-6f;
    if (def->type <= DRY_JOINT_TARGET) {
        def->stiffness = 1e4f;
        def->damping = 10;
    }
    for (int i = 0; i < DRY_AXIS_COUNT; i++) {
        dry_joint_axis *axis = &def->axes[i];
        if (axis->min == axis->max)
            continue;
        axis->motor = DRY_MOTOR_VELOCITY;
        axis->velocity = 3;
        axis->stiffness = 1e4f;
        axis->rest = 0.5f;
    }
}

/* Joins fixed and kinematic bodies by all types, in one batch with a joint of a body that moves. */
static void rig_join(rig *r, bool idle)
{
    const dry_body_id pairs[IDLE_PAIRS][2] = {
        {{0}, r->wall}, {r->floor, r->wall}, {r->wall, r->lift}, {r->lift, r->belt}};
    dry_joint_def defs[1 + DRY_JOINT_PAIR_COUNT * IDLE_PAIRS];
    int count = 0;
    for (int type = 0; idle && type < DRY_JOINT_PAIR_COUNT; type++)
        for (int k = 0; k < IDLE_PAIRS; k++) {
            dry_joint_def *def = &defs[count];
            if (type == DRY_JOINT_TARGET && k > 0)
                continue;
            *def = dry_default_joint_def((dry_joint_type)type);
            def->body_a = pairs[k][0];
            def->body_b = pairs[k][1];
            drive(def);
            count++;
        }
    defs[count] = dry_default_joint_def(DRY_JOINT_BALL);
    defs[count].body_a = r->hook;
    defs[count].body_b = r->bob;
    defs[count].anchor_b = v3(-3, 0, 0);
    dry_joint_id ids[COUNT_OF(defs)];
    assert_ok(dry_world_create_joints(r->world, count + 1, defs, ids));
    memcpy(r->idle, ids, (size_t)count * sizeof *ids);
    r->idle_count = count;
    r->swing = ids[count];
}

static void assert_idle(const dry_world *world, dry_joint_id id)
{
    dry_vec3 impulse, force, torque;
    assert_ok(dry_joint_get_impulse(world, id, &impulse));
    assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
    assert_true(d3_length(d3_of(impulse)) + d3_length(d3_of(force)) + d3_length(d3_of(torque)) == 0.0);
}

static void assert_asleep(const rig *r)
{
    for (int i = 0; i < COUNT_OF(r->box); i++)
        assert_false(dry_body_is_awake(r->world, r->box[i]));
}

/* Bodies move to the bit as without these joints, whose bounds of force nothing passes, and whose springs
 * hold no energy. */
static void test_joints_of_fixed_bodies_do_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++) {
        rig with, without;
        rig_make(&with);
        rig_make(&without);
        dry_settings settings = joint_settings(way, dry_world_get_settings(with.world));
        assert_ok(dry_world_set_settings(with.world, &settings));
        assert_ok(dry_world_set_settings(without.world, &settings));
        rig_join(&with, true);
        rig_join(&without, false);
        assert_asleep(&with);
        assert_near(dry_world_energy(with.world).elastic_J, 0, 0);
        for (int step = 0; step < 60; step++) { /* a quarter of the swing's period */
            const d3 lifted = {0, 0.1 * (step % 7), 0};
            set_velocity(with.world, with.lift, lifted, (d3){0, 1, 0});
            set_velocity(without.world, without.lift, lifted, (d3){0, 1, 0});
            run_steps(with.world, 1, TEST_DT);
            run_steps(without.world, 1, TEST_DT);
            assert_true(dry_world_motion_hash(with.world) == dry_world_motion_hash(without.world));
            assert_int_equal(dry_world_events(with.world).joint_count, 0);
            assert_asleep(&with);
            for (int i = 0; i < with.idle_count; i++)
                assert_idle(with.world, with.idle[i]);
        }
        assert_true(position_of(with.world, with.bob).y < 6.1);
        dry_world_destroy(with.world);
        dry_world_destroy(without.world);
    }
}

/* No change to such a joint wakes what lies on its bodies. */
static void test_changes_of_idle_joints_wake_nothing(void **state)
{
    (void)state;
    rig r;
    rig_make(&r);
    rig_join(&r, true);
    for (int i = 0; i < r.idle_count; i++) {
        dry_joint_def def;
        assert_ok(dry_joint_get_def(r.world, r.idle[i], &def));
        def.anchor_a.x += def.type == DRY_JOINT_TARGET ? 0 : 1;
        assert_ok(dry_joint_set_def(r.world, r.idle[i], &def));
        assert_ok(dry_joint_set_enabled(r.world, r.idle[i], false));
        assert_ok(dry_joint_set_enabled(r.world, r.idle[i], true));
        assert_asleep(&r);
        assert_ok(dry_joint_destroy(r.world, r.idle[i]));
        assert_asleep(&r);
    }
    dry_world_destroy(r.world);
}

/* A joint acts from when one of its bodies is dynamic, and until none is. */
static void test_types_of_bodies_decide(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        dry_world *world = world_with(joint_settings(way, test_settings()));
        const dry_body_id hook = add_body(world, DRY_BODY_STATIC, pose_at(0, 5, 0), sphere_shape(0.1));
        const dry_body_id bob = add_body(world, DRY_BODY_STATIC, pose_at(0, 3, 0), sphere_shape(0.5));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_a = hook;
        def.body_b = bob;
        def.anchor_b = v3(0, 2, 0);
        const dry_joint_id id = join(world, &def);
        for (int round = 0; round < 2; round++) {
            run_steps(world, 10, TEST_DT);
            assert_idle(world, id);
            assert_ok(dry_body_set_type(world, bob, DRY_BODY_DYNAMIC));
            run_steps(world, 60, TEST_DT);
            dry_vec3 force, torque;
            assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
            const double weight = (double)mass_of(world, bob).mass * TEST_G;
            assert_near(force.y, weight, 1e-3 * weight);
            assert_near(position_of(world, bob).y, 3, 1e-3);
            assert_ok(dry_body_set_type(world, bob, round ? DRY_BODY_KINEMATIC : DRY_BODY_STATIC));
            assert_idle(world, id);
        }
        dry_world_destroy(world);
    }
}

/* The points of a volume joint may all be fixed. */
static void test_volume_of_fixed_bodies(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id ids[4];
    for (int i = 0; i < 4; i++)
        ids[i] = add_body(world, i < 2 ? DRY_BODY_STATIC : DRY_BODY_KINEMATIC,
                          pose_at(i == 1, i == 2, i == 3), sphere_shape(0.1));
    const dry_body_id box = add_dynamic(world, pose_at(9, 0, 0), box_shape(0.5, 0.5, 0.5));
    dry_volume_def def = {.joint = dry_default_joint_def(DRY_JOINT_VOLUME)};
    def.joint.body_a = ids[0];
    def.joint.body_b = ids[1];
    def.body_c = ids[2];
    def.body_d = ids[3];
    def.joint.volume = 5;
    dry_joint_id joint;
    assert_ok(dry_world_create_volumes(world, 1, &def, &joint));
    for (int step = 0; step < 10; step++) {
        run_steps(world, 1, TEST_DT);
        float volume, pressure;
        assert_ok(dry_joint_get_volume(world, joint, &volume, &pressure));
        assert_near(volume, 1.0 / 6, 1e-6);
        assert_near(pressure, 0, 0);
        assert_idle(world, joint);
    }
    assert_true(position_of(world, box).y < -0.1);
    dry_world_destroy(world);
}

static dry_joint_id filter(dry_world *world, dry_body_id a, dry_body_id b)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_FILTER);
    def.body_a = a;
    def.body_b = b;
    return join(world, &def);
}

static int contacts_of(const dry_world *world, dry_body_id id)
{
    dry_contact contacts[8];
    int count;
    assert_ok(dry_body_get_contacts(world, id, contacts, COUNT_OF(contacts), &count));
    return count;
}

/* Two boxes in one place lie on the floor as each would alone, to the bit; without the joint they part. */
static void test_filter_keeps_two_bodies_from_touching(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.levers = DRY_LEVERS_TRUE;
    dry_world *world = world_with(settings), *alone = world_with(settings);
    dry_body_id both[2], one;
    add_floor(world, 0.6, 0);
    add_floor(alone, 0.6, 0);
    for (int i = 0; i < 2; i++)
        both[i] = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    one = add_dynamic(alone, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    const dry_joint_id id = filter(world, both[0], both[1]);
    run_steps(world, 30, TEST_DT);
    run_steps(alone, 30, TEST_DT);
    const dry_pose expected = pose_of(alone, one);
    for (int i = 0; i < 2; i++) {
        const dry_pose pose = pose_of(world, both[i]);
        assert_memory_equal(&pose, &expected, sizeof pose);
        assert_int_equal(contacts_of(world, both[i]), 1);
    }
    assert_int_equal(dry_world_statistics(world).islands, 2);
    assert_idle(world, id);
    float gap, turn;
    assert_ok(dry_joint_get_error(world, id, &gap, &turn));
    assert_true(gap == 0 && turn == 0);
    assert_ok(dry_joint_set_enabled(world, id, false));
    run_steps(world, 1, TEST_DT);
    assert_int_equal(contacts_of(world, both[0]), 2);
    assert_ok(dry_joint_set_enabled(world, id, true));
    run_steps(world, 1, TEST_DT);
    assert_int_equal(contacts_of(world, both[0]), 1);
    assert_ok(dry_joint_destroy(world, id));
    run_steps(world, 240, TEST_DT);
    assert_true(d3_length(d3_sub(position_of(world, both[0]), position_of(world, both[1]))) > 0.9);
    dry_world_destroy(world);
    dry_world_destroy(alone);
}

/* A new filter joint ends a contact, with an event, and wakes what lay on it. A body that moves does not wake
 * the other. */
static void test_filter_and_sleep(void **state)
{
    (void)state;
    rig r;
    rig_make(&r);
    run_steps(r.world, 1, TEST_DT); /* has the end of the contact that the bob had */
    const dry_joint_id id = filter(r.world, r.box[1], r.box[2]);
    assert_true(dry_body_is_awake(r.world, r.box[2]));
    run_steps(r.world, 1, TEST_DT);
    assert_int_equal(dry_world_events(r.world).contact_end_count, 1);
    run_steps(r.world, 240, TEST_DT);
    assert_near(position_of(r.world, r.box[2]).y, 1.5, 0.01); /* it fell through box 1, onto box 0 */
    assert_asleep(&r);
    assert_ok(dry_body_set_gravity_scale(r.world, r.bob, 0));
    set_velocity(r.world, r.bob, (d3){0}, (d3){0});
    filter(r.world, r.bob, r.box[2]);
    run_steps(r.world, 240, TEST_DT);
    assert_asleep(&r);
    set_velocity(r.world, r.bob, (d3){0, 1, 0}, (d3){0});
    run_steps(r.world, 5, TEST_DT);
    assert_true(dry_body_is_awake(r.world, r.bob));
    assert_asleep(&r);
    assert_ok(dry_joint_destroy(r.world, id));
    assert_true(dry_body_is_awake(r.world, r.box[2]));
    dry_world_destroy(r.world);
}

static void test_bad_filters_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_joint_def bad[9];
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    const dry_body_id b = add_dynamic(world, pose_at(2, 0, 0), sphere_shape(0.5));
    for (int i = 0; i < COUNT_OF(bad); i++) {
        bad[i] = dry_default_joint_def(DRY_JOINT_FILTER);
        bad[i].body_a = a;
        bad[i].body_b = b;
    }
    bad[0].body_a.bits = 0;
    bad[1].body_a = b;
    bad[2].collide = true;
    bad[3].anchor_a.x = 1;
    bad[4].orientation_b = quat_about((d3){1, 0, 0}, 1);
    bad[5].break_force = 1;
    bad[6].solver = DRY_JOINT_SOLVER_DIRECT;
    bad[7].stiffness = 1;
    bad[8].axes[DRY_AXIS_X].friction = 1;
    for (int i = 0; i < COUNT_OF(bad); i++) {
        dry_joint_id id;
        if (dry_world_create_joint(world, &bad[i], &id) != DRY_ERROR_ARGUMENT)
            fail_msg("definition %d is taken", i);
    }
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_of_fixed_bodies_do_nothing),
        cmocka_unit_test(test_changes_of_idle_joints_wake_nothing),
        cmocka_unit_test(test_types_of_bodies_decide),
        cmocka_unit_test(test_volume_of_fixed_bodies),
        cmocka_unit_test(test_filter_keeps_two_bodies_from_touching),
        cmocka_unit_test(test_filter_and_sleep),
        cmocka_unit_test(test_bad_filters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

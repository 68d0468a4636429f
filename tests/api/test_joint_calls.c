/* Calls that change joints while a world runs, events of joints, the world as one side, and the types that
 * limit a distance or a cone. */
#include "tests/log_lines.h"
#include "tests/test_joint.h"

#include "core/math.h"

static double value_of(const dry_world *world, dry_joint_id id, dry_axis axis)
{
    return (double)axis_of(world, id, axis).value;
}

static bool is_awake(const dry_world *world, dry_body_id id)
{
    return dry_body_is_awake(world, id);
}

/* A weight on a ball joint, in the middle of a world that pulls down. */
typedef struct hanging {
    dry_world *world;
    dry_body_id body;
    dry_joint_id joint;
    double weight;
} hanging;

static hanging hang(int way, const dry_joint_def *more)
{
    hanging h = {.world = world_with(joint_settings(way, test_settings()))};
    h.body = add_dynamic(h.world, pose_at(0, -1, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def def = *more;
    def.body_b = h.body;
    def.anchor_b = v3(0, 1, 0);
    h.joint = join(h.world, &def);
    h.weight = (double)mass_of(h.world, h.body).mass * TEST_G;
    return h;
}

static void test_joint_holds_to_the_world(void **state)
{
    (void)state;
    const dry_joint_type types[] = {DRY_JOINT_BALL,  DRY_JOINT_HINGE,      DRY_JOINT_UNIVERSAL,
                                    DRY_JOINT_FIXED, DRY_JOINT_CONE_TWIST, DRY_JOINT_GENERIC};
    for (int i = 0; i < COUNT_OF(types); ++i)
        for (int k = 0; k < 2 * VELOCITY_WAYS; ++k) {
            dry_world *world = world_with(joint_settings(k / 2, test_settings()));
            const double x = k % 2 ? 1e7 : 0;
            const dry_body_id body = add_dynamic(world, pose_at(x, -1, 0), box_shape(0.5, 0.5, 0.5));
            dry_joint_def def = dry_default_joint_def(types[i]);
            def.body_b = body;
            def.anchor_b = v3(0, 1, 0);
            def.target = (dry_position){x, 0, 0};
            const dry_joint_id id = join(world, &def);
            run_steps(world, 120, TEST_DT);
            assert_near(position_of(world, body).y, -1, 1e-3);
            assert_near(position_of(world, body).x, x, 1e-3);
            dry_vec3 force, torque;
            assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
            const double weight = (double)mass_of(world, body).mass * TEST_G;
            assert_near(force.y, weight, 1e-3 * weight);
            assert_ok(dry_body_destroy(world, body));
            assert_false(dry_joint_is_valid(world, id));
            dry_world_destroy(world);
        }
}

/* A joint breaks where the load passes its bound, and not before; the event says with what. */
static void test_joint_breaks_at_its_bound(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * VELOCITY_WAYS; ++k) {
        const int torque = k / 2 % 2, over = k % 2;
        dry_world *world = world_with(joint_settings(k / 4, test_settings()));
        const dry_body_id plank = add_dynamic(world, pose_at(1, 0, 0), box_shape(1, 0.05, 0.1));
        const double weight = (double)mass_of(world, plank).mass * TEST_G;
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
        def.body_b = plank;
        def.anchor_b = v3(-1, 0, 0);
        const dry_joint_id id = join(world, &def);
        run_steps(world, 120, TEST_DT);
        /* The moment is the weight times 1 m. */
        *(torque ? &def.break_torque : &def.break_force) = (float)(weight * (over ? 0.99 : 1.01));
        assert_ok(dry_joint_set_def(world, id, &def));
        int events = 0;
        for (int step = 0; step < 60; ++step) {
            run_steps(world, 1, TEST_DT);
            const dry_events all = dry_world_events(world);
            for (int i = 0; i < all.joint_count; ++i) {
                assert_true(all.joints[i].joint.bits == id.bits && all.joints[i].broken);
                assert_near(torque ? all.joints[i].torque_Nm : all.joints[i].force_N, weight, 0.01 * weight);
                events++;
            }
        }
        bool enabled;
        assert_ok(dry_joint_get_enabled(world, id, &enabled));
        assert_int_equal(events, over);
        assert_true(enabled == !over);
        assert_true((position_of(world, plank).y < -1) == over);
        if (over) { /* and may be enabled again */
            def.break_force = def.break_torque = 0;
            assert_ok(dry_joint_set_def(world, id, &def));
            assert_ok(dry_joint_set_enabled(world, id, true));
            run_steps(world, 1500, TEST_DT);
            float gap, turn;
            assert_ok(dry_joint_get_error(world, id, &gap, &turn));
            assert_at_most(gap, is_direct(k / 4) ? 1e-6 : 5e-3);
            assert_at_most(turn, is_direct(k / 4) ? 1e-6 : 0.01);
        }
        dry_world_destroy(world);
    }
}

static void test_threshold_raises_an_event_in_every_step(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; ++way) {
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        hanging h = hang(way, &def);
        def.body_b = h.body;
        def.anchor_b = v3(0, 1, 0);
        def.event_force = (float)(0.99 * h.weight);
        assert_ok(dry_joint_set_def(h.world, h.joint, &def));
        run_steps(h.world, 10, TEST_DT);
        for (int step = 0; step < 10; ++step) {
            run_steps(h.world, 1, TEST_DT);
            const dry_events all = dry_world_events(h.world);
            assert_int_equal(all.joint_count, 1);
            assert_false(all.joints[0].broken);
            assert_near(all.joints[0].force_N, h.weight, 0.01 * h.weight);
        }
        def.event_force = (float)(1.01 * h.weight);
        assert_ok(dry_joint_set_def(h.world, h.joint, &def));
        for (int step = 0; step < 10; ++step) {
            run_steps(h.world, 1, TEST_DT);
            assert_int_equal(dry_world_events(h.world).joint_count, 0);
        }
        dry_world_destroy(h.world);
    }
}

/* A motor's target beyond its own stop is told once for each time that it gets there, by each call that may
 * bring it there; a stop on its way to the target is no fault. */
static void test_target_beyond_its_stop_is_logged(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_world_def world_def = test_world_def();
    world_def.log = (dry_log){keep_line, &lines};
    dry_world *world = world_from(&world_def);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_b = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_axis *axis = &def.axes[DRY_AXIS_RX];
    axis->min = -0.5f;
    axis->max = 1;
    axis->motor = DRY_MOTOR_POSITION;
    axis->position = 1;
    const dry_joint_id id = join(world, &def);
    assert_int_equal(lines.count, 0);
    axis->position = 1.5f;
    join(world, &def);
    assert_int_equal(lines.count, 1);
    assert_non_null(strstr(lines.last, "RX aims at 1.5"));
    for (int i = 0; i < 3; i++)
        assert_ok(dry_joint_set_def(world, id, &def));
    assert_int_equal(lines.count, 2);
    dry_joint_axis_change change = {id, DRY_AXIS_RX, *axis};
    for (int i = 0; i < 6; i++) {
        change.settings.position = i % 3 == 0 ? 0 : i % 3 == 1 ? -0.6f : -0.7f;
        assert_ok(dry_world_set_joint_axes(world, 1, &change));
    }
    assert_int_equal(lines.count, 4);
    change.settings.motor = DRY_MOTOR_VELOCITY;
    change.settings.position = 0;
    change.settings.velocity = 5;
    assert_ok(dry_world_set_joint_axes(world, 1, &change));
    assert_int_equal(lines.count, 4);
    run_steps(world, 10, TEST_DT);
    assert_int_equal(lines.count, 4);
    dry_world_destroy(world);
}

/* A disabled joint lets its body fall; the two bodies that it kept apart touch. */
static void test_disabled_joint_does_nothing(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.5, 0);
    const dry_body_id low = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    const dry_body_id high = add_dynamic(world, pose_at(0, 1.2, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
    def.body_a = low;
    def.body_b = high;
    def.anchor_a = v3(0, 0.7, 0);
    const dry_joint_id id = join(world, &def);
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, high).y, 1.2, 5e-3);
    assert_ok(dry_joint_set_enabled(world, id, false));
    run_steps(world, 300, TEST_DT);
    assert_near(position_of(world, high).y, 1.5, 0.02);
    assert_ok(dry_joint_set_enabled(world, id, true));
    run_steps(world, 300, TEST_DT);
    assert_near(position_of(world, high).y - position_of(world, low).y, 0.7, 5e-3);
    dry_world_destroy(world);
}

/* Changing `collide` lets the two bodies touch, or ends their contact. */
static void test_collide_changes_at_run_time(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings_weightless());
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    const dry_body_id b = add_dynamic(world, pose_at(0, 0.9, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_SLIDER);
    def.body_a = a;
    def.body_b = b;
    def.orientation_a = def.orientation_b = quat_about((d3){0, 0, 1}, TEST_PI / 2);
    const dry_joint_id id = join(world, &def);
    int count = 0;
    run_steps(world, 10, TEST_DT);
    assert_int_equal(dry_world_get_contacts(world, NULL, 0), 0);
    def.collide = true;
    assert_ok(dry_joint_set_def(world, id, &def));
    run_steps(world, 2, TEST_DT);
    assert_int_equal(dry_world_get_contacts(world, NULL, 0), 1);
    def.collide = false;
    assert_ok(dry_joint_set_def(world, id, &def));
    assert_int_equal(dry_world_get_contacts(world, NULL, 0), 0);
    run_steps(world, 1, TEST_DT);
    count = dry_world_events(world).contact_end_count;
    assert_int_equal(count, 1);
    dry_world_destroy(world);
}

/* An island sleeps once its motor has reached its position, and not before; a new target wakes it. */
static void test_island_sleeps_when_its_motor_has_arrived(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.sleep = true;
    dry_world *world = world_with(settings);
    const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_SLIDER);
    def.body_b = body;
    dry_joint_axis *axis = &def.axes[DRY_AXIS_X];
    axis->motor = DRY_MOTOR_POSITION;
    axis->position = 0.5f;
    axis->motor_hertz = 0.5f;
    const dry_joint_id id = join(world, &def);
    bool slept = false;
    for (int step = 0; step < 1200 && !slept; ++step) {
        run_steps(world, 1, TEST_DT);
        slept = !is_awake(world, body);
        assert_true(!slept || fabs(value_of(world, id, DRY_AXIS_X) - 0.5) < 2e-3);
    }
    assert_true(slept);
    dry_joint_axis_change change = {id, DRY_AXIS_X, *axis};
    change.settings.position = -0.5f;
    assert_ok(dry_world_set_joint_axes(world, 1, &change));
    assert_true(is_awake(world, body));
    run_steps(world, 600, TEST_DT);
    assert_near(value_of(world, id, DRY_AXIS_X), -0.5, 2e-3);
    /* A rigid motor that cannot get there never rests. */
    change.settings.motor_hertz = 0.0f;
    change.settings.position = 3;
    change.settings.max = 1;
    assert_ok(dry_world_set_joint_axes(world, 1, &change));
    run_steps(world, 1200, TEST_DT);
    assert_near(value_of(world, id, DRY_AXIS_X), 1, 1e-3);
    assert_true(is_awake(world, body));
    /* Without its motor the island sleeps, whatever the motor had left to do. */
    change.settings = dry_default_joint_def(DRY_JOINT_SLIDER).axes[DRY_AXIS_X];
    assert_ok(dry_world_set_joint_axes(world, 1, &change));
    run_steps(world, 300, TEST_DT);
    assert_false(is_awake(world, body));
    dry_world_destroy(world);
}

/* A soft motor that bears a load sleeps where its spring does: at m g / k = g / w^2 below its position, and
 * not before. A rigid one whose largest force is too small for that load never rests. */
static void test_island_sleeps_where_a_soft_motor_bears_its_load(void **state)
{
    (void)state;
    for (int ratio = 1; ratio <= 10; ratio += 9) {
        dry_settings settings = test_settings();
        settings.sleep = true;
        dry_world *world = world_with(settings);
        const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_GENERIC);
        def.body_b = body;
        for (int i = 0; i < DRY_AXIS_COUNT; i++)
            def.axes[i].min = def.axes[i].max = 0;
        dry_joint_axis *axis = &def.axes[DRY_AXIS_Y];
        axis->min = -INFINITY, axis->max = INFINITY;
        axis->motor = DRY_MOTOR_POSITION;
        axis->motor_hertz = 2;
        axis->motor_damping_ratio = (float)ratio;
        const dry_joint_id id = join(world, &def);
        const double w = 2 * TEST_PI * 2;
        for (int step = 0; step < 1200 && is_awake(world, body); step++)
            run_steps(world, 1, TEST_DT);
        assert_false(is_awake(world, body));
        assert_near(value_of(world, id, DRY_AXIS_Y), -TEST_G / (w * w), 2e-3);
        dry_joint_axis_change change = {id, DRY_AXIS_Y, *axis};
        change.settings.motor_hertz = 0;
        change.settings.motor_damping_ratio = 1;
        change.settings.force_max = 0.5f * (float)(mass_of(world, body).mass * TEST_G);
        change.settings.min = -1;
        assert_ok(dry_world_set_joint_axes(world, 1, &change));
        run_steps(world, 600, TEST_DT);
        assert_near(value_of(world, id, DRY_AXIS_Y), -1, 2e-3);
        assert_true(is_awake(world, body));
        dry_world_destroy(world);
    }
}

/* A soft motor whose axis is damped, or whose force is bounded, goes slowly, and does not sleep on its way.
 */
static void test_island_does_not_sleep_while_its_motor_creeps(void **state)
{
    (void)state;
    for (int bounded = 0; bounded < 2; bounded++) {
        dry_settings settings = test_settings();
        settings.gravity = v3(0, 0, 0);
        settings.sleep = true;
        dry_world *world = world_with(settings);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_SLIDER);
        def.body_b = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
        const double mass = mass_of(world, def.body_b).mass, w = 2 * TEST_PI * 2, k = w * w * mass;
        dry_joint_axis *axis = &def.axes[DRY_AXIS_X];
        axis->motor = DRY_MOTOR_POSITION;
        axis->motor_hertz = 2;
        axis->position = 0.05f;
        axis->damping = (float)(4 * k); /* k / c: to a third within 4 s */
        if (bounded)
            axis->force_max = (float)(0.04 * k);
        const dry_joint_id id = join(world, &def);
        for (int step = 0; step < 3600 && is_awake(world, def.body_b); step++)
            run_steps(world, 1, TEST_DT);
        assert_false(is_awake(world, def.body_b));
        assert_near(value_of(world, id, DRY_AXIS_X), 0.05, 1.1e-3);
        dry_world_destroy(world);
    }
}

/* A batch with one bad change changes nothing. */
static void test_batch_is_all_or_none(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_b = body;
    const dry_joint_id id = join(world, &def);
    const dry_joint_axis free_axis = def.axes[DRY_AXIS_RX];
    dry_joint_axis bad[] = {free_axis, free_axis, free_axis, free_axis, free_axis, free_axis};
    bad[0].min = 1, bad[0].max = -1;
    bad[1].motor_damping_ratio = 2; /* without a frequency */
    bad[2].stop_hertz = 1;          /* without a stop */
    bad[3].friction = NAN;
    bad[4].min = bad[4].max = 0, bad[4].friction = 1; /* along a locked axis */
    bad[5].rest = 1;                                  /* without a spring */
    for (int i = 0; i < COUNT_OF(bad); ++i) {
        dry_joint_axis_change changes[2] = {{id, DRY_AXIS_RX, free_axis}, {id, DRY_AXIS_RX, bad[i]}};
        changes[0].settings.friction = 5;
        assert_int_equal(dry_world_set_joint_axes(world, 2, changes), DRY_ERROR_ARGUMENT);
        dry_joint_def now;
        assert_ok(dry_joint_get_def(world, id, &now));
        assert_true(now.axes[DRY_AXIS_RX].friction == 0.0f);
    }
    dry_joint_axis_change change = {id, DRY_AXIS_X, free_axis}; /* an axis that hinges lack */
    assert_int_equal(dry_world_set_joint_axes(world, 1, &change), DRY_ERROR_ARGUMENT);
    dry_joint_axis_state axis;
    assert_int_equal(dry_joint_get_axis(world, id, DRY_AXIS_X, &axis), DRY_ERROR_ARGUMENT);
    def.type = DRY_JOINT_FIXED;
    assert_int_equal(dry_joint_set_def(world, id, &def), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
}

/* A batch of definitions, or of joints that are disabled, with one bad member changes nothing either. */
static void test_batches_of_joints(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_joint_id ids[3];
    dry_joint_def defs[3], now;
    dry_body_id bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = add_dynamic(world, pose_at(2 * i, 0, 0), box_shape(0.5, 0.5, 0.5));
        defs[i] = dry_default_joint_def(DRY_JOINT_BALL);
        defs[i].body_b = bodies[i];
        defs[i].target.x = 2 * i;
        ids[i] = join(world, &defs[i]);
        defs[i].break_force = 1e6f;
    }
    defs[1].body_b = bodies[0];
    assert_int_equal(dry_world_set_joint_defs(world, 2, ids, defs), DRY_ERROR_ARGUMENT);
    assert_ok(dry_joint_get_def(world, ids[0], &now));
    assert_true(now.break_force == 0.0f);
    defs[1].body_b = bodies[1];
    assert_ok(dry_world_set_joint_defs(world, 2, ids, defs));
    assert_ok(dry_joint_get_def(world, ids[1], &now));
    assert_true(now.break_force == 1e6f);
    ids[2] = (dry_joint_id){ids[0].bits + 77};
    bool enabled;
    assert_int_equal(dry_world_set_joints_enabled(world, 3, ids, false), DRY_ERROR_STALE_ID);
    assert_ok(dry_joint_get_enabled(world, ids[0], &enabled));
    assert_true(enabled);
    assert_ok(dry_world_set_joints_enabled(world, 2, ids, false));
    run_steps(world, 30, TEST_DT);
    for (int i = 0; i < 2; ++i) {
        assert_ok(dry_joint_get_enabled(world, ids[i], &enabled));
        assert_false(enabled);
        assert_at_most(position_of(world, bodies[i]).y, -1);
    }
    assert_int_equal(dry_world_set_joint_defs(world, 1, NULL, defs), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_set_joints_enabled(world, -1, ids, true), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
}

/* A field that a type does not use must have its default. */
static void test_foreign_fields_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    const dry_body_id b = add_dynamic(world, pose_at(2, 0, 0), box_shape(0.5, 0.5, 0.5));
    for (int type = 0; type < DRY_JOINT_PAIR_COUNT; ++type) {
        dry_joint_def good = dry_default_joint_def((dry_joint_type)type);
        if (type != DRY_JOINT_TARGET)
            good.body_a = a;
        good.body_b = b;
        dry_joint_def bad[9];
        int count = 0;
        for (int i = 0; i < COUNT_OF(bad); ++i)
            bad[i] = good;
        if (type != DRY_JOINT_DISTANCE)
            bad[count++].length_max = 3;
        if (type != DRY_JOINT_TARGET) {
            bad[count++].force_max = 3;
            bad[count++].target.x = 1;
        }
        if (type != DRY_JOINT_CONE_TWIST)
            bad[count++].swing_max = 1;
        if (type > DRY_JOINT_TARGET && type != DRY_JOINT_FIXED)
            bad[count++].stiffness = 10;
        if (type != DRY_JOINT_FIXED)
            bad[count++].angular_stiffness = 10;
        if (type <= DRY_JOINT_TARGET)
            bad[count++].orientation_a = quat_about((d3){1, 0, 0}, 1);
        if (type != DRY_JOINT_SLIDER && type != DRY_JOINT_GENERIC)
            bad[count++].axes[DRY_AXIS_X].friction = 1;
        bad[count++].break_force = -1;
        for (int i = 0; i < count; ++i) {
            dry_joint_id id;
            assert_int_equal(dry_world_create_joint(world, &bad[i], &id), DRY_ERROR_ARGUMENT);
        }
        join(world, &good);
    }
    dry_world_destroy(world);
}

/* A weight on a rope falls freely until the rope is taut. A strut keeps a weight off. */
static void test_rope_and_strut(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.1, 0.1, 0.1));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_b = body;
    def.length_max = 3;
    const dry_joint_id rope = join(world, &def);
    for (int step = 1; step <= 30; ++step) {
        run_steps(world, 1, TEST_DT);
        const double t = step * (double)TEST_DT;
        assert_near(position_of(world, body).y, -0.5 * TEST_G * t * t, 0.03);
    }
    double longest = 0;
    for (int step = 0; step < 600; ++step) {
        run_steps(world, 1, TEST_DT);
        longest = fmax(longest, -position_of(world, body).y);
    }
    assert_at_most(longest, 3.005);
    const double weight = (double)mass_of(world, body).mass * TEST_G;
    dry_vec3 force, torque;
    assert_ok(dry_joint_get_reaction(world, rope, &force, &torque));
    assert_near(force.y, weight, 0.01 * weight);
    float gap, turn;
    assert_ok(dry_joint_get_error(world, rope, &gap, &turn));
    assert_at_most(gap, 5e-3);
    dry_world_destroy(world);

    world = world_with(test_settings());
    const dry_body_id load = add_dynamic(world, pose_at(0, 4, 0), box_shape(0.1, 0.1, 0.1));
    def = dry_default_joint_def(DRY_JOINT_SLIDER); /* upright */
    def.body_b = load;
    def.orientation_a = def.orientation_b = quat_about((d3){0, 0, 1}, TEST_PI / 2);
    join(world, &def);
    def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_b = load;
    def.length_min = 2;
    join(world, &def);
    run_steps(world, 600, TEST_DT);
    assert_near(position_of(world, load).y, 2, 5e-3);
    dry_world_destroy(world);
}

/* A target joint brings a body to a place with no more than its force. */
static void test_target_drags_a_body(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; ++strong) {
        dry_world *world = world_with(test_settings());
        add_floor(world, 0.6, 0);
        const dry_body_id body = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        const double weight = (double)mass_of(world, body).mass * TEST_G;
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_TARGET);
        def.body_b = body;
        def.target = (dry_position){0, 3, 0};
        def.force_max = (float)(weight * (strong ? 1.2 : 0.8));
        const dry_joint_id id = join(world, &def);
        double most = 0;
        for (int step = 0; step < 600; ++step) {
            run_steps(world, 1, TEST_DT);
            dry_vec3 force, torque;
            assert_ok(dry_joint_get_reaction(world, id, &force, &torque));
            most = fmax(most, d3_length(d3_of(force)));
        }
        assert_at_most(most, 1.001 * (double)def.force_max);
        /* A spring of 5 Hz gives way by g / w^2 = 9.9 mm. */
        assert_near(position_of(world, body).y, strong ? 3 - 0.0099 : 0.5, 0.005);
        dry_world_destroy(world);
    }
}

/* A pendulum on a cone-twist joint, in every direction, stays within the cone and within the twist. */
static void test_cone_and_twist_are_limits(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int run = 0; run < test_pick(24, 6); ++run) {
        dry_world *world = world_with(test_settings());
        const dry_body_id body = add_dynamic(world, pose_at(0, -1, 0), box_shape(0.2, 0.5, 0.3));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_CONE_TWIST);
        def.body_b = body;
        def.anchor_b = v3(0, 1, 0);
        /* x of the frames points down the arm. */
        def.orientation_a = def.orientation_b = quat_about((d3){0, 0, 1}, -TEST_PI / 2);
        def.swing_max = 0.6f;
        def.axes[DRY_AXIS_RX].min = -0.3f;
        def.axes[DRY_AXIS_RX].max = 0.5f;
        const dry_joint_id id = join(world, &def);
        const d3 velocity = random_d3(&seed, 3), spin = random_d3(&seed, 5);
        set_velocity(world, body, velocity, spin);
        for (int step = 0; step < 300; ++step) {
            run_steps(world, 1, TEST_DT);
            const double twist = value_of(world, id, DRY_AXIS_RX);
            const double swing = hypot(value_of(world, id, DRY_AXIS_RY), value_of(world, id, DRY_AXIS_RZ));
            const d3 arm = d3_unit(d3_scale(position_of(world, body), -1));
            if (step > 5) {
                assert_at_most(swing, 0.61);
                assert_near(swing, acos(arm.y), 0.01);
                assert_at_most(twist, 0.51);
                assert_at_most(-twist, 0.31);
            }
        }
        dry_world_destroy(world);
    }
}

/* A wheel under a chassis that cannot move: its suspension bears the weight of the wheel at its spring's
 * length, its spin follows its motor, and steering turns the axle. */
static void test_wheel_springs_steers_and_spins(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; ++way) {
        dry_world *world = world_with(joint_settings(way, test_settings()));
        const dry_body_id wheel = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.3));
        const double weight = (double)mass_of(world, wheel).mass * TEST_G;
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_WHEEL);
        def.body_b = wheel;
        dry_joint_axis *spring = &def.axes[DRY_AXIS_Y], *spin = &def.axes[DRY_AXIS_RX];
        spring->stiffness = (float)(weight / 0.1);
        spring->damping = spring->stiffness * 0.1f;
        spin->motor = DRY_MOTOR_VELOCITY;
        spin->velocity = 20;
        def.axes[DRY_AXIS_RY].min = def.axes[DRY_AXIS_RY].max = 0.4f;
        const dry_joint_id id = join(world, &def);
        run_steps(world, 600, TEST_DT);
        assert_near(value_of(world, id, DRY_AXIS_Y), -0.1, 1e-3);
        assert_near(value_of(world, id, DRY_AXIS_RY), 0.4, 1e-3);
        const d3 w = spin_of(world, wheel);
        /* The axle, x of frame b, is turned about y. */
        assert_near(w.x, 20 * cos(0.4), 0.02);
        assert_near(w.z, -20 * sin(0.4), 0.02);
        assert_at_most(hypot(position_of(world, wheel).x, position_of(world, wheel).z), 1e-3);
        dry_world_destroy(world);
    }
}

/* A generic joint with one free axis is the type that has that axis alone. */
static void test_generic_is_every_type(void **state)
{
    (void)state;
    const struct {
        dry_joint_type type;
        dry_axis axis;
    } pairs[] = {{DRY_JOINT_HINGE, DRY_AXIS_RX}, {DRY_JOINT_SLIDER, DRY_AXIS_X}};
    for (int i = 0; i < COUNT_OF(pairs); ++i) {
        d3 ends[2];
        for (int generic = 0; generic < 2; ++generic) {
            dry_world *world = world_with(test_settings());
            const dry_body_id body = add_dynamic(world, pose_at(0.3, -0.4, 0.2), box_shape(0.1, 0.2, 0.3));
            dry_joint_def def = dry_default_joint_def(generic ? DRY_JOINT_GENERIC : pairs[i].type);
            def.body_b = body;
            def.anchor_b = v3(-0.3, 0.4, -0.2);
            def.orientation_a = def.orientation_b = quat_about(d3_unit((d3){1, 2, 3}), 0.7);
            def.axes[pairs[i].axis] = dry_default_joint_def(pairs[i].type).axes[pairs[i].axis];
            def.axes[pairs[i].axis].damping = 1;
            join(world, &def);
            run_steps(world, 60, TEST_DT);
            ends[generic] = position_of(world, body);
            dry_world_destroy(world);
        }
        assert_at_most(d3_length(d3_sub(ends[1], ends[0])), 2e-3);
        assert_true(d3_length(d3_sub(ends[0], (d3){0.3, -0.4, 0.2})) > 0.1);
    }
}

/* Returns how far eight balls of this radius, the last one ten times as heavy, stretch their long ropes. */
static double rope_stretch(double radius)
{
    enum { BALLS = 8 };
    dry_world *world = world_with(test_settings());
    dry_body_id above = {0};
    dry_joint_id joint[BALLS];
    double worst = 0;
    for (int i = 0; i < BALLS; ++i) {
        dry_shape_def shape = sphere_shape(radius);
        shape.filter.mask = 0;
        dry_body_def ball = body_def(DRY_BODY_DYNAMIC, pose_at(0, -10.0 * (i + 1), 0), &shape);
        ball.mass = i == BALLS - 1 ? 10 : 1;
        const dry_body_id id = add_def(world, &ball);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
        def.body_a = above, def.body_b = id, def.length_max = 10;
        assert_ok(dry_world_create_joint(world, &def, &joint[i]));
        above = id;
    }
    for (int step = 0; step < 360; ++step) {
        run_steps(world, 1, TEST_DT);
        for (int i = 0; i < BALLS && step >= 300; ++i) {
            float gap, angle;
            assert_ok(dry_joint_get_error(world, joint[i], &gap, &angle));
            worst = fmax(worst, (double)gap);
        }
    }
    dry_world_destroy(world);
    return worst;
}

/* The length of a rope is no gap between its anchors: balls that it could turn easily stretch it no further.
 */
static void test_long_ropes_hold_small_balls(void **state)
{
    (void)state;
    assert_near(rope_stretch(0.1), rope_stretch(0.5), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint_holds_to_the_world),
        cmocka_unit_test(test_joint_breaks_at_its_bound),
        cmocka_unit_test(test_threshold_raises_an_event_in_every_step),
        cmocka_unit_test(test_target_beyond_its_stop_is_logged),
        cmocka_unit_test(test_disabled_joint_does_nothing),
        cmocka_unit_test(test_collide_changes_at_run_time),
        cmocka_unit_test(test_island_sleeps_when_its_motor_has_arrived),
        cmocka_unit_test(test_island_sleeps_where_a_soft_motor_bears_its_load),
        cmocka_unit_test(test_island_does_not_sleep_while_its_motor_creeps),
        cmocka_unit_test(test_batch_is_all_or_none),
        cmocka_unit_test(test_batches_of_joints),
        cmocka_unit_test(test_foreign_fields_are_refused),
        cmocka_unit_test(test_rope_and_strut),
        cmocka_unit_test(test_long_ropes_hold_small_balls),
        cmocka_unit_test(test_target_drags_a_body),
        cmocka_unit_test(test_cone_and_twist_are_limits),
        cmocka_unit_test(test_wheel_springs_steers_and_spins),
        cmocka_unit_test(test_generic_is_every_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Definitions that are placed by points and axes, and motors that are set alone. */
#include "tests/test_joint.h"

#include "core/math.h"

/* The direction of an axis of a joint's frame, in the world. */
static d3 frame_axis(dry_pose body, dry_quat frame, dry_vec3 axis)
{
    const dry_vec3 v = quat_rotate(quat_mul(body.orientation, frame), axis);
    return (d3){v.x, v.y, v.z};
}

static dry_body_id add_anywhere(dry_world *world, uint64_t *seed)
{
    dry_shape_def shape = box_shape(0.2, 0.3, 0.4);
    shape.pose.position = v3_of(random_d3(seed, 0.5)); /* whose center is not the body's origin */
    shape.filter.mask = 0;
    const d3 p = random_d3(seed, 2);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){{p.x, p.y, p.z}, random_quat(seed)}, &shape);
    return add_def(world, &def);
}

/* Returns a definition by the function of its type; of a distance joint the second point is 2 m along the
 * axis. */
static dry_joint_def placed_def(const dry_world *world, dry_joint_type type, dry_body_id a, dry_body_id b,
                                dry_position p, dry_vec3 axis)
{
    static dry_joint_def (*const along[DRY_JOINT_TYPE_COUNT])(const dry_world *, dry_body_id, dry_body_id,
                                                              dry_position, dry_vec3) = {
        [DRY_JOINT_HINGE] = dry_hinge_def,         [DRY_JOINT_SLIDER] = dry_slider_def,
        [DRY_JOINT_UNIVERSAL] = dry_universal_def, [DRY_JOINT_CONE_TWIST] = dry_cone_twist_def,
        [DRY_JOINT_WHEEL] = dry_wheel_def,         [DRY_JOINT_GENERIC] = dry_generic_def,
        [DRY_JOINT_ALIGN] = dry_align_def,         [DRY_JOINT_RACK] = dry_rack_def};
    const dry_position end = {p.x + 2 * axis.x, p.y + 2 * axis.y, p.z + 2 * axis.z};
    switch (type) {
    case DRY_JOINT_BALL:
        return dry_ball_def(world, a, b, p);
    case DRY_JOINT_DISTANCE:
        return dry_distance_def(world, a, b, p, end);
    case DRY_JOINT_TARGET:
        return dry_target_def(world, b, p);
    case DRY_JOINT_FIXED:
        return dry_fixed_def(world, a, b, p);
    case DRY_JOINT_FILTER:
        return dry_filter_def(a, b);
    case DRY_JOINT_GEAR:
        return dry_gear_def(world, a, b, axis, 2, 3);
    default:
        return along[type](world, a, b, p, axis);
    }
}

/* A definition that is placed between bodies in any poses makes a joint that is closed, with all axes at 0
 * and x of both frames along the axis; and it stays so in a step without gravity. */
static void test_placed_joints_are_closed(void **state)
{
    (void)state;
    uint64_t seed = 6704;
    for (int n = 0; n < 40 * DRY_JOINT_TYPE_COUNT; n++) {
        const dry_joint_type type = (dry_joint_type)(n % DRY_JOINT_TYPE_COUNT);
        const bool to_world =
            type == DRY_JOINT_TARGET || (n / DRY_JOINT_TYPE_COUNT % 4 == 0 && type < DRY_JOINT_ALIGN);
        if (type == DRY_JOINT_VOLUME)
            continue;
        dry_world *world = world_with(test_settings_weightless());
        const dry_body_id a = to_world ? (dry_body_id){0} : add_anywhere(world, &seed),
                          b = add_anywhere(world, &seed);
        const d3 p = random_d3(&seed, 2), direction = d3_unit(random_d3(&seed, 1));
        const dry_joint_def def =
            placed_def(world, type, a, b, (dry_position){p.x, p.y, p.z}, v3_of(direction));
        const dry_joint_id id = join(world, &def);
        for (int step = 0; step < 2; step++) {
            float gap = 0, turn = 0;
            assert_ok(dry_joint_get_error(world, id, &gap, &turn));
            assert_at_most(gap, 3e-6);
            assert_at_most(turn, 3e-6);
            for (int axis = 0; axis < DRY_AXIS_COUNT; axis++) {
                dry_joint_axis_state now;
                if (dry_joint_get_axis(world, id, (dry_axis)axis, &now) == DRY_OK)
                    assert_at_most(fabs((double)now.value), 3e-6);
            }
            run_steps(world, 1, TEST_DT);
        }
        dry_pose pose_a = {{p.x, p.y, p.z}, quat_identity()};
        if (!to_world)
            pose_a = pose_of(world, a);
        if (type == DRY_JOINT_HINGE || type == DRY_JOINT_WHEEL || type == DRY_JOINT_GEAR ||
            type == DRY_JOINT_RACK) {
            const d3 x_a = frame_axis(pose_a, def.orientation_a, v3(1, 0, 0));
            const d3 x_b = frame_axis(pose_of(world, b), def.orientation_b, v3(1, 0, 0));
            assert_at_most(d3_length(d3_sub(x_a, direction)) + d3_length(d3_sub(x_b, direction)), 3e-6);
        }
        if (type == DRY_JOINT_WHEEL) /* up, or along z */
            assert_true(fabs(direction.y) > 0.708
                            ? frame_axis(pose_a, def.orientation_a, v3(0, 1, 0)).z > 0.7
                            : frame_axis(pose_a, def.orientation_a, v3(0, 1, 0)).y > 0.7);
        dry_world_destroy(world);
    }
}

/* A pinion that a motor turns drives a rack and a second wheel as their sizes and teeth say, built by nothing
 * but points and axes. */
static void test_placed_teeth_drive(void **state)
{
    (void)state;
    uint64_t seed = 6705;
    for (int n = 0; n < 20; n++) {
        dry_world *world = world_with(test_settings_weightless());
        const dry_quat q = random_quat(&seed);
        const dry_vec3 axis = quat_rotate(q, v3(0, 0, 1)), along = quat_rotate(q, v3(1, 0, 0)),
                       across = quat_rotate(q, v3(0, 1, 0));
        const double radius = random_in(&seed, 0.2, 2);
        const dry_position meet = position_add((dry_position){0, 0, 0}, vec3_scale(across, (float)radius));
        const dry_position far = position_add((dry_position){0, 0, 0}, vec3_scale(along, 3));
        dry_shape_def ball = sphere_shape(0.2);
        ball.filter.mask = 0;
        dry_body_id bodies[3], none = {0};
        const dry_position at[3] = {{0, 0, 0}, meet, far};
        for (int i = 0; i < 3; i++) {
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, (dry_pose){at[i], random_quat(&seed)}, &ball);
            bodies[i] = add_def(world, &def);
        }
        dry_joint_def defs[5] = {dry_hinge_def(world, none, bodies[0], at[0], axis),
                                 dry_slider_def(world, none, bodies[1], at[1], along),
                                 dry_hinge_def(world, none, bodies[2], at[2], axis),
                                 dry_rack_def(world, bodies[0], bodies[1], meet, axis),
                                 dry_gear_def(world, bodies[0], bodies[2], axis, 2, 3)};
        assert_near(defs[3].radius, radius, 1e-5);
        dry_joint_id ids[5];
        assert_ok(dry_world_create_joints(world, 5, defs, ids));
        assert_ok(dry_joint_set_motor(world, ids[0], DRY_AXIS_RX, DRY_MOTOR_VELOCITY, 2));
        run_steps(world, 60, TEST_DT);
        assert_near(axis_of(world, ids[0], DRY_AXIS_RX).speed, 2, 2e-3);
        assert_near(axis_of(world, ids[1], DRY_AXIS_X).speed, -2 * radius,
                    4e-3); /* axis x across = - along */
        assert_near(axis_of(world, ids[2], DRY_AXIS_RX).speed, -2 * 2.0 / 3, 2e-3);
        dry_world_destroy(world);
    }
}

static void test_bad_places_are_refused(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5)), none = {0};
    const dry_position zero = {0, 0, 0}, far = {2e9, 0, 0};
    const dry_vec3 x = {1, 0, 0}, no_axis = {0, 0, 0}, infinite = {0, INFINITY, 0};
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_b = a;
    const dry_joint_def before = def;
    assert_int_equal(dry_joint_def_place(NULL, &def, zero, x), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, NULL, zero, x), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, &def, far, x), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, &def, zero, no_axis), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_def_place(world, &def, zero, infinite), DRY_ERROR_ARGUMENT);
    assert_memory_equal(&def, &before, sizeof def);
    def.body_b = none;
    assert_int_equal(dry_joint_def_place(world, &def, zero, x), DRY_ERROR_STALE_ID);
    def.type = DRY_JOINT_VOLUME;
    assert_int_equal(dry_joint_def_place(world, &def, zero, x), DRY_ERROR_ARGUMENT);
    def = dry_ball_def(world, none, a, zero); /* needs no axis */
    assert_ok(dry_joint_def_place(world, &def, zero, no_axis));
    dry_joint_id id;
    def = dry_hinge_def(world, none, a, zero, no_axis);
    assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_ARGUMENT);
    def = dry_hinge_def(world, a, none, zero, x);
    assert_int_equal(dry_world_create_joint(world, &def, &id), DRY_ERROR_STALE_ID);
    dry_world_destroy(world);
}

/* A motor's mode and target change, and nothing else; a bad one changes nothing. */
static void test_motor_is_set_alone(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    const dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5)), none = {0};
    dry_joint_def def = dry_hinge_def(world, none, a, (dry_position){0, 0, 0}, v3(0, 0, 1)), now;
    def.axes[DRY_AXIS_RX].force_max = 50;
    def.axes[DRY_AXIS_RX].max = 1;
    def.axes[DRY_AXIS_RX].friction = 3;
    const dry_joint_id id = join(world, &def);
    static const struct {
        dry_motor motor;
        float target, velocity, position;
    } calls[] = {
        {DRY_MOTOR_VELOCITY, 2, 2, 0}, {DRY_MOTOR_POSITION, 0.5f, 2, 0.5f}, {DRY_MOTOR_OFF, 9, 2, 0.5f}};
    for (int i = 0; i < COUNT_OF(calls); i++) {
        assert_ok(dry_joint_set_motor(world, id, DRY_AXIS_RX, calls[i].motor, calls[i].target));
        def.axes[DRY_AXIS_RX].motor = calls[i].motor;
        def.axes[DRY_AXIS_RX].velocity = calls[i].velocity;
        def.axes[DRY_AXIS_RX].position = calls[i].position;
        assert_ok(dry_joint_get_def(world, id, &now));
        assert_memory_equal(&now, &def, sizeof def);
    }
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_RX, DRY_MOTOR_BOTH, 0), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_RX, DRY_MOTOR_POSITION, NAN),
                     DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_X, DRY_MOTOR_POSITION, 0), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, id, DRY_AXIS_COUNT, DRY_MOTOR_OFF, 0), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_joint_set_motor(world, (dry_joint_id){1}, DRY_AXIS_RX, DRY_MOTOR_OFF, 0),
                     DRY_ERROR_STALE_ID);
    assert_ok(dry_joint_get_def(world, id, &now));
    assert_memory_equal(&now, &def, sizeof def);
    dry_world_destroy(world);
}

/* Fields that a motor does not use do nothing: bodies move to the bit as without, asleep and awake. */
static void test_kept_motor_fields_wait(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int motor = DRY_MOTOR_OFF; motor <= DRY_MOTOR_POSITION; motor++) {
            uint64_t hash[2];
            for (int kept = 0; kept < 2; kept++) {
                dry_settings settings = joint_settings(way, test_settings());
                settings.sleep = true;
                dry_world *world = world_with(settings);
                const dry_body_id bar = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.1, 0.1)),
                                  none = {0};
                dry_joint_def def = dry_hinge_def(world, none, bar, (dry_position){-0.5, 0, 0}, v3(0, 0, 1));
                dry_joint_axis *axis = &def.axes[DRY_AXIS_RX];
                axis->motor = (dry_motor)motor;
                axis->velocity = motor == DRY_MOTOR_VELOCITY ? 1 : kept ? 3 : 0;
                axis->position = motor == DRY_MOTOR_POSITION ? 0.5f : kept ? 2 : 0;
                axis->motor_hertz = motor == DRY_MOTOR_POSITION ? 5 : kept ? 3 : 0;
                axis->force_max = kept && motor == DRY_MOTOR_OFF ? 2 : INFINITY;
                join(world, &def);
                run_steps(world, 150, TEST_DT);
                if (way == 0)
                    assert_int_equal(dry_body_is_awake(world, bar), motor != DRY_MOTOR_POSITION);
                hash[kept] = dry_world_motion_hash(world);
                dry_world_destroy(world);
            }
            assert_true(hash[0] == hash[1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placed_joints_are_closed), cmocka_unit_test(test_placed_teeth_drive),
        cmocka_unit_test(test_bad_places_are_refused),   cmocka_unit_test(test_motor_is_set_alone),
        cmocka_unit_test(test_kept_motor_fields_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

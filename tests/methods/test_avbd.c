/* Block descent (AVBD): motion against closed forms, heavy on light, what it refuses, and the same bits for
 * all threads and instruction sets. */
#include "tests/quick.h"
#include "tests/scene_worlds.h"
#include "tests/slopes.h"
#include "tests/test_joint.h"

#include "methods/blocks/blocks.h"
#include "methods/blocks/kernel_list.h"
#include "simd/processor.h"

#include <stdlib.h>

static dry_settings avbd_settings(void)
{
    dry_settings settings = test_settings();
    settings.method.solver = DRY_SOLVER_AVBD;
    return settings;
}

static dry_body_id add_cube(dry_world *world, double x, double y, double mass)
{
    const dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
    dry_body_def def = dry_default_body_def();
    def.type = DRY_BODY_DYNAMIC;
    def.pose = pose_at(x, y, 0);
    def.shapes = &shape;
    def.shape_count = 1;
    def.mass = (float)mass;
    dry_body_id id;
    assert_ok(dry_world_create_body(world, &def, &id));
    return id;
}

/* Two unit particles whose error is 1 and whose rho is 1 move by -1/2 and +1/4 in a sweep [Waterson 7.53]:
 * a sweep of blocks keeps no momentum. At every instruction set. */
static void test_two_particles(void **state)
{
    (void)state;
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++) {
        dry_level level;
        if (!dry_isa_available((dry_isa)isa) || !dry_level_find((dry_isa)isa, &level))
            continue;
        static dry_solver_row rows[3];
        static dry_start_row target[2];
        static dry_block_contact contact[2 * DRY_BUNDLE];
        static dry_block_group group[2];
        static _Alignas(64) int32_t entry[2 * DRY_BUNDLE];
        memset(rows, 0, sizeof rows);
        memset(target, 0, sizeof target);
        memset(contact, 0, sizeof contact);
        memset(group, 0, sizeof group);
        for (int i = 0; i < 2 * DRY_BUNDLE; i++) {
            entry[i] = 2 * DRY_BUNDLE; /* the empty contact */
            contact[i].normal[1] = 1;
            for (int p = 0; p < 4; p++)
                contact[i].bias[p] = FLT_MAX;
        }
        contact[0].bias[0] = -1;
        contact[0].penalty[0] = 1;
        contact[0].row[0] = 1, contact[0].row[1] = 2;
        for (int body = 0; body < 2; body++) {
            rows[body + 1].inv_sqrt_mass = 1;
            group[body] = (dry_block_group){
                .row = {body + 1}, .entry = body * DRY_BUNDLE, .count = 1, .lanes = 1, .locks = -1};
            entry[body * DRY_BUNDLE] = body;
        }
        const dry_block_sweep sweep = {.sweep = {.rows = rows, .substep = 1},
                                       .target = target,
                                       .contact = contact,
                                       .group = group,
                                       .entry = entry};
        const dry_block_kernels *kernels = dry_block_kernels_at(level);
        kernels->blocks_descend(&sweep, 0, 1);
        kernels->blocks_descend(&sweep, 1, 2);
        assert_near(rows[1].ul[1], -0.5, 1e-7);
        assert_near(rows[2].ul[1], 0.25, 1e-7);
    }
}

/* Bodies that nothing touches have the bits of every other method. */
static void test_free_fall(void **state)
{
    (void)state;
    double v[2], y[2];
    for (int solver = 0; solver < 2; solver++) {
        dry_settings settings = avbd_settings();
        settings.method.solver = solver ? DRY_SOLVER_AVBD : DRY_SOLVER_GAUSS_SEIDEL;
        dry_world *world = world_with(settings);
        const dry_body_id id = add_cube(world, 0, 0, 3);
        run_steps(world, 120, TEST_DT);
        v[solver] = velocity_of(world, id).y, y[solver] = position_of(world, id).y;
        dry_world_destroy(world);
    }
    assert_near(v[1], -TEST_G * 2, 1e-4);
    assert_near(y[1], -TEST_G * 2, 1e-4);
    assert_true(v[0] == v[1] && y[0] == y[1]);
}

/* A dropped box comes to rest on the ground and stays. */
static void test_box_comes_to_rest(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    add_floor(world, 0.6, 0);
    const dry_body_id id = add_cube(world, 0, 2, 1000);
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, id).y, 0.5, 1e-5);
    assert_at_most(d3_length(velocity_of(world, id)), 1e-5);
    dry_world_destroy(world);
}

/* A block on a slope sticks below the angle of friction, and slides above it as Coulomb says. */
static void test_slope(void **state)
{
    (void)state;
    const double friction = 0.35, angle[2] = {atan(0.9 * friction), atan(1.2 * friction)};
    for (int slides = 0; slides < 2; slides++) {
        const double a = angle[slides];
        dry_settings settings = avbd_settings();
        settings.gravity = v3(TEST_G * sin(a), -TEST_G * cos(a), 0);
        dry_world *world = world_with(settings);
        add_floor(world, friction, 0);
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        shape.friction = (float)friction;
        const dry_body_id id = add_dynamic(world, pose_at(0, 0.5, 0), shape);
        run_steps(world, 240, TEST_DT);
        const double v = slides ? TEST_G * (sin(a) - friction * cos(a)) * 4 : 0;
        assert_near(velocity_of(world, id).x, v, 1e-3 * v + 1e-5);
        assert_near(position_of(world, id).x, 2 * v, 2e-3 * v + 1e-5);
        dry_world_destroy(world);
    }
}

/* Builds a tower of cubes whose masses grow by a factor, and returns how far any cube is from its place at
 * any time of 10 s, m. */
static double tower_error(int count, double factor, int substeps)
{
    dry_settings settings = avbd_settings();
    settings.substeps = substeps;
    dry_world *world = world_with(settings);
    dry_body_id id[16];
    double mass = 1, worst = 0;
    add_floor(world, 0.6, 0);
    for (int i = 0; i < count; i++, mass *= factor)
        id[i] = add_cube(world, 0, 0.5 + i, mass);
    for (int step = 0; step < 600; step++) {
        run_steps(world, 1, TEST_DT);
        for (int i = 0; i < count; i++)
            worst = fmax(worst, d3_length(d3_sub(position_of(world, id[i]), (d3){0, 0.5 + i, 0})));
    }
    dry_world_destroy(world);
    return worst;
}

static void test_towers(void **state)
{
    (void)state;
    assert_at_most(tower_error(5, 1, 0), 1e-4);
    assert_at_most(tower_error(10, 2, 0), 5e-3);
    assert_at_most(tower_error(10, 2, 4), 1e-3);
    assert_at_most(tower_error(2, 1000, 0), 5e-3);
    assert_at_most(tower_error(2, 1000, 4), 1e-3);
}

/* A ball rolls down a slope without sliding at 5/7 g sin(angle), and rolling resistance of
 * coefficient c brakes it by 5/7 g c cos(angle). */
static void test_ball_rolls(void **state)
{
    (void)state;
    const double angle = 0.1, radius = 0.5;
    for (int braked = 0; braked < 2; braked++) {
        const slope on = slope_make(angle, 0.3);
        dry_world *world = world_with(avbd_settings());
        add_slope(world, &on, 0.8, true);
        dry_shape_def ball = sphere_shape((float)radius);
        ball.rolling_resistance = braked ? 0.05f : 0;
        const dry_body_id id = add_on_slope(world, &on, radius, ball, 0.8);
        run_steps(world, 60, TEST_DT);
        const double fall = sin(angle) - (braked ? (double)ball.rolling_resistance * cos(angle) : 0);
        const double v = 5.0 / 7.0 * TEST_G * fall;
        assert_near(d3_dot(velocity_of(world, id), on.down), v, 0.01 * v);
        dry_world_destroy(world);
    }
}

/* A body on a ball joint 1 m from a fixed point swings with the period of a pendulum, and keeps its length.
 */
static void test_pendulum(void **state)
{
    (void)state;
    for (int type = 0; type < 2; type++) {
        dry_world *world = world_with(avbd_settings());
        const dry_body_id id = add_dynamic(world, pose_at(0.05, -1, 0), sphere_shape(0.1));
        dry_joint_def def = dry_default_joint_def(type ? DRY_JOINT_DISTANCE : DRY_JOINT_BALL);
        def.body_a = add_body(world, DRY_BODY_STATIC, pose_at(0.05, 0, 0), sphere_shape(0.1));
        def.body_b = id;
        def.anchor_b = type ? v3(0, 0, 0) : v3(0, 1, 0);
        def.length = 1;
        dry_joint_id joint;
        assert_ok(dry_world_create_joint(world, &def, &joint));
        set_velocity(world, id, (d3){0.2, 0, 0}, (d3){0, 0, type ? 0 : 0.2});
        /* I = m l^2 + 2/5 m r^2 about the pivot; a distance joint does not turn the ball */
        const double period = 2 * TEST_PI * sqrt((1 + (type ? 0 : 0.4 * 0.01)) / TEST_G);
        double last = 0, crossing[2] = {0, 0};
        int crossings = 0;
        for (int step = 1; crossings < 2 && step < 600; step++) {
            run_steps(world, 1, TEST_DT);
            const d3 p = position_of(world, id);
            assert_near(hypot(p.x - 0.05, p.y), 1, 1e-3);
            if (last < 0 && p.x - 0.05 >= 0)
                crossing[crossings++] = (step - (p.x - 0.05) / (p.x - 0.05 - last)) / 60;
            last = p.x - 0.05;
        }
        assert_near(crossing[1] - crossing[0], period, 2e-3 * period);
        dry_world_destroy(world);
    }
}

/* A pendulum that is a sphere at 1 m keeps 0.99 of its amplitude of 0.5 rad in a minute of four substeps. */
static void test_pendulum_keeps_its_amplitude(void **state)
{
    (void)state;
    dry_settings settings = avbd_settings();
    settings.substeps = 4;
    dry_world *world = world_with(settings);
    const double a = 0.5;
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.1));
    def.body_b = add_dynamic(world, pose_at(sin(a), -cos(a), 0), sphere_shape(0.1));
    def.anchor_b = v3((float)-sin(a), (float)cos(a), 0);
    dry_joint_id joint;
    assert_ok(dry_world_create_joint(world, &def, &joint));
    double largest = 0;
    for (int step = 0; step < 3600; step++) {
        run_steps(world, 1, TEST_DT);
        const d3 p = position_of(world, def.body_b);
        largest = step < 3420 ? 0 : fmax(largest, fabs(atan2(p.x, -p.y)));
    }
    assert_near(largest, a, 0.01 * a);
    dry_world_destroy(world);
}

static void test_conical_pendulum(void **state)
{
    (void)state;
    run_conical_pendulum(avbd_settings(), false);
}

/* A chain of ten links of 1 kg with 1 t below hangs without opening. */
static void test_loaded_chain(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    dry_body_id last = add_body(world, DRY_BODY_STATIC, pose_at(0, 0.5, 0), sphere_shape(0.1));
    for (int i = 0; i < 11; i++) {
        const dry_body_id id = add_cube(world, 0, -0.5 - i, i < 10 ? 1 : 1000);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_a = last, def.body_b = id;
        def.anchor_a = v3(0, i ? -0.5 : -0.5, 0), def.anchor_b = v3(0, 0.5, 0);
        dry_joint_id joint;
        assert_ok(dry_world_create_joint(world, &def, &joint));
        last = id;
    }
    run_steps(world, 300, TEST_DT);
    assert_near(position_of(world, last).y, -10.5, 5e-3);
    dry_world_destroy(world);
}

/* A motor of a hinge reaches its speed, a stop holds against gravity. */
static void test_hinge(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    const dry_body_id pivot = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.05));
    const dry_body_id id = add_dynamic(world, pose_at(0, 0, 0.5), box_shape(0.1, 0.1, 0.4));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_a = pivot, def.body_b = id;
    def.anchor_b = v3(0, 0, -0.5);
    def.axes[DRY_AXIS_RX].min = -0.25f;
    def.axes[DRY_AXIS_RX].max = 0.25f;
    dry_joint_id joint;
    assert_ok(dry_world_create_joint(world, &def, &joint));
    run_steps(world, 240, TEST_DT);
    const d3 p = position_of(world, id);
    assert_near(atan2(fabs(p.y), p.z), 0.25, 0.01);
    def.axes[DRY_AXIS_RX].min = -INFINITY;
    def.axes[DRY_AXIS_RX].max = INFINITY;
    def.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
    def.axes[DRY_AXIS_RX].velocity = 3;
    assert_ok(dry_joint_set_def(world, joint, &def));
    run_steps(world, 60, TEST_DT);
    assert_near(spin_of(world, id).x, 3, 0.03);
    dry_world_destroy(world);
}

/* A stack falls asleep, and keeps its place. */
static void test_sleep(void **state)
{
    (void)state;
    dry_settings settings = avbd_settings();
    settings.sleep = true;
    dry_world *world = world_with(settings);
    dry_body_id id[5];
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 5; i++)
        id[i] = add_cube(world, 0, 0.55 + 1.05 * i, 10);
    run_steps(world, 240, TEST_DT);
    for (int i = 0; i < 5; i++) {
        assert_false(dry_body_is_awake(world, id[i]));
        assert_near(position_of(world, id[i]).y, 0.5 + i, 1e-3);
    }
    dry_world_destroy(world);
}

/* A bounce keeps its coefficient: restitution comes before the sweeps, as with every solver. */
static void test_restitution(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    add_floor(world, 0.6, 0);
    dry_shape_def ball = sphere_shape(0.5);
    ball.restitution = 0.5f;
    const dry_body_id id = add_dynamic(world, pose_at(0, 5.5, 0), ball);
    double highest = 0;
    bool fell = false;
    for (int step = 0; step < 120; step++) {
        run_steps(world, 1, TEST_DT);
        fell |= velocity_of(world, id).y > 1;
        highest = fell ? fmax(highest, position_of(world, id).y) : 0;
    }
    assert_near(highest - 0.5, 5 * 0.25, 0.03);
    dry_world_destroy(world);
}

/* Locked axes stay: a cube that is pushed by another and may only move along x. */
static void test_locks(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    add_floor(world, 0.3, 0);
    const dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
    dry_body_def def = dry_default_body_def();
    def.type = DRY_BODY_DYNAMIC;
    def.pose = (dry_pose){{0, 0.5, 0.2}, quat_about((d3){0, 1, 0}, 0.3)};
    def.shapes = &shape, def.shape_count = 1;
    def.locks = DRY_LOCK_LINEAR_Z | DRY_LOCK_ANGULAR_Y | DRY_LOCK_ANGULAR_X;
    dry_body_id id;
    assert_ok(dry_world_create_body(world, &def, &id));
    const dry_body_id pusher = add_cube(world, -2, 0.5, 1000);
    set_velocity(world, pusher, (d3){6, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 90, TEST_DT);
    const d3 p = position_of(world, id), w = spin_of(world, id);
    assert_true(p.x > 0.3);
    assert_near(p.z, 0.2, 1e-6);
    assert_near(w.y, 0, 1e-5);
    dry_world_destroy(world);
}

/* A joint that the method cannot honor is an error, and so is the method where there is one. */
static void test_refused_joints(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = add_cube(world, 0, 0, 1), def.body_b = add_cube(world, 2, 0, 1);
    def.solver = DRY_JOINT_SOLVER_DIRECT;
    dry_joint_id joint;
    assert_int_equal(dry_world_create_joint(world, &def, &joint), DRY_ERROR_ARGUMENT);
    def.solver = DRY_JOINT_SOLVER_WORLD;
    assert_ok(dry_world_create_joint(world, &def, &joint));
    def.solver = DRY_JOINT_SOLVER_AUTO;
    assert_int_equal(dry_joint_set_def(world, joint, &def), DRY_ERROR_ARGUMENT);
    dry_settings settings = test_settings();
    assert_ok(dry_world_set_settings(world, &settings));
    assert_ok(dry_joint_set_def(world, joint, &def));
    settings = avbd_settings();
    assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
    world = world_with(avbd_settings());
    def = dry_default_joint_def(DRY_JOINT_TARGET);
    def.body_b = add_cube(world, 0, 0, 1);
    def.force_max = 100;
    assert_int_equal(dry_world_create_joint(world, &def, &joint), DRY_ERROR_ARGUMENT);
    def.force_max = INFINITY;
    assert_ok(dry_world_create_joint(world, &def, &joint));
    def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_b = add_cube(world, 0, 0, 1);
    def.friction = 1;
    assert_int_equal(dry_world_create_joint(world, &def, &joint), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
}

/* Builds a world of contacts that bounce and joints, and returns its hash after some steps. */
static uint64_t hash_after_steps(dry_isa isa, int threads)
{
    dry_world_def def = test_world_def();
    def.settings = avbd_settings();
    def.isa = isa;
    def.threads = threads;
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0.3);
    dry_body_id last = {0};
    for (int i = 0; i < 300; i++) {
        const dry_shape_def shape = i % 3 ? box_shape(0.5, 0.4, 0.3) : sphere_shape(0.4);
        const dry_body_id id =
            add_dynamic(world, pose_at(1.2 * (i % 10), 0.6 + 1.1 * (i / 30), 1.2 * (i / 10 % 3)), shape);
        if (i % 7 == 6) {
            dry_joint_def joint = dry_default_joint_def(i % 2 ? DRY_JOINT_BALL : DRY_JOINT_HINGE);
            joint.body_a = last, joint.body_b = id;
            joint.anchor_a = v3(0.6, 0, 0), joint.anchor_b = v3(-0.6, 0, 0);
            dry_joint_id made;
            assert_ok(dry_world_create_joint(world, &joint, &made));
        }
        last = id;
    }
    run_steps(world, 15, TEST_DT);
    const uint64_t hash = dry_world_hash(world);
    dry_world_destroy(world);
    return hash;
}

/* While a ball bounces, a body in flight far away goes on by its parabola, and the ball rises to e^2 h. */
static void test_others_move_while_something_bounces(void **state)
{
    (void)state;
    const double e = 0.5, h = 1;
    dry_world *world = world_with(avbd_settings());
    add_floor(world, 0.5, 0);
    dry_shape_def ball = sphere_shape(0.5);
    ball.restitution = (float)e;
    const dry_body_id bouncing = add_dynamic(world, pose_at(0, 0.5 + h, 0), ball);
    const dry_body_id flying = add_dynamic(world, pose_at(50, 100, 0), sphere_shape(0.5));
    set_velocity(world, flying, (d3){10, 0, 0}, (d3){0, 0, 0});
    double highest = 0, lowest = h;
    for (int i = 0; i < 60; i++) {
        run_steps(world, 1, TEST_DT);
        const double height = position_of(world, bouncing).y - 0.5;
        lowest = fmin(lowest, height);
        highest = velocity_of(world, bouncing).y > 0 || highest > 0 ? fmax(highest, height) : 0;
    }
    assert_near(position_of(world, flying).x, 60, 1e-3);
    assert_near(position_of(world, flying).y, 100 - TEST_G / 2, 1e-2);
    assert_near(highest, e * e * h, 0.03 * e * e * h);
    dry_world_destroy(world);
}

/* Two boxes on a joint that are thrown do not begin to turn: gravity has no moment about their center. */
static void test_a_thrown_pair_does_not_turn(void **state)
{
    (void)state;
    dry_world *world = world_with(avbd_settings());
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = add_cube(world, 0, 100, 1);
    def.body_b = add_cube(world, 1.5, 100, 1);
    def.anchor_a = v3(0.75, 0, 0), def.anchor_b = v3(-0.75, 0, 0);
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &def, &id));
    set_velocity(world, def.body_a, (d3){20, 0, 0}, (d3){0, 0, 0});
    set_velocity(world, def.body_b, (d3){20, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 60, TEST_DT);
    assert_at_most(d3_length(spin_of(world, def.body_a)), 1e-3);
    assert_at_most(d3_length(spin_of(world, def.body_b)), 1e-3);
    dry_world_destroy(world);
}

/* Returns the momentum of cubes of 1 kg and a side of 1 m, and their angular momentum about the origin. */
static void momenta_of(dry_world *world, const dry_body_id *ids, int count, d3 *linear, d3 *angular)
{
    *linear = *angular = (d3){0, 0, 0};
    for (int i = 0; i < count; i++) {
        const d3 v = velocity_of(world, ids[i]);
        *linear = d3_add(*linear, v);
        *angular = d3_add(*angular, d3_add(d3_cross(position_of(world, ids[i]), v),
                                           d3_scale(spin_of(world, ids[i]), 1.0 / 6)));
    }
}

/* Cubes in space, on a ball joint or not, that meet off center and turn: sweeps of blocks keep neither
 * momentum [Waterson 7.53], islands that nothing holds do. */
static void test_islands_in_space_keep_their_momenta(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        const double spin[] = {0.5, 10, 300}, speed = spin[i / 2];
        dry_settings settings = avbd_settings();
        settings.gravity = v3(0, 0, 0);
        dry_world *world = world_with(settings);
        dry_body_id id[2];
        for (int k = 0; k < 2; k++)
            id[k] = add_cube(world, 1.2 * k, 0.3 * k, 1);
        if (i % 2) {
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
            def.body_a = id[0], def.body_b = id[1];
            def.anchor_a = v3(0.6, 0.15, 0), def.anchor_b = v3(-0.6, -0.15, 0);
            dry_joint_id joint;
            assert_ok(dry_world_create_joint(world, &def, &joint));
        }
        set_velocity(world, id[0], (d3){2, 0, 0}, d3_scale((d3){0.3, 0.5, 0.8}, speed));
        d3 linear[2], angular[2];
        momenta_of(world, id, 2, &linear[0], &angular[0]);
        run_steps(world, 120, TEST_DT);
        momenta_of(world, id, 2, &linear[1], &angular[1]);
        assert_at_most(d3_length(d3_sub(linear[1], linear[0])), 1e-5 * (2 + speed));
        /* A linkage that turns by 5 rad in a step gives up angular momentum for the bound of its energy. */
        if (i < 5)
            assert_at_most(d3_length(d3_sub(angular[1], angular[0])), 1e-4 * (2 + speed));
        dry_world_destroy(world);
    }
}

/* Cubes in space that collide, one of which spins, never have more energy than at first. */
static void test_spinning_cube_in_a_row_makes_no_energy(void **state)
{
    (void)state;
    static const double gaps[] = {0.999, 1.003}, spins[] = {10, 99, 980, 9703};
    for (int i = 0; i < 16; i++) {
        const int count = 2 + i / 8;
        dry_settings settings = avbd_settings();
        settings.gravity = v3(0, 0, 0);
        dry_world *world = world_with(settings);
        for (int k = 0; k < count; k++) {
            const dry_body_id id = add_cube(world, k * gaps[i / 4 % 2], 0, 1);
            if (k == 1)
                set_velocity(world, id, (d3){0, 0, 0}, (d3){0, spins[i % 4], 0});
        }
        const double before = dry_world_energy(world).kinetic_J;
        for (int step = 0; step < 60; step++) {
            run_steps(world, 1, TEST_DT);
            assert_true(dry_world_energy(world).kinetic_J <= 1.0001 * before);
        }
        dry_world_destroy(world);
    }
}

/* Planks on ball joints between two posts, a lift, and a crane whose load of 1,000 times a link's mass
 * swings, and others with light loads: no joint opens further than 5 mm, and no body leaves. The tension of
 * its rope would turn a link by more than a radian in each of 4 substeps if the torque were that of the
 * substep's beginning. */
static void test_bridge_lift_and_crane_hold(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int size, substeps, steps;
        float load; /* kg; 0: the scene's, 1,000 kg */
    } cases[] = {{"bridge", 12, 4, 120, 0},  {"crane", 6, 4, 600, 0},   {"crane", 3, 64, 240, 10},
                 {"crane", 6, 16, 300, 0},   {"bridge", 12, 0, 120, 0}, {"bridge", 12, 32, 90, 0},
                 {"scissor", 10, 0, 300, 0}, {"crane", 6, 64, 200, 0},  {"crane", 3, 0, 300, 10},
                 {"crane", 2, 32, 400, 30},  {"crane", 10, 16, 300, 1}};
    for (int i = 0; i < test_pick(COUNT_OF(cases), 4); i++) {
        dry_scene scene = scene_of(cases[i].name, cases[i].size);
        if (cases[i].load > 0)
            scene.bodies[scene.body_count - 1].def.mass = cases[i].load;
        dry_settings settings = avbd_settings();
        settings.substeps = cases[i].substeps;
        dry_world *world = world_with(settings);
        dry_body_id *ids = built_in(world, &scene);
        dry_joint_id joints[16];
        double worst = 0;
        for (int step = 0; step < cases[i].steps; step += 10) {
            run_steps(world, 10, scene.dt);
            for (int b = 0; b < scene.body_count; b++) {
                int count;
                assert_ok(dry_body_get_joints(world, ids[b], joints, COUNT_OF(joints), &count));
                for (int k = 0; k < (count < COUNT_OF(joints) ? count : COUNT_OF(joints)); k++) {
                    float gap, angle;
                    assert_ok(dry_joint_get_error(world, joints[k], &gap, &angle));
                    worst = fmax(worst, (double)gap);
                }
            }
        }
        assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
        assert_at_most(worst, 5e-3);
        free(ids);
        dry_world_destroy(world);
        dry_scene_free(&scene);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    const uint64_t expected = hash_after_steps(DRY_ISA_SCALAR, 1);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++)
        for (int threads = 1; threads <= 8 && dry_isa_available((dry_isa)isa);
             threads += 1 + 5 * (threads / 2))
            assert_true(hash_after_steps((dry_isa)isa, threads) == expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_particles),
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_box_comes_to_rest),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_towers),
        cmocka_unit_test(test_ball_rolls),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_pendulum_keeps_its_amplitude),
        cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_loaded_chain),
        cmocka_unit_test(test_hinge),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_restitution),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_refused_joints),
        cmocka_unit_test(test_others_move_while_something_bounces),
        cmocka_unit_test(test_a_thrown_pair_does_not_turn),
        cmocka_unit_test(test_islands_in_space_keep_their_momenta),
        cmocka_unit_test(test_spinning_cube_in_a_row_makes_no_energy),
        cmocka_unit_test(test_bridge_lift_and_crane_hold),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

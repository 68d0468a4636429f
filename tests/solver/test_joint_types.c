/* Stops, motors, springs and friction along the axes of joints, against closed forms, with every solver that
 * takes them, in sweeps and directly; and the types' own motions. */
#include "tests/test_joint.h"

#include "core/math.h"

static dry_world *world_of(int way, bool weightless)
{
    return world_with(joint_settings(way, weightless ? test_settings_weightless() : test_settings()));
}

/* A wheel of a hinge about z through its center, in front of the world, without weight: one degree of freedom
 * of a known inertia. */
typedef struct rotor {
    dry_world *world;
    dry_body_id body;
    dry_joint_id joint;
    double inertia;
} rotor;

static const dry_quat x_to_z = {0.0f, -0.70710678f, 0.0f, 0.70710678f};

static rotor make_rotor(int way, const dry_joint_axis *axis)
{
    rotor r = {.world = world_of(way, true)};
    r.body = add_dynamic(r.world, pose_at(0, 0, 0), box_shape(0.5, 0.25, 0.1));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_b = r.body;
    def.orientation_a = def.orientation_b = x_to_z;
    def.axes[DRY_AXIS_RX] = *axis;
    r.joint = join(r.world, &def);
    r.inertia = mass_of(r.world, r.body).inertia[2][2];
    return r;
}

static dry_joint_axis free_axis(void)
{
    return dry_default_joint_def(DRY_JOINT_HINGE).axes[DRY_AXIS_RX];
}

/* A motor with a largest torque T speeds up by T / I: w = T t / I, until it has its speed. */
static void test_motor_runs_up_by_its_torque(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++) {
        dry_joint_axis axis = free_axis();
        axis.motor = DRY_MOTOR_VELOCITY;
        axis.velocity = 5;
        axis.force_max = 20;
        rotor r = make_rotor(way, &axis);
        const double rate = 20 / r.inertia, seconds = 5 / rate;
        const int half = (int)(0.5 * seconds / (double)TEST_DT);
        run_steps(r.world, half, TEST_DT);
        const double expected = rate * half * (double)TEST_DT;
        assert_near(axis_of(r.world, r.joint, DRY_AXIS_RX).speed, expected, 0.01 * expected);
        assert_near(axis_of(r.world, r.joint, DRY_AXIS_RX).motor_force, 20, 0.02);
        run_steps(r.world, 2 * half, TEST_DT);
        assert_near(axis_of(r.world, r.joint, DRY_AXIS_RX).speed, 5, 0.005);
        dry_world_destroy(r.world);
    }
}

/* A motor that weight holds gives its largest torque, and a little more weight turns it back. */
static void test_stalled_motor_gives_its_torque(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++) {
        dry_world *world = world_of(way, false);
        const dry_body_id arm = add_dynamic(world, pose_at(1, 0, 0), box_shape(1, 0.05, 0.1));
        const double moment = (double)mass_of(world, arm).mass * TEST_G;
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
        def.body_b = arm;
        def.anchor_b = v3(-1, 0, 0);
        def.orientation_a = def.orientation_b = x_to_z;
        dry_joint_axis *axis = &def.axes[DRY_AXIS_RX];
        axis->motor = DRY_MOTOR_VELOCITY;
        axis->force_max = (float)(1.2 * moment);
        const dry_joint_id id = join(world, &def);
        run_steps(world, 120, TEST_DT);
        assert_near(axis_of(world, id, DRY_AXIS_RX).motor_force, moment, 1e-3 * moment);
        assert_near(position_of(world, arm).y, 0, 1e-3);
        axis->force_max = (float)(0.99 * moment);
        assert_ok(dry_joint_set_def(world, id, &def));
        run_steps(world, 60, TEST_DT);
        assert_at_most(position_of(world, arm).y, -0.01);
        dry_world_destroy(world);
    }
}

/* A spring k, c about the axis: q = q0 e^(-z t) (cos w t + z / w sin w t), z = c / 2I, w^2 = k / I - z^2. */
static void test_spring_swings_by_its_closed_form(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        dry_joint_axis axis = free_axis();
        axis.stiffness = 400;
        axis.damping = 20;
        axis.rest = 0.5f;
        rotor r = make_rotor(way, &axis);
        const double z = 10 / r.inertia, w = sqrt(400 / r.inertia - z * z);
        double worst = 0;
        for (int step = 1; step <= 240; ++step) {
            run_steps(r.world, 1, TEST_DT);
            const double t = step * (double)TEST_DT;
            const double q = 0.5 - 0.5 * exp(-z * t) * (cos(w * t) + z / w * sin(w * t));
            worst = fmax(worst, fabs((double)axis_of(r.world, r.joint, DRY_AXIS_RX).value - q));
        }
        assert_at_most(worst, 0.01 * 0.5);
        dry_world_destroy(r.world);
    }
}

/* A motor to a position with a frequency and a ratio is such a spring, on the effective mass. */
static void test_drive_follows_its_closed_form(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        dry_joint_axis axis = free_axis();
        axis.motor = DRY_MOTOR_POSITION;
        axis.position = 1;
        axis.motor_hertz = 1;
        axis.motor_damping_ratio = 0.5f;
        rotor r = make_rotor(way, &axis);
        const double z = TEST_PI, w = 2 * TEST_PI * sqrt(0.75);
        double worst = 0;
        for (int step = 1; step <= 240; ++step) {
            run_steps(r.world, 1, TEST_DT);
            const double t = step * (double)TEST_DT;
            const double q = 1 - exp(-z * t) * (cos(w * t) + z / w * sin(w * t));
            worst = fmax(worst, fabs((double)axis_of(r.world, r.joint, DRY_AXIS_RX).value - q));
        }
        assert_at_most(worst, 0.01);
        dry_world_destroy(r.world);
    }
}

/* A motor to a position that moves with a speed v follows it without a lag: from rest, behind by e = v / w
 * e^(-z t) sin w t. */
static void test_drive_follows_a_moving_position(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        const double z = TEST_PI, w = 2 * TEST_PI * sqrt(0.75), v = w;
        dry_joint_axis axis = free_axis();
        axis.motor = DRY_MOTOR_BOTH;
        axis.velocity = (float)v;
        axis.motor_hertz = 1;
        axis.motor_damping_ratio = 0.5f;
        rotor r = make_rotor(way, &axis);
        double worst = 0;
        for (int step = 0; step < 240; ++step) {
            axis.position = (float)(v * step * (double)TEST_DT);
            const dry_joint_axis_change change = {r.joint, DRY_AXIS_RX, axis};
            assert_ok(dry_world_set_joint_axes(r.world, 1, &change));
            run_steps(r.world, 1, TEST_DT);
            const double t = (step + 1) * (double)TEST_DT, q = v * t - v / w * exp(-z * t) * sin(w * t);
            worst = fmax(worst, fabs((double)axis_of(r.world, r.joint, DRY_AXIS_RX).value - q));
        }
        assert_at_most(worst, 0.01 * v / w);
        dry_world_destroy(r.world);
    }
}

/* Dry friction T slows a rotor by T / I: the angle at rest is I w^2 / 2T. */
static void test_friction_stops_by_its_torque(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++) {
        dry_joint_axis axis = free_axis();
        axis.friction = 30;
        rotor r = make_rotor(way, &axis);
        set_velocity(r.world, r.body, (d3){0, 0, 0}, (d3){0, 0, 4});
        const double expected = r.inertia * 16 / 60;
        run_steps(r.world, 20 + (int)(4 * r.inertia / 30 / (double)TEST_DT), TEST_DT);
        assert_near(axis_of(r.world, r.joint, DRY_AXIS_RX).value, expected, 0.01 * expected);
        assert_near(axis_of(r.world, r.joint, DRY_AXIS_RX).speed, 0, 1e-5);
        dry_world_destroy(r.world);
    }
}

/* A hinge at its hard stop bears a weight and passes it by 0.01 rad at most; a fast one neither. */
static void test_hard_stop_holds(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int k = 0; k < 4; ++k) {
            dry_world *world = world_of(way, false);
            const dry_body_id arm = add_dynamic(world, pose_at(1, 0, 0), box_shape(1, 0.05, 0.1));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
            def.body_b = arm;
            def.anchor_b = v3(-1, 0, 0);
            def.orientation_a = def.orientation_b = x_to_z;
            def.axes[DRY_AXIS_RX].min = -0.5f * (float)k;
            const dry_joint_id id = join(world, &def);
            double deepest = 0;
            for (int step = 0; step < 600; ++step) {
                run_steps(world, 1, TEST_DT);
                deepest = fmax(deepest, -0.5 * k - (double)axis_of(world, id, DRY_AXIS_RX).value);
            }
            assert_at_most(deepest, is_direct(way) ? 1e-6 : 0.01);
            const double moment = (double)mass_of(world, arm).mass * TEST_G * cos(0.5 * k);
            /* A force that follows from positions has their rounding over h^2, with 4 substeps in a step. */
            const double h = (double)TEST_DT / 4, inertia = (double)mass_of(world, arm).mass * (1 + 1.0 / 3);
            const double rounding = way < VELOCITY_WAYS ? 0 : 4 * (double)FLT_EPSILON * inertia * 2 / (h * h);
            assert_near(axis_of(world, id, DRY_AXIS_RX).stop_force, moment, 0.01 * moment + rounding);
            float gap, turn;
            assert_ok(dry_joint_get_error(world, id, &gap, &turn));
            assert_at_most(turn, is_direct(way) ? 1e-6 : 0.01);
            dry_world_destroy(world);
        }
}

/* A stop that begins passed by 170 degrees is reached within a second, no faster than 8 rad/s, and leaves no
 * speed. Sweeps that sum changes go back more slowly. */
static void test_stop_begins_passed(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        if (joint_ways[way].solver == DRY_SOLVER_JACOBI && !is_direct(way))
            continue;
        for (int sign = -1; sign <= 1; sign += 2) {
            dry_joint_axis axis = free_axis();
            axis.min = -0.1f;
            axis.max = 0.1f;
            rotor r = make_rotor(way, &axis);
            const double half = 0.5 * sign * (0.1 + 170 * TEST_PI / 180);
            dry_pose pose = pose_at(0, 0, 0);
            pose.orientation = (dry_quat){0, 0, (float)sin(half), (float)cos(half)};
            assert_ok(dry_body_set_pose(r.world, r.body, pose));
            double last = 2 * half;
            for (int step = 0; step < 60; step++) {
                run_steps(r.world, 1, TEST_DT);
                const double now = axis_of(r.world, r.joint, DRY_AXIS_RX).value;
                assert_at_most(sign * (last - now), 8.01 * (double)TEST_DT);
                last = now;
            }
            assert_near(last, sign * 0.1, 1e-4);
            assert_near(axis_of(r.world, r.joint, DRY_AXIS_RX).speed, 0, 1e-5);
            dry_world_destroy(r.world);
        }
    }
}

/* A weight on a soft stop of k rests F / k beyond it; one of a frequency f rests F / (m w^2) beyond. */
static void test_soft_stop_has_its_depth(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int by_hertz = 0; by_hertz < 2; ++by_hertz) {
            dry_world *world = world_of(way, false);
            const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
            const double mass = mass_of(world, body).mass;
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_SLIDER);
            def.body_b = body;
            /* x of the frames is the world's y. */
            def.orientation_a = def.orientation_b = quat_about((d3){0, 0, 1}, TEST_PI / 2);
            dry_joint_axis *axis = &def.axes[DRY_AXIS_X];
            axis->min = -0.25f;
            const double w = 2 * TEST_PI * 2;
            if (by_hertz) {
                axis->stop_hertz = 2;
                axis->stop_damping_ratio = 1;
            } else {
                axis->stop_stiffness = (float)(mass * w * w);
                axis->stop_damping = (float)(2 * mass * w);
            }
            const dry_joint_id id = join(world, &def);
            run_steps(world, 300, TEST_DT);
            const double depth = TEST_G / (w * w);
            assert_near(axis_of(world, id, DRY_AXIS_X).value, -0.25 - depth, 0.01 * depth);
            assert_near(axis_of(world, id, DRY_AXIS_X).stop_force, mass * TEST_G, 0.01 * mass * TEST_G);
            dry_world_destroy(world);
        }
}

/* A slider that meets its stop at speed v leaves it at e v. */
static void test_stop_gives_restitution(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int run = 0; run < 15; ++run) {
            const int k = run / 3;
            const double speed = 3 - 0.1 * (run % 3); /* the first one ends a step at the stop */
            dry_world *world = world_of(way, true);
            const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_SLIDER);
            def.body_b = body;
            def.axes[DRY_AXIS_X].max = 0.5f;
            def.axes[DRY_AXIS_X].stop_restitution = 0.25f * (float)k;
            const dry_joint_id id = join(world, &def);
            set_velocity(world, body, (d3){speed, 0, 0}, (d3){0, 0, 0});
            double farthest = 0;
            for (int step = 0; step < 60; ++step) {
                run_steps(world, 1, TEST_DT);
                farthest = fmax(farthest, (double)axis_of(world, id, DRY_AXIS_X).value);
            }
            assert_near(axis_of(world, id, DRY_AXIS_X).speed, -0.25 * k * speed, 0.01 * speed);
            assert_at_most(farthest, is_direct(way) ? 0.5 + 1e-6 : 0.501);
            dry_world_destroy(world);
        }
}

/* A box that falls along a slider onto a stop of restitution 1 comes up as fast as it fell, but for what
 * gravity adds in a step and a half, wherever in a step it arrives. One that just reaches the stop as a step
 * ends keeps its speed for the next one. */
static void test_stop_gives_restitution_back_to_a_fall(void **state)
{
    (void)state;
    for (int way = 0; way < JOINT_WAYS; way++)
        for (int run = 0; run < test_pick(240, 24); ++run) {
            dry_world *world = world_of(way, true);
            dry_settings settings = dry_world_get_settings(world);
            settings.gravity = v3((float)TEST_G, 0, 0);
            assert_ok(dry_world_set_settings(world, &settings));
            const dry_body_id body = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_SLIDER);
            def.body_b = body;
            const double fall = 0.8 + 0.4 * run / test_pick(240, 24);
            def.axes[DRY_AXIS_X].max = (float)fall;
            def.axes[DRY_AXIS_X].stop_restitution = 1;
            join(world, &def);
            double fastest = 0;
            for (int step = 0; step < 60; ++step) {
                run_steps(world, 1, TEST_DT);
                fastest = fmax(fastest, -velocity_of(world, body).x);
            }
            const double speed = sqrt(2 * TEST_G * fall);
            assert_at_most(fastest, speed);
            assert_at_most(speed - 1.5 * TEST_G * (double)TEST_DT, fastest);
            dry_world_destroy(world);
        }
}

/* Two shafts in hinges of the world, bent by an angle, rad, on a universal joint. */
typedef struct shafts {
    double bend;
    dry_body_id first, second;
    dry_joint_id drive, driven;
} shafts;

/* Adds the shafts. With a motor the first turns at `speed`; else both begin with the speeds that they have at
 * the angle 0. */
static shafts add_shafts(dry_world *world, double bend, double speed, bool motor)
{
    shafts s = {.bend = bend};
    const double x = cos(bend), y = sin(bend);
    const dry_quat turned = quat_about((d3){0, 0, 1}, bend);
    s.first = add_dynamic(world, pose_at(-1, 0, 0), box_shape(1, 0.1, 0.1));
    dry_pose pose = pose_at(x, y, 0);
    pose.orientation = turned;
    s.second = add_dynamic(world, pose, box_shape(1, 0.1, 0.1));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_b = s.first;
    def.anchor_a = v3(-2, 0, 0);
    def.anchor_b = v3(-1, 0, 0);
    if (motor) {
        def.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
        def.axes[DRY_AXIS_RX].velocity = (float)speed;
    } else {
        const double out = speed / x; /* cos b / (1 - sin^2 b) */
        assert_ok(dry_body_set_velocity(world, s.first, (dry_velocity){{0, 0, 0}, v3(speed, 0, 0)}));
        assert_ok(dry_body_set_velocity(world, s.second, (dry_velocity){{0, 0, 0}, v3(out * x, out * y, 0)}));
    }
    s.drive = join(world, &def);
    def = dry_default_joint_def(DRY_JOINT_HINGE);
    def.body_b = s.second;
    def.anchor_a = v3(2 * x, 2 * y, 0);
    def.anchor_b = v3(1, 0, 0);
    def.orientation_a = turned;
    s.driven = join(world, &def);
    def = dry_default_joint_def(DRY_JOINT_UNIVERSAL);
    def.body_a = s.first;
    def.body_b = s.second;
    def.anchor_a = v3(1, 0, 0);
    def.anchor_b = v3(-1, 0, 0);
    /* y of the first shaft, an arm of the cross, lies in the plane of the bend when its angle is 0. */
    join(world, &def);
    return s;
}

/* Returns how far the ratio of the shafts' speeds is from cos b / (1 - sin^2 b cos^2 t) at most, after half a
 * second; t is the driving shaft's angle [issue: universal joint]. */
static double speed_ratio_error(dry_world *world, const shafts *s, int steps, float dt)
{
    double worst = 0;
    for (int step = 0; step < steps; ++step) {
        run_steps(world, 1, dt);
        const dry_joint_axis_state in = axis_of(world, s->drive, DRY_AXIS_RX);
        const dry_joint_axis_state out = axis_of(world, s->driven, DRY_AXIS_RX);
        const double sine = sin(s->bend) * cos((double)in.value);
        const double ratio = cos(s->bend) / (1 - sine * sine);
        if (step * (double)dt > 0.5)
            worst = fmax(worst, fabs((double)out.speed / (double)in.speed - ratio));
    }
    return worst;
}

/* A motor drives the first shaft. In sweeps velocities belong to the middle of a step's last substep, 2 ms
 * before its pose. */
static void test_universal_joint_has_its_speed_ratio(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++) {
        dry_world *world = world_of(way, true);
        const shafts s = add_shafts(world, 0.6, 1, true);
        assert_at_most(speed_ratio_error(world, &s, 600, TEST_DT), 1e-3);
        dry_world_destroy(world);
    }
}

/* Solved directly, velocities belong to the pose at a step's end, with a motor as without one. The driving
 * shaft keeps its motor's speed. Within two seconds its angle, a float, is known to 2e-6 rad. */
static void test_direct_universal_joint_has_its_speed_ratio(void **state)
{
    (void)state;
    static const double speeds[] = {1, 3, 10, 30}, bends[] = {0.3, 0.6, 1};
    static const float times[] = {TEST_DT, TEST_DT / 4};
    for (int k = 0; k < 2 * 2 * 3 * 4; ++k) {
        const double speed = speeds[k % 4], bend = bends[k / 4 % 3];
        const bool motor = k / 24 == 1;
        dry_settings settings = test_settings_weightless();
        settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
        dry_world *world = world_with(settings);
        const shafts s = add_shafts(world, bend, speed, motor);
        const float dt = times[k / 12 % 2];
        assert_at_most(speed_ratio_error(world, &s, (int)(2 / dt), dt), motor ? 1e-5 : 1e-6);
        if (motor)
            assert_near(axis_of(world, s.drive, DRY_AXIS_RX).speed, speed, 1e-6 * speed);
        dry_world_destroy(world);
    }
}

/* The angle of a hinge counts whole rotations while something acts along it. */
static void test_angles_count_rotations(void **state)
{
    (void)state;
    for (int direction = -1; direction <= 1; direction += 2) {
        dry_joint_axis axis = free_axis();
        axis.friction = 1e-6f;
        rotor r = make_rotor(0, &axis);
        set_velocity(r.world, r.body, (d3){0, 0, 0}, (d3){0, 0, 10.0 * direction});
        run_steps(r.world, 300, TEST_DT);
        assert_near(axis_of(r.world, r.joint, DRY_AXIS_RX).value, 50.0 * direction, 0.05);
        dry_world_destroy(r.world);
    }
}

/* Two free cubes, one of which is spun about w. An alignment of x makes them share what is across x, keeps
 * what is along x apart, and leaves their centers alone: [Waterson 5.60] moves no mass. */
static void test_alignment_shares_spin_across_its_axis(void **state)
{
    (void)state;
    static const dry_joint_solver joint_solvers[] = {DRY_JOINT_SOLVER_ITERATIVE, DRY_JOINT_SOLVER_DIRECT};
    for (int s = 0; s < COUNT_OF(joint_solvers); s++) {
        dry_settings settings = test_settings_weightless();
        settings.joint_solver = joint_solvers[s];
        dry_world *world = world_with(settings);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_ALIGN);
        def.body_a = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
        def.body_b = add_dynamic(world, pose_at(3, 1, 2), box_shape(0.5, 0.5, 0.5));
        set_velocity(world, def.body_a, (d3){0.25, 0, 0}, (d3){3, 0, 2});
        const dry_joint_id id = join(world, &def);
        run_steps(world, 1, TEST_DT);
        assert_near(spin_of(world, def.body_a).z, 1, 0.01);
        run_steps(world, 239, TEST_DT);
        const d3 x = {1, 0, 0};
        const d3 x_a = d3_turn(pose_of(world, def.body_a).orientation, x);
        const d3 x_b = d3_turn(pose_of(world, def.body_b).orientation, x);
        assert_at_most(d3_length(d3_cross(x_a, x_b)), 1e-3);
        assert_near(axis_of(world, id, DRY_AXIS_RX).speed, -3, 0.03);
        assert_near(position_of(world, def.body_a).x, 0.25 * 4, 1e-3);
        assert_near(position_of(world, def.body_b).x, 3, 1e-3);
        assert_near(position_of(world, def.body_b).y, 1, 1e-3);
        dry_world_destroy(world);
    }
}

/* A block that a fixed joint holds at a point `arm` beside its center, in front of the world. */
static dry_body_id add_held(dry_world *world, double arm, dry_joint_def *def, dry_joint_id *id)
{
    def->body_b = add_dynamic(world, pose_at(arm, 0, 0), box_shape(0.5, 0.25, 0.1));
    def->anchor_b = v3(-arm, 0, 0);
    *id = join(world, def);
    return def->body_b;
}

static dry_joint_def soft_def(double stiffness, double angular_stiffness, double ratio)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
    def.stiffness = (float)stiffness;
    def.angular_stiffness = (float)angular_stiffness;
    def.damping = (float)(ratio * stiffness);
    def.angular_damping = (float)(ratio * angular_stiffness);
    return def;
}

/* A soft fixed joint sags by m g / k. Its arm turns by the angle q with m g l cos q = k q, whether the other
 * part of the joint is soft as well or rigid. The part that is rigid stays closed. */
static void test_soft_fixed_joint_sags_and_turns(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++)
        for (int soft = 1; soft <= 3; soft++) {
            dry_world *world = world_of(way, false);
            const double k = soft & 1 ? 5e4 : 0, turn = soft & 2 ? 4e4 : 0, arm = 0.6;
            dry_joint_def def = soft_def(k, turn, 0.05);
            dry_joint_id id;
            const dry_body_id body = add_held(world, arm, &def, &id);
            const double weight = (double)mass_of(world, body).mass * TEST_G;
            run_steps(world, 400, TEST_DT);
            double q = 0;
            for (int i = 0; i < 50 && soft & 2; i++)
                q = weight * arm * cos(q) / turn;
            const dry_joint_axis_state sag = axis_of(world, id, DRY_AXIS_Y);
            const dry_joint_axis_state angle = axis_of(world, id, DRY_AXIS_RZ);
            assert_near(sag.value, soft & 1 ? -weight / k : 0, 0.01 * weight / 5e4);
            assert_near(angle.value, -q, 0.01 * weight * arm / 4e4);
            if (soft & 1)
                assert_near(sag.spring_force, weight, 0.01 * weight);
            if (soft & 2)
                assert_near(angle.spring_force, weight * arm * cos(q), 0.01 * weight * arm);
            float gap, turned;
            assert_ok(dry_joint_get_error(world, id, &gap, &turned));
            assert_at_most((double)gap, 1e-3);
            assert_at_most((double)turned, 2e-3);
            dry_world_destroy(world);
        }
}

/* Let go beside its place, it swings with w^2 = k / m along each axis, and with k / I about each: it passes
 * its place after a quarter and three quarters of its period. Solved directly it keeps its amplitude. Springs
 * of several axes that sweeps solve are implicit ones, which lose some. */
static void test_soft_fixed_joint_swings_at_its_frequency(void **state)
{
    (void)state;
    for (int way = 0; way < VELOCITY_WAYS; way++)
        for (int axis = 0; axis < DRY_AXIS_COUNT; axis++) {
            dry_world *world = world_of(way, true);
            dry_joint_def def = soft_def(2e4, 500, 0);
            dry_joint_id id;
            const dry_body_id body = add_held(world, 0, &def, &id);
            const bool turns = axis >= DRY_AXIS_RX;
            const dry_mass mass = mass_of(world, body);
            const int i = axis % 3;
            const double w = turns ? sqrt(500 / (double)mass.inertia[i][i]) : sqrt(2e4 / (double)mass.mass);
            const double begin = turns ? 0.05 : 0.02;
            d3 along = {i == 0, i == 1, i == 2};
            dry_pose pose = pose_at(begin * along.x, begin * along.y, begin * along.z);
            if (turns)
                pose = (dry_pose){{0, 0, 0}, quat_about(along, begin)};
            assert_ok(dry_body_set_pose(world, body, pose));
            double worst = 0, before = begin, crossed = 0;
            int crossings = 0;
            for (int step = 1; step <= 120; ++step) {
                run_steps(world, 1, TEST_DT);
                const double now = (double)axis_of(world, id, (dry_axis)axis).value;
                if (before * now <= 0) {
                    crossings++;
                    crossed = (step - 1 + before / (before - now)) * (double)TEST_DT;
                }
                before = now;
                worst = fmax(worst, fabs(now - begin * cos(w * step * (double)TEST_DT)));
            }
            assert_int_equal(crossings, (int)(w * 2 / TEST_PI + 0.5));
            assert_near(crossed * w, TEST_PI * (crossings - 0.5), 0.01 * TEST_PI * crossings);
            if (is_direct(way))
                assert_at_most(worst, 1e-3 * begin);
            dry_world_destroy(world);
        }
}

/* The definition reads as it was given; a rigid joint may become soft and rigid again; a soft one has no axes
 * to set, and no number that nothing would use. */
static void test_soft_fixed_joint_keeps_its_definition(void **state)
{
    (void)state;
    dry_world *world = world_of(0, false);
    dry_joint_def def = soft_def(0, 0, 0), now;
    dry_joint_id id;
    const dry_body_id body = add_held(world, 0, &def, &id);
    const double weight = (double)mass_of(world, body).mass * TEST_G;
    run_steps(world, 30, TEST_DT);
    assert_near(position_of(world, body).y, 0, 1e-3);
    def.stiffness = 1e5f;
    def.damping = 5e3f;
    assert_ok(dry_joint_set_def(world, id, &def));
    assert_ok(dry_joint_get_def(world, id, &now));
    assert_memory_equal(&now, &def, sizeof now);
    run_steps(world, 300, TEST_DT);
    assert_near(position_of(world, body).y, -weight / 1e5, 0.01 * weight / 1e5);
    dry_joint_axis_change change = {.joint = id, .axis = DRY_AXIS_X, .settings = def.axes[DRY_AXIS_X]};
    change.settings.friction = 1;
    assert_int_equal(dry_world_set_joint_axes(world, 1, &change), DRY_ERROR_ARGUMENT);
    now.angular_damping = 1;
    assert_int_equal(dry_joint_set_def(world, id, &now), DRY_ERROR_ARGUMENT);
    now.angular_stiffness = -1;
    assert_int_equal(dry_joint_set_def(world, id, &now), DRY_ERROR_ARGUMENT);
    now = dry_default_joint_def(DRY_JOINT_GENERIC);
    now.body_b = body;
    now.angular_stiffness = 1;
    dry_joint_id other;
    assert_int_equal(dry_world_create_joint(world, &now, &other), DRY_ERROR_ARGUMENT);
    def.stiffness = def.damping = 0;
    assert_ok(dry_joint_set_def(world, id, &def));
    run_steps(world, 120, TEST_DT);
    assert_near(position_of(world, body).y, 0, 1e-3);
    dry_world_destroy(world);
}

/* A pendulum takes the substeps that its joint's hertz asks for, hertz dt / 0.19 and the next tier, at most
 * substeps_max, and the few of its load without; other numbers are refused. */
static void test_joint_asks_for_substeps(void **state)
{
    (void)state;
    static const struct {
        float hertz;
        int most, sweeps, direct; /* substeps */
    } cases[] = {{0, 128, 4, 1}, {50, 128, 6, 6}, {364, 128, 32, 39}, {364, 16, 16, 16}, {700, 128, 64, 74}};
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int way = 0; way < 2; way++) {
            dry_settings settings = joint_settings(way, test_settings());
            settings.substeps_max = cases[i].most;
            dry_world *world = world_with(settings);
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
            def.body_b = add_dynamic(world, pose_at(1, 0, 0), sphere_shape(0.1));
            def.anchor_b = v3(-1, 0, 0);
            def.hertz = cases[i].hertz;
            join(world, &def);
            run_steps(world, 1, TEST_DT);
            const dry_statistics statistics = dry_world_statistics(world);
            assert_int_equal(is_direct(way) ? (int)statistics.articulations.corrections : statistics.substeps,
                             is_direct(way) ? cases[i].direct : cases[i].sweeps);
            dry_joint_id other;
            def.hertz = -1;
            assert_int_equal(dry_world_create_joint(world, &def, &other), DRY_ERROR_ARGUMENT);
            def.hertz = INFINITY;
            assert_int_equal(dry_world_create_joint(world, &def, &other), DRY_ERROR_ARGUMENT);
            dry_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motor_runs_up_by_its_torque),
        cmocka_unit_test(test_stalled_motor_gives_its_torque),
        cmocka_unit_test(test_spring_swings_by_its_closed_form),
        cmocka_unit_test(test_drive_follows_its_closed_form),
        cmocka_unit_test(test_drive_follows_a_moving_position),
        cmocka_unit_test(test_friction_stops_by_its_torque),
        cmocka_unit_test(test_hard_stop_holds),
        cmocka_unit_test(test_stop_begins_passed),
        cmocka_unit_test(test_soft_stop_has_its_depth),
        cmocka_unit_test(test_stop_gives_restitution),
        cmocka_unit_test(test_stop_gives_restitution_back_to_a_fall),
        cmocka_unit_test(test_universal_joint_has_its_speed_ratio),
        cmocka_unit_test(test_direct_universal_joint_has_its_speed_ratio),
        cmocka_unit_test(test_angles_count_rotations),
        cmocka_unit_test(test_alignment_shares_spin_across_its_axis),
        cmocka_unit_test(test_joint_asks_for_substeps),
        cmocka_unit_test(test_soft_fixed_joint_sags_and_turns),
        cmocka_unit_test(test_soft_fixed_joint_swings_at_its_frequency),
        cmocka_unit_test(test_soft_fixed_joint_keeps_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

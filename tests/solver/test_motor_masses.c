/* The masses that motors to a position move: all that hangs on their joints, held rigid. Arms against the
 * closed forms of their springs, in sweeps, directly and with auto. */
#include "tests/test_joint.h"

static const dry_quat x_to_z = {0.0f, -0.70710678f, 0.0f, 0.70710678f};

static dry_settings settings_for(int solver, bool weightless)
{
    dry_settings settings = weightless ? test_settings_weightless() : test_settings();
    settings.joint_solver = (dry_joint_solver)solver;
    return settings;
}

/* Adds a rod of 2 kg and 0.5 m along x whose center is at x. */
static dry_body_id add_rod(dry_world *world, double x)
{
    const dry_shape_def shape = box_shape(0.25, 0.02, 0.02);
    dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(x, 0, 0), &shape);
    def.mass = 2;
    return add_def(world, &def);
}

/* Joins rods end to end; the first may hang on the world, the null body. */
static dry_joint_id join_rods(dry_world *world, dry_joint_type type, dry_body_id a, dry_body_id b,
                              double hertz, double ratio, double position)
{
    dry_joint_def def = dry_default_joint_def(type);
    def.body_a = a;
    def.body_b = b;
    def.anchor_a = v3(a.bits ? 0.25 : 0, 0, 0);
    def.anchor_b = v3(-0.25, 0, 0);
    def.orientation_a = def.orientation_b = x_to_z;
    dry_joint_axis *axis = &def.axes[DRY_AXIS_RX];
    if (type == DRY_JOINT_HINGE)
        axis->motor = DRY_MOTOR_POSITION;
    if (hertz > 0) {
        axis->position = (float)position;
        axis->motor_hertz = (float)hertz;
        axis->motor_damping_ratio = (float)ratio;
    }
    return join(world, &def);
}

/* Under its weight the joint that bears a length L of a horizontal arm turns by M g L / 2 over its stiffness
 * w^2 M L^2 / 3: by 1.5 g / (w^2 L), each for itself. The cosine of 0.07 rad is left out. The arm has `rods`,
 * of which the first `left` stay enabled. */
static void check_arm(int solver, int rods, int left)
{
    enum { RODS_MAX = 6 };
    const double w = 2 * TEST_PI * 5;
    dry_world *world = world_with(settings_for(solver, false));
    dry_body_id before = {0};
    dry_joint_id joint[RODS_MAX];
    for (int i = 0; i < rods; i++) {
        const dry_body_id rod = add_rod(world, 0.25 + 0.5 * i);
        joint[i] = join_rods(world, DRY_JOINT_HINGE, before, rod, 5, 1, 0);
        if (i >= left)
            assert_ok(dry_body_set_enabled(world, rod, false));
        before = rod;
    }
    run_steps(world, 300, TEST_DT);
    for (int i = 0; i < left; i++) {
        const double expected = -1.5 * TEST_G / (w * w * 0.5 * (left - i));
        assert_near(axis_of(world, joint[i], DRY_AXIS_RX).value, expected, -0.01 * expected);
    }
    dry_world_destroy(world);
}

static void test_arms_hold_as_springs_of_what_is_beyond(void **state)
{
    (void)state;
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++)
        for (int rods = 1; rods <= 6; rods++)
            check_arm(solver, rods, rods);
}

/* A joint to a disabled body holds nothing: the motors of an arm move what is left of it. */
static void test_disabled_bodies_hold_no_arm(void **state)
{
    (void)state;
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++)
        check_arm(solver, 3, 2);
}

/* Without a frequency motors hold an arm of up to eight rods within 1 % of its length, and make no energy. */
static void test_arms_hold_their_pose(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 6, 8};
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++)
        for (int k = 0; k < COUNT_OF(sizes); k++) {
            dry_world *world = world_with(settings_for(solver, false));
            dry_body_id before = {0};
            for (int i = 0; i < sizes[k]; i++) {
                const dry_body_id rod = add_rod(world, 0.25 + 0.5 * i);
                join_rods(world, DRY_JOINT_HINGE, before, rod, 0, 1, 0);
                before = rod;
            }
            const double energy = dry_world_energy(world).total_J;
            for (int step = 0; step < test_pick(600, 120); ++step) {
                run_steps(world, 1, TEST_DT);
                assert_at_most(dry_world_energy(world).total_J, energy + 0.1);
            }
            assert_at_most(-position_of(world, before).y, 0.01 * 0.5 * sizes[k]);
            dry_world_destroy(world);
        }
}

/* Two pieces of three and two rods, which nothing holds, bend about the motor between them, as a spring of
 * its frequency on the mass that both have against each other. Were that the mass of the two rods beside it,
 * the pieces would swing at a quarter of the frequency. */
static void test_floating_motor_has_the_mass_of_both_pieces(void **state)
{
    (void)state;
    const double hertz = 2, ratio = 0.1, bend = 0.05, w = 2 * TEST_PI * hertz, z = ratio * w,
                 d = sqrt(w * w - z * z);
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++) {
        dry_settings settings = settings_for(solver, true);
        settings.substeps = 16; /* in sweeps the pieces bend by themselves, too */
        dry_world *world = world_with(settings);
        dry_body_id before = {0};
        dry_joint_id motor = {0};
        for (int i = 0; i < 5; i++) {
            const dry_body_id rod = add_rod(world, 0.25 + 0.5 * i);
            if (i == 3)
                motor = join_rods(world, DRY_JOINT_HINGE, before, rod, hertz, ratio, bend);
            else if (i > 0)
                join_rods(world, DRY_JOINT_FIXED, before, rod, 0, 0, 0);
            before = rod;
        }
        double worst = 0;
        for (int step = 1; step <= 120; ++step) {
            run_steps(world, 1, TEST_DT);
            const double t = step * (double)TEST_DT;
            const double q = bend * (1 - exp(-z * t) * (cos(d * t) + z / d * sin(d * t)));
            worst = fmax(worst, fabs((double)axis_of(world, motor, DRY_AXIS_RX).value - q));
        }
        assert_at_most(worst, 0.02 * bend);
        dry_world_destroy(world);
    }
}

/* Returns k as a motor gives it: its force over the angle that it is off, at rest. */
static double stiffness_of(const dry_world *world, dry_joint_id id)
{
    const dry_joint_axis_state axis = axis_of(world, id, DRY_AXIS_RX);
    return -(double)axis.motor_force / (double)axis.value;
}

/* A motor of a loop has the inertia of its two bodies; when the loop is opened, that of all beyond; a body
 * that is added counts, and one that is taken away does not. */
static void test_mass_follows_the_graph(void **state)
{
    (void)state;
    const double w = 2 * TEST_PI * 5, m = 2;
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++) {
        dry_world *world = world_with(settings_for(solver, false));
        const dry_body_id none = {0}, first = add_rod(world, 0.25), second = add_rod(world, 0.75);
        const dry_joint_id motor = join_rods(world, DRY_JOINT_HINGE, none, first, 5, 1, 0);
        join_rods(world, DRY_JOINT_FIXED, first, second, 0, 0, 0);
        const double one = m * 0.25 / 3, own = m * 0.04 * 0.04 / 12;
        run_steps(world, 240, TEST_DT);
        assert_near(stiffness_of(world, motor), w * w * (8 * one + 2 * own), 0.01 * w * w * 8 * one);

        /* A rope from the end to the world, which hangs loose, closes the loop. */
        dry_joint_def rope = dry_default_joint_def(DRY_JOINT_DISTANCE);
        rope.body_b = second;
        rope.target.x = 1;
        rope.anchor_b = v3(0.25, 0, 0);
        rope.length_max = 10;
        const dry_joint_id loop = join(world, &rope);
        run_steps(world, 240, TEST_DT);
        assert_near(stiffness_of(world, motor), w * w * (one + own), 0.01 * w * w * one);
        assert_ok(dry_joint_set_enabled(world, loop, false));
        run_steps(world, 240, TEST_DT);
        assert_near(stiffness_of(world, motor), w * w * (8 * one + 2 * own), 0.01 * w * w * 8 * one);
        assert_ok(dry_body_destroy(world, second));
        run_steps(world, 240, TEST_DT);
        assert_near(stiffness_of(world, motor), w * w * (one + own), 0.01 * w * w * one);

        /* Without its frequency the motor is as stiff as substeps converge on: it needs no such mass. */
        dry_joint_def def;
        assert_ok(dry_joint_get_def(world, motor, &def));
        def.axes[DRY_AXIS_RX].motor_hertz = 0;
        assert_ok(dry_joint_set_def(world, motor, &def));
        run_steps(world, 60, TEST_DT);
        assert_at_most(fabs((double)axis_of(world, motor, DRY_AXIS_RX).value), 2e-3);
        assert_ok(dry_joint_destroy(world, motor));
        run_steps(world, 1, TEST_DT);
        dry_world_destroy(world);
    }
}

/* A servo of 20 Hz and a damping ratio of 0.2 follows its closed form where steps of 1/60 s end. */
static void test_fast_servo_follows_its_closed_form(void **state)
{
    (void)state;
    const double w = 2 * TEST_PI * 20, z = 0.2 * w, d = sqrt(w * w - z * z);
    for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; solver++) {
        dry_world *world = world_with(settings_for(solver, true));
        const dry_body_id none = {0};
        const dry_joint_id motor = join_rods(world, DRY_JOINT_HINGE, none, add_rod(world, 0.25), 20, 0.2, 1);
        for (int step = 1; step <= 60; ++step) {
            run_steps(world, 1, TEST_DT);
            const double t = step * (double)TEST_DT;
            const double q = 1 - exp(-z * t) * (cos(d * t) + z / d * sin(d * t));
            assert_near(axis_of(world, motor, DRY_AXIS_RX).value, q, 0.02);
        }
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arms_hold_as_springs_of_what_is_beyond),
        cmocka_unit_test(test_disabled_bodies_hold_no_arm),
        cmocka_unit_test(test_arms_hold_their_pose),
        cmocka_unit_test(test_floating_motor_has_the_mass_of_both_pieces),
        cmocka_unit_test(test_mass_follows_the_graph),
        cmocka_unit_test(test_fast_servo_follows_its_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

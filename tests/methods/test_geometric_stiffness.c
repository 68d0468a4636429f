/* The setting geometric_stiffness: the closed form of a pendulum's step with and without, what stays
 * conserved, that it is inertia and no more, and what it is worth for bodies of little inertia. */
#include "tests/counting_allocator.h"
#include "tests/test_joint.h"

static const dry_solver methods[] = {DRY_SOLVER_PBD, DRY_SOLVER_XPBD};

static dry_settings settings_of(dry_solver solver, bool stiff, int substeps, int sweeps)
{
    dry_settings settings = test_settings();
    settings.method.solver = solver;
    settings.method.geometric_stiffness = stiff;
    settings.substeps = substeps;
    settings.sweeps = sweeps;
    settings.sleep = false;
    return settings;
}

/* Runs a check with both methods, with the setting and without. */
static void over_settings(int substeps, int sweeps, void (*check)(dry_settings settings))
{
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int stiff = 0; stiff < 2; stiff++)
            check(settings_of(methods[m], stiff, substeps, sweeps));
}

enum { SWINGS = 30 };
#define PENDULUM_ANGLE 0.02 /* rad */

/* Returns (w h)^2 of a ball of radius r that turns about a point of its surface. */
static double pendulum_square(double dt, double r)
{
    return dt * dt * TEST_G / (1.4 * r);
}

/* Lets such a ball swing in one substep a step; writes its angle after each step, rad. A short step comes
 * first: the stiffness is that of its multiplier. */
static void swing(dry_settings settings, double dt, double r, double *angle)
{
    dry_world *world = world_with(settings);
    dry_pose pose = pose_at(r * sin(PENDULUM_ANGLE), -r * cos(PENDULUM_ANGLE), 0);
    pose.orientation = quat_about((d3){0, 0, 1}, PENDULUM_ANGLE);
    const dry_body_id ball = add_dynamic(world, pose, sphere_shape(r));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_b = ball;
    def.anchor_b.y = (float)r;
    join(world, &def);
    run_steps(world, 1, 1e-4f);
    for (int i = 0; i < SWINGS; i++) {
        run_steps(world, 1, (float)dt);
        const d3 p = position_of(world, ball);
        angle[i] = atan2(p.x, -p.y);
    }
    dry_world_destroy(world);
}

/* A joint's impulse acts at the arm of the substep's beginning: w' = w - x^2 a / h, a' = a + h w', x = w_0 h.
 * The stiffness divides x^2 by 1 + x^2. Both maps keep areas: neither takes energy from the swing. */
static void check_pendulum(dry_settings settings)
{
    static const double dt[] = {1.0 / 240, 1.0 / 60, 1.0 / 30, 1.0 / 20, 1.0 / 12};
    const double r = 0.1;
    for (int k = 0; k < COUNT_OF(dt); k++) {
        const double square = pendulum_square(dt[k], r);
        const double share = settings.method.geometric_stiffness ? square / (1 + square) : square;
        double angle[SWINGS];
        swing(settings, dt[k], r, angle);
        for (int i = 2; i < SWINGS; i++) {
            const double a = angle[i - 1];
            assert_near(angle[i], a + (a - angle[i - 2]) - share * a, 1e-4 * PENDULUM_ANGLE);
        }
    }
}

static void test_a_pendulum_keeps_its_swing(void **state)
{
    (void)state;
    over_settings(1, 32, check_pendulum);
}

/* Without the stiffness the step's eigenvalue is beyond -1 from x^2 = 4 on. With it no step is too long: the
 * trace of the step is 2 - x^2 / (1 + x^2), and the swing stays within 2 / sqrt(3) of where it began. */
static void check_long_steps(dry_settings settings)
{
    static const double dt[] = {1.0 / 4, 1.0 / 3, 1.0 / 2};
    const double r = 0.1;
    for (int k = 0; k < COUNT_OF(dt); k++) {
        double angle[SWINGS], largest = 0;
        assert_true(pendulum_square(dt[k], r) > 4);
        swing(settings, dt[k], r, angle);
        for (int i = 2; i < SWINGS; i++)
            largest = fmax(largest, fabs(angle[i]));
        if (settings.method.geometric_stiffness) {
            assert_at_most(largest, 1.16 * PENDULUM_ANGLE);
            assert_true(largest > 0.99 * PENDULUM_ANGLE);
        } else {
            assert_true(largest > 10 * PENDULUM_ANGLE);
        }
    }
}

static void test_no_step_is_too_long(void **state)
{
    (void)state;
    over_settings(1, 32, check_long_steps);
}

enum { LINKS = 6, THROWN = LINKS + 2 };

/* A chain of thin rods that is thrown and spun, and two balls that hit it: both momenta stay. */
static void check_momenta(dry_settings settings)
{
    settings.gravity = v3(0, 0, 0);
    dry_world *world = world_with(settings);
    dry_body_id ids[THROWN];
    uint64_t seed = 7;
    for (int i = 0; i < LINKS; i++) {
        ids[i] = add_dynamic(world, pose_at(i, 0, 0), box_shape(0.45, 0.03, 0.05));
        const d3 velocity = random_d3(&seed, 2), spin = random_d3(&seed, 3);
        set_velocity(world, ids[i], velocity, spin);
        dry_joint_def def = dry_default_joint_def(i % 2 ? DRY_JOINT_BALL : DRY_JOINT_HINGE);
        def.body_a = ids[i > 0 ? i - 1 : 0], def.body_b = ids[i];
        def.anchor_a = v3(0.5, 0, 0), def.anchor_b = v3(-0.5, 0, 0);
        if (i > 0)
            join(world, &def);
    }
    for (int i = LINKS; i < THROWN; i++) {
        ids[i] = add_dynamic(world, pose_at(2.0 * (i - LINKS) + 1, 2, 0), sphere_shape(0.3));
        set_velocity(world, ids[i], (d3){0, -3, 0}, (d3){0, 0, 0});
    }
    const d3 linear = total_momentum(world, ids, THROWN);
    const d3 angular = total_angular_momentum(world, ids, THROWN);
    for (int step = 0; step < 120; step++) {
        run_steps(world, 1, TEST_DT);
        const d3 l = d3_sub(total_momentum(world, ids, THROWN), linear);
        const d3 a = d3_sub(total_angular_momentum(world, ids, THROWN), angular);
        assert_at_most(d3_length(l), 1e-4 * d3_length(linear));
        assert_at_most(d3_length(a), 1e-4 * LINKS * d3_length(linear)); /* about an end of 6 m */
    }
    dry_world_destroy(world);
}

static void test_momenta_stay(void **state)
{
    (void)state;
    over_settings(4, 4, check_momenta);
    over_settings(16, 1, check_momenta);
}

enum { ROD_STEPS = 120 };

/* Returns a world of a rod of 1 m and 1 kg on a pivot, which a force pulls away from it and whose far part
 * rests on a fixed ball, at rest in one substep a step. */
static dry_world *rod_world(dry_settings settings, dry_body_id *rod, dry_joint_id *joint)
{
    const double thick = 0.05, radius = 0.2;
    dry_world *world = world_with(settings);
    dry_shape_def box = box_shape(0.5, thick, thick), ball = sphere_shape(radius);
    box.friction = ball.friction = 0;
    box.density = (float)(1 / (4 * thick * thick));
    *rod = add_dynamic(world, pose_at(0.5, 0, 0), box);
    add_body(world, DRY_BODY_STATIC, pose_at(0.9, -thick - radius, 0), ball);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_b = *rod;
    def.anchor_b.x = -0.5f;
    *joint = join(world, &def);
    return world;
}

static void pull_rod(dry_world *world, dry_body_id rod, double push)
{
    assert_ok(dry_body_apply_force(world, rod, v3(300, 0, push)));
    run_steps(world, 1, TEST_DT);
}

/* Gives a rod the inertia that its joint's last impulse J stiffens it to: h J.r and what J has across r. */
static void stiffen(dry_world *world, dry_body_id rod, dry_joint_id joint)
{
    dry_vec3 impulse;
    assert_ok(dry_joint_get_impulse(world, joint, &impulse));
    const dry_quat q = pose_of(world, rod).orientation;
    const d3 j = d3_turn_back(q, d3_scale(d3_of(impulse), TEST_DT));
    const double r = -0.5, yy = j.x * r, xy = 0.5 * fabs(j.y * r), xz = 0.5 * fabs(j.z * r);
    dry_mass mass = mass_of(world, rod);
    mass.inertia[0][0] += (float)(xy + xz);
    mass.inertia[1][1] += (float)(yy + xy);
    mass.inertia[2][2] += (float)(yy + xz);
    assert_ok(dry_body_set_mass(world, rod, &mass));
}

/* Returns how far two poses are apart, m, or in the components of their rotations. */
static double apart(const dry_pose *a, const dry_pose *b)
{
    const double turns[] = {(double)a->orientation.x - (double)b->orientation.x,
                            (double)a->orientation.y - (double)b->orientation.y,
                            (double)a->orientation.z - (double)b->orientation.z};
    double worst = d3_length(d3_sub(d3_at(a->position), d3_at(b->position)));
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(turns[k]));
    return worst;
}

/* The step of a rod with the stiffness is that of a rod with so much inertia, with its joint and its contact.
 * The rod turns about one axis without friction: between impulses a body turns by its own inertia. */
static void check_inertia(dry_settings settings)
{
    dry_pose end[3];
    for (int k = 0; k < 3; k++) { /* stiff; with that inertia; neither */
        dry_body_id rod;
        dry_joint_id joint;
        settings.method.geometric_stiffness = true;
        dry_world *world = rod_world(settings, &rod, &joint);
        for (int i = 0; i < ROD_STEPS; i++)
            pull_rod(world, rod, 0);
        settings.method.geometric_stiffness = k == 0;
        assert_ok(dry_world_set_settings(world, &settings));
        if (k == 1)
            stiffen(world, rod, joint);
        pull_rod(world, rod, 300);
        end[k] = pose_of(world, rod);
        dry_world_destroy(world);
    }
    assert_at_most(apart(&end[0], &end[1]), 1e-7); /* they differ by the third power of the turn */
    assert_true(apart(&end[0], &end[2]) > 5e-3);
}

static void test_it_is_inertia(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int warm = 0; warm < 2; warm++) {
            dry_settings settings = settings_of(methods[m], true, 1, 8);
            settings.warm_start = warm;
            check_inertia(settings);
        }
}

/* Returns the largest opening in 5 s of ten small cubes of 1 kg on arms of 0.5 m that fall from the
 * horizontal, the last of them with a load, m. */
static double opening_of(dry_settings settings, double half, double load)
{
    enum { CUBES = 10 };
    dry_world *world = world_with(settings);
    dry_body_id ids[CUBES];
    double worst = 0;
    for (int i = 0; i < CUBES; i++) {
        dry_shape_def cube = box_shape(half, half, half);
        cube.density = (float)((i == CUBES - 1 ? load : 1) / (8 * half * half * half));
        ids[i] = add_dynamic(world, pose_at(i + 0.5, 0, 0), cube);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_b = ids[i];
        def.anchor_b.x = -0.5f;
        if (i > 0)
            def.body_a = ids[i - 1], def.anchor_a.x = 0.5f;
        join(world, &def);
    }
    for (int step = 0; step < 300; step++) {
        run_steps(world, 1, TEST_DT);
        d3 end = {0, 0, 0};
        for (int i = 0; i < CUBES; i++) {
            const d3 arm = d3_turn(pose_of(world, ids[i]).orientation, (d3){0.5, 0, 0});
            const d3 at = position_of(world, ids[i]);
            worst = fmax(worst, d3_length(d3_sub(d3_sub(at, arm), end)));
            end = d3_add(at, arm);
        }
    }
    dry_world_destroy(world);
    return worst;
}

/* With the stiffness the opening does not grow as the cubes' inertia falls to a hundredth. */
static void test_little_inertia(void **state)
{
    (void)state;
    const double small = 0.05, large = 0.5, load = 100;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        const dry_settings with = settings_of(methods[m], true, 4, 4);
        const dry_settings without = settings_of(methods[m], false, 4, 4);
        assert_at_most(opening_of(with, small, load), 1.1 * opening_of(with, large, load));
        assert_true(opening_of(without, small, load) > 10 * opening_of(without, large, load));
    }
}

enum { HUNG = 4 };

/* Damped rods of 1 kg that hang from the world bear the weight below them, sleep, and sleep again when one
 * was pushed.
 */
static void check_hanging(dry_settings settings)
{
    settings.sleep = true;
    dry_world *world = world_with(settings);
    dry_body_id ids[HUNG];
    dry_joint_id joints[HUNG];
    for (int i = 0; i < HUNG; i++) {
        dry_shape_def rod = box_shape(0.05, 0.5, 0.05);
        rod.density = 100;
        dry_body_def body = body_def(DRY_BODY_DYNAMIC, pose_at(0, -0.5 - i, 0), &rod);
        body.linear_damping = body.angular_damping = 2;
        ids[i] = add_def(world, &body);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_b = ids[i];
        def.anchor_b.y = 0.5f;
        if (i > 0)
            def.body_a = ids[i - 1], def.anchor_a.y = -0.5f;
        joints[i] = join(world, &def);
    }
    for (int round = 0; round < 2; round++) {
        int steps = 0;
        for (; steps < 3600 && dry_body_is_awake(world, ids[0]); steps++)
            run_steps(world, 1, TEST_DT);
        assert_false(dry_body_is_awake(world, ids[0]));
        for (int i = 0; i < HUNG; i++) {
            dry_vec3 impulse;
            assert_ok(dry_joint_get_impulse(world, joints[i], &impulse));
            assert_near((double)impulse.y * 60 * settings.substeps, (HUNG - i) * TEST_G, 0.01 * TEST_G);
        }
        set_velocity(world, ids[HUNG - 1], (d3){0.5, 0, 0}, (d3){0, 0, 0});
    }
    dry_world_destroy(world);
}

static void test_hanging(void **state)
{
    (void)state;
    over_settings(4, 16, check_hanging);
}

/* Returns the bytes of a world after some steps with two bodies, on a joint or not. */
static size_t bytes_of(bool stiff, bool joint)
{
    counting_allocator counter = {.fail_at = -1};
    dry_world_def world_def = test_world_def();
    world_def.allocator = counting_hooks(&counter);
    world_def.settings = settings_of(DRY_SOLVER_PBD, stiff, 4, 2);
    dry_world *world = world_from(&world_def);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.1));
    def.body_b = add_dynamic(world, pose_at(1, 0, 0), sphere_shape(0.1));
    def.anchor_b.x = -1;
    if (joint)
        join(world, &def);
    run_steps(world, 3, TEST_DT);
    const size_t bytes = counter.bytes;
    dry_world_destroy(world);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    return bytes;
}

static void test_memory_is_for_those_who_use_it(void **state)
{
    (void)state;
    assert_int_equal(bytes_of(true, false), bytes_of(false, false));
    assert_true(bytes_of(true, true) > bytes_of(false, true));
}

/* A heap without joints moves bit for bit as without the setting. */
static void test_nothing_without_joints(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int stiff = 0; stiff < 2; stiff++) {
        dry_world *world = world_with(settings_of(DRY_SOLVER_XPBD, stiff, 4, 2));
        add_floor(world, 0.6, 0);
        for (int i = 0; i < 8; i++)
            add_dynamic(world, pose_at(0.1 * (i % 3), 0.6 + 1.1 * i, 0), box_shape(0.5, 0.5, 0.5));
        run_steps(world, 60, TEST_DT);
        hash[stiff] = dry_world_motion_hash(world);
        dry_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pendulum_keeps_its_swing),
        cmocka_unit_test(test_no_step_is_too_long),
        cmocka_unit_test(test_momenta_stay),
        cmocka_unit_test(test_it_is_inertia),
        cmocka_unit_test(test_little_inertia),
        cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_memory_is_for_those_who_use_it),
        cmocka_unit_test(test_nothing_without_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

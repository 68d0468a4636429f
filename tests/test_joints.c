/* Joints against closed form: pendulum periods, springs, forces carried, what they conserve. */
#include "tests/test_world.h"

#include "solver/spook.h"

static dry_joint_id add_joint(dry_world *world, dry_joint_type type, dry_body_id a, dry_vec3 anchor_a,
                              dry_body_id b, dry_vec3 anchor_b, double length)
{
    dry_joint_def def = dry_default_joint_def(type);
    def.body_a = a;
    def.body_b = b;
    def.anchor_a = anchor_a;
    def.anchor_b = anchor_b;
    def.length = (float)length;
    dry_joint_id id = {0};
    assert_ok(dry_world_create_joint(world, &def, &id));
    return id;
}

/* The distance between a joint's anchors in the world. */
static double anchor_gap(const dry_world *world, dry_joint_id id)
{
    dry_joint_def def;
    assert_ok(dry_joint_get_def(world, id, &def));
    dry_pose a = pose_of(world, def.body_a), b = pose_of(world, def.body_b);
    d3 at_a = d3_add(d3_at(a.position), d3_turn(a.orientation, d3_of(def.anchor_a)));
    d3 at_b = d3_add(d3_at(b.position), d3_turn(b.orientation, d3_of(def.anchor_b)));
    return d3_length(d3_sub(at_a, at_b));
}

typedef struct pendulum_run {
    double period;    /* mean over the swings seen */
    double amplitude; /* of the last swing */
    double gap_max;   /* anchors from where the joint holds them */
} pendulum_run;

static pendulum_run run_pendulum(dry_joint_type type, double amplitude, float dt)
{
    const double r = 0.2, l = 1;
    dry_settings settings = test_settings();
    settings.substeps = 4;
    dry_world *world = world_with(settings);
    dry_body_def pivot_def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
    dry_body_id pivot = add_def(world, &pivot_def);
    dry_pose start = {{l * sin(amplitude), -l * cos(amplitude), 0}, quat_about((d3){0, 0, 1}, amplitude)};
    dry_body_id bob = add_dynamic(world, start, sphere_shape(r));
    bool ball = type == DRY_JOINT_BALL;
    dry_joint_id joint =
        add_joint(world, type, pivot, v3(0, 0, 0), bob, v3(0, ball ? l : 0, 0), ball ? 0 : l);
    pendulum_run run = {0};
    double before = amplitude, first = -1, last = -1, top = 0;
    int crossings = 0;
    for (int i = 1; i * (double)dt < 10; ++i) {
        run_steps(world, 1, dt);
        d3 p = position_of(world, bob);
        double angle = atan2(p.x, -p.y);
        run.gap_max = fmax(run.gap_max, fabs(anchor_gap(world, joint) - (ball ? 0 : l)));
        top = fmax(top, fabs(angle));
        if ((before > 0) != (angle > 0)) {
            last = (i - angle / (angle - before)) * (double)dt;
            if (crossings++ == 0)
                first = last;
            run.amplitude = top;
            top = 0;
        }
        before = angle;
    }
    run.period = 2 * (last - first) / (crossings - 1);
    dry_world_destroy(world);
    return run;
}

/* T = 2 pi sqrt(I / (m g l)) (1 + a^2 / 16 + 11 a^4 / 3072 + ...), I about the pivot: m l^2 + 2/5 m r^2 on a
 * ball joint, m l^2 on a string. The next term, 173 a^6 / 737280, is the series' own error. */
static void check_pendulum(dry_joint_type type, double amplitude)
{
    double inertia = type == DRY_JOINT_BALL ? 1 + 0.4 * 0.04 : 1, a2 = amplitude * amplitude;
    double expected = 2 * TEST_PI * sqrt(inertia / TEST_G) * (1 + a2 / 16 + 11 * a2 * a2 / 3072);
    double series = 173 * a2 * a2 * a2 / 737280;
    pendulum_run coarse = run_pendulum(type, amplitude, 1.0f / 60);
    pendulum_run fine = run_pendulum(type, amplitude, 1.0f / 240);
    assert_near(coarse.period, expected, (0.01 + series) * expected);
    assert_near(fine.period, expected, (0.0025 + series) * expected);
    assert_near(coarse.amplitude, amplitude, 0.05 * amplitude);
    assert_near(fine.amplitude, amplitude, 0.0125 * amplitude + 1e-3);
    assert_at_most(coarse.gap_max, 2e-3);
    assert_at_most(fine.gap_max, 5e-4);
}

static void test_pendulum_on_a_ball_joint(void **state)
{
    (void)state;
    check_pendulum(DRY_JOINT_BALL, 0.1);
    check_pendulum(DRY_JOINT_BALL, 0.5);
    check_pendulum(DRY_JOINT_BALL, 1.2);
}

static void test_pendulum_on_a_string(void **state)
{
    (void)state;
    check_pendulum(DRY_JOINT_DISTANCE, 0.1);
    check_pendulum(DRY_JOINT_DISTANCE, 0.5);
    check_pendulum(DRY_JOINT_DISTANCE, 1.2);
}

/* The conical pendulum: constant height l cos(a), angular speed sqrt(g / (l cos a)). */
static void test_conical_pendulum(void **state)
{
    (void)state;
    const double a = 0.6, omega = sqrt(TEST_G / cos(a));
    dry_settings settings = test_settings();
    settings.substeps = 8;
    dry_world *world = world_with(settings);
    dry_body_def pivot_def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
    dry_body_id pivot = add_def(world, &pivot_def);
    dry_body_id bob = add_dynamic(world, pose_at(sin(a), -cos(a), 0), sphere_shape(0.1));
    add_joint(world, DRY_JOINT_DISTANCE, pivot, v3(0, 0, 0), bob, v3(0, 0, 0), 1);
    set_velocity(world, bob, (d3){0, 0, -omega * sin(a)}, (d3){0, 0, 0});
    double swept = 0, before = 0;
    for (int i = 0; i < 480; ++i) {
        run_steps(world, 1, 1.0f / 240);
        d3 p = position_of(world, bob);
        double angle = atan2(-p.z, p.x), turn = angle - before;
        swept += turn < -TEST_PI ? turn + 2 * TEST_PI : turn;
        before = angle;
        assert_near(p.y, -cos(a), 0.01);
    }
    assert_near(swept, 2 * omega, 0.01 * 2 * omega);
    dry_world_destroy(world);
}

/* A weight on a spring: period 2 pi sqrt(m / k) about the stretch m g / k. */
static void test_spring(void **state)
{
    (void)state;
    const double m = 10, k = 1000, stretch = m * TEST_G / k, expected = 2 * TEST_PI * sqrt(m / k);
    for (int damped = 0; damped < 2; ++damped) {
        dry_settings settings = test_settings();
        settings.substeps = 8;
        dry_world *world = world_with(settings);
        dry_body_def pivot_def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
        dry_body_id pivot = add_def(world, &pivot_def);
        dry_shape_def shape = sphere_shape(0.1);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, -1, 0), &shape);
        def.mass = (float)m;
        dry_body_id weight = add_def(world, &def);
        dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
        spring.body_a = pivot;
        spring.body_b = weight;
        spring.length = 1;
        spring.stiffness = (float)k;
        spring.damping = damped ? 60 : 0; /* of 2 sqrt(k m) = 200, which would be critical */
        dry_joint_id joint;
        assert_ok(dry_world_create_joint(world, &spring, &joint));
        double first = -1, last = -1, before = stretch, sum = 0;
        int crossings = 0;
        for (int i = 1; i <= 1200; ++i) {
            run_steps(world, 1, 1.0f / 240);
            double y = position_of(world, weight).y + 1 + stretch; /* above the middle */
            if ((y > 0) != (before > 0)) {
                last = (i - y / (y - before)) / 240;
                if (crossings++ == 0)
                    first = last;
            }
            before = y;
            sum += y;
        }
        if (damped) {
            assert_near(before, 0, 0.01 * stretch);
        } else {
            assert_true(crossings > 10);
            assert_near(2 * (last - first) / (crossings - 1), expected, 0.01 * expected);
            assert_near(sum / 1200, 0, 0.05 * stretch);
        }
        dry_world_destroy(world);
    }
}

/* A hanging chain: joint i carries all below it, straight up on body b, and hardly gapes; also with a
 * weight of 100 links at its end. */
static void test_chain_carries(void **state)
{
    (void)state;
    enum { LINKS = 10 };
    for (int heavy = 0; heavy < 2; ++heavy) {
        dry_world *world = world_with(test_settings());
        dry_body_def pivot_def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
        dry_body_id above = add_def(world, &pivot_def);
        dry_joint_id joints[LINKS];
        double masses[LINKS];
        for (int i = 0; i < LINKS; ++i) {
            dry_shape_def shape = capsule_shape(0.05, 0.2);
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, -0.25 - 0.5 * i, 0), &shape);
            masses[i] = heavy && i == LINKS - 1 ? 100 : 1;
            def.mass = (float)masses[i];
            dry_body_id link = add_def(world, &def);
            joints[i] =
                add_joint(world, DRY_JOINT_BALL, above, v3(0, i ? -0.25 : 0, 0), link, v3(0, 0.25, 0), 0);
            above = link;
        }
        run_steps(world, 240, TEST_DT);
        int substeps = dry_world_statistics(world).substeps;
        assert_true(substeps > 0);
        for (int i = 0; i < LINKS; ++i) {
            double weight = 0;
            for (int k = i; k < LINKS; ++k)
                weight += masses[k] * TEST_G;
            dry_vec3 impulse;
            assert_ok(dry_joint_get_impulse(world, joints[i], &impulse));
            assert_near(impulse.y * substeps / TEST_DT, weight, 0.02 * weight);
            assert_at_most(hypot(impulse.x, impulse.z) * substeps / TEST_DT, 0.02 * weight);
            assert_at_most(anchor_gap(world, joints[i]), heavy ? 1e-2 : 1e-3);
        }
        dry_world_destroy(world);
    }
}

/* 10 t below ten links of 1 kg bounce as on a spring of eleven: a rigid joint is a spring of w^2 times the
 * pair's reduced mass, w as the substep rate allows. Under twice its stretch at rest, the chain holds. The
 * limit of a joint's bias velocity does not bound its force. */
static void test_chain_holds_a_heavy_load(void **state)
{
    (void)state;
    enum { LINKS = 10 };
    const double load = 1e4, length = 0.5 * LINKS;
    for (int fine = 0; fine < 2; ++fine) {
        dry_settings settings = test_settings();
        settings.substeps = fine ? 96 : 0;
        dry_world *world = world_with(settings);
        dry_body_def def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
        dry_body_id above = add_def(world, &def), end = above;
        for (int i = 0; i <= LINKS; ++i) {
            dry_shape_def shape = i < LINKS ? capsule_shape(0.05, 0.2) : box_shape(0.5, 0.5, 0.5);
            double half = i < LINKS ? 0.25 : 0.5;
            def = body_def(DRY_BODY_DYNAMIC, pose_at(0, -0.5 * i - half, 0), &shape);
            def.mass = i < LINKS ? 1.0f : (float)load;
            end = add_def(world, &def);
            add_joint(world, DRY_JOINT_BALL, above, v3(0, i ? -0.25 : 0, 0), end, v3(0, half, 0), 0);
            above = end;
        }
        double longest = 0;
        for (int i = 0; i < 300; ++i) {
            run_steps(world, 1, TEST_DT);
            longest = fmax(longest, -position_of(world, end).y - 0.5 - length);
        }
        const double h = (double)TEST_DT / dry_world_statistics(world).substeps;
        const double w = 2 * TEST_PI * (double)dry_hertz_of_substep((float)h);
        double at_rest = 0;
        for (int i = 0; i <= LINKS; ++i)
            at_rest += (load + (LINKS - i)) * TEST_G / (w * w) * (i > 0 && i < LINKS ? 2 : 1);
        assert_at_most(longest, 2 * at_rest);
        assert_true(longest > at_rest);
        dry_world_destroy(world);
    }
}

/* Jointed bodies adrift keep their momentum to round-off (256 epsilons of the sum of magnitudes). */
static void test_joints_conserve_momentum(void **state)
{
    (void)state;
    enum { BODIES = 8 };
    dry_world *world = world_with(test_settings_weightless());
    dry_body_id ids[BODIES];
    uint64_t seed = 3;
    double scale = 0;
    for (int i = 0; i < BODIES; ++i) {
        ids[i] = add_dynamic(world, pose_at(i, 0, 0), box_shape(0.3, 0.1 + 0.05 * (i % 3), 0.1));
        set_velocity(world, ids[i], random_d3(&seed, 2), random_d3(&seed, 2));
        scale += mass_of(world, ids[i]).mass * d3_length(velocity_of(world, ids[i]));
        if (i % 2)
            add_joint(world, DRY_JOINT_BALL, ids[i - 1], v3(0.5, 0, 0), ids[i], v3(-0.5, 0, 0), 0);
        else if (i)
            add_joint(world, DRY_JOINT_DISTANCE, ids[i - 1], v3(0.3, 0, 0), ids[i], v3(-0.3, 0, 0), 0.4);
    }
    d3 before = total_momentum(world, ids, BODIES);
    run_steps(world, 300, TEST_DT);
    assert_at_most(d3_length(d3_sub(total_momentum(world, ids, BODIES), before)), 256 * FLT_EPSILON * scale);
    dry_world_destroy(world);
}

/* Jointed bodies touch each other only if the joint says so; once it is gone, they do. */
static void test_collide_flag(void **state)
{
    (void)state;
    for (int collide = 0; collide < 2; ++collide) {
        dry_world *world = world_with(test_settings_weightless());
        dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
        dry_body_id b = add_dynamic(world, pose_at(0.98, 0, 0), sphere_shape(0.5));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        assert_false(def.collide);
        def.body_a = a;
        def.body_b = b;
        def.anchor_a = v3(0.49, 0, 0);
        def.anchor_b = v3(-0.49, 0, 0);
        def.collide = collide;
        dry_joint_id joint;
        assert_ok(dry_world_create_joint(world, &def, &joint));
        run_steps(world, 5, TEST_DT);
        assert_int_equal(dry_world_get_contacts(world, NULL, 0), collide);
        assert_ok(dry_joint_destroy(world, joint));
        assert_false(dry_joint_is_valid(world, joint));
        run_steps(world, 1, TEST_DT);
        assert_int_equal(dry_world_get_contacts(world, NULL, 0), 1);
        dry_world_destroy(world);
    }
}

static void test_definition_reads_back(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_body_id b = add_dynamic(world, pose_at(3, 0, 0), sphere_shape(0.5));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE), back;
    def.body_a = a;
    def.body_b = b;
    def.anchor_a = v3(0.1, 0.2, 0.3);
    def.anchor_b = v3(-0.1, -0.2, -0.3);
    def.length = 2.5f;
    def.stiffness = 400;
    def.damping = 3;
    def.collide = true;
    def.user_data = 77;
    dry_joint_id ids[3];
    dry_joint_def defs[3] = {def, def, def};
    assert_ok(dry_world_create_joints(world, 3, defs, ids));
    assert_ok(dry_joint_get_def(world, ids[1], &back));
    assert_int_equal(back.type, DRY_JOINT_DISTANCE);
    assert_true(back.body_a.bits == a.bits && back.body_b.bits == b.bits);
    assert_true(back.anchor_a.y == def.anchor_a.y && back.anchor_b.z == def.anchor_b.z);
    assert_true(back.length == 2.5f && back.stiffness == 400 && back.damping == 3);
    assert_true(back.collide && back.user_data == 77);

    dry_joint_id of_body[3];
    int count = 0;
    assert_ok(dry_body_get_joints(world, b, of_body, 3, &count));
    assert_int_equal(count, 3);
    assert_int_equal(dry_world_statistics(world).joints, 3);
    assert_ok(dry_world_destroy_body(world, a));
    for (int i = 0; i < 3; ++i)
        assert_false(dry_joint_is_valid(world, ids[i]));
    assert_ok(dry_body_get_joints(world, b, of_body, 3, &count));
    assert_int_equal(count, 0);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_on_a_ball_joint),
        cmocka_unit_test(test_pendulum_on_a_string),
        cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_spring),
        cmocka_unit_test(test_chain_carries),
        cmocka_unit_test(test_chain_holds_a_heavy_load),
        cmocka_unit_test(test_joints_conserve_momentum),
        cmocka_unit_test(test_collide_flag),
        cmocka_unit_test(test_definition_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

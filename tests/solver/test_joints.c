/* Joints against closed form: pendulum periods, springs, forces carried, what they conserve. */
#include "tests/test_joint.h"

#include "solver/constraint/spook.h"
#include "solver/plan/difficulty.h"

static dry_joint_id add_joint(dry_world *world, dry_joint_type type, dry_body_id a, dry_vec3 anchor_a,
                              dry_body_id b, dry_vec3 anchor_b, double length)
{
    dry_joint_def def = dry_default_joint_def(type);
    def.body_a = a;
    def.body_b = b;
    def.anchor_a = anchor_a;
    def.anchor_b = anchor_b;
    def.length = (float)length;
    return join(world, &def);
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

enum { WEIGHTS = 5 };

/* Hangs weights of 10 kg, 1 m apart, on springs of k N/m and c N s/m below each other and below a fixed body;
 * nothing is stretched. A ball joint's anchor is 1 m below the upper body. */
static dry_world *hang_weights(dry_settings settings, dry_joint_type type, int count, double k, double c,
                               dry_body_id id[WEIGHTS])
{
    dry_world *world = world_with(settings);
    dry_body_def def = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
    dry_joint_def spring = dry_default_joint_def(type);
    spring.body_a = add_def(world, &def);
    spring.length = 1;
    spring.anchor_a.y = type == DRY_JOINT_BALL ? -1.0f : 0.0f;
    spring.stiffness = (float)k;
    spring.damping = (float)c;
    dry_shape_def shape = sphere_shape(0.1);
    for (int i = 0; i < count; ++i) {
        def = body_def(DRY_BODY_DYNAMIC, pose_at(0, -1 - i, 0), &shape);
        def.mass = 10;
        spring.body_b = id[i] = add_def(world, &def);
        dry_joint_id joint;
        assert_ok(dry_world_create_joint(world, &spring, &joint));
        spring.body_a = id[i];
    }
    return world;
}

/* Runs, and returns half the way that a body covers up and down. */
static double amplitude_of(dry_world *world, dry_body_id id, int steps)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < steps; ++i) {
        run_steps(world, 1, TEST_DT);
        const double y = position_of(world, id).y;
        low = fmin(low, y), high = fmax(high, y);
    }
    return (high - low) / 2;
}

/* An undamped spring swings by m g / k about its stretch at rest, and still does after 60 s, in the quick
 * form 10 s, however the equation is solved. One substep a step swings 1 / (1 - (w h / 2)^2)^(1/2) times as
 * far: 0.35 % here. */
static void test_undamped_spring_keeps_its_amplitude(void **state)
{
    (void)state;
    static const int substeps[] = {1, 2, 3, 8, 32}, relaxes[] = {0, 1, 3};
    const double expected = 10 * TEST_G / 1000;
    for (int i = 0; i < COUNT_OF(substeps); ++i)
        for (int k = 0; k < 12; ++k) {
            if (test_quick() && (k + i) % 6)
                continue;
            dry_settings settings = test_settings();
            settings.method.solver = k % 2 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
            settings.warm_start = k / 2 % 2;
            settings.substeps = substeps[i];
            settings.relax_sweeps = relaxes[k / 4];
            settings.sweeps = 1 + 2 * (k % 3);
            dry_body_id weight[WEIGHTS];
            dry_world *world = hang_weights(settings, (dry_joint_type)(i % 2), 1, 1000, 0, weight);
            run_steps(world, test_pick(55, 5) * 60, TEST_DT);
            assert_near(amplitude_of(world, weight[0], 5 * 60), expected, 0.01 * expected);
            dry_world_destroy(world);
        }
}

/* x(t) = x0 e^(-p t) (cos w t + p / w sin w t), p = c / 2 m, w^2 = k / m - p^2. First order in h. */
static void test_damped_spring(void **state)
{
    (void)state;
    const double m = 10, k = 1000, c = 30, p = c / (2 * m), w = sqrt(k / m - p * p), x0 = m * TEST_G / k;
    for (int i = 0; i < 3; ++i) {
        dry_settings settings = test_settings();
        settings.substeps = 2 << 2 * i;
        const double h = (double)TEST_DT / settings.substeps;
        dry_body_id weight[WEIGHTS];
        dry_world *world = hang_weights(settings, (dry_joint_type)(i % 2), 1, k, c, weight);
        for (int step = 1; step <= 180; ++step) {
            run_steps(world, 1, TEST_DT);
            const double t = step * (double)TEST_DT;
            const double x = x0 * exp(-p * t) * (cos(w * t) + p / w * sin(w * t));
            assert_near(position_of(world, weight[0]).y + 1 + x0, x, x0 * w * h);
        }
        dry_world_destroy(world);
    }
}

/* Two weights on two springs swing as the sum of two normal modes, w^2 = k / m (3 -+ 5^(1/2)) / 2. */
static void test_two_springs(void **state)
{
    (void)state;
    const double m = 10, k = 1000, h = (double)TEST_DT / 8, golden = (1 + sqrt(5)) / 2;
    const double rest[2] = {2 * m * TEST_G / k, 3 * m * TEST_G / k};
    /* The modes (1, golden) and (golden, -1) are orthogonal. */
    const double mode[2][2] = {{1, golden}, {golden, -1}};
    const double w[2] = {sqrt(k / m) / golden, sqrt(k / m) * golden};
    dry_settings settings = test_settings();
    settings.substeps = 8;
    dry_body_id weight[WEIGHTS];
    dry_world *world = hang_weights(settings, DRY_JOINT_DISTANCE, 2, k, 0, weight);
    for (int step = 1; step <= 600; ++step) {
        run_steps(world, 1, TEST_DT);
        double x[2] = {0, 0};
        for (int i = 0; i < 2; ++i) {
            double share = (mode[i][0] * rest[0] + mode[i][1] * rest[1]) / (1 + golden * golden);
            for (int b = 0; b < 2; ++b)
                x[b] += share * mode[i][b] * cos(w[i] * step * (double)TEST_DT);
        }
        for (int b = 0; b < 2; ++b)
            assert_near(position_of(world, weight[b]).y + 1 + b + rest[b], x[b], rest[1] * w[1] * h);
    }
    dry_world_destroy(world);
}

/* Five weights in a row on six springs between two walls swing in their fourth mode, w = 2 sqrt(k/m) sin(pi /
 * 3), and keep its energy for a minute, in the quick form ten seconds: 4 substeps of 4 sweeps solve the
 * chain, and 32 substeps of 1 sweep almost. */
static void test_coupled_springs_keep_swinging(void **state)
{
    (void)state;
    enum { MOVING = 5, MODE = 4, SECOND = 60 };
    const double m = 2, k = 800;
    static const int cases[][2] = {{4, 4}, {32, 1}};
    const int last = test_pick(59, 9) * SECOND;
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        dry_settings settings = test_settings_weightless();
        settings.substeps = cases[i][0];
        settings.sweeps = cases[i][1];
        dry_world *world = world_with(settings);
        dry_body_id body[MOVING + 2];
        for (int n = 0; n < MOVING + 2; ++n) {
            const bool wall = n == 0 || n == MOVING + 1;
            const double shift = wall ? 0 : 0.05 * sin(TEST_PI * MODE * n / (MOVING + 1));
            dry_shape_def shape = sphere_shape(0.1);
            dry_body_def def =
                body_def(wall ? DRY_BODY_STATIC : DRY_BODY_DYNAMIC, pose_at(n + shift, 0, 0), &shape);
            def.mass = wall ? 0 : (float)m;
            body[n] = add_def(world, &def);
        }
        for (int n = 0; n <= MOVING; ++n) {
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
            def.body_a = body[n];
            def.body_b = body[n + 1];
            def.stiffness = (float)k;
            dry_joint_id joint;
            assert_ok(dry_world_create_joint(world, &def, &joint));
        }
        double energy[2] = {0};
        for (int step = 0; step < last + SECOND; ++step) {
            run_steps(world, 1, TEST_DT);
            if (step >= SECOND && step < last)
                continue;
            double *sum = &energy[step >= SECOND];
            for (int n = 1; n < MOVING + 2; ++n) {
                const double v = velocity_of(world, body[n]).x;
                const double q = position_of(world, body[n]).x - position_of(world, body[n - 1]).x - 1;
                *sum += 0.5 * (m * v * v + k * q * q);
            }
        }
        assert_near(sqrt(energy[1] / energy[0]), 1, 0.01);
        dry_world_destroy(world);
    }
}

/* Springs of any stiffness, below each other, swing no further as time goes on, also where they are stiffer
 * than substeps can follow. */
static void test_coupled_springs_gain_nothing(void **state)
{
    (void)state;
    static const double stiffness[] = {1e3, 2e4, 1e5, 1e6, 1e7, 1e9, 1e12};
    for (int i = 0; i < COUNT_OF(stiffness); ++i)
        for (int k = 0; k < 12; ++k) {
            if (test_quick() && (k + 7 * i) % 12 != 11)
                continue;
            dry_settings settings = test_settings();
            settings.method.solver = k % 2 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
            settings.warm_start = k / 2 % 2;
            settings.substeps = k / 4 == 0 ? 1 : k / 4 == 1 ? 4 : 32;
            dry_body_id weight[WEIGHTS];
            dry_world *world =
                hang_weights(settings, (dry_joint_type)(i % 2), WEIGHTS, stiffness[i], 0, weight);
            const double first = amplitude_of(world, weight[WEIGHTS - 1], 300);
            run_steps(world, 300, TEST_DT);
            assert_at_most(amplitude_of(world, weight[WEIGHTS - 1], 300), 1.1 * first + 1e-6);
            /* Stretched by its load, or by what the stiffness of a rigid joint allows. */
            const double w = 2 * TEST_PI * (double)dry_hertz_of_substep(TEST_DT / (float)settings.substeps);
            const double rest = 15 * 10 * TEST_G * fmax(1 / stiffness[i], 0.2 / (w * w));
            if (settings.warm_start) /* without, one sweep does not carry the load down */
                assert_at_most(first, 2 * rest);
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

/* A spring of a newton for each unit of its stiffness pulls at a box, to which a rod holds another. In the
 * first step already substeps follow from the acceleration by which it would part them; a slack rope asks for
 * none. */
static void test_springs_are_known_before_the_first_step(void **state)
{
    (void)state;
    static const int offered[] = {4, 6, 8, 12, 16, 24, 32};
    static const float stiffness[] = {200, 400, 800, 1500, 3000, 6000, 12000};
    for (int i = 0; i < 2 * COUNT_OF(stiffness); ++i) {
        const float k = stiffness[i / 2];
        const bool slack = i % 2;
        dry_world *world = world_with(test_settings_weightless());
        const dry_body_def post = body_def(DRY_BODY_STATIC, pose_at(-2, 0, 0), NULL);
        dry_shape_def box = box_shape(0.25, 0.25, 0.25);
        box.density = 8; /* 1 kg */
        const dry_body_id pulled = add_dynamic(world, pose_at(0, 0, 0), box),
                          other = add_dynamic(world, pose_at(2, 0, 0), box);
        dry_joint_def spring = dry_default_joint_def(DRY_JOINT_DISTANCE);
        spring.body_a = add_def(world, &post), spring.body_b = pulled;
        spring.length = 1, spring.stiffness = k; /* at a distance of 2 m */
        join(world, &spring);
        dry_joint_def rod = dry_default_joint_def(DRY_JOINT_DISTANCE);
        rod.body_a = pulled, rod.body_b = other;
        rod.anchor_a = v3(0.25f, 0, 0), rod.anchor_b = v3(-0.25f, 0, 0);
        rod.length = 1.5f;
        rod.length_max = slack ? 3.0f : INFINITY;
        join(world, &rod);
        run_steps(world, 1, TEST_DT);
        const double load = slack ? 0 : (double)k / (double)mass_of(world, pulled).mass;
        int wanted = 0;
        for (int n = COUNT_OF(offered) - 1; n >= 0; --n) {
            const double w = 2 * TEST_PI * (double)dry_hertz_of_substep(TEST_DT / (float)offered[n]);
            wanted = n == COUNT_OF(offered) - 1 || w * w * 5e-3 / 3 >= load ? offered[n] : wanted;
        }
        assert_int_equal(dry_world_statistics(world).substeps, wanted);
        dry_world_destroy(world);
    }
}

/* 10 t below ten links of 1 kg come to rest as on a spring of eleven: a rigid joint is a spring of w^2 times
 * the pair's reduced mass, w as the substep rate allows. Links that bear more than the substeps do count as
 * heavier, so that each side of a joint takes half of the gap, or all of it where the other one is fixed or
 * as heavy as the load. A joint's damping is critical for what hangs on four of them: on eleven it passes its
 * rest by less than a fifth. The limit of a joint's bias velocity does not bound its force. By default the
 * chain stretches by less than 1 %. */
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
        double longest = 0, stretch = 0;
        for (int i = 0; i < 300; ++i) {
            run_steps(world, 1, TEST_DT);
            stretch = -position_of(world, end).y - 0.5 - length;
            longest = fmax(longest, stretch);
        }
        const double h = (double)TEST_DT / dry_world_statistics(world).substeps;
        const double w = 2 * TEST_PI * (double)dry_hertz_of_substep((float)h);
        const double borne = 5e-3 / 3 * w * w;
        double at_rest = 0;
        for (int i = 0; i <= LINKS; ++i)
            for (int link = i - 1; link <= i; ++link) {
                const double asked = (load + (LINKS - i)) * TEST_G, ends = link == 0 || link == LINKS - 1;
                if (link >= 0 && link < LINKS)
                    at_rest += fmin(asked, (ends ? 1.0 : 0.5) * borne) / (w * w);
            }
        assert_near(stretch, at_rest, 0.02 * at_rest);
        assert_at_most(longest, 1.2 * at_rest);
        if (!fine)
            assert_at_most(stretch, 0.01 * length);
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
        const d3 velocity = random_d3(&seed, 2), spin = random_d3(&seed, 2);
        set_velocity(world, ids[i], velocity, spin);
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
    for (int i = 0; i < 3; ++i) /* in creation order */
        assert_true(of_body[i].bits == ids[i].bits);
    of_body[1].bits = 0;
    assert_ok(dry_body_get_joints(world, b, of_body, 1, &count));
    assert_true(count == 3 && of_body[0].bits == ids[0].bits && of_body[1].bits == 0);
    assert_int_equal(dry_world_statistics(world).joints, 3);
    assert_ok(dry_body_destroy(world, a));
    for (int i = 0; i < 3; ++i)
        assert_false(dry_joint_is_valid(world, ids[i]));
    assert_ok(dry_body_get_joints(world, b, of_body, 3, &count));
    assert_int_equal(count, 0);
    dry_world_destroy(world);
}

/* Linkages that drift in space keep their momentum and their angular momentum: no joint may make any, however
 * its lever arms turn within a step. Each step rounds velocities. */
static void test_linkages_in_space_keep_angular_momentum(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int run = 0; run < test_pick(60, 10); ++run) {
        dry_settings settings = test_settings_weightless();
        settings.method.solver = run % 2 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
        dry_world *world = world_with(settings);
        enum { LINKS = 4, STEPS = 300 };
        dry_body_id links[LINKS];
        const double speed = random_in(&seed, 0.2, 4), reach = random_in(&seed, 0.4, 0.8);
        const d3 spin = d3_turn(random_quat(&seed), (d3){speed, 0, 0});
        for (int i = 0; i < LINKS; ++i) {
            const double half = random_in(&seed, 0.1, reach), width = random_in(&seed, 0.1, 0.4);
            links[i] = add_dynamic(world, pose_at(2 * reach * i, 0, 0), box_shape(half, width, 0.2));
            const bool ball = random_below(&seed, 2);
            if (i)
                add_joint(world, ball ? DRY_JOINT_BALL : DRY_JOINT_DISTANCE, links[i - 1],
                          v3(ball ? reach : 0, 0, 0), links[i], v3(ball ? -reach : 0, 0, 0), 2 * reach);
        }
        double scale = 0;
        for (int i = 0; i < LINKS; ++i) {
            const d3 x = d3_sub(position_of(world, links[i]), (d3){reach * (LINKS - 1), 0, 0});
            set_velocity(world, links[i], d3_cross(spin, x), i == 1 ? d3_scale(spin, -1) : spin);
            scale += mass_of(world, links[i]).mass * d3_length(d3_cross(spin, x)) * (d3_length(x) + reach) +
                     d3_length(spin_momentum(world, links[i]));
        }
        const d3 before = total_angular_momentum(world, links, LINKS);
        const d3 p = total_momentum(world, links, LINKS);
        run_steps(world, STEPS, TEST_DT);
        const d3 l = total_angular_momentum(world, links, LINKS);
        assert_at_most(d3_length(d3_sub(l, before)) / scale, STEPS * FLT_EPSILON);
        assert_at_most(d3_length(d3_sub(total_momentum(world, links, LINKS), p)) / scale,
                       STEPS * FLT_EPSILON);
        dry_world_destroy(world);
    }
}

/* A body held by a ball joint at its center keeps its angular momentum, however slowly it turns: here by half
 * a rotation in an hour, in which a body that kept its velocity would change its momentum by four fifths. */
static void test_slow_rotation_keeps_angular_momentum(void **state)
{
    (void)state;
    dry_settings settings = test_settings_weightless();
    settings.sleep = false;
    dry_world *world = world_with(settings);
    dry_body_def post = body_def(DRY_BODY_STATIC, pose_at(0, 0, 0), NULL);
    const dry_body_id held = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.1, 0.4, 0.9));
    add_joint(world, DRY_JOINT_BALL, add_def(world, &post), v3(0, 0, 0), held, v3(0, 0, 0), 0);
    set_velocity(world, held, (d3){0, 0, 0}, (d3){5e-4, 5e-4, 4e-4});
    const d3 before = total_angular_momentum(world, &held, 1);
    run_steps(world, test_pick(36000, 3600), 0.1f);
    const d3 change = d3_sub(total_angular_momentum(world, &held, 1), before);
    assert_at_most(d3_length(change), 1e-3 * d3_length(before));
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_on_a_ball_joint),
        cmocka_unit_test(test_pendulum_on_a_string),
        cmocka_unit_test(test_conical_pendulum),
        cmocka_unit_test(test_linkages_in_space_keep_angular_momentum),
        cmocka_unit_test(test_undamped_spring_keeps_its_amplitude),
        cmocka_unit_test(test_damped_spring),
        cmocka_unit_test(test_two_springs),
        cmocka_unit_test(test_coupled_springs_keep_swinging),
        cmocka_unit_test(test_coupled_springs_gain_nothing),
        cmocka_unit_test(test_chain_carries),
        cmocka_unit_test(test_springs_are_known_before_the_first_step),
        cmocka_unit_test(test_chain_holds_a_heavy_load),
        cmocka_unit_test(test_joints_conserve_momentum),
        cmocka_unit_test(test_slow_rotation_keeps_angular_momentum),
        cmocka_unit_test(test_collide_flag),
        cmocka_unit_test(test_definition_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Normal contact against closed form: one contact's equation, impacts, weight, what collisions conserve,
 * and which pairs collide. */
#include "tests/test_world.h"

/* [Spook 26]: (n K n + eps) lambda = -a q - b u.n - u_f.n with a = 4 / (h (1 + 4 d)), b = 4 d / (1 + 4 d),
 * eps = 4 / (h^2 k (1 + 4 d)), lambda >= 0; a sphere on a plane is exact after one iteration. */
static void test_one_contact_is_exact(void **state)
{
    (void)state;
    static const struct {
        double q, u, k, d;
    } cases[] = {
        {-1e-3, 0, 1e6, 3},     {-1e-3, -0.2, 1e6, 3}, {-5e-3, -0.5, 1e5, 4}, {-2e-3, 0.05, 1e8, 5},
        {-1e-3, -0.2, 1e15, 1}, {-1e-3, -0.1, 3e4, 0}, {-1e-3, 2, 1e6, 3}, /* the last one parts: lambda 0 */
    };
    const double r = 0.5, h = TEST_DT, m = 1000 * 4.0 / 3 * TEST_PI * r * r * r;
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        dry_settings settings = test_settings();
        settings.substeps = settings.sweeps = 1;
        settings.relax_sweeps = 0;
        settings.warm_start = false;
        settings.contact_stiffness = (float)cases[i].k;
        settings.contact_damping = (float)cases[i].d;
        settings.push_out_speed_max = 1e3f;
        dry_world *world = world_with(settings);
        add_floor(world, 0, 0);
        dry_shape_def shape = sphere_shape(r);
        shape.friction = 0;
        dry_body_id ball = add_dynamic(world, pose_at(0, r + cases[i].q, 0), shape);
        set_velocity(world, ball, (d3){0, cases[i].u, 0}, (d3){0, 0, 0});
        run_steps(world, 1, TEST_DT);

        double c = 1 + 4 * cases[i].d, a = 4 / (h * c), b = 4 * cases[i].d / c;
        double eps = 4 / (h * h * cases[i].k * c);
        double lambda = (-a * cases[i].q - b * cases[i].u + TEST_G * h) / (1 / m + eps);
        lambda = fmax(lambda, 0);
        double v = cases[i].u - TEST_G * h + lambda / m;
        double rounding = 2e-6 + a * FLT_EPSILON * r; /* of the velocities, and of q as a float */
        assert_near(velocity_of(world, ball).y, v, rounding);
        /* Without a contact's impulse the ball follows its parabola. */
        double mean = lambda > 0 ? v : 0.5 * (cases[i].u + v);
        assert_near(position_of(world, ball).y, r + cases[i].q + h * mean, h * rounding + 2e-7);
        dry_contact contact;
        int count = 0;
        assert_ok(dry_body_get_contacts(world, ball, &contact, 1, &count));
        if (lambda > 0) {
            assert_int_equal(count, 1);
            assert_int_equal(contact.point_count, 1);
            assert_near(contact.points[0].normal_impulse_Ns, lambda, 1e-5 * lambda + m * rounding);
            assert_near(contact.substep_s, h, 1e-9);
        }
        dry_world_destroy(world);
    }
}

typedef struct bounce_run {
    double peaks[4]; /* heights of the lowest point above the floor */
    int count;
    double tilt; /* the largest seen */
} bounce_run;

static bounce_run bounce(dry_shape_def shape, double half_height, double e, double height, float dt, int n)
{
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    shape.restitution = (float)e;
    dry_body_id body = add_dynamic(world, pose_at(0, height + half_height, 0), shape);
    bounce_run run = {{0}, 0, 0};
    double before = height, now = height;
    bool touched = false;
    for (int i = 0; i < (int)(8 / dt) && run.count < n; ++i) {
        run_steps(world, 1, dt);
        double next = position_of(world, body).y - half_height;
        if (velocity_of(world, body).y > 0)
            touched = true;
        if (touched && now > before && now >= next) {
            run.peaks[run.count++] = now;
            touched = false;
        }
        before = now;
        now = next;
        run.tilt = fmax(run.tilt, turn_angle(pose_of(world, body).orientation));
    }
    dry_world_destroy(world);
    return run;
}

/* The n-th bounce reaches e^(2n) h. An approach speed v is known to within g dt, so each bounce adds a
 * relative error of 2 g dt / v, v = e^i sqrt(2 g h); and the speed e v must exceed the threshold. */
static void check_bounces(dry_shape_def shape, double half_height, double e, double height, float dt, int n)
{
    bounce_run run = bounce(shape, half_height, e, height, dt, n);
    assert_true(run.count >= n);
    double bound = 0.01, speed = sqrt(2 * TEST_G * height), expected = height;
    for (int i = 0; i < n; ++i) {
        bound += 2 * TEST_G * dt / speed;
        speed *= e;
        expected *= e * e;
        assert_near(run.peaks[i], expected, bound * expected);
    }
    assert_at_most(run.tilt, 0.01);
}

static void test_bounce_heights(void **state)
{
    (void)state;
    static const double restitutions[] = {0.5, 0.7, 0.9};
    for (int i = 0; i < COUNT_OF(restitutions); ++i) {
        check_bounces(sphere_shape(0.5), 0.5, restitutions[i], 2, TEST_DT, 2);
        check_bounces(sphere_shape(0.5), 0.5, restitutions[i], 2, TEST_DT / 8, 2);
        check_bounces(box_shape(0.5, 0.4, 0.3), 0.4, restitutions[i], 2, TEST_DT, 2);
        check_bounces(box_shape(0.5, 0.4, 0.3), 0.4, restitutions[i], 2, TEST_DT / 8, 2);
    }
    check_bounces(sphere_shape(0.5), 0.5, 1, 2, TEST_DT / 8, 4);
}

static void test_no_restitution_no_bounce(void **state)
{
    (void)state;
    assert_int_equal(bounce(sphere_shape(0.5), 0.5, 0, 2, TEST_DT, 4).count > 0 &&
                         bounce(sphere_shape(0.5), 0.5, 0, 2, TEST_DT, 4).peaks[0] > 0.01,
                     0);
}

/* Below restitution_speed_min nothing bounces; above it, it does. */
static void test_restitution_threshold(void **state)
{
    (void)state;
    static const struct {
        double speed;
        bool bounces;
    } cases[] = {{0.5, false}, {0.9, false}, {1.3, true}, {3, true}};
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        dry_world *world = world_with(test_settings_weightless());
        add_floor(world, 0.6, 0.8);
        dry_body_id ball = add_dynamic(world, pose_at(0, 0.6, 0), sphere_shape(0.5));
        set_velocity(world, ball, (d3){0, -cases[i].speed, 0}, (d3){0, 0, 0});
        run_steps(world, 60, TEST_DT);
        double v = velocity_of(world, ball).y;
        if (cases[i].bounces)
            assert_near(v, 0.8 * cases[i].speed, 0.02 * cases[i].speed);
        else
            assert_near(v, 0, 0.1 * cases[i].speed);
        dry_world_destroy(world);
    }
}

/* Two balls head on: v1' = (m1 v1 + m2 v2 - m2 e (v1 - v2)) / (m1 + m2), and v2' likewise. */
static void test_head_on_impact(void **state)
{
    (void)state;
    static const struct {
        double density1, density2, v1, v2, e;
    } cases[] = {
        {1000, 1000, 3, 0, 1}, {1000, 4000, 3, -2, 0.8}, {100, 9000, 2, -2, 0.5}, {500, 700, 4, 1, 0.3}};
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        double e = cases[i].e, v1 = cases[i].v1, v2 = cases[i].v2;
        dry_world *world = world_with(test_settings_weightless());
        dry_shape_def one = sphere_shape(0.5), two = sphere_shape(0.5);
        one.restitution = (float)e;
        one.density = (float)cases[i].density1;
        two.density = (float)cases[i].density2;
        dry_body_id a = add_dynamic(world, pose_at(-1, 0, 0), one),
                    b = add_dynamic(world, pose_at(1, 0, 0), two);
        set_velocity(world, a, (d3){v1, 0, 0}, (d3){0, 0, 0});
        set_velocity(world, b, (d3){v2, 0, 0}, (d3){0, 0, 0});
        run_steps(world, 90, TEST_DT);
        double m1 = cases[i].density1, m2 = cases[i].density2, p = m1 * v1 + m2 * v2;
        assert_near(velocity_of(world, a).x, (p - m2 * e * (v1 - v2)) / (m1 + m2), 0.01 * (v1 - v2));
        assert_near(velocity_of(world, b).x, (p + m1 * e * (v1 - v2)) / (m1 + m2), 0.01 * (v1 - v2));
        dry_world_destroy(world);
    }
}

/* In a standing stack the force between box i - 1 and box i carries all boxes from i up. */
static void test_stack_forces_are_weights(void **state)
{
    (void)state;
    enum { BOXES = 6 };
    dry_world *world = world_with(test_settings());
    dry_body_id below = add_floor(world, 0.6, 0), boxes[BOXES];
    for (int i = 0; i < BOXES; ++i)
        boxes[i] = add_dynamic(world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 180, TEST_DT);
    for (int i = 0; i < BOXES; ++i) {
        dry_contact contacts[4];
        int count = 0;
        assert_ok(dry_body_get_contacts(world, boxes[i], contacts, 4, &count));
        double force = 0;
        d3 friction = {0, 0, 0};
        for (int k = 0; k < count; ++k) {
            if (contacts[k].body_a.bits != below.bits && contacts[k].body_b.bits != below.bits)
                continue;
            for (int n = 0; n < contacts[k].point_count; ++n)
                force += contacts[k].points[n].normal_impulse_Ns / contacts[k].substep_s;
            friction = d3_add(friction, d3_of(contacts[k].friction_impulse_Ns));
            assert_near(fabs(contacts[k].normal.y), 1, 1e-4);
        }
        double weight = (BOXES - i) * 1000 * TEST_G;
        assert_near(force, weight, 0.01 * weight);
        assert_at_most(d3_length(friction), 0.01 * weight / 60);
        below = boxes[i];
    }
    dry_world_destroy(world);
}

/* On undamped springs of given k a ball and a box, put down unloaded, bounce by their rest depth about it,
 * and still do after a minute, in the quick form ten seconds, however the equation is solved. */
static void test_undamped_contacts_bounce_on(void **state)
{
    (void)state;
    static const int substeps[] = {1, 2, 4, 8, 32};
    const double expected = 0.0981, mass = 1000;
    for (int i = 0; i < COUNT_OF(substeps); ++i)
        for (int k = 0; k < 8; ++k) {
            if (test_quick() && (k + i) % 8)
                continue;
            dry_settings settings = test_settings();
            settings.method.solver = k % 2 ? DRY_SOLVER_JACOBI : DRY_SOLVER_GAUSS_SEIDEL;
            settings.warm_start = k / 2 % 2;
            settings.substeps = substeps[i];
            settings.relax_sweeps = i % 3;
            const bool box = k / 4;
            settings.contact_stiffness = (float)(mass * TEST_G / expected / (box ? 4 : 1));
            settings.contact_damping = 0;
            dry_world *world = world_with(settings);
            add_floor(world, 0.6, 0);
            dry_shape_def shape = box ? box_shape(0.5, 0.5, 0.5) : sphere_shape(0.5);
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0.5, 0), &shape);
            def.mass = (float)mass;
            dry_body_id body = add_def(world, &def);
            run_steps(world, test_pick(58, 8) * 60, TEST_DT);
            double low = 1, high = 0;
            for (int step = 0; step < 120; ++step) {
                run_steps(world, 1, TEST_DT);
                low = fmin(low, position_of(world, body).y), high = fmax(high, position_of(world, body).y);
            }
            assert_near((high - low) / 2, expected, 0.01 * expected);
            dry_world_destroy(world);
        }
}

/* A pyramid of cubes of 2 m on which a heavier one falls, in the quick form the lightest from the lowest and
 * the heaviest from the highest. Without restitution it stays where it lands, and the pyramid stands: what
 * stopped the heavy cube does not throw it up again. */
static void test_pyramid_bears_what_falls_on_it(void **state)
{
    (void)state;
    static const double ratios[] = {20, 300, 1000}, drops[] = {1, 2};
    enum { BASE = 10, CUBES = BASE * (BASE + 1) / 2 };
    const int cases = COUNT_OF(ratios) * COUNT_OF(drops);
    for (int i = 0; i < cases; i += test_pick(1, cases - 1)) {
        dry_world *world = world_with(test_settings());
        add_floor(world, 0.6, 0);
        dry_body_id cubes[CUBES];
        d3 placed[CUBES];
        int count = 0;
        for (int row = 0; row < BASE; ++row)
            for (int k = 0; k < BASE - row; ++k, ++count) {
                dry_shape_def box = box_shape(1, 1, 1);
                const bool top = row == BASE - 1;
                box.density = top ? (float)(1000 * ratios[i / COUNT_OF(drops)]) : 1000;
                placed[count] = (d3){2 * k + row, 1 + 2 * row, 0};
                const double up = top ? drops[i % COUNT_OF(drops)] : 0;
                cubes[count] = add_dynamic(world, pose_at(2 * k + row, 1 + 2 * row + up, 0), box);
            }
        run_steps(world, test_pick(900, 150), TEST_DT);
        double farthest = 0;
        for (int k = 0; k < CUBES; ++k)
            farthest = fmax(farthest, d3_length(d3_sub(position_of(world, cubes[k]), placed[k])));
        print_message("%g : 1 from %g m: the farthest moved %.2g m\n", ratios[i / COUNT_OF(drops)],
                      drops[i % COUNT_OF(drops)], farthest);
        assert_at_most(farthest, 0.25);
        dry_world_destroy(world);
    }
}

/* Cubes of 1 m whose masses grow upward by a ratio: each pair of surfaces overlaps by the load above over
 * w^2 times the pair's reduced mass, a spring's own stretch [Spook 8-11]. The limit of the speed at which
 * overlaps separate does not bound the force. */
static void test_depth_follows_from_the_load(void **state)
{
    (void)state;
    static const struct {
        int count;
        double ratio;
    } cases[] = {{10, 2}, {2, 1000}};
    enum { COUNT_MAX = 10 };
    const double w = 2 * TEST_PI * 120;
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        dry_settings settings = test_settings();
        settings.substeps = 8;
        settings.contact_hertz = 120;
        settings.push_out_speed_max = 1; /* on a q alone it would bound the force to 0.8 of the load */
        dry_world *world = world_with(settings);
        add_floor(world, 0.6, 0);
        dry_body_id cubes[COUNT_MAX];
        double mass[COUNT_MAX], load = 0, top = 0;
        for (int k = 0; k < cases[i].count; ++k) {
            dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
            dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 0.5 + k, 0), &shape);
            mass[k] = pow(cases[i].ratio, k);
            load += mass[k] * TEST_G;
            def.mass = (float)mass[k];
            cubes[k] = add_def(world, &def);
        }
        run_steps(world, 240, TEST_DT);
        for (int k = 0; k < cases[i].count; ++k) {
            double bottom = position_of(world, cubes[k]).y - 0.5;
            double inverse = 1 / mass[k] + (k > 0 ? 1 / mass[k - 1] : 0), deep = load / (w * w) * inverse;
            assert_near(top - bottom, deep, 0.01 * deep + 1e-6);
            top = bottom + 1;
            load -= mass[k] * TEST_G;
        }
        dry_world_destroy(world);
    }
}

/* Shapes that overlap at the start separate, no faster than the settings allow, and are not thrown: here a
 * cube in the floor, alone or with a cube of 1000 times its mass in it. */
static void test_overlaps_separate_slowly(void **state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; ++heavy) {
        dry_settings settings = test_settings();
        settings.substeps = 8;
        settings.contact_hertz = 120;
        settings.push_out_speed_max = 2;
        dry_world *world = world_with(settings);
        add_floor(world, 0.6, 0);
        dry_body_id cubes[2] = {add_dynamic(world, pose_at(0, 0.2, 0), box_shape(0.5, 0.5, 0.5))};
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        shape.density *= 1000;
        if (heavy)
            cubes[1] = add_dynamic(world, pose_at(0, 0.9, 0), shape);
        double before[2] = {0.2, 0.9}, fastest = 0;
        for (int i = 0; i < 240; ++i) {
            run_steps(world, 1, TEST_DT);
            double below = 0;
            for (int k = 0; k <= heavy; ++k) {
                double y = position_of(world, cubes[k]).y;
                /* Two pairs of surfaces separate below the upper cube. */
                assert_at_most(y - before[k], (k + 1) * 2 * (double)TEST_DT * 1.01);
                fastest = fmax(fastest, (y - before[k]) / (double)TEST_DT);
                assert_at_most(y - below, 0.5 + k * 0.5 + 0.05); /* at 2 m/s it would rise by 0.2 m */
                before[k] = y;
                below = y;
            }
        }
        assert_true(fastest > 1);
        for (int k = 0; k <= heavy; ++k) {
            assert_near(position_of(world, cubes[k]).y, 0.5 + k, 0.05);
            assert_at_most(d3_length(velocity_of(world, cubes[k])), 1e-3);
        }
        dry_world_destroy(world);
    }
}

/* Bodies of all shapes that fall together toward the middle, spinning. */
enum { CLOUD = 60 };

static void fill_cloud(dry_world *world, dry_body_id *ids, double restitution)
{
    uint64_t seed = 7;
    for (int i = 0; i < CLOUD; ++i) {
        dry_shape_def shape;
        if (i % 3 == 0) {
            shape = sphere_shape(random_in(&seed, 0.2, 0.6));
        } else if (i % 3 == 1) {
            const double radius = random_in(&seed, 0.2, 0.4);
            shape = capsule_shape(radius, random_in(&seed, 0.1, 0.6));
        } else {
            const d3 half = random_d3_in(&seed, 0.2, 0.6);
            shape = box_shape(half.x, half.y, half.z);
        }
        shape.restitution = (float)restitution;
        double x = (i % 4 - 1.5) * 2, y = (i / 4 % 4 - 1.5) * 2, z = (i / 16 - 1.5) * 2;
        ids[i] = add_dynamic(world, (dry_pose){{x, y, z}, random_quat(&seed)}, shape);
        d3 v = d3_add((d3){-x, -y, -z}, random_d3(&seed, 1));
        set_velocity(world, ids[i], v, random_d3(&seed, 2));
    }
}

typedef struct cloud_run {
    double momentum_error, angular_error; /* relative to sum m |v| and sum |x| m |v| + |L| */
    double kept;                          /* share of the kinetic energy left */
    int manifolds;                        /* the most at once */
} cloud_run;

static cloud_run run_cloud(dry_settings settings, double restitution)
{
    dry_world *world = world_with(settings);
    dry_body_id ids[CLOUD];
    fill_cloud(world, ids, restitution);
    d3 p0 = total_momentum(world, ids, CLOUD), l0 = total_angular_momentum(world, ids, CLOUD);
    double scale_p = 0, scale_l = 0, energy = 0, energy_after = 0;
    for (int i = 0; i < CLOUD; ++i) {
        double p = mass_of(world, ids[i]).mass * d3_length(velocity_of(world, ids[i]));
        scale_p += p;
        scale_l += d3_length(position_of(world, ids[i])) * p + d3_length(spin_momentum(world, ids[i]));
        energy += kinetic_energy(world, ids[i]);
    }
    cloud_run run = {0};
    for (int i = 0; i < 180; ++i) {
        run_steps(world, 1, TEST_DT);
        int manifolds = dry_world_statistics(world).manifolds;
        run.manifolds = manifolds > run.manifolds ? manifolds : run.manifolds;
    }
    d3 p1 = total_momentum(world, ids, CLOUD), l1 = total_angular_momentum(world, ids, CLOUD);
    run.momentum_error = d3_length(d3_sub(p1, p0)) / scale_p;
    run.angular_error = d3_length(d3_sub(l1, l0)) / scale_l;
    for (int i = 0; i < CLOUD; ++i)
        energy_after += kinetic_energy(world, ids[i]);
    run.kept = energy_after / energy;
    dry_world_destroy(world);
    return run;
}

/* To round-off: within 256 float epsilons of the sum of magnitudes, after some ten thousand roundings a
 * body, with any number of substeps and with impacts. */
static void test_cloud_conserves(void **state)
{
    (void)state;
    dry_settings settings = test_settings_weightless();
    cloud_run bouncing = run_cloud(settings, 0.5);
    assert_true(bouncing.manifolds > 20);
    assert_at_most(bouncing.momentum_error, 256 * FLT_EPSILON);
    assert_at_most(bouncing.angular_error, 256 * FLT_EPSILON);
    assert_at_most(bouncing.kept, 1);

    settings.substeps = 1;
    cloud_run single = run_cloud(settings, 0);
    assert_true(single.manifolds > 20);
    assert_at_most(single.momentum_error, 256 * FLT_EPSILON);
    assert_at_most(single.angular_error, 256 * FLT_EPSILON);
    assert_at_most(single.kept, 1);

    settings.method.solver = DRY_SOLVER_JACOBI;
    cloud_run jacobi = run_cloud(settings, 0);
    assert_at_most(jacobi.momentum_error, 256 * FLT_EPSILON);
    assert_at_most(jacobi.angular_error, 256 * FLT_EPSILON);
}

/* Category and mask decide, both ways; a shared group other than 0 overrides them. */
static void test_collision_filter(void **state)
{
    (void)state;
    const uint64_t all = ~0ull;
    static const struct {
        dry_filter a, b;
        bool touch;
    } cases[] = {
        {{1, ~0ull, 0}, {1, ~0ull, 0}, true}, {{2, 4, 0}, {4, 2, 0}, true},
        {{2, 4, 0}, {4, 4, 0}, false},        {{2, 2, 0}, {4, 2, 0}, false},
        {{1, 0, 5}, {1, 0, 5}, true},         {{1, ~0ull, -5}, {1, ~0ull, -5}, false},
        {{2, 4, 5}, {4, 2, 6}, true},         {{2, 2, -1}, {4, 4, -2}, false},
        {{1, 0, 0}, {1, ~0ull, 0}, false},
    };
    for (int i = 0; i < COUNT_OF(cases); ++i) {
        dry_world *world = world_with(test_settings());
        dry_shape_def floor = box_shape(5, 0.5, 5), cube = box_shape(0.5, 0.5, 0.5);
        floor.filter = cases[i].a;
        cube.filter = cases[i].b;
        add_body(world, DRY_BODY_STATIC, pose_at(0, -0.5, 0), floor);
        dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), cube);
        run_steps(world, 60, TEST_DT);
        assert_int_equal(position_of(world, box).y > 0.4, cases[i].touch);

        /* Turned on or off later, it takes effect. */
        dry_shape_id shape;
        int count = 0;
        assert_ok(dry_body_get_shapes(world, box, &shape, 1, &count));
        assert_ok(dry_shape_set_filter(world, shape, (dry_filter){1, cases[i].touch ? 0 : all, 0}));
        assert_ok(dry_body_set_pose(world, box, pose_at(0, 0.5, 0)));
        assert_ok(dry_body_set_velocity(world, box, (dry_velocity){{0, 0, 0}, {0, 0, 0}}));
        if (cases[i].touch) {
            run_steps(world, 60, TEST_DT);
            assert_true(position_of(world, box).y < 0);
        }
        dry_world_destroy(world);
    }
}

/* The step in which a box, thrown spinning at another, is first pushed; -1 if it passes. */
static int first_push(uint64_t seed, float recycle_distance)
{
    dry_settings settings = test_settings_weightless();
    settings.recycle_distance = recycle_distance;
    dry_world *world = world_with(settings);
    double half[6];
    for (int i = 0; i < 6; ++i)
        half[i] = random_in(&seed, 0.1, 1);
    add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), box_shape(half[0], half[1], half[2]));
    d3 way = d3_unit(random_d3(&seed, 1));
    d3 from = d3_scale(way, random_in(&seed, 2, 3)), to = random_d3(&seed, 1.5);
    dry_pose pose = pose_at(from.x, from.y, from.z);
    pose.orientation = random_quat(&seed);
    dry_body_id box = add_dynamic(world, pose, box_shape(half[3], half[4], half[5]));
    d3 velocity = d3_scale(d3_unit(d3_sub(to, from)), random_in(&seed, 0.5, 6));
    set_velocity(world, box, velocity, random_d3(&seed, 4));
    int pushed = -1;
    for (int step = 0; step < 300 && pushed < 0; ++step) {
        run_steps(world, 1, TEST_DT);
        if (d3_length(d3_sub(velocity_of(world, box), velocity)) > 1e-3)
            pushed = step;
    }
    dry_world_destroy(world);
    return pushed;
}

/* A pair that is apart is left alone while it cannot have met: it meets when it would, were it looked at
 * in every step. A step's difference is a glancing touch. */
static void test_no_pair_is_left_alone_too_long(void **state)
{
    (void)state;
    int met = 0, pairs = test_pick(400, 100);
    for (int i = 0; i < pairs; ++i) {
        uint64_t seed = 77u + (unsigned)i;
        int always = first_push(seed, 0), kept = first_push(seed, dry_default_settings().recycle_distance);
        met += always >= 0;
        if (abs(kept - always) > 1)
            fail_msg("pair %d is pushed in step %d, not %d", i, kept, always);
    }
    assert_true(met > pairs / 4);
}

/* Spheres meet a half-space fast: created near it, launched by a call, or in flight; none gets below its
 * surface. A step moves them by less than 1 m, as far as contacts look ahead. */
static void test_fast_spheres_meet_halfspace(void **state)
{
    (void)state;
    static const struct {
        float radius, speed, height;
    } cases[] = {{0.1f, 10, 0.2f},  {0.25f, 20, 0.4f}, {0.5f, 50, 0.7f},
                 {0.02f, 50, 3.0f}, {0.05f, 20, 2.0f}, {0.5f, 58, 6.0f}};
    for (int i = 0; i < COUNT_OF(cases); ++i)
        for (int phase = 0; phase < 16; ++phase)
            for (int launched = 0; launched < 2; ++launched) {
                dry_world_def def = test_world_def();
                def.settings.gravity = v3(0, 0, 0);
                dry_world *world = world_from(&def);
                add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), halfspace_shape(v3(0, 1, 0), 0));
                const float radius = cases[i].radius, way = cases[i].speed * (float)TEST_DT;
                const double y = (double)(cases[i].height + way * (float)phase / 16);
                dry_shape_def sphere = sphere_shape(radius);
                dry_body_def body = dry_default_body_def();
                body.type = DRY_BODY_DYNAMIC;
                body.pose = pose_at(0, y, 0);
                body.shapes = &sphere;
                body.shape_count = 1;
                if (!launched)
                    body.velocity.linear.y = -cases[i].speed;
                dry_body_id id;
                assert_ok(dry_world_create_body(world, &body, &id));
                if (launched) {
                    run_steps(world, 1, TEST_DT);
                    const dry_velocity down = {{0, -cases[i].speed, 0}, {0, 0, 0}};
                    assert_ok(dry_body_set_velocity(world, id, down));
                }
                for (int step = 0; step < 20; ++step) {
                    run_steps(world, 1, TEST_DT);
                    dry_pose pose;
                    assert_ok(dry_body_get_pose(world, id, &pose));
                    assert_true(pose.position.y - (double)radius > -0.02);
                }
                dry_world_destroy(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_contact_is_exact),
        cmocka_unit_test(test_bounce_heights),
        cmocka_unit_test(test_no_restitution_no_bounce),
        cmocka_unit_test(test_restitution_threshold),
        cmocka_unit_test(test_head_on_impact),
        cmocka_unit_test(test_stack_forces_are_weights),
        cmocka_unit_test(test_undamped_contacts_bounce_on),
        cmocka_unit_test(test_depth_follows_from_the_load),
        cmocka_unit_test(test_overlaps_separate_slowly),
        cmocka_unit_test(test_cloud_conserves),
        cmocka_unit_test(test_collision_filter),
        cmocka_unit_test(test_pyramid_bears_what_falls_on_it),
        cmocka_unit_test(test_no_pair_is_left_alone_too_long),
        cmocka_unit_test(test_fast_spheres_meet_halfspace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

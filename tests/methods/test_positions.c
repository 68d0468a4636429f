/* Methods that solve for positions: closed forms of falls, slopes, bounces, springs and pendulums, what stays
 * conserved, and the settings that these methods refuse. */
#include "tests/slopes.h"
#include "tests/test_joint.h"

static const dry_solver methods[] = {DRY_SOLVER_PBD, DRY_SOLVER_XPBD};

/* Runs a check with both methods, started warm and cold. */
static void over_methods(void (*check)(dry_settings settings))
{
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int warm = 0; warm < 2; warm++) {
            dry_settings settings = test_settings();
            settings.method.solver = methods[m];
            settings.warm_start = warm;
            check(settings);
        }
}

static void check_fall(dry_settings settings)
{
    dry_world *world = world_with(settings);
    dry_body_id ball = add_dynamic(world, pose_at(0, 100, 0), sphere_shape(0.5));
    set_velocity(world, ball, (d3){3, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 60, TEST_DT);
    const d3 p = position_of(world, ball);
    assert_near(p.x, 3, 1e-5);
    assert_near(p.y, 100 - TEST_G / 2, 1e-4);
    dry_world_destroy(world);
}

static void test_fall(void **state)
{
    (void)state;
    over_methods(check_fall);
}

static void check_rest(dry_settings settings)
{
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id ball = add_dynamic(world, pose_at(3, 0.5, 0), sphere_shape(0.5));
    run_steps(world, 300, TEST_DT);
    assert_near(position_of(world, box).y, 0.5, 5e-4);
    assert_near(position_of(world, ball).y, 0.5, 5e-4);
    assert_at_most(d3_length(velocity_of(world, box)) + d3_length(spin_of(world, box)), 1e-4);
    assert_at_most(d3_length(velocity_of(world, ball)), 1e-4);
    assert_at_most(turn_angle(pose_of(world, box).orientation), 1e-4);
    dry_world_destroy(world);
}

static void test_rest(void **state)
{
    (void)state;
    over_methods(check_rest);
}

/* A box sticks below atan mu, and slides above with g (sin a - mu cos a). */
static void check_slopes(dry_settings settings)
{
    const double mu = 0.5, angles[] = {0.40, 0.60}; /* atan 0.5 = 0.4636 */
    for (int heading = 0; heading < 8; heading++)
        for (int k = 0; k < 2; k++) {
            dry_world *world = world_with(settings);
            const slope on = slope_make(angles[k], heading * TEST_PI / 4 + 0.1);
            add_slope(world, &on, mu, true);
            dry_body_id box = add_on_slope(world, &on, 0.25, box_shape(0.5, 0.25, 0.5), mu);
            run_steps(world, 30, TEST_DT);
            const d3 from = position_of(world, box), v = velocity_of(world, box);
            run_steps(world, 60, TEST_DT);
            const d3 moved = d3_sub(position_of(world, box), from);
            const double a = angles[k], way = d3_dot(moved, on.down);
            if (k == 0)
                assert_at_most(d3_length(moved), 1e-4);
            else
                assert_near(way - d3_dot(v, on.down), TEST_G * (sin(a) - mu * cos(a)) / 2, 0.02);
            assert_near(d3_dot(position_of(world, box), on.n), 0.25, 1e-3);
            dry_world_destroy(world);
        }
}

static void test_slopes(void **state)
{
    (void)state;
    over_methods(check_slopes);
}

/* A ball that falls from h bounces to e^2 h. */
static void check_bounce(dry_settings settings)
{
    for (int k = 0; k <= 4; k++) {
        const double e = 0.25 * k, h = 2;
        dry_world *world = world_with(settings);
        add_floor(world, 0.6, e);
        dry_shape_def shape = sphere_shape(0.25);
        shape.restitution = (float)e;
        dry_body_id ball = add_dynamic(world, pose_at(0, 0.25 + h, 0), shape);
        double highest = 0;
        run_steps(world, 39, TEST_DT);
        for (int i = 0; i < 70; i++) {
            run_steps(world, 1, TEST_DT);
            highest = fmax(highest, position_of(world, ball).y - 0.25);
        }
        assert_near(highest, e * e * h, 0.03 * e * e * h + 1e-3);
        dry_world_destroy(world);
    }
}

static void test_bounce(void **state)
{
    (void)state;
    over_methods(check_bounce);
}

static void check_stack(dry_settings settings)
{
    enum { HEIGHT = 5 };
    if (!settings.warm_start) /* begun anew, one sweep in a substep is not enough */
        settings.substeps = settings.sweeps = 8;
    dry_world *world = world_with(settings);
    dry_body_id box[HEIGHT];
    add_floor(world, 0.6, 0);
    for (int i = 0; i < HEIGHT; i++)
        box[i] = add_dynamic(world, pose_at(0.001 * (i % 2), 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 600, TEST_DT);
    for (int i = 0; i < HEIGHT; i++) {
        const d3 p = position_of(world, box[i]);
        /* Rigid contacts tremble; compliance has a damper, and rests. */
        const bool rigid = settings.method.solver == DRY_SOLVER_PBD;
        assert_near(p.x, 0.001 * (i % 2), rigid ? 0.05 : 0.001);
        assert_near(p.y, 0.5 + i, 0.01);
        assert_near(p.z, 0, rigid ? 0.05 : 0.001);
        assert_at_most(d3_length(velocity_of(world, box[i])), rigid ? 0.3 : 1e-3);
    }
    dry_world_destroy(world);
}

static void test_stack(void **state)
{
    (void)state;
    over_methods(check_stack);
}

/* What rests falls asleep, and stays where it was. */
static void check_sleep(dry_settings settings)
{
    settings.sleep = true;
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id ball = add_dynamic(world, pose_at(3, 0.5, 0), sphere_shape(0.5));
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_a = box, def.body_b = ball;
    def.length = 3;
    join(world, &def);
    run_steps(world, 240, TEST_DT);
    assert_int_equal(dry_world_statistics(world).awake_bodies, 0);
    assert_near(position_of(world, box).y, 0.5, 5e-4);
    assert_near(position_of(world, ball).x - position_of(world, box).x, 3, 1e-4);
    dry_world_destroy(world);
}

static void test_sleep(void **state)
{
    (void)state;
    over_methods(check_sleep);
}

/* Two boxes that collide in space keep their momenta. */
static void check_pair(dry_settings settings)
{
    settings.gravity = v3(0, 0, 0);
    uint64_t seed = 7;
    for (int run = 0; run < 20; run++) {
        dry_world *world = world_with(settings);
        dry_shape_def a = box_shape(0.5, 0.5, 0.5), b = box_shape(0.3, 0.7, 0.4);
        a.restitution = b.restitution = run % 2 ? 0.5f : 0.0f;
        dry_body_id id[2] = {
            add_dynamic(world, (dry_pose){{0, 0, 0}, random_quat(&seed)}, a),
            add_dynamic(world, (dry_pose){{2, 0.2, 0.1}, random_quat(&seed)}, b),
        };
        set_velocity(world, id[0], (d3){2, 0, 0}, random_d3(&seed, 2));
        set_velocity(world, id[1], (d3){-2, 0, 0}, random_d3(&seed, 2));
        const d3 p = total_momentum(world, id, 2), l = total_angular_momentum(world, id, 2);
        run_steps(world, 60, TEST_DT);
        /* Each of 60 x 4 x 2 sweeps may round both velocities of some 2 m/s. */
        const double rounding = 60 * 4 * 2 * (double)FLT_EPSILON * 2;
        const double mass = mass_of(world, id[0]).mass + mass_of(world, id[1]).mass;
        assert_at_most(d3_length(d3_sub(total_momentum(world, id, 2), p)), rounding * mass);
        assert_at_most(d3_length(d3_sub(total_angular_momentum(world, id, 2), l)), 4 * rounding * mass);
        dry_world_destroy(world);
    }
}

static void test_pair(void **state)
{
    (void)state;
    over_methods(check_pair);
}

/* A ball on a rigid rod swings with 2 pi sqrt(l / g (1 + I / m l^2)) for small angles. */
static void check_pendulum(dry_settings settings)
{
    const dry_joint_type types[] = {DRY_JOINT_BALL, DRY_JOINT_HINGE};
    for (int k = 0; k < COUNT_OF(types); k++) {
        const double l = 1, angle = 0.1;
        dry_world *world = world_with(settings);
        dry_body_id anchor = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.01));
        dry_body_id bob = add_dynamic(world, pose_at(l * sin(angle), -l * cos(angle), 0), sphere_shape(0.1));
        dry_joint_def def = dry_default_joint_def(types[k]);
        def.body_a = anchor, def.body_b = bob;
        def.anchor_b = v3(-l * sin(angle), l * cos(angle), 0);
        if (types[k] == DRY_JOINT_HINGE)
            def.orientation_a = def.orientation_b = quat_about((d3){0, 1, 0}, -TEST_PI / 2);
        join(world, &def);
        double first = 0, last = 0, before = l * sin(angle);
        int crossings = 0;
        for (int i = 1; i <= 900; i++) {
            run_steps(world, 1, TEST_DT);
            const double x = position_of(world, bob).x;
            if (before > 0 && x <= 0) {
                last = (i - x / (x - before)) / 60.0;
                if (crossings++ == 0)
                    first = last;
            }
            before = x;
            assert_near(d3_length(position_of(world, bob)), l, 1e-3);
        }
        const double inertia = 0.4 * 0.01;
        assert_near((last - first) / (crossings - 1), 2 * TEST_PI * sqrt((l + inertia / l) / TEST_G), 0.005);
        dry_world_destroy(world);
    }
}

static void test_pendulum(void **state)
{
    (void)state;
    over_methods(check_pendulum);
}

/* A weight rests m g / k below the length of its spring, whatever the number of sweeps and substeps. */
static void test_spring(void **state)
{
    (void)state;
    const int sweeps[] = {1, 2, 8}, substeps[] = {1, 4, 16};
    const dry_joint_type types[] = {DRY_JOINT_DISTANCE, DRY_JOINT_BALL, DRY_JOINT_SLIDER};
    for (int t = 0; t < COUNT_OF(types); t++)
        for (int s = 0; s < COUNT_OF(sweeps); s++)
            for (int n = 0; n < COUNT_OF(substeps); n++)
                for (int warm = 0; warm < 2; warm++) {
                    dry_settings settings = test_settings();
                    settings.method.solver = DRY_SOLVER_XPBD;
                    settings.sweeps = sweeps[s];
                    settings.substeps = substeps[n];
                    settings.warm_start = warm;
                    dry_world *world = world_with(settings);
                    dry_body_id anchor =
                        add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.01));
                    dry_body_id weight = add_dynamic(world, pose_at(0, -1, 0), sphere_shape(0.1));
                    const double m = mass_of(world, weight).mass, k = 50 * m;
                    dry_joint_def def = dry_default_joint_def(types[t]);
                    def.body_a = anchor, def.body_b = weight;
                    double rest = -1;
                    if (types[t] == DRY_JOINT_DISTANCE) {
                        def.length = 1;
                    } else if (types[t] == DRY_JOINT_BALL) {
                        rest = 0;
                    } else {
                        def.orientation_a = def.orientation_b = quat_about((d3){0, 0, 1}, -TEST_PI / 2);
                        def.axes[DRY_AXIS_X].stiffness = (float)k;
                        def.axes[DRY_AXIS_X].damping = (float)(2 * m * 7);
                        def.axes[DRY_AXIS_X].rest = 1;
                    }
                    if (types[t] != DRY_JOINT_SLIDER) {
                        def.stiffness = (float)k;
                        def.damping = (float)(2 * m * 7);
                    }
                    join(world, &def);
                    run_steps(world, 300, TEST_DT);
                    assert_near(position_of(world, weight).y, rest - m * TEST_G / k, 1e-4);
                    dry_world_destroy(world);
                }
}

/* A spring k, c about an axis swings as implicit Euler steps of the substep's length do, whatever the sweeps.
 */
static void test_spring_swings(void **state)
{
    (void)state;
    for (int sweeps = 1; sweeps <= 4; sweeps *= 4)
        for (int substeps = 1; substeps <= 16; substeps *= 4) {
            dry_settings settings = test_settings_weightless();
            settings.method.solver = DRY_SOLVER_XPBD;
            settings.sweeps = sweeps;
            settings.substeps = substeps;
            dry_world *world = world_with(settings);
            dry_body_id wheel = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.25, 0.1));
            const double inertia = mass_of(world, wheel).inertia[2][2], k = 400, c = 5,
                         h = 1.0 / 60 / substeps;
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_HINGE);
            def.body_b = wheel;
            def.orientation_a = def.orientation_b = quat_about((d3){0, 1, 0}, -TEST_PI / 2);
            def.axes[DRY_AXIS_RX].stiffness = (float)k;
            def.axes[DRY_AXIS_RX].damping = (float)c;
            def.axes[DRY_AXIS_RX].rest = 0.5f;
            const dry_joint_id joint = join(world, &def);
            double q = 0, v = 0;
            for (int i = 0; i < 240; i++) {
                run_steps(world, 1, TEST_DT);
                for (int n = 0; n < substeps; n++) {
                    v = (v - h * k / inertia * (q - 0.5)) / (1 + h * c / inertia + h * h * k / inertia);
                    q += h * v;
                }
                assert_near(axis_of(world, joint, DRY_AXIS_RX).value, q, 2e-4);
            }
            dry_world_destroy(world);
        }
}

/* A block on contact springs of k N/m at its corners lies m g / (4 k) deep. */
static void test_contact_spring(void **state)
{
    (void)state;
    for (int sweeps = 1; sweeps <= 8; sweeps *= 8)
        for (int warm = 0; warm < 2; warm++) {
            dry_settings settings = test_settings();
            settings.method.solver = DRY_SOLVER_XPBD;
            settings.sweeps = sweeps;
            settings.warm_start = warm;
            settings.contact_stiffness = 1e6f;
            dry_world *world = world_with(settings);
            add_floor(world, 0.6, 0);
            dry_body_id block = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
            run_steps(world, 180, TEST_DT);
            const double depth = 1000 * TEST_G / 4e6;
            assert_near(0.5 - position_of(world, block).y, depth, 0.01 * depth);
            dry_world_destroy(world);
        }
}

static void check_chain(dry_settings settings)
{
    enum { LINKS = 10 };
    dry_world *world = world_with(settings);
    dry_body_id last = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.01));
    for (int i = 0; i < LINKS; i++) {
        dry_body_id link = add_dynamic(world, pose_at(0, -0.5 - i, 0), box_shape(0.1, 0.45, 0.1));
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_a = last, def.body_b = link;
        def.anchor_a = v3(0, i == 0 ? 0 : -0.5, 0);
        def.anchor_b = v3(0, 0.5, 0);
        join(world, &def);
        last = link;
    }
    run_steps(world, 600, TEST_DT);
    assert_near(position_of(world, last).y, 0.5 - LINKS, 0.01 * LINKS);
    dry_world_destroy(world);
}

static void test_chain(void **state)
{
    (void)state;
    over_methods(check_chain);
}

/* Returns the angular momentum of bodies about their center of mass. */
static d3 angular_momentum(dry_world *world, const dry_body_id *id, int count)
{
    d3 center = {0}, sum = {0};
    double mass = 0;
    for (int i = 0; i < count; i++) {
        const double m = mass_of(world, id[i]).mass;
        center = d3_add(center, d3_scale(position_of(world, id[i]), m));
        mass += m;
    }
    center = d3_scale(center, 1 / mass);
    for (int i = 0; i < count; i++) {
        const dry_mass m = mass_of(world, id[i]);
        const dry_quat q = pose_of(world, id[i]).orientation;
        const d3 w = d3_turn_back(q, spin_of(world, id[i]));
        const d3 own = {m.inertia[0][0] * w.x, m.inertia[1][1] * w.y, m.inertia[2][2] * w.z};
        const d3 arm = d3_sub(position_of(world, id[i]), center);
        sum =
            d3_add(sum, d3_add(d3_turn(q, own), d3_scale(d3_cross(arm, velocity_of(world, id[i])), m.mass)));
    }
    return sum;
}

enum { THROWN_LINKS = 8 };

/* Throws a chain of links drawn by its number, about an axis through its center at rest. Returns the largest
 * change of its angular momentum within 1 s, as a share. */
static double thrown_loses(dry_settings settings, uint64_t number, double speed)
{
    static const dry_joint_type types[] = {DRY_JOINT_BALL, DRY_JOINT_HINGE, DRY_JOINT_UNIVERSAL,
                                           DRY_JOINT_FIXED};
    dry_world *world = world_with(settings);
    uint64_t seed = (number + 1) * 0x9e3779b97f4a7c15u;
    const int links = 2 + random_below(&seed, THROWN_LINKS - 1);
    const dry_joint_type type = types[random_below(&seed, COUNT_OF(types))];
    dry_body_id id[THROWN_LINKS];
    double end = 0, half = 0;
    for (int i = 0; i < links; i++) {
        const double before = half;
        half = random_in(&seed, 0.1, 0.5);
        const double half_y = random_in(&seed, 0.04, 0.2), half_z = random_in(&seed, 0.04, 0.2);
        dry_shape_def box = box_shape(half, half_y, half_z);
        box.density = (float)(1000 * exp(random_in(&seed, -1, 1)));
        box.filter.mask = 0;
        id[i] = add_dynamic(world, pose_at(end + half, 0, 0), box);
        end += 2 * half;
        dry_joint_def joint = dry_default_joint_def(type);
        joint.body_a = id[i > 0 ? i - 1 : 0];
        joint.body_b = id[i];
        joint.anchor_a = v3(before, 0, 0);
        joint.anchor_b = v3(-half, 0, 0);
        if (i > 0)
            join(world, &joint);
    }
    const d3 spin = d3_scale(d3_unit(random_d3(&seed, 1)), speed);
    for (int i = 0; i < links; i++)
        set_velocity(world, id[i], d3_cross(spin, d3_sub(position_of(world, id[i]), (d3){0.5 * end, 0, 0})),
                     spin);
    const d3 begun = angular_momentum(world, id, links);
    double worst = 0;
    for (int step = 0; step < 60; step++) {
        run_steps(world, 1, TEST_DT);
        worst = fmax(worst, d3_length(d3_sub(angular_momentum(world, id, links), begun)));
    }
    dry_world_destroy(world);
    return worst / d3_length(begun);
}

/* Impulses act at the pose of the substep's beginning, with arms that meet in one point. */
static void test_thrown_chains_keep_angular_momentum(void **state)
{
    (void)state;
    static const double speeds[] = {1, 5, 40, 100};
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int k = 0; k < 24; k += test_pick(1, 4)) {
            dry_settings settings = test_settings_weightless();
            settings.method.solver = methods[m];
            assert_at_most(thrown_loses(settings, (uint64_t)k, speeds[k % COUNT_OF(speeds)]), 1e-5);
        }
}

/* A chain hangs still: one sweep does not converge, and substeps in two orders would report 2 m/s. */
static void test_hanging_chains_sleep(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT_OF(methods); m++)
        for (int sweeps = 1; sweeps <= 3; sweeps++) {
            dry_settings settings = dry_default_settings();
            settings.method.solver = methods[m];
            settings.sweeps = sweeps;
            dry_world *world = world_with(settings);
            dry_body_id above = add_body(world, DRY_BODY_STATIC, pose_at(0, 0, 0), sphere_shape(0.02));
            for (int i = 1; i < 10; i++) {
                dry_shape_def box = box_shape(0.02, 0.1, 0.02);
                box.filter.mask = 0;
                const dry_body_id id = add_dynamic(world, pose_at(0, -0.2 * i, 0), box);
                dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
                joint.body_a = above;
                joint.body_b = id;
                joint.anchor_a = v3(0, -0.1, 0);
                joint.anchor_b = v3(0, 0.1, 0);
                join(world, &joint);
                above = id;
            }
            run_steps(world, 240, TEST_DT);
            assert_int_equal(dry_world_statistics(world).awake_bodies, 0);
            dry_world_destroy(world);
        }
}

static bool is_refused(dry_settings settings)
{
    dry_world_def def = test_world_def();
    def.settings = settings;
    dry_world *world = NULL;
    const dry_result result = dry_world_create(&def, &world);
    assert_true(result == DRY_OK || (result == DRY_ERROR_ARGUMENT && !world));
    dry_world_destroy(world);
    world = world_with(test_settings());
    assert_int_equal(dry_world_set_settings(world, &settings), result);
    dry_world_destroy(world);
    return result != DRY_OK;
}

/* What a method cannot honor is refused when it is set, by worlds and by joints. */
static void test_refusals(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        const bool rigid = methods[m] == DRY_SOLVER_PBD;
        dry_settings plain = test_settings(), s = plain;
        plain.method.solver = methods[m];
        assert_false(is_refused(plain));
        s = plain, s.method.friction = DRY_FRICTION_TWO_PHASE;
        assert_true(is_refused(s));
        s = plain, s.joint_solver = DRY_JOINT_SOLVER_DIRECT;
        assert_true(is_refused(s));
        s = plain, s.joint_solver = DRY_JOINT_SOLVER_AUTO;
        assert_false(is_refused(s));
        s = plain, s.relax_sweeps = 0;
        assert_true(is_refused(s));
        s = plain, s.contact_stiffness = 1e5f;
        assert_int_equal(is_refused(s), rigid);
        s = plain, s.contact_hertz = 30;
        assert_int_equal(is_refused(s), rigid);

        dry_world *world = world_with(plain), *other = world_with(test_settings());
        for (int k = 0; k < 2; k++) {
            dry_world *in = k ? other : world;
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
            def.body_a = add_dynamic(in, pose_at(0, 0, 0), sphere_shape(0.1));
            def.body_b = add_dynamic(in, pose_at(1, 0, 0), sphere_shape(0.1));
            dry_joint_id id;
            def.stiffness = 100;
            assert_int_equal(dry_world_create_joint(in, &def, &id),
                             rigid && in == world ? DRY_ERROR_ARGUMENT : DRY_OK);
            if (in == other)
                assert_int_equal(dry_world_set_settings(other, &plain), rigid ? DRY_ERROR_ARGUMENT : DRY_OK);
            def.stiffness = 0;
            def.solver = DRY_JOINT_SOLVER_DIRECT;
            if (in == world)
                assert_int_equal(dry_world_create_joint(in, &def, &id), DRY_ERROR_ARGUMENT);
        }
        dry_world_destroy(world);
        dry_world_destroy(other);
    }
}

/* One small cube that flies or spins fast is one cube: the wall that it strikes stays in the world. */
static void test_a_fast_cube_leaves_the_wall_in_the_world(void **state)
{
    (void)state;
    enum { SIDE = 6 };
    static const struct {
        double size, speed, spin;
    } cases[] = {{0.01, 10, 0}, {0.02, 100, 0}, {0.1, 0, 3000}, {1, 0, 3000}, {0.02, 0, 300}};
    for (int solver = DRY_SOLVER_PBD; solver <= DRY_SOLVER_XPBD; solver++)
        for (int i = 0; i < COUNT_OF(cases); i++) {
            const double size = cases[i].size;
            dry_settings settings = test_settings();
            settings.method.solver = (dry_solver)solver;
            dry_world *world = world_with(settings);
            add_floor(world, 0.5, 0);
            dry_body_id struck = {0};
            for (int k = 0; k < SIDE * SIDE; k++) {
                const dry_body_id id =
                    add_dynamic(world, pose_at(k % SIDE * size, (0.5 + k / SIDE) * size, 0),
                                box_shape(0.5 * size, 0.5 * size, 0.5 * size));
                if (k == SIDE * SIDE / 2)
                    struck = id;
            }
            set_velocity(world, struck, (d3){0, 0, cases[i].speed}, (d3){0, 0, cases[i].spin});
            run_steps(world, 60, TEST_DT);
            assert_at_most(dry_world_statistics(world).quarantined_bodies, 1);
            dry_world_destroy(world);
        }
}

/* Returns by how much the top of a tower of ten is lower after 1 s at 8 substeps of one sweep. */
static double tower_sinks(dry_order order, bool warm_start)
{
    dry_settings settings = test_settings();
    settings.method.solver = DRY_SOLVER_XPBD;
    settings.method.order = order;
    settings.warm_start = warm_start;
    settings.substeps = 8;
    settings.sweeps = 1;
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    dry_body_id top = {0};
    for (int i = 0; i < 10; i++)
        top = add_dynamic(world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 60, TEST_DT);
    const double sunk = 9.5 - position_of(world, top).y;
    dry_world_destroy(world);
    return sunk;
}

/* The order of sweeps decides how far one hands a load on, not where bodies come to rest. */
static void test_orders(void **state)
{
    (void)state;
    const double rest = tower_sinks(DRY_ORDER_COLOR, true), cold = tower_sinks(DRY_ORDER_COLOR, false);
    for (int order = 0; order < DRY_ORDER_COUNT; order++)
        assert_near(tower_sinks((dry_order)order, true), rest, 2e-5);
    assert_at_most(tower_sinks(DRY_ORDER_LAYERS_UP, false), 0.5 * cold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fast_cube_leaves_the_wall_in_the_world),
        cmocka_unit_test(test_fall),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_sleep),
        cmocka_unit_test(test_pair),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_spring),
        cmocka_unit_test(test_spring_swings),
        cmocka_unit_test(test_contact_spring),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_thrown_chains_keep_angular_momentum),
        cmocka_unit_test(test_hanging_chains_sleep),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

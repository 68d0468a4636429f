/* Joints that are solved directly: closed forms, conserved quantities, and joints that stay closed. */
#include "tests/articulated.h"

/* Rows are closed within 1e-9 each, and a gap has three of them. */
#define ROUNDED_GAP 1.8e-9
/* Several substeps leave a part of that each, until it is closed for itself. */
#define MOVING_GAP 1e-7

/* 2 pi sqrt(I / (m g d)) / agm(1, cos(a / 2)): the period of a pendulum of amplitude a [complete elliptic
 * integral of the first kind by the arithmetic-geometric mean]. */
static double pendulum_period(double inertia_over_moment, double amplitude)
{
    double a = 1, b = cos(0.5 * amplitude);
    for (int i = 0; i < 30; ++i) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * TEST_PI * sqrt(inertia_over_moment / TEST_G) / a;
}

/* A bar on a hinge at its end, and the same bar on two ball joints at its edges. */
static dry_body_id make_pendulum(rig *r, double amplitude, double d, bool balls)
{
    const d3 at = {d * sin(amplitude), -d * cos(amplitude), 0};
    const dry_body_id bob = rig_box(r, at, quat_about((d3){0, 0, 1}, amplitude), (d3){0.1, d, 0.25}, 2);
    if (!balls) {
        rig_pin(r, the_world, bob, (d3){0, 0, 0});
    } else {
        rig_ball(r, the_world, bob, (d3){0, 0, -0.25});
        rig_ball(r, the_world, bob, (d3){0, 0, 0.25});
    }
    return bob;
}

static void test_pendulum_has_its_period(void **state)
{
    (void)state;
    const double amplitudes[] = {0.05, 0.3, 1.0, TEST_PI / 2, 2.5}, d = 0.5;
    for (int balls = 0; balls < 2; ++balls)
        for (int n = 0; n < COUNT_OF(amplitudes); ++n) {
            rig r;
            rig_direct(&r);
            const dry_body_id bob = make_pendulum(&r, amplitudes[n], d, balls);
            const dry_mass mass = mass_of(r.world, bob);
            const double period =
                pendulum_period((double)(mass.inertia[2][2] / mass.mass) / d + d, amplitudes[n]);
            enum { SWINGS = 20 };
            double first = 0, last = 0, before = position_of(r.world, bob).x;
            int crossings = 0;
            for (int step = 0; crossings <= 2 * SWINGS && step < 10000; ++step) {
                run_steps(r.world, 1, TEST_DT);
                const d3 p = position_of(r.world, bob);
                assert_at_most(fabs(p.z), 1e-6);
                if ((p.x < 0) != (before < 0) && p.y < 0) {
                    const double at = (step + 1) * (double)TEST_DT - (double)TEST_DT * p.x / (p.x - before);
                    if (crossings++ == 0)
                        first = at;
                    last = at;
                }
                before = p.x;
            }
            assert_int_equal(crossings, 2 * SWINGS + 1);
            assert_near((last - first) / SWINGS, period, 1e-3 * period);
            rig_free(&r);
        }
}

/* A minute: joints stay closed at every step, and the energy of the last ten seconds swings no farther than
 * that of the first ten. */
static void test_pendulum_keeps_its_energy(void **state)
{
    (void)state;
    for (int balls = 0; balls < 2; ++balls) {
        rig r;
        rig_direct(&r);
        const dry_body_id bob = make_pendulum(&r, TEST_PI / 2, 0.5, balls);
        const double start = energy_of(&r), scale = 0.5 * TEST_G * mass_of(r.world, bob).mass;
        const watch first = watch_steps(&r, 600, TEST_DT);
        const watch middle = watch_steps(&r, 2400, TEST_DT);
        const watch last = watch_steps(&r, 600, TEST_DT);
        assert_at_most(fmax(first.error, fmax(middle.error, last.error)), 1e-9);
        assert_at_most(last.largest, first.largest + 1e-6 * scale);
        assert_at_most(first.least, last.least + 1e-6 * scale);
        assert_at_most(middle.largest, start + 1e-3 * scale);
        assert_at_most(start - 2e-3 * scale, fmin(middle.least, last.least));
        rig_free(&r);
    }
}

/* Two ball joints make a hinge of rank 5 [Tomcin Fig. 1a]. Any share that settings allow keeps the sixth row
 * from a pivot of 0: joints close as far, and the pendulum swings as far. */
static void test_any_regularization_closes_redundant_joints(void **state)
{
    (void)state;
    const double shares[] = {1e-10, 1e-16, 1e-13, 1e-7, 1e-4};
    d3 expected = {0};
    uint64_t first = 0;
    for (int n = 0; n < COUNT_OF(shares); ++n) {
        rig r;
        dry_settings settings = direct_settings();
        settings.method.joint_regularization = shares[n];
        rig_make(&r, settings);
        const dry_body_id bob = make_pendulum(&r, 1.0, 0.5, true);
        assert_at_most(watch_steps(&r, 120, TEST_DT).error, 1.1e-9);
        const d3 at = position_of(r.world, bob);
        if (n == 0) {
            expected = at;
            first = dry_world_motion_hash(r.world);
        }
        assert_at_most(d3_length(d3_sub(at, expected)), 1e-5);
        if (shares[n] == 1e-4) /* so the setting arrives */
            assert_true(dry_world_motion_hash(r.world) != first);
        rig_free(&r);
    }
}

/* Returns the place of a body's point, in double. */
static d3 point_of(const dry_world *world, dry_body_id id, dry_vec3 local)
{
    const dry_pose pose = pose_of(world, id);
    return d3_add(d3_at(pose.position), d3_turn(pose.orientation, d3_of(local)));
}

/* A hinge about z at the ends of bars whose lengths floats hold, without the rounding of their poses. */
static dry_joint_def pin_exactly(rig *r, dry_body_id a, dry_body_id b, d3 at)
{
    dry_joint_def def = joint_at(r, DRY_JOINT_HINGE, a, b, at, frame_z());
    for (int side = 0; side < 2; ++side) {
        dry_vec3 *anchor = side ? &def.anchor_b : &def.anchor_a;
        *anchor = v3(0.5 * round(2.0 * anchor->x), 0, 0);
    }
    rig_join(r, def);
    return def;
}

/* A Peaucellier-Lipkin linkage: arms of 3 m from the origin, a rhombus of 2 m, and a crank of 1 m about
 * (1, 0, 0) whose circle goes through the origin. The pen, which is the rhombus's far corner, draws a
 * straight line: x = (9 - 4) / 2. Gravity is along x, so that the pen oscillates. */
static void test_peaucellier_draws_a_line(void **state)
{
    (void)state;
    rig r;
    dry_settings settings = direct_settings();
    settings.gravity = v3(TEST_G, 0, 0);
    rig_make(&r, settings);
    const d3 o = {0, 0, 0}, c = {1, 0, 0}, p = {1 + cos(0.6), sin(0.6), 0};
    const double near = d3_length(p), far = 5 / near, middle = 0.5 * (near + far),
                 height = sqrt(9 - middle * middle);
    const d3 u = d3_unit(p), v = {-u.y, u.x, 0};
    const d3 a = d3_add(d3_scale(u, middle), d3_scale(v, height)),
             b = d3_add(d3_scale(u, middle), d3_scale(v, -height)), q = d3_scale(u, far);
    const dry_body_id oa = rig_bar(&r, o, a, 1), ob = rig_bar(&r, o, b, 1), pa = rig_bar(&r, p, a, 1),
                      pb = rig_bar(&r, p, b, 1), qa = rig_bar(&r, a, q, 1), qb = rig_bar(&r, b, q, 1),
                      cp = rig_bar(&r, c, p, 1);
    pin_exactly(&r, the_world, oa, o);
    pin_exactly(&r, the_world, ob, o);
    pin_exactly(&r, the_world, cp, c);
    pin_exactly(&r, oa, pa, a);
    pin_exactly(&r, oa, qa, a);
    pin_exactly(&r, ob, pb, b);
    pin_exactly(&r, ob, qb, b);
    pin_exactly(&r, pa, pb, p);
    pin_exactly(&r, cp, pa, p);
    const dry_joint_def pen = pin_exactly(&r, qa, qb, q);
    const float h = 0.03f;
    double low = INFINITY, high = -INFINITY, energy = energy_of(&r), error = 0, off = 0, drift = 0, scale = 0;
    for (int step = 0; step < 2000; ++step) {
        run_steps(r.world, 1, h);
        for (int side = 0; side < 2; ++side) {
            const d3 at = point_of(r.world, side ? qb : qa, side ? pen.anchor_b : pen.anchor_a);
            off = fmax(off, fmax(fabs(at.x - 2.5), fabs(at.z)));
            low = fmin(low, at.y);
            high = fmax(high, at.y);
        }
        scale = fmax(scale, dry_world_energy(r.world).kinetic_J);
        drift = fmax(drift, fabs(energy_of(&r) - energy));
        error = fmax(error, worst_error(&r));
    }
    assert_true(low < -0.5 && high > 0.5);
    /* Poses are read with floats: half an ulp of a quaternion is 6e-8 m here. */
    assert_at_most(off, 1e-7);
    assert_at_most(error, ROUNDED_GAP);
    assert_at_most(drift, 1e-3 * fabs(energy));
    assert_true(scale > 1);
    rig_free(&r);
}

/* A hundred links with a thousand times their mass at the end, let go along x. */
static void test_heavy_end_does_not_stretch_a_chain(void **state)
{
    (void)state;
    enum { LINKS = 100 };
    rig r;
    rig_direct(&r);
    for (int i = 0; i < LINKS; ++i) {
        const dry_body_id link =
            rig_box(&r, (d3){i + 0.5, 0, 0}, QUAT_IDENTITY, (d3){0.5, 0.1, 0.1}, i == LINKS - 1 ? 1000 : 1);
        rig_ball(&r, i ? r.body[i - 1] : the_world, link, (d3){i, 0, 0});
    }
    const watch w = watch_steps(&r, test_pick(600, 120), TEST_DT);
    const double fall = (1000 * (LINKS - 0.5) + 0.5 * LINKS * LINKS) * TEST_G;
    assert_at_most(w.error, 1e-6);
    assert_at_most(w.largest, 1e-3 * fall);
    assert_at_most(-1e-3 * fall, w.least);
    rig_free(&r);
}

static d3 momentum_about_center(const rig *r, d3 p)
{
    d3 sum = {0, 0, 0};
    double mass = 0;
    for (int i = 0; i < r->bodies; ++i) {
        const double m = mass_of(r->world, r->body[i]).mass;
        sum = d3_add(sum, d3_scale(center_of(r->world, r->body[i]), m));
        mass += m;
    }
    return d3_sub(total_angular_momentum(r->world, r->body, r->bodies), d3_cross(d3_scale(sum, 1 / mass), p));
}

static void check_floating(bool unequal, double speed, double share)
{
    for (uint64_t seed = 1; seed <= (uint64_t)test_pick(10, 2); ++seed) {
        rig r;
        make_floating(&r, seed, unequal, speed);
        const d3 p = total_momentum(r.world, r.body, r.bodies), l = momentum_about_center(&r, p);
        const double thrown = energy_of(&r);
        run_steps(r.world, 1, TEST_DT);
        const double energy = energy_of(&r);
        assert_at_most(energy, thrown * (1 + 1e-3));
        for (int step = 0; step < 600; ++step) {
            run_steps(r.world, 1, TEST_DT);
            const d3 now = total_momentum(r.world, r.body, r.bodies);
            assert_at_most(d3_length(d3_sub(now, p)), 1e-6 * d3_length(p));
            assert_at_most(d3_length(d3_sub(momentum_about_center(&r, now), l)), 1e-6 * d3_length(l));
            assert_near(energy_of(&r), energy, share * energy);
            assert_at_most(worst_error(&r), MOVING_GAP);
        }
        rig_free(&r);
    }
}

/* The share of energy that Velocity-Verlet borrows grows with the square of the angle of a step. */
static void test_floating_keeps_its_momentum(void **state)
{
    (void)state;
    check_floating(false, 1, 1e-3);
    check_floating(true, 0.5, 1e-3);
    check_floating(false, 3, 1e-2);
    check_floating(true, 3, 0.05);
}

/* Planks fixed one to the other, the first to the wall: each joint holds what hangs beyond it. */
static void test_cantilever_gives_its_weight_and_moment(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; ++turned)
        for (int planks = 1; planks <= 4; ++planks) {
            rig r;
            rig_direct(&r);
            const dry_quat frame = turned ? quat_about((d3){0.6, 0, 0.8}, 1.1) : QUAT_IDENTITY;
            for (int i = 0; i < planks; ++i) {
                const dry_body_id plank =
                    rig_box(&r, (d3){i + 0.5, 0, 0}, QUAT_IDENTITY, (d3){0.5, 0.05, 0.1}, 2);
                rig_join(&r, joint_at(&r, DRY_JOINT_FIXED, i ? r.body[i - 1] : the_world, plank,
                                      (d3){i, 0, 0}, frame));
            }
            run_steps(r.world, 60, TEST_DT);
            for (int i = 0; i < planks; ++i) {
                dry_vec3 force, torque;
                assert_ok(dry_joint_get_reaction(r.world, r.joint[i], &force, &torque));
                const double beyond = planks - i, weight = 2 * TEST_G * beyond,
                             moment = 0.5 * weight * beyond;
                assert_near(force.y, weight, 1e-3 * weight);
                assert_near(torque.z, moment, 1e-3 * moment);
                assert_at_most(hypot(force.x, force.z), 1e-3 * weight);
                assert_at_most(hypot(torque.x, torque.y), 1e-3 * moment);
            }
            rig_free(&r);
        }
}

/* Bars in a row on ball joints, without weight: closed joints take no iteration, and the factor of n nodes in
 * a row holds their n blocks of 6 values and n - 1 blocks of 9. A link that is shifted takes some, and with
 * linear equations, where nothing turns, one. A world that sleeps has no articulation. */
static void test_counts_of_a_chain(void **state)
{
    (void)state;
    for (int n = 1; n < 12; ++n) {
        rig r;
        rig_weightless(&r);
        for (int i = 0; i < n; ++i) {
            rig_bar(&r, (d3){i, 0, 0}, (d3){i + 1, 0, 0}, 1);
            rig_ball(&r, i ? r.body[i - 1] : the_world, r.body[i], (d3){i, 0, 0});
        }
        run_steps(r.world, 1, TEST_DT);
        dry_articulation_statistics s = dry_world_statistics(r.world).articulations;
        assert_int_equal(s.count, 1);
        assert_int_equal(s.joints, n);
        assert_int_equal(s.rows, 3 * n);
        assert_int_equal(s.redundant_rows, 0);
        assert_int_equal(s.raised_pivots, 0);
        assert_int_equal(s.nonzeros, 6 * n + 9 * (n - 1));
        assert_int_equal(s.corrections, 1);
        assert_int_equal(s.iterations, 0);
        assert_int_equal(s.iterations_max, 0);
        dry_pose pose = pose_of(r.world, r.body[n - 1]);
        pose.position.x += 1e-5;
        assert_ok(dry_body_set_pose(r.world, r.body[n - 1], pose));
        run_steps(r.world, 1, TEST_DT);
        s = dry_world_statistics(r.world).articulations;
        assert_int_equal(s.corrections, 2); /* one closes what is open when the step begins */
        assert_int_equal(s.iterations, 1);
        assert_int_equal(s.iterations_max, 1);
        for (int i = 0; i < n; ++i)
            assert_ok(dry_body_set_awake(r.world, r.body[i], false));
        run_steps(r.world, 1, TEST_DT);
        s = dry_world_statistics(r.world).articulations;
        assert_int_equal(s.count + s.joints + s.rows + s.iterations_max, 0);
        rig_free(&r);
    }
}

/* Two bars of length L below each other carry a heavy box. Where they meet, they swing to the side with w^2 =
 * T L / I under the tension T, I being the moment of inertia about a bar's end. A step takes the least number
 * of substeps above w h. By themselves the bars would vibrate twice as fast. */
static void test_substeps_follow_the_vibration(void **state)
{
    (void)state;
    const int wanted[] = {2, 3, 5, 9, 17};
    for (int i = 0; i < COUNT_OF(wanted); ++i) {
        const double w = (wanted[i] - 0.5) / TEST_DT, length = 1, mass = 0.1;
        const double inertia = mass * (length * length + 0.1 * 0.1) / 12 + 0.25 * mass * length * length;
        const double tension = w * w * inertia / length;
        rig r;
        rig_direct(&r);
        const dry_body_id upper = rig_bar(&r, (d3){0, 0, 0}, (d3){0, -length, 0}, mass);
        const dry_body_id lower = rig_bar(&r, (d3){0, -length, 0}, (d3){0, -2 * length, 0}, mass);
        const dry_body_id box = rig_box(&r, (d3){0, -2 * length, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1},
                                        tension / TEST_G - 1.5 * mass);
        rig_ball(&r, the_world, upper, (d3){0, 0, 0});
        rig_ball(&r, upper, lower, (d3){0, -length, 0});
        rig_ball(&r, lower, box, (d3){0, -2 * length, 0});
        for (int step = 0; step < 20; ++step) {
            run_steps(r.world, 1, TEST_DT);
            if (step > 2)
                assert_int_equal(dry_world_statistics(r.world).articulations.corrections, wanted[i]);
        }
        rig_free(&r);
    }
}

/* Two plates below each other, of height L and wide, carry a heavy box. Each is held by three joints above
 * and three below, at one point each. All joints of a plate turn it back together: where the plates meet,
 * they swing with w^2 = T L / I under the tension T, I being the moment of inertia about the edge. */
static void test_substeps_follow_all_joints_of_a_body(void **state)
{
    (void)state;
    const int wanted[] = {2, 3, 5, 9};
    for (int i = 0; i < COUNT_OF(wanted); ++i) {
        const double w = (wanted[i] - 0.5) / TEST_DT, length = 0.5, width = 2, mass = 0.1;
        const double inertia = mass * (length * length + width * width) / 12 + 0.25 * mass * length * length;
        const double tension = w * w * inertia / length;
        rig r;
        rig_direct(&r);
        const d3 half = {0.5 * width, 0.5 * length, 0.5 * width};
        const dry_body_id upper = rig_box(&r, (d3){0, -0.5 * length, 0}, QUAT_IDENTITY, half, mass);
        const dry_body_id lower = rig_box(&r, (d3){0, -1.5 * length, 0}, QUAT_IDENTITY, half, mass);
        const dry_body_id box = rig_box(&r, (d3){0, -2 * length, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1},
                                        tension / TEST_G - 1.5 * mass);
        for (int k = 0; k < 3; ++k) {
            rig_ball(&r, the_world, upper, (d3){0, 0, 0});
            rig_ball(&r, upper, lower, (d3){0, -length, 0});
            rig_ball(&r, lower, box, (d3){0, -2 * length, 0});
        }
        for (int step = 0; step < 20; ++step) {
            run_steps(r.world, 1, TEST_DT);
            if (step > 2)
                assert_int_equal(dry_world_statistics(r.world).articulations.corrections, wanted[i]);
        }
        rig_free(&r);
    }
}

/* Links of 1 kg with 10 t at the end swing by 20 rad/s about a pin of the world, kicked by up to 3 m/s and 3
 * rad/s: with fifty, 2e8 N let them vibrate by 600 rad in a step, and they flew apart by 442 m. Joints hold
 * to rounding with fourteen, and within 0.1 mm with fifty. */
static void test_links_swing_a_heavy_end(void **state)
{
    (void)state;
    static const struct {
        int links;
        double gap, energy;
    } chains[] = {{14, MOVING_GAP, 1e-3}, {50, 1e-4, 5e-3}};
    for (int k = 0; k < COUNT_OF(chains); ++k)
        for (uint64_t kick = 1; kick <= (uint64_t)test_pick(8, 2); ++kick) {
            rig r;
            rig_weightless(&r);
            uint64_t seed = kick;
            dry_body_id last = the_world;
            for (int i = 0; i < chains[k].links; ++i) {
                const d3 at = {i + 0.5, 0, 0}, spin = {0, 0, 20};
                const double mass = i == chains[k].links - 1 ? 1e4 : 1;
                const dry_body_id link = rig_box(&r, at, QUAT_IDENTITY, (d3){0.5, 0.1, 0.1}, mass);
                const d3 pushed = random_d3(&seed, 3), turned = random_d3(&seed, 3);
                set_velocity(r.world, link, d3_add(d3_cross(spin, at), pushed), d3_add(spin, turned));
                rig_ball(&r, last, link, (d3){i, 0, 0});
                last = link;
            }
            const double before = energy_of(&r);
            const watch w = watch_steps(&r, 10, TEST_DT);
            assert_at_most(w.error, chains[k].gap);
            assert_at_most(w.largest, before * (1 + 1e-6));
            assert_at_most(before * (1 - chains[k].energy), w.least);
            rig_free(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_of_a_chain),
        cmocka_unit_test(test_pendulum_has_its_period),
        cmocka_unit_test(test_pendulum_keeps_its_energy),
        cmocka_unit_test(test_any_regularization_closes_redundant_joints),
        cmocka_unit_test(test_peaucellier_draws_a_line),
        cmocka_unit_test(test_heavy_end_does_not_stretch_a_chain),
        cmocka_unit_test(test_floating_keeps_its_momentum),
        cmocka_unit_test(test_cantilever_gives_its_weight_and_moment),
        cmocka_unit_test(test_substeps_follow_the_vibration),
        cmocka_unit_test(test_links_swing_a_heavy_end),
        cmocka_unit_test(test_substeps_follow_all_joints_of_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Springs and dampers of joints that are solved directly, by closed forms: alone, where an articulation moves
 * by itself, and among contacts. */
#include "tests/articulated.h"

/* An axis along y of the world, as the x axis of a joint's frame. */
static dry_quat frame_y(void)
{
    return quat_about((d3){0, 0, 1}, TEST_PI / 2);
}

static dry_joint_def slider_at(const rig *r, dry_body_id body, d3 at, double k, double c)
{
    dry_joint_def def = joint_at(r, DRY_JOINT_SLIDER, the_world, body, at, frame_y());
    def.axes[DRY_AXIS_X].stiffness = (float)k;
    def.axes[DRY_AXIS_X].damping = (float)c;
    return def;
}

static dry_joint_axis_state axis_of(const rig *r, dry_joint_id id, dry_axis axis)
{
    dry_joint_axis_state state;
    assert_ok(dry_joint_get_axis(r->world, id, axis, &state));
    return state;
}

/* Follows a vibration x = a cos(w t): the angle of (x, -x' / w), which grows by w t, and the largest x. */
typedef struct vibration {
    double w, angle, first, last, largest;
} vibration;

static void follow(vibration *v, double x, double speed)
{
    const double angle = atan2(-speed / v->w, x);
    v->angle += remainder(angle - v->last, 2 * TEST_PI);
    v->last = angle;
    v->largest = fmax(v->largest, fabs(x));
}

/* Without a damper a spring keeps its period and its amplitude for a minute. */
static void check_period(double hertz, dry_joint_type type)
{
    rig r;
    rig_direct(&r);
    const double m = 2, w = 2 * TEST_PI * hertz, k = m * w * w, rest = TEST_G / (w * w), a = 0.2;
    const dry_body_id body = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, m);
    dry_joint_def def = slider_at(&r, body, (d3){0, 0, 0}, k, 0);
    if (type != DRY_JOINT_SLIDER) {
        def = joint_at(&r, type, the_world, body, (d3){0, 0, 0}, QUAT_IDENTITY);
        def.target.y = type == DRY_JOINT_DISTANCE ? 3 : 0;
        def.length = type == DRY_JOINT_DISTANCE ? 3 : def.length;
        def.stiffness = (float)k;
    }
    rig_join(&r, def);
    dry_pose pose = pose_of(r.world, body);
    pose.position.y = a - rest;
    assert_ok(dry_body_set_pose(r.world, body, pose));
    vibration v = {.w = w};
    const int steps = 3600, late = 3000;
    const double energy = energy_of(&r);
    for (int i = 0; i < steps; ++i) {
        run_steps(r.world, 1, TEST_DT);
        follow(&v, position_of(r.world, body).y + rest, velocity_of(r.world, body).y);
        v.largest = i < late ? 0 : v.largest;
        assert_at_most(fabs(energy_of(&r) - energy), 0.1 * 0.5 * k * a * a);
    }
    assert_near(v.angle / (w * steps / 60.0), 1, 1e-3);
    assert_near(v.largest, a, 0.01 * a);
    rig_free(&r);
}

static void test_spring_keeps_period_and_amplitude(void **state)
{
    (void)state;
    const double hertz[] = {0.7, 2.1, 6.3, 11.3};
    for (int i = 0; i < 4; ++i)
        for (int type = 0; type < 3; ++type)
            check_period(hertz[i], (const dry_joint_type[]){DRY_JOINT_SLIDER, DRY_JOINT_DISTANCE,
                                                            DRY_JOINT_BALL}[type]);
}

/* A spring far too stiff for substeps to follow it holds its weight. */
static void test_stiff_spring_is_stable(void **state)
{
    (void)state;
    for (double k = 1e3; k < 2e9; k *= 10) {
        rig r;
        rig_direct(&r);
        const dry_body_id body = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, 1);
        const dry_joint_id id =
            rig_join(&r, slider_at(&r, body, (d3){0, 0, 0}, k, k < 2e5 ? 0.4 * sqrt(k) : 0));
        const double energy = energy_of(&r);
        for (int i = 0; i < 300; ++i) {
            run_steps(r.world, 1, TEST_DT);
            assert_at_most(energy_of(&r), energy + 1e-3 * TEST_G * TEST_G / k);
        }
        const dry_joint_axis_state axis = axis_of(&r, id, DRY_AXIS_X);
        assert_near(axis.value, -TEST_G / k, 1e-3 * TEST_G / k);
        assert_near(axis.spring_force, TEST_G, 1e-3 * TEST_G);
        rig_free(&r);
    }
}

/* Released far from rest it comes to rest, and gains no energy. */
static void test_stretched_stiff_spring_comes_to_rest(void **state)
{
    (void)state;
    for (double k = 1e6; k < 2e15; k *= 1000) {
        rig r;
        rig_direct(&r);
        const dry_body_id body = rig_box(&r, (d3){0, 0.3, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, 1);
        dry_joint_def def = slider_at(&r, body, (d3){0, 0, 0}, k, 0);
        def.anchor_b = v3(0, 0, 0);
        const dry_joint_id id = rig_join(&r, def);
        double energy = energy_of(&r);
        for (int i = 0; i < 60; ++i) {
            run_steps(r.world, 1, TEST_DT);
            assert_at_most(energy_of(&r), energy + 1e-9 * k);
            energy = energy_of(&r);
        }
        assert_near(axis_of(&r, id, DRY_AXIS_X).value, -TEST_G / k, 1e-9 + 1e-3 * TEST_G / k);
        assert_at_most(fabs((double)velocity_of(r.world, body).y), 1e-6);
        rig_free(&r);
    }
}

/* A beam on a hinge sinks until k q = m g l cos q. */
static void test_torsion_spring_holds_a_beam(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    const double m = 3, l = 0.5, k = 20;
    const dry_body_id beam = rig_box(&r, (d3){l, 0, 0}, QUAT_IDENTITY, (d3){l, 0.05, 0.05}, m);
    dry_joint_def def = joint_at(&r, DRY_JOINT_HINGE, the_world, beam, (d3){0, 0, 0}, frame_z());
    def.axes[DRY_AXIS_RX].stiffness = (float)k;
    def.axes[DRY_AXIS_RX].damping = 3;
    const dry_joint_id id = rig_join(&r, def);
    run_steps(r.world, 1800, TEST_DT);
    double q = 0;
    for (int i = 0; i < 100; ++i)
        q -= (k * q - m * TEST_G * l * cos(q)) / (k + m * TEST_G * l * sin(q));
    const dry_joint_axis_state axis = axis_of(&r, id, DRY_AXIS_RX);
    assert_near(fabs((double)axis.value), q, 1e-4);
    assert_near(fabs((double)axis.spring_force), k * q, 1e-4 * k);
    assert_at_most(worst_error(&r), 1e-8);
    rig_free(&r);
}

/* A torsion spring counts whole rotations: from two and a half of them it turns back. */
static void test_torsion_spring_counts_rotations(void **state)
{
    (void)state;
    rig r;
    rig_weightless(&r);
    const dry_body_id disk = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.3, 0.3, 0.1}, 2);
    const double inertia = 2.0 / 3 * (0.3 * 0.3 + 0.3 * 0.3), k = 0.5, spin = 16 * sqrt(k / inertia);
    dry_joint_def def = joint_at(&r, DRY_JOINT_HINGE, the_world, disk, (d3){0, 0, 0}, frame_z());
    def.axes[DRY_AXIS_RX].stiffness = (float)k;
    const dry_joint_id id = rig_join(&r, def);
    set_velocity(r.world, disk, (d3){0, 0, 0}, (d3){0, 0, spin});
    double largest = 0;
    for (int i = 0; i < 600; ++i) {
        run_steps(r.world, 1, TEST_DT);
        largest = fmax(largest, fabs((double)axis_of(&r, id, DRY_AXIS_RX).value));
    }
    assert_near(largest, 16, 0.01 * 16);
    rig_free(&r);
}

static void test_damped_spring_decays(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        rig r;
        rig_weightless(&r);
        const double m = 1, w = 2 * TEST_PI * (const double[]){1, 3, 8}[i], ratio = 0.05, a = 0.3;
        const double c = 2 * ratio * m * w;
        const dry_body_id body = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, m);
        rig_join(&r, slider_at(&r, body, (d3){0, 0, 0}, m * w * w, c));
        dry_pose pose = pose_of(r.world, body);
        pose.position.y = a;
        assert_ok(dry_body_set_pose(r.world, body, pose));
        const int steps = (int)(60 * 3 / (ratio * w));
        const double damped = w * sqrt(1 - ratio * ratio);
        for (int s = 1; s <= steps; ++s) {
            run_steps(r.world, 1, TEST_DT);
            const double t = s / 60.0, x = position_of(r.world, body).y;
            const double expected =
                a * exp(-ratio * w * t) * (cos(damped * t) + ratio * w / damped * sin(damped * t));
            assert_near(x, expected, 0.01 * a);
        }
        rig_free(&r);
    }
}

/* A damper without a spring slows its body. */
static void test_damper_alone_decays(void **state)
{
    (void)state;
    rig r;
    rig_weightless(&r);
    const dry_body_id body = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, 2);
    rig_join(&r, slider_at(&r, body, (d3){0, 0, 0}, 0, 3));
    set_velocity(r.world, body, (d3){0, 4, 0}, (d3){0, 0, 0});
    for (int s = 1; s <= 120; ++s) {
        run_steps(r.world, 1, TEST_DT);
        assert_near(velocity_of(r.world, body).y, 4 * exp(-1.5 * s / 60.0), 0.01 * 4 * exp(-1.5 * s / 60.0));
    }
    rig_free(&r);
}

static void test_floating_pair_keeps_momentum(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        uint64_t s = seed;
        rig r;
        rig_weightless(&r);
        for (int i = 0; i < 3; ++i)
            rig_box(&r, (d3){i, 0, 0}, random_quat(&s), (d3){0.2, 0.1 + 0.1 * i, 0.15}, 1 + i);
        dry_joint_def spring =
            joint_at(&r, DRY_JOINT_DISTANCE, r.body[0], r.body[1], (d3){0.3, 0, 0}, QUAT_IDENTITY);
        spring.anchor_b = v3(0.1, 0.2, 0);
        spring.stiffness = (float)(seed == 5 ? 1e8 : 100);
        spring.length = 0.8f;
        rig_join(&r, spring);
        dry_joint_def hinge =
            joint_at(&r, DRY_JOINT_HINGE, r.body[1], r.body[2], (d3){1.5, 0, 0}, random_quat(&s));
        hinge.axes[DRY_AXIS_RX].stiffness = 30;
        hinge.axes[DRY_AXIS_RX].damping = seed % 2 ? 0 : 0.1f;
        rig_join(&r, hinge);
        for (int i = 0; i < 3; ++i) {
            const d3 velocity = random_d3(&s, 2), spin = random_d3(&s, 2);
            set_velocity(r.world, r.body[i], velocity, spin);
        }
        const d3 p = total_momentum(r.world, r.body, 3), l = total_angular_momentum(r.world, r.body, 3);
        run_steps(r.world, 1, TEST_DT); /* takes what the hinge forbids */
        const double energy = energy_of(&r);
        for (int i = 0; i < 600; ++i) {
            run_steps(r.world, 1, TEST_DT);
            const d3 now = total_momentum(r.world, r.body, 3);
            assert_at_most(d3_length(d3_sub(now, p)), 1e-6 * d3_length(p));
            assert_at_most(d3_length(d3_sub(total_angular_momentum(r.world, r.body, 3), l)),
                           1e-5 * d3_length(l));
            assert_at_most(energy_of(&r), energy * 1.02);
            if (seed % 2 && seed < 5)
                assert_at_most(-energy_of(&r), -energy * 0.98);
            assert_at_most(worst_error(&r), 1e-8);
        }
        rig_free(&r);
    }
}

/* A box lies on a platform on a spring: the spring carries both. */
static void test_spring_carries_what_touches(void **state)
{
    (void)state;
    for (double k = 500; k < 1e8; k *= 20) {
        rig r;
        dry_world_def def = sleepy_def();
        def.settings.sleep = false;
        rig_touching(&r, &def);
        const dry_body_id plate = rig_box(&r, (d3){0, 2, 0}, QUAT_IDENTITY, (d3){0.5, 0.1, 0.5}, 4);
        rig_box(&r, (d3){0, 2.3, 0}, QUAT_IDENTITY, (d3){0.2, 0.2, 0.2}, 6);
        const dry_joint_id id = rig_join(&r, slider_at(&r, plate, (d3){0, 2, 0}, k, 100));
        run_steps(r.world, 1200, TEST_DT);
        const dry_joint_axis_state axis = axis_of(&r, id, DRY_AXIS_X);
        assert_near(axis.value, -10 * TEST_G / k, 1e-3 * 10 * TEST_G / k);
        assert_near(axis.spring_force, 10 * TEST_G, 1e-3 * 10 * TEST_G);
        assert_at_most(worst_error(&r), 1e-8);
        rig_free(&r);
    }
}

/* Springs of many kinds, some of which carry what touches them. */
static uint64_t crowd_hash(dry_isa isa, int threads, int steps, uint64_t *motion)
{
    rig r;
    dry_world_def def = sleepy_def();
    def.isa = isa;
    def.threads = threads;
    rig_touching(&r, &def);
    for (int i = 0; i < 24; ++i) {
        const d3 at = {3.0 * (i % 6), 3, 3.0 * (i / 6)};
        const dry_body_id plate = rig_box(&r, at, QUAT_IDENTITY, (d3){0.5, 0.1, 0.5}, 1 + i);
        rig_join(&r, slider_at(&r, plate, at, pow(10, 2 + i / 4.0), i % 2 ? 5 : 0));
        const dry_body_id arm =
            rig_box(&r, (d3){at.x + 0.6, at.y - 0.5, at.z}, QUAT_IDENTITY, (d3){0.5, 0.05, 0.05}, 1);
        dry_joint_def hinge =
            joint_at(&r, DRY_JOINT_HINGE, plate, arm, (d3){at.x + 0.1, at.y - 0.5, at.z}, frame_z());
        hinge.axes[DRY_AXIS_RX].stiffness = 20;
        hinge.axes[DRY_AXIS_RX].damping = 0.1f;
        hinge.axes[DRY_AXIS_RX].friction = i % 3 ? 0 : 0.1f;
        rig_join(&r, hinge);
        dry_joint_def ball =
            joint_at(&r, i % 2 ? DRY_JOINT_BALL : DRY_JOINT_DISTANCE, arm,
                     rig_box(&r, (d3){at.x + 1.1, at.y - 0.8, at.z}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, 0.5),
                     (d3){at.x + 1.1, at.y - 0.5, at.z}, QUAT_IDENTITY);
        ball.anchor_b = v3(0, 0.1, 0);
        ball.length = 0.2f;
        ball.stiffness = 300;
        rig_join(&r, ball);
        if (i % 4 == 0)
            rig_box(&r, (d3){at.x, at.y + 0.5, at.z}, QUAT_IDENTITY, (d3){0.2, 0.2, 0.2}, 2);
    }
    run_steps(r.world, steps, TEST_DT);
    const uint64_t hash = dry_world_hash(r.world);
    *motion = dry_world_motion_hash(r.world);
    rig_free(&r);
    return hash;
}

static void test_threads_and_instruction_sets_agree(void **state)
{
    (void)state;
    const int steps = test_pick(90, 20);
    uint64_t motion, other;
    const uint64_t expected = crowd_hash(DRY_ISA_SCALAR, 1, steps, &motion);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; ++isa)
        for (int threads = 1; threads <= 4; threads *= 2)
            if (dry_isa_available((dry_isa)isa)) {
                assert_true(crowd_hash((dry_isa)isa, threads, steps, &other) == expected);
                assert_true(other == motion);
            }
}

/* A spring that is put on an axis, changed and taken away again acts from the next step on. */
static void test_spring_comes_and_goes(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    const dry_body_id body = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, 1);
    const dry_joint_id id = rig_join(&r, slider_at(&r, body, (d3){0, 0, 0}, 0, 0));
    const double ks[] = {0, 500, 100, 0};
    double speed = 0;
    for (int i = 0; i < 4; ++i) {
        dry_joint_axis axis = dry_default_joint_def(DRY_JOINT_SLIDER).axes[DRY_AXIS_X];
        axis.stiffness = (float)ks[i];
        axis.damping = ks[i] > 0 ? 10 : 0;
        const dry_joint_axis_change change = {id, DRY_AXIS_X, axis};
        assert_ok(dry_world_set_joint_axes(r.world, 1, &change));
        const double before = velocity_of(r.world, body).y;
        run_steps(r.world, 1, TEST_DT);
        speed = velocity_of(r.world, body).y - before;
        if (ks[i] == 0)
            assert_near(speed, -TEST_G / 60, 1e-6);
        run_steps(r.world, 299, TEST_DT);
        if (ks[i] > 0)
            assert_near(axis_of(&r, id, DRY_AXIS_X).value, -TEST_G / ks[i], 1e-3 * TEST_G / ks[i]);
    }
    rig_free(&r);
}

/* A box 1 m wide hangs between two points 1.02 m apart, and a spring is stretched by 0.7 m: what contradicts
 * each other are the two joints. */
static void test_stretched_spring_is_no_conflict(void **state)
{
    (void)state;
    rig r;
    rig_direct(&r);
    const dry_body_id body = rig_box(&r, (d3){0, 0, 0}, QUAT_IDENTITY, (d3){0.5, 0.1, 0.1}, 1);
    dry_joint_id held[2];
    for (int i = 0; i < 2; ++i) {
        const double side = i ? 1 : -1;
        dry_joint_def def =
            joint_at(&r, DRY_JOINT_BALL, the_world, body, (d3){0.51 * side, 0, 0}, QUAT_IDENTITY);
        def.anchor_b = v3(0.5f * (float)side, 0, 0);
        held[i] = rig_join(&r, def);
    }
    dry_joint_def spring = joint_at(&r, DRY_JOINT_BALL, the_world, body, (d3){0, 0.7, 0}, QUAT_IDENTITY);
    spring.anchor_b = v3(0, 0, 0);
    spring.stiffness = 10;
    rig_join(&r, spring);
    int told = 0;
    for (int i = 0; i < 60; ++i) {
        run_steps(r.world, 1, TEST_DT);
        const dry_events events = dry_world_events(r.world);
        for (int k = 0; k < events.conflict_count; ++k, ++told) {
            const uint64_t bits = events.conflicts[k].joint.bits;
            assert_true(bits == held[0].bits || bits == held[1].bits);
            assert_near(events.conflicts[k].error, 0.01, 1e-3);
        }
    }
    assert_int_equal(told, 1);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_keeps_period_and_amplitude),
        cmocka_unit_test(test_stiff_spring_is_stable),
        cmocka_unit_test(test_stretched_stiff_spring_comes_to_rest),
        cmocka_unit_test(test_torsion_spring_holds_a_beam),
        cmocka_unit_test(test_torsion_spring_counts_rotations),
        cmocka_unit_test(test_damped_spring_decays),
        cmocka_unit_test(test_damper_alone_decays),
        cmocka_unit_test(test_floating_pair_keeps_momentum),
        cmocka_unit_test(test_spring_carries_what_touches),
        cmocka_unit_test(test_spring_comes_and_goes),
        cmocka_unit_test(test_stretched_spring_is_no_conflict),
        cmocka_unit_test(test_threads_and_instruction_sets_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

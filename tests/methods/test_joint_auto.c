/* Which joints are solved directly where the solver chooses. */
#include "tests/articulated.h"

/* A world whose joints' solvers are chosen, of bars in a row on ball joints, all of 1 kg but the last one.
 * Only the first one is held, if it is. */
static void rig_auto(rig *r, int bars, double last_kg, bool held, double gravity)
{
    dry_settings settings = test_settings();
    settings.joint_solver = DRY_JOINT_SOLVER_AUTO;
    settings.gravity = v3(0, -gravity, 0);
    rig_make(r, settings);
    for (int i = 0; i < bars; ++i) {
        rig_bar(r, (d3){0, -i, 0}, (d3){0, -i - 1, 0}, i == bars - 1 ? last_kg : 1);
        if (i || held)
            rig_ball(r, i ? r->body[i - 1] : the_world, r->body[i], (d3){0, -i, 0});
    }
}

static void set_gravity(rig *r, double gravity)
{
    dry_settings settings = dry_world_get_settings(r->world);
    settings.gravity = v3(0, -gravity, 0);
    assert_ok(dry_world_set_settings(r->world, &settings));
}

static int direct_after(rig *r, int steps)
{
    run_steps(r->world, steps, TEST_DT);
    return dry_world_statistics(r->world).articulations.joints;
}

/* Returns the load that 32 substeps of 1/60 s bear, m/s^2: w^2 / 600, w = 2 pi 0.19 1920. */
static double borne(void)
{
    const double w = 2 * TEST_PI * 0.19 * 1920;
    return w * w / 600;
}

/* The uppermost joint of n bars, the last one R times as heavy, is loaded by (n - 1 + R) g. All others but
 * the last move half of a bar: the second one is loaded by 2 (n - 2 + R) g. */
static void test_auto_follows_masses(void **state)
{
    (void)state;
    static const double ratios[] = {1, 100, 300, 600, 1200, 5000};
    for (int k = 0; k < 6 * COUNT_OF(ratios); ++k) {
        rig r;
        const int bars = 1 + k % 6;
        const double ratio = bars == 1 ? 1 : ratios[k / 6];
        const double load = fmax(bars - 1 + ratio, bars > 2 ? 2 * (bars - 2 + ratio) : 0) * TEST_G;
        rig_auto(&r, bars, ratio, true, TEST_G);
        for (int i = 0; i < 3; ++i)
            assert_int_equal(direct_after(&r, 20), load > borne() ? bars : 0);
        rig_free(&r);
        for (int held = 0; held < 2; ++held) { /* in free fall, and without weight */
            rig_auto(&r, bars, ratio, held, held ? 0 : TEST_G);
            assert_int_equal(direct_after(&r, 60), 0);
            rig_free(&r);
        }
    }
}

/* A bar that hangs loads its joint by g. */
static void test_auto_follows_loads(void **state)
{
    (void)state;
    rig r;
    rig_auto(&r, 1, 1, true, 0.9 * borne());
    assert_int_equal(direct_after(&r, 60), 0);
    set_gravity(&r, 1.1 * borne());
    assert_int_equal(direct_after(&r, 60), 1);
    set_gravity(&r, TEST_G);
    assert_int_equal(direct_after(&r, 60), 1); /* a choice for a load stays */
    dry_joint_def def;
    assert_ok(dry_joint_get_def(r.world, r.joint[0], &def));
    assert_ok(dry_joint_set_def(r.world, r.joint[0], &def));
    def.solver = DRY_JOINT_SOLVER_ITERATIVE;
    assert_ok(dry_joint_set_def(r.world, r.joint[0], &def));
    assert_int_equal(direct_after(&r, 10), 0);
    def.solver = DRY_JOINT_SOLVER_AUTO;
    assert_ok(dry_joint_set_def(r.world, r.joint[0], &def));
    assert_int_equal(direct_after(&r, 10), 0);
    rig_free(&r);
}

/* Joints in a loop are solved directly, together with what hangs on them and the springs between their
 * bodies: a second joint of two bodies makes one, and a second joint with the world. A soft spring or a rope
 * makes none, and what states a solver keeps it. */
static void test_auto_follows_loops(void **state)
{
    (void)state;
    rig r;
    rig_auto(&r, 2, 1, true, 0);
    assert_int_equal(direct_after(&r, 1), 0);
    dry_joint_def spring =
        joint_at(&r, DRY_JOINT_DISTANCE, the_world, r.body[1], (d3){0, -2, 0}, QUAT_IDENTITY);
    spring.stiffness = 10;
    rig_join(&r, spring);
    dry_joint_def rope =
        joint_at(&r, DRY_JOINT_DISTANCE, the_world, r.body[1], (d3){0, -2, 0}, QUAT_IDENTITY);
    rope.length_max = 5;
    rig_join(&r, rope);
    assert_int_equal(direct_after(&r, 1), 0);
    for (int world = 0; world < 2; ++world) {
        dry_joint_def def = joint_at(&r, DRY_JOINT_BALL, world ? the_world : r.body[0], r.body[1],
                                     (d3){0, world ? -2 : -1, 0.125}, QUAT_IDENTITY);
        const dry_joint_id closing = rig_join(&r, def);
        assert_int_equal(direct_after(&r, 1), 4);
        def.solver = DRY_JOINT_SOLVER_ITERATIVE;
        assert_ok(dry_joint_set_def(r.world, closing, &def));
        assert_int_equal(direct_after(&r, 1), 3);
        def.solver = DRY_JOINT_SOLVER_DIRECT;
        assert_ok(dry_joint_set_def(r.world, closing, &def));
        assert_int_equal(direct_after(&r, 1), 4);
        assert_ok(dry_joint_set_enabled(r.world, closing, false));
        assert_int_equal(direct_after(&r, 1), 0);
    }
    /* A spring of a loop goes back to sweeps with all of its joints. */
    assert_ok(dry_joint_set_enabled(r.world, r.joint[r.joints - 1], true));
    assert_int_equal(direct_after(&r, 1), 4);
    for (int i = 0; i < r.joints; ++i)
        if (i != 2)
            assert_ok(dry_joint_set_enabled(r.world, r.joint[i], false));
    assert_int_equal(direct_after(&r, 1), 0);
    rig_free(&r);
}

/* A spring closes a loop once it asks for more substeps than 4 of 1/60 s: w h > 0.65. It pulls along two bars
 * of 1 kg that hang from the world, and acts on the lower one alone. */
static void test_auto_follows_stiff_springs(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; ++stiff) {
        rig r;
        rig_auto(&r, 2, 1, true, 0);
        dry_joint_def spring =
            joint_at(&r, DRY_JOINT_DISTANCE, the_world, r.body[1], (d3){0, -2, 0}, QUAT_IDENTITY);
        const double w = 0.65 * 240 * (stiff ? 1.05 : 0.95);
        spring.stiffness = (float)(w * w);
        spring.anchor_a.y -= spring.length; /* so that it begins at rest */
        rig_join(&r, spring);
        assert_int_equal(direct_after(&r, 1), stiff ? 3 : 0);
        rig_free(&r);
    }
}

/* Bars on two joints each make a loop; 33 of them have 66 joints. A loop of over 64 is left to sweeps, unless
 * a motor drives a joint of it. */
static void test_auto_leaves_large_loops(void **state)
{
    (void)state;
    for (int bars = 32; bars <= 33; ++bars)
        for (int driven = 0; driven < 2; ++driven) {
            rig r;
            rig_auto(&r, bars, 1, true, 0);
            for (int i = 0; i < bars; ++i) {
                const bool motor = driven && i == bars - 1;
                dry_joint_def def =
                    joint_at(&r, motor ? DRY_JOINT_HINGE : DRY_JOINT_BALL, i ? r.body[i - 1] : the_world,
                             r.body[i], (d3){0, -i, motor ? 0 : 0.125}, QUAT_IDENTITY);
                if (motor) {
                    def.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
                    def.axes[DRY_AXIS_RX].force_max = 1;
                }
                rig_join(&r, def);
            }
            assert_int_equal(direct_after(&r, 1), driven || bars == 32 ? 2 * bars : 0);
            rig_free(&r);
        }
}

/* Settings that the choice reads count at once, and the tier of a group that is solved directly is the least.
 */
static void test_auto_follows_settings(void **state)
{
    (void)state;
    rig r;
    rig_auto(&r, 10, 1000, true, 0);
    assert_int_equal(direct_after(&r, 5), 0);
    set_gravity(&r, TEST_G);
    assert_int_equal(direct_after(&r, 1), 10);
    assert_int_equal(dry_world_statistics(r.world).islands_by_reason[DRY_TIER_JOINTS], 0);
    dry_settings settings = dry_world_get_settings(r.world);
    settings.joint_solver = DRY_JOINT_SOLVER_ITERATIVE;
    assert_ok(dry_world_set_settings(r.world, &settings));
    assert_int_equal(direct_after(&r, 1), 0);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_follows_masses),     cmocka_unit_test(test_auto_follows_loads),
        cmocka_unit_test(test_auto_follows_loops),      cmocka_unit_test(test_auto_follows_stiff_springs),
        cmocka_unit_test(test_auto_leaves_large_loops), cmocka_unit_test(test_auto_follows_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

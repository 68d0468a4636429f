/* Hard stops of direct joints where a step ends: one that is thrown at, many that hand a load on to each
 * other, and one that a motor drives against. */
#include "methods/direct/complementarity.h"
#include "tests/articulated.h"

/* A rod on a joint with stops falls on one, again and again thrown at it, with a hundred times its mass at
 * its end: after no step is it beyond the stop. */
static void check_stop(dry_joint_type type, double weight, double throw)
{
    rig r;
    dry_settings settings = direct_settings();
    settings.sleep = false;
    rig_make(&r, settings);
    const dry_body_id rod = rig_bar(&r, (d3){0, 0, 0}, (d3){2, 0, 0}, 1);
    dry_joint_def def = joint_at(&r, type, the_world, rod, (d3){0, 0, 0}, frame_z());
    if (type == DRY_JOINT_CONE_TWIST) {
        def = joint_at(&r, type, the_world, rod, (d3){0, 0, 0}, QUAT_IDENTITY);
        def.swing_max = 0.5f;
    } else {
        def.axes[DRY_AXIS_RX].min = -0.5f;
        def.axes[DRY_AXIS_RX].max = 1.5f;
    }
    const dry_joint_id joint = rig_join(&r, def);
    dry_body_id end = rod;
    if (weight > 0) {
        end = rig_box(&r, (d3){2, 0, 0}, QUAT_IDENTITY, (d3){0.1, 0.1, 0.1}, weight);
        rig_ball(&r, rod, end, (d3){2, 0, 0});
    }
    double start = energy_of(&r);
    for (int step = 0; step < 360; ++step) {
        if (step % 120 == 60 && throw > 0) {
            set_velocity(r.world, end, (d3){0, throw, step > 200 ? 1 : 0}, (d3){0, 0, 0});
            run_steps(r.world, 1, TEST_DT);
            start = energy_of(&r);
            continue;
        }
        run_steps(r.world, 1, TEST_DT);
        float gap, angle;
        assert_ok(dry_joint_get_error(r.world, joint, &gap, &angle));
        assert_at_most(angle, 1e-6);
        assert_at_most(worst_error(&r), 1e-6);
        assert_at_most(energy_of(&r), start + 1e-3 * fabs(start) + 1e-3);
    }
    rig_free(&r);
}

static void test_stops_hold(void **state)
{
    (void)state;
    const dry_joint_type types[] = {DRY_JOINT_HINGE, DRY_JOINT_CONE_TWIST};
    for (int i = 0; i < COUNT_OF(types); ++i) {
        check_stop(types[i], 0, 0);
        check_stop(types[i], 0, 4);
        check_stop(types[i], 100, 0);
        check_stop(types[i], 100, 4);
    }
}

/* Lets a chain of rods fall that lies straight, on hinges with friction, with stops at this angle on both
 * sides; the last rod has this mass. The first hinge has its stops from the start, the others do as well or,
 * `later`, are given them after a step. Returns the largest error of joints and stops. */
static double let_chain_fall(int rods, float limit, double last, bool later)
{
    rig r;
    dry_settings settings = direct_settings();
    settings.sleep = false;
    rig_make(&r, settings);
    dry_body_id above = the_world;
    dry_joint_axis axis = {0};
    for (int i = 0; i < rods; ++i) {
        const dry_body_id rod = rig_bar(&r, (d3){i, 0, 0}, (d3){i + 1, 0, 0}, i == rods - 1 ? last : 1);
        dry_joint_def def = joint_at(&r, DRY_JOINT_HINGE, above, rod, (d3){i, 0, 0}, frame_z());
        def.axes[DRY_AXIS_RX].friction = 1e-3f;
        dry_joint_def with = def;
        with.axes[DRY_AXIS_RX].min = -limit;
        with.axes[DRY_AXIS_RX].max = limit;
        axis = with.axes[DRY_AXIS_RX];
        rig_join(&r, i == 0 || !later ? with : def);
        above = rod;
    }
    if (later) {
        run_steps(r.world, 1, TEST_DT);
        for (int i = 1; i < rods; ++i) {
            const dry_joint_axis_change change = {.joint = r.joint[i], .axis = DRY_AXIS_RX, .settings = axis};
            assert_ok(dry_world_set_joint_axes(r.world, 1, &change));
        }
    }
    double worst = 0;
    for (int step = 0; step < 90; ++step) {
        run_steps(r.world, 1, TEST_DT);
        worst = fmax(worst, worst_error(&r));
    }
    rig_free(&r);
    return worst;
}

/* Stops that hinges are given later hold as if they had been there from the start: in a world that stepped
 * before they were given, too. */
static void test_stops_given_later_hold(void **state)
{
    (void)state;
    for (int later = 0; later < 2; ++later)
        assert_at_most(let_chain_fall(24, 0.2f, 1, later), 1e-6);
}

/* All hinges of a chain come to their stops in one step, and its stops hand the load on to each other. So
 * sweeps left them 0.001 to 0.05 rad beyond. With a heavy end they let it go on, until joints were torn. */
static void test_many_stops_hold(void **state)
{
    (void)state;
    const int rods[] = {8, 16, 40};
    for (int i = 0; i < COUNT_OF(rods); ++i) {
        assert_at_most(let_chain_fall(rods[i], 0.05f, 1, false), 1e-6);
        assert_at_most(let_chain_fall(rods[i], 0.2f, 1, false), 1e-6);
    }
    assert_at_most(let_chain_fall(4, 0.06f, 100, false), 1e-6);
    assert_at_most(let_chain_fall(4, 0.3f, 100, false), 1e-6);
}

typedef struct known_rows {
    int n;
    const double *s;
} known_rows;

static void copy_row(const void *context, int row, double *s)
{
    const known_rows *known = context;
    memcpy(s, known->s + row * known->n, (size_t)known->n * sizeof *s);
}

/* Impulses of a random S do not attract, nothing stays passed, and one of both is 0 in each row. Rows that
 * say the same share their impulses. */
static void test_complementarity(void **state)
{
    (void)state;
    enum { N = DRY_COMPLEMENTARITY_MAX };
    static double s[N * N], g[N][N], room[2 * N * N];
    uint64_t seed = 11;
    for (int run = 0; run < 200; ++run) {
        const int n = 1 + run % (run < 150 ? 12 : N), columns = run % 3 == 0 ? (n + 1) / 2 : n;
        double gap[N], impulse[N], from[N];
        for (int k = 0; k < columns; ++k)
            from[k] = random_in(&seed, -1, 1);
        for (int i = 0; i < n; ++i) {
            gap[i] = 0;
            for (int k = 0; k < columns; ++k) {
                g[i][k] = random_in(&seed, -1, 1);
                gap[i] += g[i][k] * from[k]; /* all are open where these are 0 */
            }
            gap[i] += run % 2 ? random_in(&seed, 0, 1) : 0;
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                s[i * n + j] = 0;
                for (int k = 0; k < columns; ++k)
                    s[i * n + j] += g[i][k] * g[j][k];
            }
        const known_rows known = {n, s};
        const dry_complementarity problem = {n, gap, room, copy_row, &known};
        assert_true(dry_complementarity_solve(&problem, false, impulse));
        for (int i = 0; i < n; ++i) {
            double opens = gap[i];
            for (int j = 0; j < n; ++j)
                opens += s[i * n + j] * impulse[j];
            assert_true(impulse[i] >= 0);
            assert_at_most(-opens, 1e-6);
            assert_at_most(impulse[i] > 0 ? opens : 0, 1e-6);
        }
    }
}

/* A parallelogram whose two cranks have stops that no pose satisfies. The stops give way to each other, and
 * no joint opens: solved at once, such stops would ask for any impulse. */
static void test_contradictory_stops_tear_no_joint(void **state)
{
    (void)state;
    rig r;
    rig_make(&r, direct_settings());
    const d3 up = {0, 1, 0}, side = {1, 0, 0}, corner = {1, 1, 0};
    const dry_body_id crank[] = {rig_bar(&r, (d3){0, 0, 0}, up, 1), rig_bar(&r, side, corner, 1)};
    const dry_body_id coupler = rig_bar(&r, up, corner, 1);
    dry_joint_def def = joint_at(&r, DRY_JOINT_HINGE, the_world, crank[0], (d3){0, 0, 0}, frame_z());
    def.axes[DRY_AXIS_RX].min = 0.5f;
    rig_join(&r, def);
    def = joint_at(&r, DRY_JOINT_HINGE, the_world, crank[1], side, frame_z());
    def.axes[DRY_AXIS_RX].max = -0.5f;
    rig_join(&r, def);
    const dry_joint_id pin[] = {rig_pin(&r, crank[0], coupler, up), rig_pin(&r, coupler, crank[1], corner)};
    for (int step = 0; step < 120; ++step) {
        run_steps(r.world, 1, TEST_DT);
        for (int i = 0; i < COUNT_OF(pin); ++i) {
            float gap, angle;
            assert_ok(dry_joint_get_error(r.world, pin[i], &gap, &angle));
            assert_at_most(gap, 1e-6);
        }
    }
    rig_free(&r);
}

/* A crank with a motor that no force bounds drives a slider against its stop. The motor wins: the stop gives
 * way, and no joint opens. */
static void test_an_unbounded_motor_tears_no_joint(void **state)
{
    (void)state;
    const double stops[] = {2.9, 2.99, 2.999}; /* from 2.9998 on a third of the stops lose the slider */
    for (int i = 0; i < COUNT_OF(stops); ++i) {
        rig r;
        dry_settings settings = direct_settings();
        settings.sleep = false;
        rig_make(&r, settings);
        const d3 pin = {cos(1), sin(1), 0}, end = {cos(1) + sqrt(4 - sin(1) * sin(1)), 0, 0};
        const dry_body_id crank = rig_bar(&r, (d3){0, 0, 0}, pin, 1), rod = rig_bar(&r, pin, end, 1);
        const dry_body_id slider = rig_box(&r, end, QUAT_IDENTITY, (d3){0.2, 0.05, 0.05}, 1);
        dry_joint_def def = joint_at(&r, DRY_JOINT_HINGE, the_world, crank, (d3){0, 0, 0}, frame_z());
        def.axes[DRY_AXIS_RX].motor = DRY_MOTOR_VELOCITY;
        def.axes[DRY_AXIS_RX].velocity = 1;
        const dry_joint_id joint[] = {rig_join(&r, def), rig_ball(&r, crank, rod, pin),
                                      rig_ball(&r, rod, slider, end)};
        def = joint_at(&r, DRY_JOINT_SLIDER, the_world, slider, end, QUAT_IDENTITY);
        def.axes[DRY_AXIS_X].max = (float)(stops[i] - end.x);
        rig_join(&r, def);
        for (int step = 0; step < 480; ++step) {
            run_steps(r.world, 1, TEST_DT);
            for (int j = 0; j < COUNT_OF(joint); ++j) {
                float gap, angle;
                assert_ok(dry_joint_get_error(r.world, joint[j], &gap, &angle));
                assert_at_most(gap, 1e-6);
            }
        }
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stops_hold),
        cmocka_unit_test(test_stops_given_later_hold),
        cmocka_unit_test(test_many_stops_hold),
        cmocka_unit_test(test_complementarity),
        cmocka_unit_test(test_contradictory_stops_tear_no_joint),
        cmocka_unit_test(test_an_unbounded_motor_tears_no_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

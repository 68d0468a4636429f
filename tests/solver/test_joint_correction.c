/* Joints that begin open: how they close, and what a world tells of it. */
#include "tests/articulated.h"
#include "tests/counting_allocator.h"

static const dry_joint_solver solvers[] = {DRY_JOINT_SOLVER_ITERATIVE, DRY_JOINT_SOLVER_DIRECT,
                                           DRY_JOINT_SOLVER_AUTO};
enum { SOLVERS = 3 };

static dry_settings settings_of(int solver)
{
    dry_settings settings = test_settings_weightless();
    settings.joint_solver = solvers[solver];
    settings.sleep = false;
    return settings;
}

static void make(rig *r, int solver)
{
    rig_make(r, settings_of(solver));
}

/* Adds two cubes on a joint whose second cube is a gap too far along x, turned about x. */
static dry_joint_id add_open(rig *r, dry_joint_type type, double gap, double turn, double z)
{
    const d3 half = {0.5, 0.5, 0.5};
    const dry_body_id a = rig_box(r, (d3){0, 0, z}, QUAT_IDENTITY, half, 1);
    const dry_body_id b = rig_box(r, (d3){1, 0, z}, QUAT_IDENTITY, half, 1);
    const dry_joint_id id = rig_join(r, joint_at(r, type, a, b, (d3){0.5, 0, z}, QUAT_IDENTITY));
    dry_pose pose = pose_of(r->world, b);
    pose.position.x += gap;
    pose.orientation = quat_about((d3){1, 0, 0}, turn);
    assert_ok(dry_body_set_pose(r->world, b, pose));
    return id;
}

static dry_correction correction_of(const rig *r, int body)
{
    dry_correction c;
    assert_ok(dry_body_get_correction(r->world, r->body[body], &c));
    return c;
}

static int open_joints(const rig *r)
{
    return dry_world_statistics(r->world).open_joints;
}

/* Runs steps in which no body may be faster than 1 mm/s and 1 mrad/s. Adds up the corrections of bodies. */
static void run_slowly(rig *r, int steps, d3 *moved, d3 *turned)
{
    for (int i = 0; i < steps; ++i) {
        run_steps(r->world, 1, TEST_DT);
        for (int b = 0; b < r->bodies; ++b) {
            assert_at_most(d3_length(velocity_of(r->world, r->body[b])), 1e-3);
            assert_at_most(d3_length(spin_of(r->world, r->body[b])), 1e-3);
            const dry_correction c = correction_of(r, b);
            moved[b] = d3_add(moved[b], d3_of(c.linear));
            turned[b] = d3_add(turned[b], d3_of(c.angular));
        }
    }
}

/* Gaps of 0.5 m and 3 m close to 1 mm within 1 s, 30 m in 5 s at 8 m/s. The corrections add up to the ways
 * that bodies went until the joint was open by 1 cm. */
static void test_open_joints_close_without_velocity(void **state)
{
    (void)state;
    static const struct {
        dry_joint_type type;
        double gap, turn;
        int steps;
    } all[] = {
        {DRY_JOINT_BALL, 0.5, 0, 60},   {DRY_JOINT_BALL, 3, 0, 60},  {DRY_JOINT_BALL, 30, 0, 300},
        {DRY_JOINT_HINGE, 3, 0, 60},    {DRY_JOINT_FIXED, 3, 0, 60}, {DRY_JOINT_FIXED, 3, 0.5, 60},
        {DRY_JOINT_DISTANCE, 3, 0, 60},
    };
    for (int solver = 0; solver < SOLVERS; ++solver)
        for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
            rig r;
            make(&r, solver);
            add_open(&r, all[i].type, all[i].gap, all[i].turn, 0);
            const d3 begin[2] = {position_of(r.world, r.body[0]), position_of(r.world, r.body[1])};
            d3 moved[2] = {{0, 0, 0}, {0, 0, 0}}, turned[2] = {{0, 0, 0}, {0, 0, 0}};
            run_slowly(&r, 1, moved, turned);
            assert_int_equal(open_joints(&r), 1);
            run_slowly(&r, all[i].steps - 1, moved, turned);
            assert_int_equal(open_joints(&r), 0);
            assert_at_most(worst_error(&r), 1e-3);
            for (int b = 0; b < 2; ++b) {
                const d3 way = d3_sub(position_of(r.world, r.body[b]), begin[b]);
                assert_at_most(d3_length(d3_sub(moved[b], way)), 0.01);
                assert_near(turned[b].x, b ? -all[i].turn / 2 : all[i].turn / 2, 0.06);
                assert_at_most(fabs(turned[b].y) + fabs(turned[b].z), 1e-3);
            }
            rig_free(&r);
        }
}

/* The count is that of the joints that are open as a step begins. Bodies of other islands have no
 * correction, though they fall; nor have bodies that sleep. */
static void test_only_islands_with_open_joints_are_corrected(void **state)
{
    (void)state;
    for (int solver = 0; solver < SOLVERS; ++solver) {
        rig r;
        dry_settings settings = settings_of(solver);
        settings.gravity = v3(0, 0, -10);
        rig_make(&r, settings);
        add_open(&r, DRY_JOINT_BALL, 0, 0, 0);
        run_steps(r.world, 3, TEST_DT);
        assert_int_equal(open_joints(&r), 0);
        assert_at_most(d3_length(d3_of(correction_of(&r, 0).linear)), 0);
        add_open(&r, DRY_JOINT_BALL, 2, 0, 4);
        add_open(&r, DRY_JOINT_FIXED, 0, 0.5, 8);
        add_open(&r, DRY_JOINT_BALL, 0.005, 0, 12);
        run_steps(r.world, 1, TEST_DT);
        assert_int_equal(open_joints(&r), 2);
        for (int b = 0; b < r.bodies; ++b) {
            const dry_correction c = correction_of(&r, b);
            assert_true((d3_length(d3_of(c.linear)) > 0.05) == (b == 2 || b == 3));
            assert_true((d3_length(d3_of(c.angular)) > 1e-3) == (b == 4 || b == 5));
            if (b < 2 || b > 5)
                assert_at_most(d3_length(d3_of(c.linear)), 0);
        }
        assert_ok(dry_body_set_awake(r.world, r.body[2], false));
        run_steps(r.world, 1, TEST_DT);
        assert_int_equal(open_joints(&r), 1);
        assert_at_most(d3_length(d3_of(correction_of(&r, 2).linear)), 0);
        rig_free(&r);
    }
}

/* Runs a hundred cubes on open joints, in chains of five. Returns a hash of their motion; *sum is that of the
 * bits of the corrections. */
static uint64_t run_chains(int solver, int threads, uint64_t *sum)
{
    rig r;
    dry_world_def def = test_world_def();
    def.settings = settings_of(solver);
    def.threads = threads;
    memset(&r, 0, sizeof r);
    r.world = world_from(&def);
    uint64_t seed = 7;
    for (int i = 0; i < 100; ++i) {
        const d3 at = {3.0 * (i % 5), random_in(&seed, -1, 1), 3.0 * (i / 5)};
        rig_box(&r, at, random_quat(&seed), (d3){0.5, 0.4, 0.3}, 1);
        dry_joint_def ball = dry_default_joint_def(i % 2 ? DRY_JOINT_BALL : DRY_JOINT_HINGE);
        ball.anchor_a = v3(0.5, 0, 0), ball.anchor_b = v3(-0.5, 0, 0);
        if (i % 5) {
            ball.body_a = r.body[i - 1], ball.body_b = r.body[i];
            rig_join(&r, ball);
        }
    }
    *sum = 0;
    for (int step = 0; step < 30; ++step) {
        run_steps(r.world, 1, TEST_DT);
        for (int b = 0; b < r.bodies; ++b) {
            const dry_correction c = correction_of(&r, b);
            uint32_t bits[6];
            memcpy(bits, &c, sizeof bits);
            for (int k = 0; k < 6; ++k)
                *sum = (*sum ^ bits[k]) * 0x100000001b3u;
        }
    }
    const uint64_t hash = dry_world_motion_hash(r.world);
    rig_free(&r);
    return hash;
}

static void test_corrections_have_the_same_bits_with_every_number_of_threads(void **state)
{
    (void)state;
    for (int solver = 0; solver < SOLVERS; ++solver) {
        uint64_t alone, many;
        const uint64_t hash = run_chains(solver, 1, &alone);
        assert_int_equal(run_chains(solver, 3, &many), hash);
        assert_int_equal(many, alone);
    }
}

/* A gap of 1000 km closes by 8 m/s at most. Two welds that hold two cubes 4 m apart and together leave them
 * between. */
static void test_nothing_is_thrown(void **state)
{
    (void)state;
    for (int solver = 0; solver < SOLVERS; ++solver) {
        rig r;
        make(&r, solver);
        add_open(&r, DRY_JOINT_BALL, 1e6, 0, 0);
        add_open(&r, DRY_JOINT_FIXED, 0, 0, 4);
        dry_joint_def second =
            joint_at(&r, DRY_JOINT_FIXED, r.body[2], r.body[3], (d3){0.5, 0, 4}, QUAT_IDENTITY);
        second.anchor_b.x += 4;
        rig_join(&r, second);
        for (int i = 0; i < 120; ++i) {
            d3 at[4];
            for (int b = 0; b < 4; ++b)
                at[b] = position_of(r.world, r.body[b]);
            run_steps(r.world, 1, TEST_DT);
            assert_true(open_joints(&r) >= 2);
            for (int b = 0; b < 4; ++b) {
                const d3 moved = d3_sub(position_of(r.world, r.body[b]), at[b]);
                assert_at_most(d3_length(moved), 8.0 / 60);
                assert_at_most(d3_length(velocity_of(r.world, r.body[b])), 1e-3);
            }
        }
        assert_true(all_finite(&r));
        assert_int_equal(dry_world_statistics(r.world).quarantined_bodies, 0);
        rig_free(&r);
    }
}

static void test_reading_a_correction_refuses_bad_arguments(void **state)
{
    (void)state;
    rig r;
    make(&r, 0);
    add_open(&r, DRY_JOINT_BALL, 3, 0, 0);
    dry_correction c;
    assert_int_equal(dry_body_get_correction(r.world, r.body[0], NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_body_get_correction(NULL, r.body[0], &c), DRY_ERROR_ARGUMENT);
    assert_ok(dry_body_destroy(r.world, r.body[0]));
    assert_int_equal(dry_body_get_correction(r.world, r.body[0], &c), DRY_ERROR_STALE_ID);
    rig_free(&r);
}

/* Steps two cubes on an open ball joint once, with one allocation that fails. Returns the correction of the
 * second one, and in *calls how many allocations there were before and after the step. */
static dry_correction step_without(counting_allocator *counter, int64_t fails, uint64_t calls[2],
                                   int *refused)
{
    *counter = (counting_allocator){.fail_at = -1};
    dry_world_def world_def = test_world_def();
    world_def.settings = settings_of(0);
    world_def.allocator = counting_hooks(counter);
    dry_world *world = world_from(&world_def);
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
    def.body_a = add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    def.body_b = add_dynamic(world, pose_at(3, 0, 0), box_shape(0.5, 0.5, 0.5));
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &def, &id));
    calls[0] = counter->calls;
    counter->fail_at = fails;
    const dry_result result = dry_world_step(world, TEST_DT);
    calls[1] = counter->calls;
    counter->fail_at = -1;
    if (result != DRY_OK) {
        assert_int_equal(result, DRY_ERROR_MEMORY);
        assert_true(pose_of(world, def.body_b).position.x == 3);
        assert_ok(dry_world_step(world, TEST_DT));
        ++*refused;
    }
    dry_correction correction;
    assert_ok(dry_body_get_correction(world, def.body_b, &correction));
    dry_world_destroy(world);
    return correction;
}

/* A step without memory is refused whatever the memory was for, and done when it is tried again. */
static void test_a_step_without_memory_is_tried_again(void **state)
{
    (void)state;
    counting_allocator counter;
    uint64_t calls[2], ignored[2];
    int refused = 0, tries = 0;
    const dry_correction expected = step_without(&counter, -1, calls, &refused);
    assert_true(expected.linear.x < 0);
    for (uint64_t n = calls[0]; n < calls[1]; ++n, ++tries) {
        const dry_correction now = step_without(&counter, (int64_t)n, ignored, &refused);
        assert_memory_equal(&now, &expected, sizeof now);
    }
    assert_true(tries > 3);
    assert_int_equal(refused, tries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_joints_close_without_velocity),
        cmocka_unit_test(test_only_islands_with_open_joints_are_corrected),
        cmocka_unit_test(test_corrections_have_the_same_bits_with_every_number_of_threads),
        cmocka_unit_test(test_nothing_is_thrown),
        cmocka_unit_test(test_reading_a_correction_refuses_bad_arguments),
        cmocka_unit_test(test_a_step_without_memory_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

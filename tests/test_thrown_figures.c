/* A figure whose bodies are thrown each its own way: joints and stops take away in a substep what contradicts
 * them, and turn about each other by radians in a step. */
#include "tests/quick.h"
#include "tests/test_joint.h"

#include "scenes/scenes.h"

enum { BODIES_MAX = 64, JOINTS_MAX = 8, STEPS = 60 };

static uint32_t random_state;

static float random_within(double most)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(most * ((double)(random_state >> 8) / 8388608.0 - 1.0));
}

static dry_vec3 random_vector(double most)
{
    const float x = random_within(most), y = random_within(most), z = random_within(most);
    return (dry_vec3){x, y, z};
}

/* Throws each body of a joint at up to `speed` m/s and `spin` rad/s along each axis. */
static void throw_bodies(dry_world *world, const dry_body_id *bodies, int count, double speed, double spin)
{
    for (int i = 0; i < count; i++) {
        int joints = 0;
        assert_ok(dry_body_get_joints(world, bodies[i], NULL, 0, &joints));
        const dry_vec3 linear = random_vector(speed), angular = random_vector(spin);
        if (joints > 0)
            assert_ok(dry_body_set_velocity(world, bodies[i], (dry_velocity){linear, angular}));
    }
}

/* Tests that no joint is open, nor a stop passed, by more than `most` m or rad after any step. */
static void check_joints(const dry_world *world, const dry_body_id *bodies, int count, double gap,
                         double turn)
{
    for (int i = 0; i < count; i++) {
        dry_joint_id joint[JOINTS_MAX];
        int joints = 0;
        assert_ok(dry_body_get_joints(world, bodies[i], joint, JOINTS_MAX, &joints));
        assert_true(joints <= JOINTS_MAX);
        for (int j = 0; j < joints; j++) {
            float error_m, error_rad;
            assert_ok(dry_joint_get_error(world, joint[j], &error_m, &error_rad));
            assert_at_most((double)error_m, gap);
            assert_at_most((double)error_rad, turn);
        }
    }
}

static void throw_figure(uint32_t seed, dry_joint_solver solver, double scale, double gap, double turn)
{
    dry_scene scene = {0};
    char error[200];
    dry_body_id bodies[BODIES_MAX];
    assert_true(dry_scene_make("ragdolls", 1, &scene, error, sizeof error));
    assert_true(scene.body_count <= BODIES_MAX);
    dry_settings settings = test_settings();
    settings.joint_solver = solver;
    settings.gravity = scene.gravity;
    dry_world *world = world_with(settings);
    assert_ok(dry_scene_build(&scene, world, bodies));
    random_state = seed * 2654435761u + 1u;
    throw_bodies(world, bodies, scene.body_count, 5 * scale, 40 * scale);
    for (int step = 0; step < STEPS; step++) {
        run_steps(world, 1, scene.dt);
        check_joints(world, bodies, scene.body_count, gap, turn);
    }
    assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
    dry_world_destroy(world);
    dry_scene_free(&scene);
}

/* A cone's angle turns back where it reaches 0. Extrapolated from there its speed grew to 700 rad/s, and
 * stops gave 100 times the energy that there was: 19 of 60 figures lost bodies, 37 of 40 in sweeps were torn.
 */
static void test_cones_begin_at_their_apex(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= (uint32_t)test_pick(40, 4); seed++) {
        throw_figure(seed, DRY_JOINT_SOLVER_DIRECT, 1, 1e-6, 1e-6);
        throw_figure(seed, DRY_JOINT_SOLVER_ITERATIVE, 1, 5e-3, 0.02);
        throw_figure(seed, DRY_JOINT_SOLVER_AUTO, 0.5, 5e-3, 0.02);
    }
}

/* Bodies that go back to their stops by a large angle open joints, which the rows from before do not close.
 */
static void test_stops_that_are_passed_far_leave_joints_closed(void **state)
{
    (void)state;
    static const uint32_t seeds[] = {15, 17, 33, 14, 26, 37, 55, 58};
    for (int i = 0; i < test_pick(COUNT_OF(seeds), 3); i++)
        throw_figure(seeds[i], DRY_JOINT_SOLVER_DIRECT, 3, 1e-6, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cones_begin_at_their_apex),
        cmocka_unit_test(test_stops_that_are_passed_far_leave_joints_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

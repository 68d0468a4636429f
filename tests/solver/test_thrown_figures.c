/* A figure whose bodies are thrown each its own way: joints and stops take away in a substep what contradicts
 * them, and turn about each other by radians in a step. */
#include "tests/quick.h"
#include "tests/test_joint.h"

#include "tools/scenes/scenes.h"

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

/* How far joints may be open and stops passed, m and rad: in any step, and for longer than `late` steps; no
 * joint for longer than `longest`. */
typedef struct joint_bounds {
    double gap, turn, late_gap, late_turn;
    int late, longest;
} joint_bounds;

/* Tests that no joint is open, nor a stop passed, further than it may. `since` has the number of steps after
 * which one was further than is allowed for long. Returns whether one is for too long. */
static bool check_joints(const dry_world *world, const dry_body_id *bodies, int count,
                         const joint_bounds *most, int (*since)[JOINTS_MAX])
{
    bool late = false;
    for (int i = 0; i < count; i++) {
        dry_joint_id joint[JOINTS_MAX];
        int joints = 0;
        assert_ok(dry_body_get_joints(world, bodies[i], joint, JOINTS_MAX, &joints));
        assert_true(joints <= JOINTS_MAX);
        for (int j = 0; j < joints; j++) {
            float error_m, error_rad;
            assert_ok(dry_joint_get_error(world, joint[j], &error_m, &error_rad));
            assert_at_most((double)error_m, most->gap);
            assert_at_most((double)error_rad, most->turn);
            const bool off = (double)error_m > most->late_gap || (double)error_rad > most->late_turn;
            since[i][j] = off ? since[i][j] + 1 : 0;
            assert_true(since[i][j] <= most->longest);
            late = late || since[i][j] > most->late;
        }
    }
    return late;
}

/* Returns whether a joint was open, or a stop passed, for too long. */
static bool throw_figure(uint32_t seed, dry_joint_solver solver, double scale, joint_bounds most)
{
    int since[BODIES_MAX][JOINTS_MAX] = {{0}};
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
    bool late = false;
    for (int step = 0; step < STEPS; step++) {
        run_steps(world, 1, scene.dt);
        late = check_joints(world, bodies, scene.body_count, &most, since) || late;
    }
    assert_int_equal(dry_world_statistics(world).quarantined_bodies, 0);
    dry_world_destroy(world);
    dry_scene_free(&scene);
    return late;
}

/* A blow at a stop that changes the spin of a light limb by some 40 rad/s opens its joints for that step
 * alone: of 3,000 figures 23, by up to 0.14 mm and 2.3e-4 rad. */
static const joint_bounds direct_bounds = {5e-4, 5e-4, 1e-6, 1e-6, 0, 1};
/* In sweeps a blow may open joints by 15 mm and pass stops by 0.06 rad, and 0.1 s after that step by a third;
 * of 300 figures three stayed longer, since rows have present errors two, all within 0.22 s. */
static const joint_bounds swept_bounds = {15e-3, 0.06, 15e-3, 0.02, 7, STEPS};

/* A cone's angle turns back where it reaches 0. Extrapolated from there its speed grew to 700 rad/s, and
 * stops gave 100 times the energy that there was: 19 of 60 figures lost bodies, 37 of 40 in sweeps were torn.
 */
static void test_cones_begin_at_their_apex(void **state)
{
    (void)state;
    int late = 0, open = 0;
    for (uint32_t seed = 1; seed <= (uint32_t)test_pick(40, 4); seed++) {
        open += throw_figure(seed, DRY_JOINT_SOLVER_DIRECT, 1, direct_bounds);
        late += throw_figure(seed, DRY_JOINT_SOLVER_ITERATIVE, 1, swept_bounds);
        late += throw_figure(seed, DRY_JOINT_SOLVER_AUTO, 0.5, swept_bounds);
    }
    assert_at_most(late, 2);
    assert_at_most(open, 2);
}

/* Bodies that go back to their stops by a large angle open joints, which the rows from before do not close.
 */
static void test_stops_that_are_passed_far_leave_joints_closed(void **state)
{
    (void)state;
    static const uint32_t seeds[] = {15, 17, 33, 14, 26, 37, 55, 58};
    for (int i = 0; i < test_pick(COUNT_OF(seeds), 3); i++)
        assert_false(throw_figure(seeds[i], DRY_JOINT_SOLVER_DIRECT, 3, direct_bounds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cones_begin_at_their_apex),
        cmocka_unit_test(test_stops_that_are_passed_far_leave_joints_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

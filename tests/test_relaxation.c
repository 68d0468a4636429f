/* Relaxation of sweeps [Waterson 4.9]: against its closed form for one constraint, and against iterations in
 * double precision for chains. */
#include "tests/test_world.h"

/* A rigid joint, which sweeps soften by a share of its own mass's inverse. */
static dry_joint_id add_rod(dry_world *world, dry_body_id a, dry_body_id b, double length)
{
    dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
    def.body_a = a;
    def.body_b = b;
    def.length = (float)length;
    dry_joint_id id;
    assert_ok(dry_world_create_joint(world, &def, &id));
    return id;
}

/* One step of so many sweeps from rest impulses, without the sweeps that take the position term back. */
static dry_settings sweeps_only(int sweeps, float relaxation)
{
    dry_settings settings = test_settings_weightless();
    settings.substeps = 1;
    settings.sweeps = sweeps;
    settings.relax_sweeps = 0;
    settings.warm_start = false;
    settings.relaxation = relaxation;
    settings.push_out_speed_max = 1e6f; /* and so no bound of the softness's term */
    return settings;
}

static const float shares[] = {0.25f, 0.5f, 0.9f, 1.0f, 1.3f, 1.75f};

/* Runs a step of two bodies on a rod, and returns the speed at which they part. */
static double rod_speed(const dry_settings *settings)
{
    dry_world *world = world_with(*settings);
    dry_body_id a = add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_body_id b = add_dynamic(world, pose_at(3, 0, 0), sphere_shape(0.7));
    add_rod(world, a, b, 3);
    set_velocity(world, b, (d3){1, 0, 0}, (d3){0, 0, 0});
    run_steps(world, 1, TEST_DT);
    const double speed = velocity_of(world, b).x - velocity_of(world, a).x;
    dry_world_destroy(world);
    return speed;
}

/* Each sweep leaves 1 - xi of the error of a constraint that is alone [Waterson 4.73]. Jacobi splits the
 * masses among one constraint, and sweeps twice. */
static void test_one_joint(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int i = 0; i < COUNT_OF(shares); i++) {
            dry_settings settings = sweeps_only(1, 1.0f);
            settings.solver = (dry_solver)solver;
            const double solved = rod_speed(&settings);
            const int times = solver == DRY_SOLVER_JACOBI ? 2 : 1;
            for (int k = 1; k <= 8; k++) {
                settings.sweeps = k;
                settings.relaxation = shares[i];
                const double left = pow(1 - (double)shares[i], times * k) * (1 - solved);
                assert_near(rod_speed(&settings), solved + left, 2e-6);
            }
        }
}

/* A ball above the ground that is to stop within the step at the surface: the contact's row is rigid, and
 * pushes all the time. */
static double fall_speed(const dry_settings *settings)
{
    dry_world *world = world_with(*settings);
    add_floor(world, 0, 0);
    dry_body_id ball = add_dynamic(world, pose_at(0, 0.51, 0), sphere_shape(0.5));
    set_velocity(world, ball, (d3){0, -10, 0}, (d3){0, 0, 0});
    run_steps(world, 1, TEST_DT);
    const double speed = velocity_of(world, ball).y;
    dry_world_destroy(world);
    return speed;
}

static void test_one_contact(void **state)
{
    (void)state;
    const double solved = -0.01 * 60;
    for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++)
        for (int i = 0; i < COUNT_OF(shares); i++)
            for (int k = 1; k <= 8; k++) {
                dry_settings settings = sweeps_only(k, shares[i]);
                settings.friction = (dry_friction)friction;
                const double left = pow(1 - (double)shares[i], k) * (-10 - solved);
                assert_near(fall_speed(&settings), solved + left, 1e-4);
            }
}

enum { CHAIN = 10, RODS = CHAIN - 1 };

/* A chain of bodies of 1 kg in double. Its rows are A + e D, with A = G M^-1 G^T and D the diagonal of A. */
typedef struct chain {
    double v[CHAIN], impulse[RODS];
    double softness; /* e */
} chain;

/* Returns e of a rigid joint: it leaves e / (1 + e) of the speed at which two bodies part. */
static double joint_softness(void)
{
    dry_settings settings = sweeps_only(1, 1.0f);
    const double left = rod_speed(&settings);
    return left / (1 - left);
}

/* One sweep: rods 0, 2, 4 ... have the first color, the others the second. */
static void sweep_chain(chain *c, double relaxation, bool backward)
{
    for (int half = 0; half < 2; half++)
        for (int rod = backward ? 1 - half : half; rod < RODS; rod += 2) {
            const double residual = c->v[rod + 1] - c->v[rod] + 2 * c->softness * c->impulse[rod];
            const double change = -relaxation * residual / (2 * (1 + c->softness));
            c->impulse[rod] += change;
            c->v[rod] -= change;
            c->v[rod + 1] += change;
        }
}

static void run_chain(const dry_settings *settings, const double start[CHAIN], double v[CHAIN])
{
    dry_world *world = world_with(*settings);
    dry_body_id id[CHAIN];
    for (int i = 0; i < CHAIN; i++) {
        id[i] = add_dynamic(world, pose_at(3 * i, 0, 0), sphere_shape(0.5));
        set_velocity(world, id[i], (d3){start[i], 0, 0}, (d3){0, 0, 0});
        if (i > 0)
            add_rod(world, id[i - 1], id[i], 3);
    }
    run_steps(world, 1, TEST_DT);
    for (int i = 0; i < CHAIN; i++)
        v[i] = velocity_of(world, id[i]).x;
    dry_world_destroy(world);
}

/* After each number of sweeps all bodies have the speeds of the iteration in double. */
static void test_chain(void **state)
{
    (void)state;
    uint64_t random = 7;
    double start[CHAIN], found[CHAIN];
    const double softness = joint_softness();
    assert_true(softness > 0.01 && softness < 0.5);
    for (int i = 0; i < CHAIN; i++)
        start[i] = random_in(&random, -1, 1);
    for (int i = 0; i < COUNT_OF(shares); i++)
        for (int sweeps = 1; sweeps <= 24; sweeps++) {
            dry_settings settings = sweeps_only(sweeps, shares[i]);
            chain expected = {.softness = softness};
            memcpy(expected.v, start, sizeof expected.v);
            for (int k = 0; k < sweeps; k++)
                sweep_chain(&expected, (double)shares[i], k % 2 == 1);
            run_chain(&settings, start, found);
            for (int b = 0; b < CHAIN; b++)
                assert_near(found[b], expected.v[b], 1e-5);
        }
}

/* A block that slides over level ground is slower by mu g t, whatever share sweeps take. */
static void test_friction(void **state)
{
    (void)state;
    static const float slow[] = {0.6f, 1.4f};
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++)
            for (int i = 0; i < COUNT_OF(slow); i++) {
                dry_settings settings = test_settings();
                settings.solver = (dry_solver)solver;
                settings.friction = (dry_friction)friction;
                settings.relaxation = slow[i];
                settings.sweeps = 4;
                dry_world *world = world_with(settings);
                add_floor(world, 0.5, 0);
                dry_shape_def shape = box_shape(0.5, 0.2, 0.5);
                shape.friction = 0.5f;
                dry_body_id block = add_dynamic(world, pose_at(0, 0.2, 0), shape);
                run_steps(world, 120, TEST_DT);
                set_velocity(world, block, (d3){3, 0, 0}, (d3){0, 0, 0});
                run_steps(world, 24, TEST_DT);
                assert_near(velocity_of(world, block).x, 3 - 0.5 * TEST_G * 24 / 60, 0.02);
                run_steps(world, 60, TEST_DT);
                assert_near(d3_length(velocity_of(world, block)), 0, 1e-4);
                dry_world_destroy(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_joint),
        cmocka_unit_test(test_one_contact),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Springs of surfaces, (k, d) per pair of materials [Spook 8-36], against closed form: how deep bodies lie,
 * how they swing, and that pairs without a spring do not notice it. */
#include "tests/method_limits.h"

#include "state/shapes.h"

static const double block_mass = 1000;

static dry_shape_def block_of(double k, double c)
{
    dry_shape_def block = box_shape(0.5, 0.5, 0.5);
    block.contact_stiffness = (float)k;
    block.contact_damping = (float)c;
    return block;
}

static dry_body_id add_floor_of(dry_world *world, double x, double k, double c)
{
    dry_shape_def floor = box_shape(4, 0.5, 4);
    floor.contact_stiffness = (float)k;
    floor.contact_damping = (float)c;
    return add_body(world, DRY_BODY_STATIC, pose_at(x, -0.5, 0), floor);
}

static double series(double a, double b)
{
    return a == 0 ? b : b == 0 ? a : 1 / (1 / a + 1 / b);
}

/* Tells whether a method takes springs of shapes. */
static bool takes_springs(const dry_settings *settings)
{
    dry_settings sprung = *settings;
    sprung.contact_stiffness = 1e6f;
    return !limit_of(settings) && !limit_of(&sprung);
}

/* A pair's (k, c) is that of two springs with dampers in series: their overlaps add up under one force, and
 * so does what they lose. */
static void test_pairs_are_in_series(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 1000; ++i) {
        dry_shape_spring spring[2];
        double k[2], c[2];
        for (int j = 0; j < 2; ++j) {
            spring[j].stiffness = (float)pow(10, random_in(&seed, -3, 15));
            spring[j].damping = (float)pow(10, random_in(&seed, -3, 15));
            k[j] = (double)spring[j].stiffness, c[j] = (double)spring[j].damping;
        }
        dry_shapes shapes = {.spring = spring};
        const dry_surface pair = dry_shapes_mixed(&shapes, (dry_surface_pair){{0, 1}, {0, 0}});
        const double of_pair = series(k[0], k[1]);
        assert_near((double)pair.contact_stiffness, of_pair, 1e-6 * of_pair);
        const double loss = c[0] / (k[0] * k[0]) + c[1] / (k[1] * k[1]);
        assert_near((double)pair.contact_damping, of_pair * of_pair * loss, 1e-6 * of_pair * of_pair * loss);
        spring[i % 2] = (dry_shape_spring){0, 0};
        const dry_surface one = dry_shapes_mixed(&shapes, (dry_surface_pair){{0, 1}, {0, 0}});
        assert_true(one.contact_stiffness == spring[1 - i % 2].stiffness &&
                    one.contact_damping == spring[1 - i % 2].damping);
        assert_true(dry_shapes_mixed(&shapes, (dry_surface_pair){{i % 2, i % 2}, {0, 0}}).contact_stiffness ==
                    0);
    }
}

enum { MATERIALS = 6 };

/* Two floors, and blocks of different materials on them: each lies m g / (4 k) deep, with the k of its pair
 * at each of four points, whatever iterates the equation and limits friction. The last pair has no spring and
 * lies as the settings say. */
static void check_depths(const dry_settings *settings)
{
    const struct {
        double floor, block;
    } pairs[MATERIALS] = {{0, 1e6}, {0, 2e5}, {4e6, 1e6}, {4e6, 2e5}, {4e6, 0}, {0, 0}};
    dry_world *world = world_with(*settings);
    add_floor_of(world, 0, 4e6, 4e4);
    add_floor_of(world, 20, 0, 0);
    dry_body_id block[MATERIALS];
    for (int i = 0; i < MATERIALS; ++i)
        block[i] = add_dynamic(world, pose_at((pairs[i].floor > 0 ? 0 : 20) + 2 * (i % 3) - 2, 0.5, 0),
                               block_of(pairs[i].block, pairs[i].block / 100));
    run_steps(world, 480, TEST_DT);
    for (int i = 0; i < MATERIALS; ++i) {
        double k = series(pairs[i].floor, pairs[i].block);
        if (k == 0)
            k = (double)settings->contact_stiffness;
        const double depth = k > 0 ? block_mass * TEST_G / (4 * k) : 0;
        assert_near(0.5 - position_of(world, block[i]).y, depth, k > 0 ? 0.005 * depth : 2e-4);
        assert_at_most(d3_length(velocity_of(world, block[i])), 1e-3);
    }
    dry_world_destroy(world);
}

static void test_depths_beside_each_other(void **state)
{
    (void)state;
    for (int variant = 0; variant < DRY_SOLVER_COUNT * DRY_FRICTION_COUNT * 2; ++variant) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)(variant % DRY_SOLVER_COUNT);
        settings.method.friction = (dry_friction)(variant / DRY_SOLVER_COUNT % DRY_FRICTION_COUNT);
        settings.contact_stiffness = variant / DRY_SOLVER_COUNT / DRY_FRICTION_COUNT ? 1e5f : 0;
        if (takes_springs(&settings))
            check_depths(&settings);
    }
}

/* Springs go together with a push factor: the pairs that have none are pushed apart. */
static void test_depths_beside_a_push_factor(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.method.push_factor = 0.2f;
    check_depths(&settings);
}

/* Blocks of different materials on each other: each pair bears what is above. */
static void test_depths_in_a_stack(void **state)
{
    (void)state;
    static const double k[] = {0, 2e6, 4e5, 0, 8e5};
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)solver;
        settings.substeps = 8;
        settings.sweeps = 4;
        if (!takes_springs(&settings))
            continue;
        dry_world *world = world_with(settings);
        add_floor_of(world, 0, k[0], 0);
        dry_body_id block[COUNT_OF(k)];
        for (int i = 1; i < COUNT_OF(k); ++i)
            block[i] = add_dynamic(world, pose_at(0, i - 0.5, 0), block_of(k[i], k[i] / 100));
        run_steps(world, 600, TEST_DT);
        double depth = 0;
        for (int i = 1; i < COUNT_OF(k); ++i) {
            depth += block_mass * TEST_G * (COUNT_OF(k) - i) / (4 * series(k[i - 1], k[i]));
            assert_near(i - 0.5 - position_of(world, block[i]).y, depth, 0.005 * depth);
        }
        dry_world_destroy(world);
    }
}

/* Twice the k and c of all shapes is the (k, d) of the world's settings: boxes fall on a floor and each other
 * alike in both worlds, within what rounding grows to. */
static void test_world_of_one_material(void **state)
{
    (void)state;
    enum { BOXES = 12 };
    const double k = 3e5, c = 2e3;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver) {
        d3 position[2][BOXES];
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)solver;
        settings.substeps = 4;
        if (!takes_springs(&settings))
            continue;
        for (int own = 0; own < 2; ++own) {
            settings.contact_stiffness = own ? 0 : (float)k;
            settings.contact_damping = own ? 2 : (float)(c / k / (TEST_DT / 4));
            dry_world *world = world_with(settings);
            add_floor_of(world, 0, own ? 2 * k : 0, own ? 2 * c : 0);
            uint64_t seed = 8;
            dry_body_id id[BOXES];
            for (int i = 0; i < BOXES; ++i) {
                const double half_x = random_in(&seed, 0.2, 0.5), half_y = random_in(&seed, 0.2, 0.5);
                dry_shape_def box = box_shape(half_x, half_y, 0.3);
                box.contact_stiffness = own ? (float)(2 * k) : 0;
                box.contact_damping = own ? (float)(2 * c) : 0;
                dry_pose pose = pose_at(0.8 * (i % 3), 1 + 0.9 * (i / 6), 0.8 * (i / 3 % 2));
                pose.orientation = random_quat(&seed);
                id[i] = add_dynamic(world, pose, box);
            }
            run_steps(world, 60, TEST_DT);
            for (int i = 0; i < BOXES; ++i)
                position[own][i] = position_of(world, id[i]);
            dry_world_destroy(world);
        }
        for (int i = 0; i < BOXES; ++i)
            assert_at_most(d3_length(d3_sub(position[0][i], position[1][i])), 1e-3);
    }
}

/* A ball on a plane follows the recurrence of one row exactly: (1/m + eps) lambda = -a q - b u - u_f with
 * d = c / (k h) [Spook 9-11, 26], or that of an implicit Euler step. */
static void test_ball_follows_the_recurrence(void **state)
{
    (void)state;
    static const double dampings[] = {0, 300, 3000, 30000};
    const double r = 0.5, h = TEST_DT, m = 1000 * 4.0 / 3 * TEST_PI * r * r * r;
    const double of_ball = 3e5, of_floor = 6e5, k = series(of_ball, of_floor);
    for (int i = 0; i < COUNT_OF(dampings) * 2; ++i) {
        dry_settings settings = test_settings();
        settings.method.solver = i % 2 ? DRY_SOLVER_XPBD : DRY_SOLVER_GAUSS_SEIDEL;
        settings.substeps = settings.sweeps = 1;
        settings.relax_sweeps = i % 2;
        settings.push_out_speed_max = 1e3f;
        dry_world *world = world_with(settings);
        const double each = dampings[i / 2],
                     c = k * k * (each / of_ball / of_ball + each / of_floor / of_floor);
        add_floor_of(world, 0, of_floor, each);
        dry_shape_def shape = sphere_shape(r);
        shape.friction = 0;
        shape.contact_stiffness = (float)of_ball;
        shape.contact_damping = (float)each;
        double q = -0.5 * m * TEST_G / k, u = 0;
        const dry_body_id ball = add_dynamic(world, pose_at(0, r + q, 0), shape);
        const double both = i % 2 ? h * k + c : h * k + 4 * c, four = i % 2 ? 1 : 4;
        const double a = four * k / both, eps = four / (h * both), b = i % 2 ? 1 : 4 * c / both;
        for (int step = 0; step < 60; ++step) {
            const double lambda = (-a * q - b * u + TEST_G * h) / (1 / m + eps);
            assert_true(lambda > 0);
            u += lambda / m - TEST_G * h;
            q += h * u;
            run_steps(world, 1, TEST_DT);
            assert_near(velocity_of(world, ball).y, u, 1e-4);
            assert_near(position_of(world, ball).y - r, q, 3e-6);
        }
        dry_world_destroy(world);
    }
}

/* In short substeps a block swings as m x'' = -4 (k x + c x') says: with the frequency sqrt(w^2 - s^2) and
 * the decrement s = 4 c / (2 m), w^2 = 4 k / m. Blocks of two materials swing beside each other. */
static void test_damped_swings(void **state)
{
    (void)state;
    const double k[2] = {2e5, 8e5}, c[2] = {1.5e3, 6e3};
    for (int solver = DRY_SOLVER_GAUSS_SEIDEL; solver <= DRY_SOLVER_JACOBI; ++solver) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)solver;
        settings.substeps = 32;
        settings.push_out_speed_max = 1e3f;
        dry_world *world = world_with(settings);
        add_floor_of(world, 0, 0, 0);
        dry_body_id block[2];
        for (int i = 0; i < 2; ++i)
            block[i] = add_dynamic(world, pose_at(3 * i, 0.5 - 0.5 * block_mass * TEST_G / (4 * k[i]), 0),
                                   block_of(k[i], c[i]));
        for (int step = 1; step <= 60; ++step) {
            run_steps(world, 1, TEST_DT);
            for (int i = 0; i < 2; ++i) {
                const double deep = block_mass * TEST_G / (4 * k[i]), t = step * TEST_DT;
                const double s = 2 * c[i] / block_mass, w = sqrt(4 * k[i] / block_mass - s * s);
                const double x = 0.5 * deep * exp(-s * t) * (cos(w * t) + s / w * sin(w * t));
                assert_near(position_of(world, block[i]).y - 0.5 + deep, x, 0.02 * deep);
            }
        }
        dry_world_destroy(world);
    }
}

/* Adds a pile of blocks of no stiffness. */
static void add_pile(dry_world *world, dry_body_id *ids, int count)
{
    for (int i = 0; i < count; ++i)
        ids[i] = add_dynamic(world, pose_at(0.05 * (i % 3), 0.5 + 1.01 * i, 0.03 * (i % 2)), block_of(0, 0));
}

/* Pairs without a spring move bit for bit as in a world that has none, in bundles with others that have. */
static void test_others_do_not_notice(void **state)
{
    (void)state;
    enum { PILE = 6 };
    for (int variant = 0; variant < DRY_SOLVER_COUNT * DRY_FRICTION_COUNT; ++variant) {
        dry_settings settings = test_settings();
        settings.method.solver = (dry_solver)(variant % DRY_SOLVER_COUNT);
        settings.method.friction = (dry_friction)(variant / DRY_SOLVER_COUNT);
        if (!takes_springs(&settings))
            continue;
        dry_pose pose[2][PILE];
        for (int sprung = 0; sprung < 2; ++sprung) {
            dry_world *world = world_with(settings);
            add_floor_of(world, 0, 0, 0);
            dry_body_id ids[PILE];
            add_pile(world, ids, PILE);
            for (int i = 0; i < 6; ++i)
                add_dynamic(world, pose_at(3, 0.5 + i, 0), block_of(sprung ? 1e6 : 0, sprung ? 1e4 : 0));
            run_steps(world, 60, TEST_DT);
            for (int i = 0; i < PILE; ++i)
                pose[sprung][i] = pose_of(world, ids[i]);
            dry_world_destroy(world);
        }
        assert_memory_equal(pose[0], pose[1], sizeof pose[0]);
    }
}

/* A spring that is set for a shape in contact wakes its body, which sinks to the new depth; without one it
 * comes up again. */
static void test_setting_a_spring(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.sleep = true;
    dry_world *world = world_with(settings);
    add_floor_of(world, 0, 0, 0);
    const dry_body_id block = add_dynamic(world, pose_at(0, 0.5, 0), block_of(0, 0));
    dry_shape_id shape;
    int count;
    assert_ok(dry_body_get_shapes(world, block, &shape, 1, &count));
    static const double k[] = {1e6, 2.5e5, 0, 1e6};
    for (int i = 0; i < COUNT_OF(k); ++i) {
        run_steps(world, 240, TEST_DT);
        assert_false(dry_body_is_awake(world, block));
        assert_ok(dry_shape_set_contact_spring(world, shape, (float)k[i], (float)(k[i] / 50)));
        assert_true(dry_body_is_awake(world, block));
        run_steps(world, 240, TEST_DT);
        const double depth = k[i] > 0 ? block_mass * TEST_G / (4 * k[i]) : 0;
        assert_near(0.5 - position_of(world, block).y, depth, 0.01 * depth + 2e-4);
        const double elastic = k[i] > 0 ? 2 * k[i] * depth * depth : 0;
        assert_near(dry_world_energy(world).elastic_J, elastic, 0.01 * elastic);
        dry_shape_def def;
        assert_ok(dry_shape_get_def(world, shape, &def));
        assert_true(def.contact_stiffness == (float)k[i] && def.contact_damping == (float)(k[i] / 50));
    }
    dry_world_destroy(world);
}

/* Contacts of joints that are solved directly have the springs, too: two blocks on eight points. */
static void test_direct_joints(void **state)
{
    (void)state;
    const double k = 1e6;
    for (int friction = 0; friction < DRY_FRICTION_COUNT; ++friction)
        for (int world_k = 0; world_k < 2; ++world_k) {
            dry_settings settings = test_settings();
            settings.method.friction = (dry_friction)friction;
            settings.contact_stiffness = world_k ? 1e5f : 0;
            settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
            dry_world *world = world_with(settings);
            add_floor_of(world, 0, 0, 0);
            const dry_body_id a = add_dynamic(world, pose_at(0, 0.5, 0), block_of(k, k / 100));
            const dry_body_id b = add_dynamic(world, pose_at(1.5, 0.5, 0), block_of(k, k / 100));
            dry_joint_def def = dry_default_joint_def(DRY_JOINT_FIXED);
            def.body_a = a;
            def.body_b = b;
            def.anchor_a = v3(0.75, 0, 0);
            def.anchor_b = v3(-0.75, 0, 0);
            dry_joint_id joint;
            assert_ok(dry_world_create_joint(world, &def, &joint));
            run_steps(world, 180, TEST_DT);
            const double depth = block_mass * TEST_G / (4 * k);
            assert_near(0.5 - position_of(world, a).y, depth, 0.01 * depth);
            assert_near(0.5 - position_of(world, b).y, depth, 0.01 * depth);
            dry_world_destroy(world);
        }
}

/* Shapes with springs and a solver of rigid contacts refuse each other; so does a damper alone. */
static void test_refusals(void **state)
{
    (void)state;
    static const dry_solver rigid[] = {DRY_SOLVER_PBD, DRY_SOLVER_AVBD};
    for (int i = 0; i < COUNT_OF(rigid); ++i) {
        dry_settings settings = test_settings();
        settings.method.solver = rigid[i];
        dry_world *world = world_with(settings);
        dry_shape_def soft = block_of(1e6, 0), hard = block_of(0, 0);
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose_at(0, 2, 0), &soft);
        dry_body_id id;
        dry_shape_id shape;
        int count;
        assert_int_equal(dry_world_create_body(world, &def, &id), DRY_ERROR_ARGUMENT);
        id = add_dynamic(world, pose_at(0, 2, 0), hard);
        assert_int_equal(dry_body_create_shape(world, id, &soft, &shape), DRY_ERROR_ARGUMENT);
        assert_ok(dry_body_get_shapes(world, id, &shape, 1, &count));
        assert_int_equal(dry_shape_set_contact_spring(world, shape, 1e6f, 0), DRY_ERROR_ARGUMENT);
        settings.method.solver = DRY_SOLVER_GAUSS_SEIDEL;
        assert_ok(dry_world_set_settings(world, &settings));
        assert_int_equal(dry_shape_set_contact_spring(world, shape, 0, 1), DRY_ERROR_ARGUMENT);
        assert_int_equal(dry_shape_set_contact_spring(world, shape, -1, 0), DRY_ERROR_ARGUMENT);
        assert_int_equal(dry_shape_set_contact_spring(world, shape, 1, NAN), DRY_ERROR_ARGUMENT);
        assert_ok(dry_shape_set_contact_spring(world, shape, 1e6f, 1e3f));
        settings.method.solver = rigid[i];
        assert_int_equal(dry_world_set_settings(world, &settings), DRY_ERROR_ARGUMENT);
        assert_ok(dry_shape_set_contact_spring(world, shape, 0, 0));
        assert_ok(dry_world_set_settings(world, &settings));
        dry_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_in_series),
        cmocka_unit_test(test_depths_beside_each_other),
        cmocka_unit_test(test_depths_beside_a_push_factor),
        cmocka_unit_test(test_depths_in_a_stack),
        cmocka_unit_test(test_world_of_one_material),
        cmocka_unit_test(test_ball_follows_the_recurrence),
        cmocka_unit_test(test_damped_swings),
        cmocka_unit_test(test_others_do_not_notice),
        cmocka_unit_test(test_setting_a_spring),
        cmocka_unit_test(test_direct_joints),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

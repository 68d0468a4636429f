/* Solver methods: their names, their needs, and that each honors every friction model and stiffness. */
#include "tests/method_limits.h"

#include "solver/methods/method.h"

/* A block pressed by gravity on springs of k N/m at its four corners lies m g / (4 k) deep, whatever iterates
 * the equation and limits friction. */
static void test_every_combination_is_honored(void **state)
{
    (void)state;
    const double k = 1e6, weight = 1000 * TEST_G;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++) {
            dry_settings settings = test_settings();
            settings.method.solver = (dry_solver)solver;
            settings.method.friction = (dry_friction)friction;
            settings.contact_stiffness = (float)k;
            if (limit_of(&settings))
                continue;
            dry_world *world = world_with(settings);
            add_floor(world, 0.6, 0);
            dry_body_id block = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
            run_steps(world, 180, TEST_DT);
            assert_near(0.5 - position_of(world, block).y, weight / (4 * k), 0.01 * weight / (4 * k));
            dry_world_destroy(world);
        }
}

enum { HEAP_BASE = 8, HEAP = HEAP_BASE * (HEAP_BASE + 1) / 2 };

/* Runs a pyramid of cubes, the two lowest rows jointed, until it should rest. Jacobi counts the constraints
 * of each body whether they have a color or not. */
static void run_heap(int colors_max, dry_position found[HEAP], bool overflows)
{
    dry_settings settings = test_settings();
    settings.method.solver = DRY_SOLVER_JACOBI;
    settings.method.colors_max = colors_max;
    dry_world *world = world_with(settings);
    dry_body_id id[HEAP];
    add_floor(world, 0.6, 0);
    for (int row = 0, i = 0; row < HEAP_BASE; row++)
        for (int k = 0; k < HEAP_BASE - row; k++, i++)
            id[i] =
                add_dynamic(world, pose_at(1.02 * k + 0.51 * row, 0.5 + row, 0), box_shape(0.5, 0.5, 0.5));
    for (int k = 0; k + 1 < HEAP_BASE; k++) {
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_a = id[k], def.body_b = id[k + 1];
        def.anchor_a = v3(0.51, 0, 0), def.anchor_b = v3(-0.51, 0, 0);
        dry_joint_id joint;
        assert_ok(dry_world_create_joint(world, &def, &joint));
    }
    run_steps(world, 240, TEST_DT);
    const dry_statistics statistics = dry_world_statistics(world);
    assert_int_equal(statistics.quarantined_bodies, 0);
    assert_true((statistics.overflow > 0) == overflows);
    for (int i = 0; i < HEAP; i++) {
        assert_at_most(d3_length(velocity_of(world, id[i])), 1e-2);
        d3 at = position_of(world, id[i]);
        found[i] = (dry_position){at.x, at.y, at.z};
    }
    dry_world_destroy(world);
}

/* With one or two colors most constraints overflow. The heap rests as with enough colors. */
static void test_jacobi_counts_what_overflows(void **state)
{
    (void)state;
    dry_position expected[HEAP], found[HEAP];
    run_heap(0, expected, false);
    for (int colors = 1; colors <= 2; colors++) {
        run_heap(colors, found, true);
        for (int i = 0; i < HEAP; i++) {
            assert_near(found[i].x, expected[i].x, 2e-3);
            assert_near(found[i].y, expected[i].y, 2e-3);
        }
    }
}

/* Pyramids of drawn bricks and courses, which loads that are fed forward hold where they are placed. */
static void test_jacobi_stands_where_it_is_placed(void **state)
{
    (void)state;
    uint64_t seed = 71;
    enum { BRICKS_MAX = 12 * 10 };
    for (int pyramid = test_pick(40, 8); pyramid > 0; pyramid--) {
        dry_settings settings = test_settings();
        settings.method.solver = DRY_SOLVER_JACOBI;
        dry_world *world = world_with(settings);
        add_floor(world, 0.6, 0);
        const d3 half = {random_in(&seed, 0.1, 1), random_in(&seed, 0.05, 0.5), random_in(&seed, 0.1, 0.5)};
        const int courses = 1 + (int)random_in(&seed, 0, 10), bricks = courses + (int)random_in(&seed, 0, 3);
        dry_body_id id[BRICKS_MAX];
        d3 placed[BRICKS_MAX];
        int count = 0;
        for (int y = 0; y < courses; y++)
            for (int x = 0; x < bricks - y; x++, count++) {
                placed[count] = (d3){2.02 * half.x * (x + 0.5 * y), half.y * (2 * y + 1), 0};
                id[count] = add_dynamic(world, pose_at(placed[count].x, placed[count].y, 0),
                                        box_shape(half.x, half.y, half.z));
            }
        run_steps(world, 300, TEST_DT);
        for (int i = 0; i < count; i++) {
            assert_at_most(d3_length(d3_sub(position_of(world, id[i]), placed[i])), 1e-4);
            assert_at_most(d3_length(velocity_of(world, id[i])), 1e-4);
        }
        dry_world_destroy(world);
    }
}

static void copy_line(const char *text, void *user)
{
    snprintf(user, 256, "%s", text);
}

/* A method refuses exactly what the table says it cannot honor, with the reason, at both places where
 * settings are given. */
static void test_limits(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
        for (int i = 0; i < COUNT_OF(method_limits); i++) {
            char line[256] = "";
            dry_world_def def = test_world_def();
            def.settings = test_settings();
            def.log = (dry_log){copy_line, line};
            dry_world *world = world_from(&def);
            def.settings.method.solver = (dry_solver)solver;
            assert_ok(dry_world_set_settings(world, &def.settings));
            method_limits[i].set(&def.settings);
            const method_limit *limit = limit_of(&def.settings);
            const dry_result expected = limit ? DRY_ERROR_ARGUMENT : DRY_OK;
            assert_int_equal(dry_world_set_settings(world, &def.settings), expected);
            assert_true(!limit || strstr(line, limit->reason));
            dry_world_destroy(world);
            assert_int_equal(dry_world_create(&def, &world), expected);
            dry_world_destroy(world);
        }
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < DRY_SOLVER_COUNT; i++) {
        dry_solver found = DRY_SOLVER_COUNT;
        assert_non_null(dry_solver_name((dry_solver)i));
        assert_true(dry_solver_from_name(dry_solver_name((dry_solver)i), &found));
        assert_int_equal(found, i);
    }
    assert_null(dry_solver_name(DRY_SOLVER_COUNT));
}

/* A method that sums changes needs the sums, and splits the masses that they would otherwise overshoot. */
static void test_needs(void **state)
{
    (void)state;
    for (int i = 0; i < DRY_SOLVER_COUNT; i++) {
        const dry_method *method = dry_method_of(&(dry_settings){.method.solver = (dry_solver)i});
        bool sums = false;
        for (int sweep = 0; sweep < DRY_SWEEP_COUNT; sweep++)
            sums |= method->update[sweep] == DRY_UPDATE_SUMMED;
        assert_int_equal(method->split_masses != NULL, sums);
    }
}

/* The default settings run on the world's own instruction set; others on one that has their kernels. */
static void test_instruction_set_of_sweeps(void **state)
{
    (void)state;
    assert_int_equal(dry_world_sweep_isa(NULL), DRY_ISA_AUTO);
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++) {
        if (!dry_isa_available((dry_isa)isa))
            continue;
        const dry_isa narrower = isa == DRY_ISA_AVX512 ? DRY_ISA_AVX2
                                 : isa == DRY_ISA_SSE2 ? DRY_ISA_SCALAR
                                                       : (dry_isa)isa;
        for (int solver = 0; solver < DRY_SOLVER_COUNT; solver++)
            for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++) {
                dry_world_def def = dry_default_world_def();
                def.isa = (dry_isa)isa;
                def.threads = 1;
                def.settings.method.solver = (dry_solver)solver;
                def.settings.method.friction = (dry_friction)friction;
                if (dry_settings_error(&def.settings))
                    continue;
                dry_world *world;
                assert_ok(dry_world_create(&def, &world));
                const bool plain = solver == DRY_SOLVER_GAUSS_SEIDEL && friction == DRY_FRICTION_CONE;
                assert_int_equal(dry_world_sweep_isa(world), plain ? (dry_isa)isa : narrower);
                if (plain) {
                    dry_shape_def sprung = box_shape(0.5, 0.5, 0.5);
                    sprung.contact_stiffness = 1e6f;
                    add_dynamic(world, pose_at(0, 0, 0), sprung);
                    assert_int_equal(dry_world_sweep_isa(world), narrower);
                }
                dry_world_destroy(world);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instruction_set_of_sweeps),
        cmocka_unit_test(test_every_combination_is_honored),
        cmocka_unit_test(test_jacobi_counts_what_overflows),
        cmocka_unit_test(test_jacobi_stands_where_it_is_placed),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

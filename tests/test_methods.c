/* Solver methods: their names, their needs, and that each honors every friction model and stiffness. */
#include "tests/test_world.h"

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
            settings.solver = (dry_solver)solver;
            settings.friction = (dry_friction)friction;
            settings.contact_stiffness = (float)k;
            dry_world *world = world_with(settings);
            add_floor(world, 0.6, 0);
            dry_body_id block = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
            run_steps(world, 180, TEST_DT);
            assert_near(0.5 - position_of(world, block).y, weight / (4 * k), 0.01 * weight / (4 * k));
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
        assert_string_equal(dry_method_of(&(dry_settings){.solver = (dry_solver)i})->name,
                            dry_solver_name((dry_solver)i));
    }
    assert_null(dry_solver_name(DRY_SOLVER_COUNT));
}

/* A method that sums changes needs the sums, and splits the masses that they would otherwise overshoot. */
static void test_needs(void **state)
{
    (void)state;
    for (int i = 0; i < DRY_SOLVER_COUNT; i++) {
        const dry_method *method = dry_method_of(&(dry_settings){.solver = (dry_solver)i});
        bool sums = false;
        for (int sweep = 0; sweep < DRY_SWEEP_COUNT; sweep++)
            sums |= method->update[sweep] == DRY_UPDATE_SUMMED;
        assert_int_equal(method->needs_sums, sums);
        assert_int_equal(method->splits_masses, sums);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_combination_is_honored),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

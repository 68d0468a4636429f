/* Solver methods: their names, the settings that they refuse and why, and that a world which refused settings
 * still has the old ones. */
#include "tests/test_world.h"

#include "solver/methods/method.h"

static char last_line[256];

static void keep_line(const char *line, void *user)
{
    (void)user;
    snprintf(last_line, sizeof last_line, "%s", line);
}

/* Creating a world with the settings, and giving them to a world, both fail and log `why`; null: both
 * succeed. */
static void check_settings(dry_solver solver, dry_friction friction, float stiffness, const char *why)
{
    dry_world_def def = test_world_def();
    def.log = (dry_log){keep_line, NULL};
    dry_world *world = world_from(&def), *other = NULL;
    def.settings.solver = solver;
    def.settings.friction = friction;
    def.settings.contact_stiffness = stiffness;

    last_line[0] = '\0';
    assert_int_equal(dry_world_create(&def, &other), why ? DRY_ERROR_ARGUMENT : DRY_OK);
    assert_true((other != NULL) == (why == NULL));
    assert_true(!why || strstr(last_line, why));
    dry_world_destroy(other);

    last_line[0] = '\0';
    const dry_settings before = dry_world_get_settings(world);
    assert_int_equal(dry_world_set_settings(world, &def.settings), why ? DRY_ERROR_ARGUMENT : DRY_OK);
    assert_true(!why || strstr(last_line, why));
    const dry_settings after = dry_world_get_settings(world);
    assert_int_equal(after.solver, why ? before.solver : solver);
    assert_int_equal(after.friction, why ? before.friction : friction);
    assert_true(after.contact_stiffness == (why ? before.contact_stiffness : stiffness));
    dry_world_destroy(world);
}

static void test_refused_combinations(void **state)
{
    (void)state;
    for (int friction = 0; friction < DRY_FRICTION_COUNT; friction++) {
        const bool cone = friction == DRY_FRICTION_CONE;
        const dry_friction model = (dry_friction)friction;
        check_settings(DRY_SOLVER_GAUSS_SEIDEL, model, 0, NULL);
        check_settings(DRY_SOLVER_GAUSS_SEIDEL, model, 1e6f,
                       cone ? NULL : "contact_stiffness needs the cone");
        check_settings(DRY_SOLVER_JACOBI, model, 0, cone ? NULL : "friction must be the cone");
        check_settings(DRY_SOLVER_JACOBI, model, 1e6f,
                       cone ? "contact_stiffness must be 0" : "friction must be the cone");
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
        cmocka_unit_test(test_refused_combinations),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

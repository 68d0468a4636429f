/* Inertia tensors against sums over particles, and principal axes against the tensor that they came from. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/inertia.h"
#include "core/math.h"

#include <string.h>

static uint64_t seed;

static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static dry_quat random_quat(void)
{
    return quat_normalize((dry_quat){(float)uniform(-1, 1), (float)uniform(-1, 1), (float)uniform(-1, 1),
                                     (float)uniform(-1, 1)});
}

static const char *error_of(float m[3][3])
{
    return dry_inertia_error((const float(*)[3])m);
}

static double trace(const dry_inertia *t)
{
    return t->m[0][0] + t->m[1][1] + t->m[2][2];
}

static void assert_close(const dry_inertia *a, const dry_inertia *b, double share)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs(a->m[i][j] - b->m[i][j]) <= share * trace(a));
}

/* A body moved by d has the inertia of its center's point mass more. */
static void parallel_axis_is_a_sum_of_particles(void **state)
{
    (void)state;
    seed = 1;
    for (int n = 0; n < 100; n++) {
        dry_inertia about_center = {0}, about_origin = {0};
        const double d[3] = {uniform(-2, 2), uniform(-2, 2), uniform(-2, 2)};
        double mass = uniform(0.1, 5);
        for (int k = 0; k < 8; k++) { /* corners of a box about d */
            double r[3] = {k & 1 ? 0.3 : -0.3, k & 2 ? 0.7 : -0.7, k & 4 ? 1.1 : -1.1};
            dry_inertia_add_point_mass(&about_center, mass, r);
            for (int i = 0; i < 3; i++)
                r[i] += d[i];
            dry_inertia_add_point_mass(&about_origin, mass, r);
        }
        dry_inertia_add_point_mass(&about_center, 8 * mass, d);
        assert_close(&about_origin, &about_center, 1e-14);
    }
}

static void principal_axes_make_the_tensor_again(void **state)
{
    (void)state;
    seed = 2;
    for (int n = 0; n < 2000; n++) {
        dry_inertia t = {0}, again = {0};
        /* Moments of a solid obey the triangle inequality; ratios up to a rod's. */
        double x = uniform(0, 1), y = n % 3 ? uniform(0, 1) : x, z = n % 5 ? uniform(0, 1) : 1e-4;
        double moments[3] = {y + z, x + z, x + y}, found[3];
        dry_inertia_add_rotated(&t, random_quat(), moments);
        dry_quat axes = dry_inertia_principal_axes(&t, found);
        dry_inertia_add_rotated(&again, axes, found);
        assert_close(&t, &again, 2e-6);
    }
}

static void a_diagonal_tensor_keeps_its_axes(void **state)
{
    (void)state;
    dry_inertia t = {0};
    const double moments[3] = {3, 1, 2};
    double found[3];
    dry_inertia_add_rotated(&t, quat_identity(), moments);
    dry_quat axes = dry_inertia_principal_axes(&t, found);
    assert_true(axes.x == 0 && axes.y == 0 && axes.z == 0 && axes.w == 1);
    assert_memory_equal(found, moments, sizeof moments);
}

static void floats_are_symmetric_and_come_back(void **state)
{
    (void)state;
    seed = 3;
    for (int n = 0; n < 100; n++) {
        dry_inertia t = {0};
        const double moments[3] = {3, 4, 5};
        float m[3][3], again[3][3];
        dry_inertia_add_rotated(&t, random_quat(), moments);
        dry_inertia_to_float(&t, m);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                assert_true(m[i][j] == m[j][i]);
        assert_null(error_of(m));
        t = dry_inertia_from_float((const float(*)[3])m);
        dry_inertia_to_float(&t, again);
        assert_memory_equal(m, again, sizeof m);
    }
}

static void what_is_no_inertia_is_named(void **state)
{
    (void)state;
    float m[3][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 2}};
    assert_null(error_of(m));
    m[0][1] = 0.5f;
    assert_string_equal(error_of(m), "inertia must be symmetric");
    m[1][0] = 0.5f;
    assert_null(error_of(m));
    m[0][1] = m[1][0] = 1.5f;
    assert_string_equal(error_of(m), "inertia must be positive definite");
    m[0][1] = m[1][0] = NAN;
    assert_string_equal(error_of(m), "inertia must be finite");
    const float tiny[3][3] = {{1e-21f, 0, 0}, {0, 1e-21f, 0}, {0, 0, 1e-21f}};
    assert_string_equal(dry_inertia_error(tiny), "inertia is too small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_axis_is_a_sum_of_particles),
        cmocka_unit_test(principal_axes_make_the_tensor_again),
        cmocka_unit_test(a_diagonal_tensor_keeps_its_axes),
        cmocka_unit_test(floats_are_symmetric_and_come_back),
        cmocka_unit_test(what_is_no_inertia_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

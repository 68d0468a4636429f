/* SPOOK's numbers against their closed forms in double [Spook 9-11], their limits, and the motion that they
 * stand for: a damped spring. */
#include "tests/test_world.h"

#include "solver/constraint/spook.h"
#include "solver/data/context.h"
#include "solver/plan/difficulty.h"

static void assert_ratio(float actual, double expected)
{
    /* Ten operations' roundings. */
    assert_near((double)actual, expected, 10 * FLT_EPSILON * fabs(expected));
}

/* a = 4 / (h (1 + 4 d)), b = 4 d / (1 + 4 d), eps = 4 / (h^2 k (1 + 4 d)). */
static void test_stiffness(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        float k = (float)pow(10, random_in(&seed, -3, 15)), d = (float)random_in(&seed, 0, i % 2 ? 5 : 1000);
        float h = (float)pow(10, random_in(&seed, -5, 0));
        double one = 1 + 4 * (double)d, hh = (double)h;
        dry_spook s = dry_spook_from_stiffness(k, d, h);
        assert_ratio(s.rate, 4 / (hh * one));
        assert_ratio(s.softness, 4 / (hh * hh * (double)k * one));
        /* 1 - b, where 1 - 4 d / (1 + 4 d) itself would lose its digits. */
        assert_ratio(s.approach, 1 / one);
        assert_true(s.relative_softness == 0);
    }
    /* No damping: a = 4 / h, b = 0. */
    dry_spook s = dry_spook_from_stiffness(1000, 0, 0.25f);
    assert_true(s.rate == 16 && s.approach == 1 && s.softness == 4.0f / 62.5f);
    /* Rigid: the limit of large k is no softness; the largest k and the longest step stay finite. */
    s = dry_spook_from_stiffness(1e15f, 1, 1);
    assert_true(s.softness > 0 && s.softness < 1e-14f);
    s = dry_spook_from_stiffness(1e15f, 1000, 1e-7f / 256);
    assert_true(isfinite(s.rate) && isfinite(s.softness) && s.softness > 0);
}

/* A frequency is a stiffness on the constraint's own mass m = 1 / S: k = w^2 m and d = 2 zeta / (w h). */
static void test_hertz_is_a_stiffness(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 20000; i++) {
        float hertz = (float)pow(10, random_in(&seed, -2, 4)), zeta = (float)random_in(&seed, 0, 20);
        float h = (float)pow(10, random_in(&seed, -5, -1));
        double m = pow(10, random_in(&seed, -2, 2)), w = 2 * TEST_PI * (double)hertz, hh = (double)h;
        double k = w * w * m, d = 2 * (double)zeta / (w * hh), one = 1 + 4 * d;
        dry_spook s = dry_spook_from_hertz(hertz, zeta, h);
        assert_ratio(s.rate, 4 / (hh * one));
        assert_ratio(s.relative_softness, 4 / (hh * hh * k * one) * m);
        assert_true(s.softness == 0 && s.approach == 0);
    }
}

/* As h goes to 0 the pull is w / (2 zeta) and the softness 1 / (2 zeta w h): they stay finite and positive.
 */
static void test_short_steps(void **state)
{
    (void)state;
    for (int e = 2; e < 9; e++) {
        double h = pow(10, -e), hertz = 30, zeta = 1, w = 2 * TEST_PI * hertz;
        dry_spook s = dry_spook_from_hertz((float)hertz, (float)zeta, (float)h);
        double far = w * h / (8 * zeta); /* how far from the limit: the share in 1 + 1 / that */
        assert_near((double)s.rate, w / (2 * zeta), (far + 1e-5) * w);
        assert_near((double)s.relative_softness * h, 1 / (2 * zeta * w), (far + 1e-5) / w);
    }
    /* The shortest step that moves anything, 1e-7 s, in the most substeps, at both ends of a frequency. */
    for (int i = 0; i < 3; i++) {
        static const float hertz[] = {1e-3f, 30, 1e5f};
        dry_spook s = dry_spook_from_hertz(hertz[i], 1, 1e-7f / 256);
        assert_true(isfinite(s.rate) && s.rate > 0 && isfinite(s.relative_softness) &&
                    s.relative_softness > 0);
    }
    /* Without damping: stiff to the end, and never softer than asked for. */
    dry_spook s = dry_spook_from_hertz(30, 0, 1.0f / 240);
    assert_ratio(s.rate, 4.0 * 240);
}

/* The settings choose k and d if there is a k, else the frequency, else a share of the substep rate.
 */
static void test_contact_settings(void **state)
{
    (void)state;
    dry_settings settings = dry_default_settings();
    float h = 1.0f / 240;
    settings.contact_stiffness = 1e6f;
    settings.contact_damping = 3;
    settings.contact_hertz = 30;
    settings.contact_damping_ratio = 5;
    dry_spook s = dry_spook_contact(&settings, h, FLT_MAX), expected = dry_spook_from_stiffness(1e6f, 3, h);
    assert_memory_equal(&s, &expected, sizeof s);
    settings.contact_stiffness = 0;
    s = dry_spook_contact(&settings, h, FLT_MAX), expected = dry_spook_from_hertz(30, 5, h);
    assert_memory_equal(&s, &expected, sizeof s);
    settings.contact_hertz = 0;
    s = dry_spook_contact(&settings, h, FLT_MAX);
    expected = dry_spook_from_hertz(45.6f, 5, h);
    assert_ratio(s.rate, (double)expected.rate);
    assert_ratio(s.relative_softness, (double)expected.relative_softness);
    /* 0.19 of the substep rate, up to 1100 Hz. */
    assert_ratio(dry_hertz_of_substep(1.0f / 60), 11.4);
    assert_ratio(dry_hertz_of_substep(1.0f / 1000), 190);
    assert_true(dry_hertz_of_substep(1e-4f) == 1100 && dry_hertz_of_substep(1e-9f) == 1100);
}

/* An island that asks for more substeps than the ceiling allows gets sweeps instead, between their own floor
 * and ceiling; a number given outright is taken. Class 8 asks for 32 substeps, class 2 for 4. */
static void test_sweeps_by_difficulty(void **state)
{
    (void)state;
    dry_settings settings = dry_default_settings();
    assert_int_equal(dry_island_sweeps(&settings, 8, TEST_DT), 1);
    settings.substeps_max = 16;
    assert_int_equal(dry_island_substeps(&settings, 8, TEST_DT), 16);
    assert_int_equal(dry_island_sweeps(&settings, 8, TEST_DT), 2);
    assert_int_equal(dry_island_sweeps(&settings, 2, TEST_DT), 1);
    settings.substeps_max = 12;
    assert_int_equal(dry_island_sweeps(&settings, 8, TEST_DT), 3);
    settings.substeps_max = 4;
    assert_int_equal(dry_island_sweeps(&settings, 8, TEST_DT), 4);
    settings.sweeps_max = 256;
    assert_int_equal(dry_island_sweeps(&settings, 8, TEST_DT), 8);
    settings.sweeps_min = 2;
    assert_int_equal(dry_island_sweeps(&settings, 2, TEST_DT), 2);
    settings.sweeps = 5;
    assert_int_equal(dry_island_sweeps(&settings, 8, TEST_DT), 5);
}

/* The load that tiers follow: an impact of two steps hardly counts, a load that lasts is reached, and within
 * a band about the measured load it stays, so that a tier that fell does not rise again. */
static void test_load_is_sustained(void **state)
{
    (void)state;
    const float g = 9.81f, dt = 1.0f / 60;
    assert_true(dry_load_sustained(-1, 0, 100, 0, g, dt) < 0);
    assert_true(dry_load_sustained(-1, 30, 100, 2, g, dt) == 100 &&
                dry_load_sustained(-1, 300, 100, 2, g, dt) == 600);
    /* The first contact of what falls is an impact. */
    assert_true(dry_load_sustained(-1, 300, 100, 0, g, dt) == 100);
    float load = 40;
    for (int i = 0; i < 2; i++)
        load = dry_load_sustained(load, 1e6f, 0, 0, g, dt);
    assert_near((double)load, 40 * 1.25 * 1.25 + 0.25 * (double)g * 2.25, 1e-3);
    for (int i = 0; i < 60; i++)
        load = dry_load_sustained(load, 1e4f, 0, 0, g, dt);
    assert_true(load >= 0.8f * 1e4f && load <= 1e4f);
    for (int i = 0; i < 1800; i++)
        load = dry_load_sustained(load, 50, 0, 0, g, dt);
    assert_near((double)load, 50 / 0.9, 0.5);
    const float kept = load;
    for (int i = 0; i < 100; i++)
        load = dry_load_sustained(load, (i % 2 ? 0.91f : 1.24f) * kept, 0, 0, g, dt);
    assert_true(load == kept);
}

/* A mass on such a spring moves as x'' = -w^2 x - 2 zeta w x', in both ways to say it, the better the
 * shorter the step: with impulse -(v + a q - (1 - b) v + eps lambda0) / (S + eps), lambda0 = 0. */
static double swing(double hertz, double zeta, double mass, double h, bool as_stiffness, double time)
{
    double w = 2 * TEST_PI * hertz, x = 1, v = 0, s = 1 / mass;
    dry_spook spook =
        as_stiffness ? dry_spook_from_stiffness((float)(w * w * mass), (float)(2 * zeta / (w * h)), (float)h)
                     : dry_spook_from_hertz((float)hertz, (float)zeta, (float)h);
    double eps = as_stiffness ? (double)spook.softness : (double)spook.relative_softness * s;
    for (int i = 0; i < (int)(time / h + 0.5); i++) {
        double lambda = -(v + (double)spook.rate * x - (double)spook.approach * v) / (s + eps);
        v += lambda / mass;
        x += h * v;
    }
    return x;
}

static double damped(double hertz, double zeta, double time)
{
    double w = 2 * TEST_PI * hertz;
    if (zeta < 1) {
        double wd = w * sqrt(1 - zeta * zeta);
        return exp(-zeta * w * time) * (cos(wd * time) + zeta * w / wd * sin(wd * time));
    }
    if (zeta == 1)
        return exp(-w * time) * (1 + w * time);
    double r = w * sqrt(zeta * zeta - 1), p = zeta * w;
    return ((p + r) * exp((r - p) * time) - (p - r) * exp(-(r + p) * time)) / (2 * r);
}

static void test_it_is_a_damped_spring(void **state)
{
    (void)state;
    static const double ratios[] = {0.1, 0.5, 1, 3};
    for (int i = 0; i < COUNT_OF(ratios); i++)
        for (int way = 0; way < 2; way++)
            for (double time = 0.02; time < 0.3; time += 0.04) {
                double expected = damped(3, ratios[i], time);
                double coarse = fabs(swing(3, ratios[i], 7, 1e-4, way, time) - expected);
                double fine = fabs(swing(3, ratios[i], 7, 1e-5, way, time) - expected);
                /* First order in h, on top of the float parameters' own roundings. */
                assert_at_most(coarse, 0.02);
                assert_at_most(fine, coarse / 5 + 1e-4);
            }
    /* "Rigid" dies down and never swings out again, however long or short the step: 10 radians of it. */
    for (double h = 1e-5; h < 1; h *= 3) {
        double hertz = (double)dry_hertz_of_substep((float)h), w = 2 * TEST_PI * hertz, x = 1;
        for (int steps = 1; steps < 10 / (w * h); steps++) {
            x = swing(hertz, 1, 7, h, false, steps * h);
            assert_at_most(fabs(x), 1);
            assert_at_most(-x, 0.2);
        }
        assert_at_most(fabs(x), 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiffness),
        cmocka_unit_test(test_hertz_is_a_stiffness),
        cmocka_unit_test(test_short_steps),
        cmocka_unit_test(test_contact_settings),
        cmocka_unit_test(test_sweeps_by_difficulty),
        cmocka_unit_test(test_load_is_sustained),
        cmocka_unit_test(test_it_is_a_damped_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

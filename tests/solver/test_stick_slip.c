/* A block on a spring that is pulled: time and way of its slips against the closed form, from 0.5 to 50 mm/s,
 * for each solver and model of friction, and for blocks, springs and steps that are drawn. */
#include "tests/method_limits.h"
#include "tests/solver/stick_slip.h"

static const double speeds[] = {0.0005, 0.002, 0.01, 0.05};

/* PBD has no springs. */
static bool has_springs(dry_solver solver)
{
    return solver != DRY_SOLVER_PBD;
}

/* A slow slip takes thousands of steps, and the next one is like it: a fourth of them shows as much. */
static int slips_at(double speed)
{
    return speed < 0.005 ? 4 : test_pick(16, 4);
}

static void test_every_solver_and_speed(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver)
        for (int i = test_pick(0, 2); i < COUNT_OF(speeds); ++i)
            for (int by_joint = 0; by_joint <= has_springs((dry_solver)solver); ++by_joint) {
                const stick_slip s = stick_slip_standard(speeds[i], by_joint);
                dry_settings settings = test_settings();
                settings.method.solver = (dry_solver)solver;
                check_stick_slip(&s, settings, slips_at(s.speed));
            }
}

static void test_every_model(void **state)
{
    (void)state;
    for (int solver = 0; solver < DRY_SOLVER_COUNT; ++solver)
        for (int friction = 1; friction < DRY_FRICTION_COUNT; ++friction) {
            const stick_slip s = stick_slip_standard(test_quick() ? 0.01 : 0.002, false);
            dry_settings settings = test_settings();
            settings.method.solver = (dry_solver)solver;
            settings.method.friction = (dry_friction)friction;
            if (!limit_of(&settings))
                check_stick_slip(&s, settings, slips_at(s.speed));
        }
}

static double draw_even(uint64_t *seed, double low, double high)
{
    return low * exp(random_in(seed, 0, log(high / low)));
}

/* Draws a block that does not tip, or a ball, on a spring whose period is 42 steps or more. The last substep
 * of a swing ends it, and sweeps leave a spring a part of w h of its load: springs of the library have
 * periods of 126 substeps or more. */
static stick_slip draw(uint64_t *seed, dry_settings *settings)
{
    static const double rates[] = {30, 60, 120, 240};
    static const int substeps[] = {0, 1, 2, 4, 8, 16};
    stick_slip s = {.mass = draw_even(seed, 0.1, 1000), .mu_d = draw_even(seed, 0.1, 0.8)};
    s.mu_s = s.mu_d * random_in(seed, 1.1, 2.6);
    s.speed = draw_even(seed, 0.0005, 0.05);
    s.dt = (float)(1 / rates[random_below(seed, COUNT_OF(rates))]);
    const double turn = draw_even(seed, 0.005, 0.15), w = turn / (double)s.dt;
    const double size = draw_even(seed, 0.02, 1);
    s.stiffness = s.mass * w * w;
    s.half[0] = size * random_in(seed, 1, 2);
    s.half[2] = size * random_in(seed, 1, 2);
    s.half[1] = fmin(size * random_in(seed, 0.1, 0.5), 0.6 * size / s.mu_s);
    s.ball = random_below(seed, 3) == 0;
    *settings = test_settings();
    settings->method.solver = (dry_solver)random_below(seed, DRY_SOLVER_COUNT);
    settings->method.friction = (dry_friction)random_below(seed, DRY_FRICTION_COUNT);
    settings->substeps = substeps[random_below(seed, COUNT_OF(substeps))];
    /* Boxes limit friction along each tangent by itself. */
    const bool box = settings->method.friction == DRY_FRICTION_SCALED_BOX ||
                     settings->method.friction == DRY_FRICTION_WEIGHT_BOX;
    s.heading = random_in(seed, 0, 2 * TEST_PI) * !box;
    if (random_below(seed, 4) == 0)
        settings->contact_stiffness = (float)(s.mass * TEST_G / 4e-3 * draw_even(seed, 20, 200));
    const bool resolved = turn <= 0.05 * (settings->substeps > 0 ? settings->substeps : 4);
    s.by_joint = has_springs(settings->method.solver) && random_below(seed, 2) && resolved;
    return s;
}

/* Draws a case that some method honors, and that 100,000 steps end. */
static stick_slip draw_case(uint64_t *seed, int slips, dry_settings *settings)
{
    for (;;) {
        const stick_slip s = draw(seed, settings);
        const double first = s.mu_s * s.mass * TEST_G / s.stiffness / s.speed;
        const double steps = (first + stick_slip_exact(&s).period * slips) / (double)s.dt;
        if (!limit_of(settings) && steps <= 1e5)
            return s;
    }
}

static void test_drawn_cases(void **state)
{
    (void)state;
    uint64_t seed = 20261123;
    const int slips = 4, cases = test_pick(40, 6);
    for (int i = 0; i < cases; ++i) {
        dry_settings settings;
        const stick_slip s = draw_case(&seed, slips, &settings);
        check_stick_slip(&s, settings, slips);
    }
}

static void test_nothing_slips_below_the_limit(void **state)
{
    (void)state;
    uint64_t seed = 32;
    const int cases = test_pick(40, 6);
    for (int i = 0; i < cases; ++i) {
        dry_settings settings;
        const stick_slip s = draw_case(&seed, 4, &settings);
        check_stick_below(&s, settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_solver_and_speed),
        cmocka_unit_test(test_every_model),
        cmocka_unit_test(test_drawn_cases),
        cmocka_unit_test(test_nothing_slips_below_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

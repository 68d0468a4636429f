/* The tool's counters, on events that any Linux kernel counts where it counts for this user at all, and on
 * one that none has. */
#include "tests/test_world.h"

#include "tools/cli/counters.h"

#ifdef __linux__
#include <linux/perf_event.h>

/* Time, then twice something that never happens, then an event that no kernel knows. */
static const counter_event software[COUNTER_COUNT] = {
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {PERF_TYPE_SOFTWARE, 0xdead},
};
static const counter_event unknown = {PERF_TYPE_SOFTWARE, 0xdead};

/* A hundred boxes, each on another. */
static void run_counted(counters *c, int steps)
{
    dry_world_def def = test_world_def();
    def.hook = counters_hook(c);
    def.settings.substeps = 8;
    def.settings.sleep = false;
    dry_world *world = world_from(&def);
    dry_shape_def box = box_shape(0.5, 0.5, 0.5);
    for (int i = 0; i < 200; ++i) {
        dry_body_def body = body_def(i % 2 ? DRY_BODY_DYNAMIC : DRY_BODY_STATIC,
                                     pose_at(3.0 * (i / 2), i % 2 ? 0.99 : 0.0, 0), &box);
        dry_body_id id;
        assert_ok(dry_world_create_body(world, &body, &id));
    }
    run_steps(world, steps, TEST_DT);
    dry_world_destroy(world);
}

static void test_stages_add_up(void **state)
{
    (void)state;
    counters c;
    if (!counters_open(&c, software))
        skip();
    run_counted(&c, 20);
    double once = 0, twice = 0;
    for (int i = 0; i < DRY_STAGE_COUNT; ++i) {
        assert_true(counters_total(&c, (dry_stage)i, 0) > 0);
        once += counters_total(&c, (dry_stage)i, 0);
        assert_near(counters_total(&c, (dry_stage)i, 1), 0, 0);
        assert_true(isnan(counters_total(&c, (dry_stage)i, 3)));
    }
    /* The clock of tasks counts nanoseconds of this process alone: solving is most of a step. */
    assert_true(counters_total(&c, DRY_STAGE_SOLVE, 0) > counters_total(&c, DRY_STAGE_REPAIR, 0));
    run_counted(&c, 20);
    for (int i = 0; i < DRY_STAGE_COUNT; ++i)
        twice += counters_total(&c, (dry_stage)i, 0);
    assert_true(twice > once);
    counters_clear(&c);
    assert_true(isnan(counters_total(&c, DRY_STAGE_SOLVE, 0)));
    counters_close(&c);
    assert_false(c.open);
}

/* A count is scaled up for the time in which the event had no counter. */
static void test_taking_turns(void **state)
{
    (void)state;
    counters c = {.open = true, .good = true, .files = {0, 0, 0, -1}};
    c.sum[DRY_STAGE_SOLVE][0] = (counter_reading){300, 100, 75};
    assert_near(counters_total(&c, DRY_STAGE_SOLVE, 0), 400, 1e-9);
    assert_true(isnan(counters_total(&c, DRY_STAGE_SOLVE, 1)));
    assert_true(isnan(counters_total(&c, DRY_STAGE_SOLVE, 3)));
    c.good = false;
    assert_true(isnan(counters_total(&c, DRY_STAGE_SOLVE, 0)));
}

static void test_refusal(void **state)
{
    (void)state;
    const counter_event none[COUNTER_COUNT] = {unknown, unknown, unknown, unknown};
    counters c;
    assert_false(counters_open(&c, none));
    assert_false(c.open);
    assert_non_null(strstr(c.refused, "perf_event_open"));
    assert_non_null(strstr(c.refused, "perf_event_paranoid"));
    assert_null(strchr(c.refused, '\n'));
    counters_close(&c);
}
#endif

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < COUNTER_COUNT; ++i)
        assert_non_null(counter_name(i));
    assert_null(counter_name(-1));
    assert_null(counter_name(COUNTER_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef __linux__
        cmocka_unit_test(test_stages_add_up),
        cmocka_unit_test(test_taking_turns),
        cmocka_unit_test(test_refusal),
#endif
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Other workers for a living world, between two steps: the bits stay, whatever the team and its size; calls
 * that are refused change nothing; a team that goes leaves no thread behind. */
#include "tests/counting_allocator.h"
#include "tests/golden_scenes.h"
#include "tests/jobs/jobs_pool.h"
#include "tests/log_lines.h"
#include "tests/sanitizers.h"
#include "tests/scene_worlds.h"
#include "tests/thread_starts.h"

typedef struct subject {
    dry_world *world;
    dry_scene scene;
} subject;

static subject make(const char *name, int size, const dry_world_def *base)
{
    subject s;
    assert_true(golden_make(name, size, &s.scene));
    dry_world_def def = *base;
    def.settings.gravity = s.scene.gravity;
    def.settings.sleep = false;
    s.world = world_from(&def);
    dry_body_id *ids = built_in(s.world, &s.scene);
    free(ids);
    return s;
}

static void step(const subject *s, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_ok(dry_world_step(s->world, s->scene.dt));
}

static void end(subject *s)
{
    dry_world_destroy(s->world);
    dry_scene_free(&s->scene);
}

static dry_world_def def_of(int threads)
{
    dry_world_def def = test_world_def();
    def.team = DRY_TEAM_THREADS;
    def.threads = threads;
    def.tasks = (dry_tasks){0};
    return def;
}

static dry_workers own(int threads)
{
    return (dry_workers){.threads = threads, .team = DRY_TEAM_THREADS};
}

static bool same_workers(dry_workers a, dry_workers b)
{
    return a.threads == b.threads && a.team == b.team && a.pin_threads == b.pin_threads &&
           a.tasks.start == b.tasks.start && a.tasks.finish == b.tasks.finish && a.tasks.user == b.tasks.user;
}

/* ---- the same bits ---- */

static dry_workers drawn(uint64_t *seed, pool *lenders)
{
    const int kind = random_below(seed, 4), threads = random_below(seed, 7);
    const bool pin = random_below(seed, 4) == 0;
    dry_workers workers = own(threads);
    workers.pin_threads = pin;
    if (kind == 0 && dry_team_available(DRY_TEAM_OPENMP))
        workers.team = DRY_TEAM_OPENMP;
    if (kind == 1)
        workers.tasks = pool_tasks(lenders);
    return workers;
}

/* Scenes whose steps are shared: contacts in partitions, joints of all types, direct joints. */
static void test_drawn_workers_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *scene;
        int size;
        dry_joint_solver joints;
    } rows[] = {{"pile", 300, DRY_JOINT_SOLVER_ITERATIVE},
                {"mixed", 80, DRY_JOINT_SOLVER_ITERATIVE},
                {"lattice", 3, DRY_JOINT_SOLVER_DIRECT}};
    enum { TURNS = 12, STEPS = 4 };
    for (int row = 0; row < (int)(sizeof rows / sizeof *rows); row++) {
        dry_world_def def = def_of(1);
        def.settings.joint_solver = rows[row].joints;
        subject plain = make(rows[row].scene, rows[row].size, &def);
        for (int turn = 0; turn < TURNS; turn++)
            step(&plain, STEPS);
        for (uint64_t seed = 1; seed <= (uint64_t)test_pick(4, 2); seed++) {
            pool *lenders = pool_create(2);
            uint64_t draws = seed;
            subject other = make(rows[row].scene, rows[row].size, &def);
            for (int turn = 0; turn < TURNS; turn++) {
                const dry_workers workers = drawn(&draws, lenders);
                const uint64_t before = dry_world_hash(other.world);
                assert_ok(dry_world_set_workers(other.world, &workers));
                assert_true(same_workers(dry_world_get_workers(other.world), workers));
                assert_true(dry_world_hash(other.world) == before);
                step(&other, STEPS);
            }
            if (dry_world_hash(other.world) != dry_world_hash(plain.world))
                fail_msg("%s, seed %d: other bits", rows[row].scene, (int)seed);
            end(&other);
            pool_destroy(lenders);
        }
        end(&plain);
    }
}

/* ---- refusals ---- */

static void *never_start(void (*run)(void *argument), void *argument, void *user)
{
    (void)run, (void)argument, (void)user;
    return NULL;
}

static void never_finish(void *handle, void *user)
{
    (void)handle, (void)user;
}

static void test_refused_workers_change_nothing(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_world_def def = def_of(2);
    def.log = (dry_log){keep_line, &lines};
    subject s = make("pyramid", 24, &def);
    step(&s, 2);
    const dry_workers bad[] = {
        {.threads = -1, .team = DRY_TEAM_THREADS},
        {.threads = 1025, .team = DRY_TEAM_THREADS},
        {.threads = 2, .team = DRY_TEAM_TASKS},
        {.threads = 2, .team = (dry_team)-1},
        {.threads = 2, .team = DRY_TEAM_COUNT},
        {.threads = 2, .team = DRY_TEAM_THREADS, .tasks = {.start = never_start}},
        {.threads = 2, .team = DRY_TEAM_THREADS, .tasks = {.finish = never_finish}},
    };
    const uint64_t hash = dry_world_hash(s.world), allocations = dry_world_statistics(s.world).allocations;
    const int count = (int)(sizeof bad / sizeof *bad);
    for (int i = 0; i <= count; i++) {
        assert_int_equal(dry_world_set_workers(s.world, i < count ? &bad[i] : NULL), DRY_ERROR_ARGUMENT);
        assert_int_equal(lines.count, i + 1);
        assert_non_null(strstr(lines.last, "dry_world_set_workers: "));
        /* A definition with the same fault is refused alike. */
        if (i == count)
            break;
        dry_world *none = NULL;
        dry_world_def same = def;
        same.log = (dry_log){0};
        same.threads = bad[i].threads;
        same.team = bad[i].team;
        same.tasks = bad[i].tasks;
        assert_int_equal(dry_world_create(&same, &none), DRY_ERROR_ARGUMENT);
    }
    const dry_workers openmp = {.threads = 2, .team = DRY_TEAM_OPENMP};
    if (!dry_team_available(DRY_TEAM_OPENMP))
        assert_int_equal(dry_world_set_workers(s.world, &openmp), DRY_ERROR_UNSUPPORTED);
    assert_int_equal(dry_world_set_workers(NULL, &openmp), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_get_workers(NULL).threads, 0);
    assert_true(dry_world_hash(s.world) == hash);
    assert_true(dry_world_statistics(s.world).allocations == allocations);
    assert_true(same_workers(dry_world_get_workers(s.world), own(2)));
    end(&s);
}

/* Calls back from inside steps and batches of queries. */
typedef struct intruder {
    dry_world *world;
    int calls, wrong;
} intruder;

static void intrude(intruder *in)
{
    const dry_workers workers = own(3);
    in->calls++;
    in->wrong += in->world && dry_world_set_workers(in->world, &workers) != DRY_ERROR_LOCKED;
}

static void intrude_in_stage(dry_stage stage, void *user)
{
    (void)stage;
    intrude(user);
}

static void *intrude_in_start(void (*run)(void *argument), void *argument, void *user)
{
    (void)run, (void)argument;
    intrude(user);
    return NULL;
}

static void intrude_in_finish(void *handle, void *user)
{
    (void)handle;
    intrude(user);
}

static void test_workers_are_locked_in_a_step(void **state)
{
    (void)state;
    enum { RAYS = 200 };
    intruder in = {0};
    dry_world_def def = def_of(2);
    def.hook = (dry_stage_hook){intrude_in_stage, intrude_in_stage, &in};
    def.tasks = (dry_tasks){intrude_in_start, intrude_in_finish, &in};
    subject s = make("pyramid", 24, &def);
    in.world = s.world;
    step(&s, 2);
    assert_int_equal(in.calls, 2 * (2 * DRY_STAGE_COUNT + 2));
    const int calls = in.calls;
    dry_ray rays[RAYS];
    dry_ray_hit hits[RAYS];
    for (int i = 0; i < RAYS; i++)
        rays[i] = (dry_ray){.origin = {0, 100, 0}, .translation = {0, -200, 0}, .mask = ~UINT64_C(0)};
    assert_ok(dry_world_cast_rays(s.world, RAYS, rays, hits));
    assert_true(in.calls > calls);
    assert_int_equal(in.wrong, 0);
    end(&s);
}

static void test_workers_without_memory(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = def_of(2);
    def.allocator = counting_hooks(&counter);
    def.trace_workers = true;
    subject s = make("pyramid", 24, &def);
    step(&s, 5);
    const dry_workers three = own(3);
    const uint64_t hash = dry_world_hash(s.world);
    const size_t bytes = counter.bytes;
    int failures = 0;
    for (dry_result result = DRY_ERROR_MEMORY; result != DRY_OK; failures++) {
        counter.fail_at = (int64_t)counter.calls + failures;
        result = dry_world_set_workers(s.world, &three);
        counter.fail_at = -1;
        if (result == DRY_OK)
            break;
        assert_int_equal(result, DRY_ERROR_MEMORY);
        assert_true(dry_world_hash(s.world) == hash && counter.bytes == bytes);
        assert_true(same_workers(dry_world_get_workers(s.world), own(2)));
        step(&s, 0);
    }
    assert_int_equal(failures, 4); /* the team, and the spans of three workers */
    assert_int_equal(dry_world_threads(s.world), 3);
    step(&s, 3);
    end(&s);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

/* ---- what follows the workers ---- */

static void test_present_workers_stay(void **state)
{
    (void)state;
    thread_starts_work();
    const dry_world_def def = def_of(3);
    subject s = make("pyramid", 24, &def);
    step(&s, 30);
    assert_int_equal(thread_starts.count, 2);
    const uint64_t allocations = dry_world_statistics(s.world).allocations;
    const dry_workers three = own(3);
    for (int i = 0; i < 3; i++) {
        assert_ok(dry_world_set_workers(s.world, &three));
        step(&s, 1);
    }
    assert_int_equal(thread_starts.count, 2);
    assert_true(dry_world_statistics(s.world).allocations == allocations);
    end(&s);
}

/* As many as the machine has are counted in each call, and are the same ones. */
static void test_counted_workers_stay(void **state)
{
    (void)state;
    const dry_world_def def = def_of(0);
    subject s = make("pyramid", 24, &def);
    step(&s, 30);
    const int threads = dry_world_threads(s.world), starts = thread_starts.count;
    const uint64_t allocations = dry_world_statistics(s.world).allocations;
    const dry_workers counted = own(0);
    assert_ok(dry_world_set_workers(s.world, &counted));
    step(&s, 1);
    assert_int_equal(dry_world_threads(s.world), threads);
    assert_int_equal(thread_starts.count, starts);
    assert_true(dry_world_statistics(s.world).allocations == allocations);
    end(&s);
}

static int threads_of_process(void)
{
    int threads = 0;
    char line[128];
    FILE *file = fopen("/proc/self/status", "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Threads: %d", &threads) == 1)
            break;
    fclose(file);
    return threads;
}

static void test_threads_end_with_their_team(void **state)
{
    (void)state;
    const int before = threads_of_process();
    if (before == 0)
        skip();
    const dry_world_def def = def_of(5);
    subject s = make("pyramid", 24, &def);
    step(&s, 2);
    assert_int_equal(threads_of_process(), before + 4);
    const dry_workers fewer = own(2), one = own(1);
    assert_ok(dry_world_set_workers(s.world, &fewer));
    assert_int_equal(threads_of_process(), before);
    step(&s, 2);
    assert_int_equal(threads_of_process(), before + 1);
    assert_ok(dry_world_set_workers(s.world, &one));
    step(&s, 2);
    assert_int_equal(threads_of_process(), before);
    end(&s);
}

/* The first step may allocate, and the next ones do not. No span of a trace is lost. */
static void test_room_follows_the_workers(void **state)
{
    (void)state;
    dry_world_def def = def_of(1);
    def.trace_workers = true;
    subject s = make("pyramid", 24, &def);
    step(&s, 130);
    for (int threads = 8; threads > 0; threads /= 2) {
        const dry_workers workers = own(threads);
        assert_ok(dry_world_set_workers(s.world, &workers));
        int count = 1, lost = 1;
        assert_null(dry_world_worker_spans(s.world, 0, &count, &lost));
        assert_true(count == 0 && lost == 0);
        for (int i = 0; i < 6; i++) {
            step(&s, 1);
            assert_true(i < 2 || dry_world_statistics(s.world).allocations_in_last_step == 0);
            assert_non_null(dry_world_worker_spans(s.world, 0, &count, &lost));
            assert_true(count > 0 && lost == 0);
        }
        assert_null(dry_world_worker_spans(s.world, threads, &count, &lost));
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_present_workers_stay),
        cmocka_unit_test(test_drawn_workers_have_the_same_bits),
        cmocka_unit_test(test_refused_workers_change_nothing),
        cmocka_unit_test(test_workers_are_locked_in_a_step),
        cmocka_unit_test(test_workers_without_memory),
        cmocka_unit_test(test_counted_workers_stay),
        cmocka_unit_test(test_threads_end_with_their_team),
        cmocka_unit_test(test_room_follows_the_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests what a world tells during a step: the spans of its workers and the hook at its stages; which worlds
 * ask for workers at all; and how much memory a standing pyramid takes. */
#include "tests/bad_input_world.h"
#include "tests/counting_allocator.h"
#include "tests/scene_worlds.h"

#include "world/world.h"

#include <pthread.h>

enum { SIZE = 24, WORKERS = 4 };

static void build_pyramid(dry_world *world, int size)
{
    dry_scene scene = scene_of("pyramid", size);
    dry_body_id *ids = built_in(world, &scene);
    free(ids);
    dry_scene_free(&scene);
}

static dry_world_def traced_def(int threads)
{
    dry_world_def def = test_world_def();
    def.threads = threads;
    def.settings.sleep = false;
    def.settings.substeps = 4;
    def.trace_workers = true;
    return def;
}

/* Spans of a worker: in order, apart, each within its stage. Returns how many a stage has. What helpers write
 * down is in test_jobs_pool.c too, where they are sure to come. */
static int check_spans(const dry_world *world, int worker, dry_stage counted)
{
    dry_statistics s = dry_world_statistics(world);
    int count = -1, lost = -1, found = 0;
    const dry_worker_span *spans = dry_world_worker_spans(world, worker, &count, &lost);
    assert_int_equal(lost, 0);
    assert_int_equal(spans == NULL, count == 0);
    double last_end = 0;
    for (int i = 0; i < count; ++i) {
        assert_in_range(spans[i].stage, 0, DRY_STAGE_COUNT - 1);
        assert_true(i == 0 || spans[i].stage >= spans[i - 1].stage);
        double begin = s.stage_start_ms[spans[i].stage], end = begin + s.stage_ms[spans[i].stage];
        assert_at_most(last_end, spans[i].begin_ms);
        assert_at_most(begin, spans[i].begin_ms);
        assert_at_most(spans[i].begin_ms, spans[i].end_ms);
        assert_at_most(spans[i].end_ms, end + 1e-6); /* the sum rounds */
        last_end = spans[i].end_ms;
        found += spans[i].stage == counted;
    }
    return found;
}

static void test_spans_cover_the_stages(void **state)
{
    (void)state;
    for (int threads = 1; threads <= WORKERS; threads += WORKERS - 1) {
        dry_world_def def = traced_def(threads);
        dry_world *world = world_from(&def);
        build_pyramid(world, SIZE);
        run_steps(world, 4, TEST_DT);
        for (int step = 0; step < 10; ++step) {
            run_steps(world, 1, TEST_DT);
            int shared[] = {DRY_STAGE_CONTACTS, DRY_STAGE_PREPARE, DRY_STAGE_SOLVE, DRY_STAGE_STORE,
                            DRY_STAGE_FINALIZE};
            /* Helpers may do all of a short stage before the calling thread takes a part. */
            for (int i = 0; i < COUNT_OF(shared); ++i) {
                int found = 0;
                for (int worker = 0; worker < threads; ++worker)
                    found += check_spans(world, worker, (dry_stage)shared[i]);
                assert_true(found > 0);
            }
            /* A warm start, and in each substep two sweeps of all colors and two loops over bodies. */
            int loops = (2 * 4 + 1) * dry_world_statistics(world).colors + 2 * 4;
            if (threads == 1)
                assert_int_equal(check_spans(world, 0, DRY_STAGE_SOLVE), loops);
        }
        dry_world_destroy(world);
    }
}

static double sum_of_stages(const dry_world *world)
{
    const dry_statistics s = dry_world_statistics(world);
    double sum = 0;
    for (int stage = 0; stage < DRY_STAGE_COUNT; stage++)
        sum += s.stage_ms[stage] + s.stage_start_ms[stage];
    return sum;
}

/* Stages have times while something is awake, or traced; asleep the step alone has one. */
static void test_a_sleeping_world_times_no_stages(void **state)
{
    (void)state;
    for (int traced = 0; traced < 2; ++traced) {
        dry_world_def def = traced_def(1);
        def.settings.sleep = true;
        def.trace_workers = traced;
        dry_world *world = world_from(&def);
        add_floor(world, 0.6, 0);
        const dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
        run_steps(world, 1, TEST_DT);
        assert_true(sum_of_stages(world) > 0);
        run_steps(world, 120, TEST_DT);
        assert_false(dry_body_is_awake(world, box));
        assert_int_equal(sum_of_stages(world) > 0, traced);
        assert_true(dry_world_statistics(world).step_ms > 0);
        assert_ok(dry_body_apply_impulse(world, box, v3(0, 1, 0)));
        run_steps(world, 1, TEST_DT);
        assert_true(sum_of_stages(world) > 0);
        dry_world_destroy(world);
    }
}

static void test_no_spans_unless_asked(void **state)
{
    (void)state;
    dry_world_def def = dry_default_world_def();
    assert_false(def.trace_workers);
    assert_null(def.hook.begin);
    assert_null(def.hook.end);
    size_t bytes[2];
    uint64_t hashes[2];
    for (int traced = 0; traced < 2; ++traced) {
        def = traced_def(2);
        def.trace_workers = traced;
        dry_world *world = world_from(&def);
        build_pyramid(world, SIZE);
        run_steps(world, 20, TEST_DT);
        int count = -1, lost = -1;
        assert_int_equal(dry_world_worker_spans(world, 0, &count, &lost) != NULL, traced);
        assert_int_equal(count > 0, traced);
        assert_int_equal(lost, 0);
        for (int worker = -1; worker <= 2; worker += 3) {
            count = lost = -1;
            assert_null(dry_world_worker_spans(world, worker, &count, &lost));
            assert_int_equal(count, 0);
            assert_int_equal(lost, 0);
        }
        bytes[traced] = dry_world_statistics(world).memory_bytes;
        hashes[traced] = dry_world_hash(world);
        dry_world_destroy(world);
    }
    assert_true(bytes[0] < bytes[1]);
    assert_true(hashes[0] == hashes[1]);
    assert_null(dry_world_worker_spans(NULL, 0, NULL, NULL));
}

/* Room for spans grows at the begin of the step after the one that lacked it; a step that cannot get it goes
 * on without; a warmed-up step allocates nothing. */
static void test_room_for_spans(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = traced_def(1);
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    build_pyramid(world, 12);
    run_steps(world, 60, TEST_DT);
    assert_int_equal(dry_world_statistics(world).allocations_in_last_step, 0);
    int few, many, lost;
    assert_non_null(dry_world_worker_spans(world, 0, &few, &lost));
    assert_int_equal(lost, 0);

    dry_settings settings = def.settings;
    settings.substeps = 64;
    assert_ok(dry_world_set_settings(world, &settings));
    counter.fail_at = (int64_t)counter.calls;
    counter.fail_all = true;
    for (int i = 0; i < 2; ++i) { /* the second asks for more and does not get it */
        uint64_t calls = counter.calls;
        assert_ok(dry_world_step(world, TEST_DT));
        assert_int_equal(counter.calls > calls, i == 1);
        assert_non_null(dry_world_worker_spans(world, 0, &many, &lost));
        assert_true(many >= few);
        assert_true(lost > 0);
    }
    int all = many + lost;
    counter.fail_at = -1;
    run_steps(world, 1, TEST_DT);
    assert_non_null(dry_world_worker_spans(world, 0, &many, &lost));
    assert_int_equal(lost, 0);
    assert_true(many > all - 10); /* a stage may have a loop more in some steps */
    check_spans(world, 0, DRY_STAGE_SOLVE);
    run_steps(world, 1, TEST_DT);
    assert_int_equal(dry_world_statistics(world).allocations_in_last_step, 0);
    dry_world_destroy(world);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

typedef struct hook_log {
    dry_stage stage[200];
    bool end[200];
    int count;
    pthread_t thread;
} hook_log;

static void log_call(hook_log *log, dry_stage stage, bool end)
{
    assert_true(log->count < 200);
    assert_true(pthread_equal(log->thread, pthread_self()));
    log->stage[log->count] = stage;
    log->end[log->count++] = end;
}

static void log_begin(dry_stage stage, void *user)
{
    log_call(user, stage, false);
}

static void log_end(dry_stage stage, void *user)
{
    log_call(user, stage, true);
}

/* Stages from the first on, each begin with its end. */
static void check_log(const hook_log *log, int stages)
{
    assert_int_equal(log->count, 2 * stages);
    for (int i = 0; i < log->count; ++i) {
        assert_int_equal(log->stage[i], i / 2);
        assert_int_equal(log->end[i], i % 2);
    }
}

static void test_hook(void **state)
{
    (void)state;
    hook_log log = {.thread = pthread_self()};
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    def.hook = (dry_stage_hook){log_begin, log_end, &log};
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    build_pyramid(world, 6);

    /* Refused for lack of memory in ever later stages, then done. */
    int stages = 0;
    for (int64_t allowed = 0; stages < DRY_STAGE_COUNT; ++allowed) {
        log.count = 0;
        counter.fail_at = (int64_t)counter.calls + allowed;
        counter.fail_all = true;
        dry_result result = dry_world_step(world, TEST_DT);
        stages = log.count / 2;
        check_log(&log, stages);
        assert_int_equal(result, stages == DRY_STAGE_COUNT ? DRY_OK : DRY_ERROR_MEMORY);
    }
    counter.fail_at = -1;
    log.count = 0;
    assert_ok(dry_world_step(world, 0.0f));
    check_log(&log, DRY_STAGE_PREPARE + 1);
    dry_world_destroy(world);

    /* Each of the two may be left out. */
    for (int which = 0; which < 2; ++which) {
        log.count = 0;
        def.hook = (dry_stage_hook){which ? NULL : log_begin, which ? log_end : NULL, &log};
        world = world_from(&def);
        build_pyramid(world, 3);
        run_steps(world, 1, TEST_DT);
        assert_int_equal(log.count, DRY_STAGE_COUNT);
        dry_world_destroy(world);
    }
}

static void *count_task(void (*run)(void *argument), void *argument, void *user)
{
    ++*(int *)user;
    run(argument);
    return user;
}

static void finish_task(void *task, void *user)
{
    assert_ptr_equal(task, user);
}

/* Work that is not worth a team stays on the calling thread, whatever the number of workers. */
static void test_small_worlds_stay_on_one_thread(void **state)
{
    (void)state;
    /* Bodies and touching pairs: 10 and 24; 300 and over 800. */
    const int sizes[] = {4, SIZE};
    for (int i = 0; i < 2; ++i) {
        int started = 0;
        dry_world_def def = test_world_def();
        def.threads = WORKERS;
        def.settings.sleep = false;
        def.tasks = (dry_tasks){count_task, finish_task, &started};
        dry_world *world = world_from(&def);
        build_pyramid(world, sizes[i]);
        run_steps(world, 10, TEST_DT);
        assert_int_equal(started > 0, i == 1);
        dry_world_destroy(world);
    }
}

/* All that the engine holds, steps included, in the scene by which its memory is compared. 40 bytes of a body
 * are its rest pose, and less than one the links of blocks of memory. */
static void test_a_body_of_a_pyramid_takes_two_kilobytes(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    def.threads = 1;
    def.settings.sleep = false;
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    build_pyramid(world, 100);
    run_steps(world, 5, TEST_DT);
    assert_in_range(counter.bytes, 1, 2090 * 5050);
    dry_world_destroy(world);
    assert_int_equal(counter.bytes, 0);
}

/* Makes every call with sound arguments during a step. */
typedef struct intruder {
    const fixture *f;
    int calls, answered;
} intruder;

static bool write_nothing(void *user, const void *some, size_t size)
{
    (void)user, (void)some, (void)size;
    return true;
}

static void expect_locked(intruder *in, dry_result result)
{
    if (result != DRY_ERROR_LOCKED && in->answered++ == 0)
        print_message("call %d of a stage: %s\n", in->calls, dry_result_name(result));
    in->calls++;
}

static void call_all(dry_stage stage, void *user)
{
    intruder *in = user;
    const fixture *f = in->f;
    const dry_sink sink = {write_nothing, NULL};
    dry_correction correction;
    dry_shape_triangle triangle;
    int count;
    (void)stage;
    for (int i = 0; i < BODY_CALLS; ++i)
        expect_locked(in, call_with_body(f->world, i, f->dynamic));
    for (int i = 0; i < SHAPE_CALLS; ++i)
        expect_locked(in, call_with_shape(f->world, i, f->shape));
    for (int i = 0; i < JOINT_CALLS; ++i)
        expect_locked(in, call_with_joint(f->world, i, f->joint));
    for (int i = 0; i < NUMBER_CALLS; ++i)
        expect_locked(in, i == 21 ? dry_world_step(f->world, TEST_DT) /* whose other call answers OK */
                                  : call_with_number(f->world, i, f->dynamic, f->kinematic, f->shape, 0.5f));
    expect_locked(in, dry_body_get_correction(f->world, f->dynamic, &correction));
    expect_locked(in, dry_shape_get_triangles(f->world, f->shape, (dry_position){0}, (dry_position){1, 1, 1},
                                              &triangle, 1, &count));
    expect_locked(in, dry_world_save(f->world, NULL, &sink));
    expect_locked(in, dry_world_trim(f->world));
}

/* During a step every call that has a result is refused with LOCKED, in every stage, and changes nothing. */
static void test_calls_are_locked_in_a_step(void **state)
{
    (void)state;
    fixture twins[2];
    for (int i = 0; i < 2; ++i) {
        fixture *f = &twins[i];
        fixture_make(f, 1);
        intruder in = {.f = f};
        if (i == 1)
            f->world->hook = (dry_stage_hook){call_all, call_all, &in};
        run_steps(f->world, 2, TEST_DT);
        assert_int_equal(in.answered, 0);
        assert_int_equal(in.calls, i * 2 * 2 * DRY_STAGE_COUNT *
                                       (BODY_CALLS + SHAPE_CALLS + JOINT_CALLS + NUMBER_CALLS + 4));
        f->world->hook = (dry_stage_hook){0};
    }
    assert_true(dry_world_hash(twins[0].world) == dry_world_hash(twins[1].world));
    for (int i = 0; i < 2; ++i)
        dry_world_destroy(twins[i].world);
}

/* Marks articulations when a stage begins, and counts those that it has solved. */
typedef struct solved_in {
    const dry_world *world;
    int solved[DRY_STAGE_COUNT];
} solved_in;

static void mark_articulations(dry_stage stage, void *user)
{
    (void)stage;
    const dry_articulations *a = &((solved_in *)user)->world->solver.articulations;
    for (int i = 0; i < a->count; ++i)
        a->articulation[i].gap = -1;
}

static void count_solved(dry_stage stage, void *user)
{
    solved_in *s = user;
    const dry_articulations *a = &s->world->solver.articulations;
    for (int i = 0; i < a->count; ++i)
        s->solved[stage] += stage >= DRY_STAGE_SOLVE && a->articulation[i].gap >= 0;
}

/* Direct joints that nothing else acts on are solved in the stage of that name, and in no other. */
static void test_lone_joints_are_solved_in_solve(void **state)
{
    (void)state;
    solved_in s = {0};
    dry_world_def def = test_world_def();
    def.settings.joint_solver = DRY_JOINT_SOLVER_DIRECT;
    def.hook = (dry_stage_hook){mark_articulations, count_solved, &s};
    dry_world *world = world_from(&def);
    s.world = world;
    dry_body_id last = {0};
    for (int i = 0; i < 10; ++i) {
        const dry_body_id link = add_dynamic(world, pose_at(i + 0.5, 0, 0), box_shape(0.4, 0.1, 0.1));
        dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
        dry_joint_id id;
        joint.body_a = last, joint.body_b = link;
        joint.anchor_a = v3(last.bits ? 0.5 : 0, 0, 0);
        joint.anchor_b = v3(-0.5, 0, 0);
        assert_ok(dry_world_create_joint(world, &joint, &id));
        last = link;
    }
    run_steps(world, 20, TEST_DT);
    for (int stage = 0; stage < DRY_STAGE_COUNT; ++stage)
        assert_int_equal(s.solved[stage], stage == DRY_STAGE_SOLVE ? 20 : 0);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans_cover_the_stages),
        cmocka_unit_test(test_a_sleeping_world_times_no_stages),
        cmocka_unit_test(test_no_spans_unless_asked),
        cmocka_unit_test(test_room_for_spans),
        cmocka_unit_test(test_hook),
        cmocka_unit_test(test_calls_are_locked_in_a_step),
        cmocka_unit_test(test_lone_joints_are_solved_in_solve),
        cmocka_unit_test(test_small_worlds_stay_on_one_thread),
        cmocka_unit_test(test_a_body_of_a_pyramid_takes_two_kilobytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Jobs with a server's own threads: each item once, each stage after the one before, whether the pool comes
 * late, at once, inside `start`, only in `finish`, for many worlds in turns, or never. */
#include "tests/jobs/jobs_pool.h"
#include "tests/jobs/jobs_workload.h"

#include "core/clock.h"

static void test_pool_of_threads(void **state)
{
    (void)state;
    for (int n = 0; n < LENGTH(worker_counts); n++) {
        pool *p = pool_create(3);
        workload *w = workload_create(&(dry_jobs_def){.threads = worker_counts[n], .tasks = pool_tasks(p)});
        check_all_counts(w, 3);
        assert_int_equal(p->starts, (worker_counts[n] - 1) * LENGTH(item_counts) * LENGTH(grains));
        assert_int_equal(p->finishes, p->starts);
        workload_destroy(w);
        pool_destroy(p);
    }
}

static void test_pool_many_stages(void **state)
{
    (void)state;
    for (int workers = 2; workers <= 5; workers++) {
        pool *p = pool_create(workers - 1);
        workload *w = workload_create(&(dry_jobs_def){.threads = workers, .tasks = pool_tasks(p)});
        for (int region = 0; region < 10; region++) {
            w->slow = region & 1;
            assert_int_equal(workload_run(w, 5 + 20 * region, 1, w->slow ? 200 : 2000), 0);
        }
        workload_destroy(w);
        pool_destroy(p);
    }
}

static void test_pool_helpers_come(void **state)
{
    (void)state;
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    pool *p = pool_create(1);
    const dry_jobs_def def = {.threads = 2, .tasks = pool_tasks(p), .keep_all = true};
    meeting m = {.jobs = dry_jobs_create(&memory, &def)};
    for (int i = 0; i < 100; i++)
        check_meeting(&m);
    dry_jobs_destroy(&memory, m.jobs);
    pool_destroy(p);
}

/* Two workers in a block each, at the same time: both write it down, under the stage's name, and only while
 * traced. */
static void test_spans_of_both_workers(void **state)
{
    (void)state;
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    pool *p = pool_create(1);
    const dry_jobs_def def = {.threads = 2, .tasks = pool_tasks(p), .keep_all = true};
    meeting m = {.jobs = dry_jobs_create(&memory, &def)};
    for (int i = 0; i < 100; i++) {
        check_meeting(&m);
        double before = dry_clock_ms();
        assert_true(dry_jobs_trace_begin(m.jobs, &memory, before));
        dry_jobs_trace_stage(m.jobs, (dry_stage)(i % DRY_STAGE_COUNT));
        check_meeting(&m);
        dry_jobs_trace_end(m.jobs);
        double after = dry_clock_ms();
        check_meeting(&m);
        const dry_worker_span *spans[2];
        for (int worker = 0; worker < 2; worker++) {
            int count, lost;
            spans[worker] = dry_jobs_spans(m.jobs, worker, &count, &lost);
            assert_int_equal(count, 1);
            assert_int_equal(lost, 0);
            assert_int_equal(spans[worker]->stage, i % DRY_STAGE_COUNT);
            assert_true(0 <= spans[worker]->begin_ms && spans[worker]->end_ms <= after - before);
        }
        assert_true(spans[0]->begin_ms <= spans[1]->end_ms && spans[1]->begin_ms <= spans[0]->end_ms);
    }
    dry_jobs_destroy(&memory, m.jobs);
    pool_destroy(p);
    assert_int_equal(memory.bytes, 0);
}

/* No threads at all: the helpers run in `finish`, on the calling thread. */
static void test_pool_that_runs_at_finish(void **state)
{
    (void)state;
    pool *p = pool_create(0);
    workload *w = workload_create(&(dry_jobs_def){.threads = 8, .tasks = pool_tasks(p)});
    check_all_counts(w, 3);
    assert_int_equal(atomic_load(&w->helpers_seen), 0);
    assert_int_equal(p->taken, p->starts);
    workload_destroy(w);
    pool_destroy(p);
}

static void *start_at_once(void (*run)(void *argument), void *argument, void *user)
{
    ++*(int *)user;
    run(argument);
    return NULL;
}

static void finish_nothing(void *handle, void *user)
{
    (void)handle;
    --*(int *)user;
}

/* A helper that waited there, even for milliseconds, would make this last minutes. */
static void test_pool_that_runs_inside_start(void **state)
{
    (void)state;
    int balance = 0;
    dry_tasks tasks = {start_at_once, finish_nothing, &balance};
    workload *w = workload_create(&(dry_jobs_def){.threads = DRY_JOBS_WORKERS_MAX, .tasks = tasks});
    check_all_counts(w, 3);
    assert_int_equal(atomic_load(&w->helpers_seen), 0);
    assert_int_equal(balance, 0);
    workload_destroy(w);
}

static void test_one_pool_for_many_worlds(void **state)
{
    (void)state;
    pool *p = pool_create(2);
    check_worlds_on_threads(&(dry_jobs_def){.threads = 3, .tasks = pool_tasks(p)});
    assert_int_equal(p->starts, 4 * 20 * 2);
    assert_int_equal(p->finishes, p->starts);
    pool_destroy(p);
}

/* Once both worlds have asked for a helper, each thread runs the other's inside its own `start`. */
static void swap_helpers(pool *p, pool_task *own)
{
    pthread_mutex_lock(&p->mutex);
    while (p->starts < 2)
        pthread_cond_wait(&p->changed, &p->mutex);
    pool_task *other = &p->tasks[own == p->tasks];
    p->taken++;
    other->state = 1;
    pthread_mutex_unlock(&p->mutex);
    other->run(other->argument);
    pthread_mutex_lock(&p->mutex);
    other->state = 2;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
}

static void *step_once(void *argument)
{
    workload *w = argument;
    return workload_run(w, 1000, 7, 40) ? w : NULL;
}

static void test_pool_that_swaps_helpers_inside_start(void **state)
{
    (void)state;
    pool *p = pool_create(0);
    p->after_push = swap_helpers;
    workload *w[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        w[i] = workload_create(&(dry_jobs_def){.threads = 2, .tasks = pool_tasks(p)});
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, step_once, w[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
        workload_destroy(w[i]);
    }
    pool_destroy(p);
}

static void *start_never(void (*run)(void *argument), void *argument, void *user)
{
    (void)run;
    (void)argument;
    ++*(int *)user;
    return NULL;
}

static void test_one_worker_asks_for_no_thread(void **state)
{
    (void)state;
    int starts = 0;
    dry_tasks tasks = {start_never, finish_nothing, &starts};
    workload *w = workload_create(&(dry_jobs_def){.threads = 1, .tasks = tasks});
    assert_int_equal(workload_run(w, 1000, 1, 3), 0);
    assert_int_equal(atomic_load(&w->calls), 3);
    assert_int_equal(starts, 0);
    workload_destroy(w);
}

static void begin_again(void *context)
{
    workload *w = context;
    dry_jobs_begin_parallel(w->jobs, run_stages, w);
}

static void test_region_within_a_region(void **state)
{
    (void)state;
    pool *p = pool_create(1);
    workload *w = workload_create(&(dry_jobs_def){.threads = 2, .tasks = pool_tasks(p)});
    w->count = 1000;
    w->grain = 10;
    w->stages = 30;
    dry_jobs_begin_parallel(w->jobs, begin_again, w);
    assert_int_equal(workload_check(w), 0);
    assert_int_equal(p->starts, 1);
    workload_destroy(w);
    pool_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_of_threads),
        cmocka_unit_test(test_pool_many_stages),
        cmocka_unit_test(test_pool_helpers_come),
        cmocka_unit_test(test_spans_of_both_workers),
        cmocka_unit_test(test_pool_that_runs_at_finish),
        cmocka_unit_test(test_pool_that_runs_inside_start),
        cmocka_unit_test(test_one_pool_for_many_worlds),
        cmocka_unit_test(test_pool_that_swaps_helpers_inside_start),
        cmocka_unit_test(test_one_worker_asks_for_no_thread),
        cmocka_unit_test(test_region_within_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

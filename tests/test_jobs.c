/* Jobs: each item once, each stage after the one before, whatever the team does: OpenMP, a pool of threads,
 * a pool that comes late, at once, or never. And the topology against machines that hwloc makes up. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/clock.h"
#include "jobs/jobs.h"
#include "jobs/team_size.h"
#include "jobs/topology.h"

#include <hwloc.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif
#ifndef THREAD_SANITIZER
#define THREAD_SANITIZER 0
#endif

/* LLVM's OpenMP runtime never frees what it keeps for each thread that once called it. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libomp";
}

/* The OpenMP runtimes are not instrumented: their forks and joins look like races. */
#define SKIP_OPENMP_UNDER_THREAD_SANITIZER()                                                                 \
    do {                                                                                                     \
        if (THREAD_SANITIZER)                                                                                \
            skip();                                                                                          \
    } while (0)

/* ---- pools ---- */

enum { POOL_TASKS = 4096 };

typedef struct pool_task {
    void (*run)(void *argument);
    void *argument;
    int state; /* 0 queued, 1 running, 2 done */
} pool_task;

typedef struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pool_task tasks[POOL_TASKS];
    int queued, taken;
    bool stop;
    pthread_t threads[16];
    int thread_count;
    int starts, finishes;
    void (*after_push)(struct pool *pool);
} pool;

/* Runs the oldest queued task if there is one; the mutex is held before and after. */
static bool pool_run_one(pool *p)
{
    if (p->taken == p->queued)
        return false;
    pool_task *task = &p->tasks[p->taken++];
    task->state = 1;
    pthread_mutex_unlock(&p->mutex);
    task->run(task->argument);
    pthread_mutex_lock(&p->mutex);
    task->state = 2;
    pthread_cond_broadcast(&p->changed);
    return true;
}

static void *pool_thread(void *argument)
{
    pool *p = argument;
    pthread_mutex_lock(&p->mutex);
    while (!p->stop)
        if (!pool_run_one(p))
            pthread_cond_wait(&p->changed, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static void *pool_start(void (*run)(void *argument), void *argument, void *user)
{
    pool *p = user;
    pthread_mutex_lock(&p->mutex);
    if (p->queued == POOL_TASKS)
        abort();
    pool_task *task = &p->tasks[p->queued++];
    *task = (pool_task){.run = run, .argument = argument};
    p->starts++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    if (p->after_push)
        p->after_push(p);
    return task;
}

/* Runs whatever is queued, other worlds' tasks too, until its own is done. */
static void pool_finish(void *handle, void *user)
{
    pool *p = user;
    pool_task *task = handle;
    pthread_mutex_lock(&p->mutex);
    p->finishes++;
    while (task->state != 2)
        if (!pool_run_one(p))
            pthread_cond_wait(&p->changed, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

static pool *pool_create(int threads)
{
    pool *p = calloc(1, sizeof *p);
    assert_non_null(p);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->thread_count = threads;
    for (int i = 0; i < threads; i++)
        assert_int_equal(pthread_create(&p->threads[i], NULL, pool_thread, p), 0);
    return p;
}

static void pool_destroy(pool *p)
{
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 0; i < p->thread_count; i++)
        pthread_join(p->threads[i], NULL);
    pthread_mutex_destroy(&p->mutex);
    pthread_cond_destroy(&p->changed);
    free(p);
}

static dry_tasks pool_tasks(pool *p)
{
    return (dry_tasks){pool_start, pool_finish, p};
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

/* ---- a workload that notices: items twice or never, a stage before its time, one worker twice ---- */

enum { ITEMS_MAX = 5000 };

typedef struct workload {
    dry_memory memory;
    dry_jobs *jobs;
    int count, grain, stages;
    int shift;                                  /* stage s reads item i + shift of stage s - 1 */
    uint32_t *from, *to;                        /* plain: the thread sanitizer and the sums both watch them */
    unsigned char *visits;                      /* plain */
    int visits_by_worker[DRY_JOBS_WORKERS_MAX]; /* plain: a worker is one thread at a time */
    _Atomic int busy[DRY_JOBS_WORKERS_MAX];
    _Atomic int errors, calls;
    _Atomic int helpers_seen;
    bool slow;
} workload;

/* With all workers every time: these tests are about them. */
static workload *workload_create(const dry_jobs_def *given)
{
    dry_jobs_def def = *given;
    def.keep_all = true;
    workload *w = calloc(1, sizeof *w);
    assert_non_null(w);
    dry_memory_init(&w->memory, (dry_allocator){0});
    w->jobs = dry_jobs_create(&w->memory, &def);
    assert_non_null(w->jobs);
    w->from = calloc(ITEMS_MAX, sizeof *w->from);
    w->to = calloc(ITEMS_MAX, sizeof *w->to);
    w->visits = calloc(ITEMS_MAX, 1);
    return w;
}

static void workload_destroy(workload *w)
{
    dry_jobs_destroy(&w->memory, w->jobs);
    assert_int_equal(w->memory.bytes, 0);
    free(w->from);
    free(w->to);
    free(w->visits);
    free(w);
}

static void run_items(void *context, int begin, int end, int worker)
{
    workload *w = context;
    bool sound = worker >= 0 && worker < dry_jobs_workers(w->jobs) && begin >= 0 && begin < end &&
                 end <= w->count && (end - begin >= w->grain || end - begin == w->count);
    if (!sound || atomic_exchange(&w->busy[worker], 1) != 0) {
        atomic_fetch_add(&w->errors, 1);
        return;
    }
    atomic_fetch_add_explicit(&w->calls, 1, memory_order_relaxed);
    for (int i = begin; i < end; i++) {
        int source = i + w->shift;
        w->to[i] = w->from[source < w->count ? source : source - w->count] + 1;
        w->visits[i]++;
    }
    w->visits_by_worker[worker] += end - begin;
    if (worker)
        atomic_store_explicit(&w->helpers_seen, 1, memory_order_relaxed);
    if (w->slow)
        sched_yield();
    atomic_store(&w->busy[worker], 0);
}

static void run_stages(void *context)
{
    workload *w = context;
    for (int stage = 0; stage < w->stages; stage++) {
        dry_jobs_for(w->jobs, w->count, w->grain, run_items, w);
        /* The calling thread reads and changes what helpers wrote, unsynchronised but for dry_jobs_for. */
        uint32_t *swap = w->from;
        w->from = w->to;
        w->to = swap;
    }
}

/* Every item is its stage's number afterwards, and was visited once a stage. */
static int workload_check(workload *w)
{
    int errors = atomic_load(&w->errors);
    int64_t visits = 0;
    for (int i = 0; i < w->count; i++)
        errors += w->from[i] != (uint32_t)w->stages || w->visits[i] != (unsigned char)w->stages;
    for (int i = 0; i < dry_jobs_workers(w->jobs); i++)
        visits += w->visits_by_worker[i];
    errors += visits != (int64_t)w->count * w->stages;
    return errors;
}

static int workload_run(workload *w, int count, int grain, int stages)
{
    w->count = count;
    w->grain = grain;
    w->stages = stages;
    w->shift = count / 2;
    memset(w->from, 0, ITEMS_MAX * sizeof *w->from);
    memset(w->visits, 0, ITEMS_MAX);
    memset(w->visits_by_worker, 0, sizeof w->visits_by_worker);
    atomic_store(&w->errors, 0);
    atomic_store(&w->calls, 0);
    dry_jobs_gather(w->jobs, run_stages, w);
    return workload_check(w);
}

static const int worker_counts[] = {1, 2, 3, 8};
static const int item_counts[] = {0, 1, 2, 3, 7, 8, 31, 64, 1000, 4999};
static const int grains[] = {-1, 0, 1, 3, 16, 100, 5000};
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static void check_all_counts(workload *w, int stages)
{
    for (int c = 0; c < LENGTH(item_counts); c++)
        for (int g = 0; g < LENGTH(grains); g++) {
            int errors = workload_run(w, item_counts[c], grains[g], stages);
            if (errors)
                print_error("workers %d, count %d, grain %d\n", dry_jobs_workers(w->jobs), item_counts[c],
                            grains[g]);
            assert_int_equal(errors, 0);
        }
}

/* ---- OpenMP ---- */

static void test_openmp_runs_each_item_once(void **state)
{
    (void)state;
    SKIP_OPENMP_UNDER_THREAD_SANITIZER();
    for (int n = 0; n < LENGTH(worker_counts); n++) {
        workload *w = workload_create(&(dry_jobs_def){.threads = worker_counts[n]});
        assert_int_equal(dry_jobs_workers(w->jobs), worker_counts[n]);
        check_all_counts(w, 5);
        workload_destroy(w);
    }
}

static void test_openmp_many_stages(void **state)
{
    (void)state;
    SKIP_OPENMP_UNDER_THREAD_SANITIZER();
    for (int n = 0; n < LENGTH(worker_counts); n++) {
        workload *w = workload_create(&(dry_jobs_def){.threads = worker_counts[n]});
        for (int gathering = 0; gathering < 20; gathering++)
            assert_int_equal(workload_run(w, 8 + gathering, 1, 1000), 0);
        workload_destroy(w);
    }
}

static void test_openmp_inside_a_parallel_region(void **state)
{
    (void)state;
    SKIP_OPENMP_UNDER_THREAD_SANITIZER();
    int errors = 0;
#pragma omp parallel num_threads(3) reduction(+ : errors)
    {
        workload *w = workload_create(&(dry_jobs_def){.threads = 4});
        errors += workload_run(w, 777, 10, 50);
        workload_destroy(w);
    }
    assert_int_equal(errors, 0);
}

/* Helpers come: two threads meet inside one stage, which neither can leave alone. Each is in its own block
 * then, because everyone begins with the own range. */
typedef struct meeting {
    dry_jobs *jobs;
    _Atomic int there;
    int worker_of_item[2];
    hwloc_topology_t tree; /* null: bindings are not looked at */
    hwloc_bitmap_t binding_of_item[2];
} meeting;

static void run_meeting(void *context, int begin, int end, int worker)
{
    meeting *m = context;
    m->worker_of_item[begin] = worker;
    if (m->tree)
        hwloc_get_cpubind(m->tree, m->binding_of_item[begin], HWLOC_CPUBIND_THREAD);
    atomic_fetch_add(&m->there, end - begin);
    while (atomic_load(&m->there) < 2)
        sched_yield();
}

static void meet(void *context)
{
    meeting *m = context;
    dry_jobs_for(m->jobs, 2, 1, run_meeting, m);
}

static void check_meeting(meeting *m)
{
    m->there = 0;
    dry_jobs_gather(m->jobs, meet, m);
    assert_int_equal(m->there, 2);
    assert_int_equal(m->worker_of_item[0], 0);
    assert_int_equal(m->worker_of_item[1], 1);
}

static void test_openmp_helpers_come(void **state)
{
    (void)state;
    SKIP_OPENMP_UNDER_THREAD_SANITIZER();
    if (omp_get_thread_limit() < 2)
        skip();
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    meeting m = {.jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = 2, .keep_all = true})};
    for (int i = 0; i < 100; i++)
        check_meeting(&m);
    dry_jobs_destroy(&memory, m.jobs);
    assert_int_equal(memory.bytes, 0);
}

static void *bind_as_worker_1(void *tree)
{
    return dry_topology_bind(tree, 1 + dry_topology_cores(tree)) ? tree : NULL;
}

static void test_openmp_binds_helpers_only(void **state)
{
    (void)state;
    SKIP_OPENMP_UNDER_THREAD_SANITIZER();
    struct hwloc_topology *tree = dry_topology_open();
    assert_non_null(tree);
    pthread_t thread;
    void *may_bind = NULL;
    assert_int_equal(pthread_create(&thread, NULL, bind_as_worker_1, tree), 0);
    pthread_join(thread, &may_bind);
    hwloc_obj_t core = hwloc_get_obj_by_type(tree, HWLOC_OBJ_CORE, 1);
    if (!may_bind || !core || omp_get_thread_limit() < 2) {
        dry_topology_close(tree);
        skip();
    }

    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    meeting m = {.jobs =
                     dry_jobs_create(&memory, &(dry_jobs_def){.threads = 2, .pin = true, .keep_all = true}),
                 .tree = tree,
                 .binding_of_item = {hwloc_bitmap_alloc(), hwloc_bitmap_alloc()}};
    hwloc_bitmap_t before = hwloc_bitmap_alloc();
    hwloc_get_cpubind(tree, before, HWLOC_CPUBIND_THREAD);
    for (int i = 0; i < 3; i++) {
        check_meeting(&m);
        assert_true(hwloc_bitmap_isequal(m.binding_of_item[0], before));
        assert_true(hwloc_bitmap_isequal(m.binding_of_item[1], core->cpuset));
    }
    dry_jobs_destroy(&memory, m.jobs);
    assert_int_equal(memory.bytes, 0);
    hwloc_bitmap_free(m.binding_of_item[0]);
    hwloc_bitmap_free(m.binding_of_item[1]);
    hwloc_bitmap_free(before);
    dry_topology_close(tree);
}

static void *step_alone(void *argument)
{
    workload *w = argument;
    int errors = 0;
    for (int i = 0; i < 20; i++)
        errors += workload_run(w, 1000, 7, 40);
    return errors ? w : NULL;
}

static void check_worlds_on_threads(const dry_jobs_def *def)
{
    workload *w[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        w[i] = workload_create(def);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, step_alone, w[i]), 0);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
        workload_destroy(w[i]);
    }
}

static void test_openmp_from_many_threads(void **state)
{
    (void)state;
    SKIP_OPENMP_UNDER_THREAD_SANITIZER();
    check_worlds_on_threads(&(dry_jobs_def){.threads = 3});
}

static void test_openmp_one_jobs_from_changing_threads(void **state)
{
    (void)state;
    SKIP_OPENMP_UNDER_THREAD_SANITIZER();
    workload *w = workload_create(&(dry_jobs_def){.threads = 2, .pin = true});
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        void *failed = NULL;
        assert_int_equal(pthread_create(&thread, NULL, step_alone, w), 0);
        pthread_join(thread, &failed);
        assert_null(failed);
    }
    workload_destroy(w);
}

/* ---- a server's pool ---- */

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
        for (int gathering = 0; gathering < 10; gathering++) {
            w->slow = gathering & 1;
            assert_int_equal(workload_run(w, 5 + 20 * gathering, 1, w->slow ? 200 : 2000), 0);
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
static void swap_helpers(pool *p)
{
    pthread_mutex_lock(&p->mutex);
    int self = p->starts - 1;
    while (p->starts < 2)
        pthread_cond_wait(&p->changed, &p->mutex);
    pool_task *other = &p->tasks[1 - self];
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

/* ---- fewer workers while other work holds their cores ---- */

/* Two in a block each at once; then the helper is away for some time. */
static void run_absent(void *context, int begin, int end, int worker)
{
    run_meeting(context, begin, end, worker);
    if (worker)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void meet_absent(void *context)
{
    meeting *m = context;
    dry_jobs_for(m->jobs, 2, 1, run_absent, m);
}

static int starts_with_an_absent_helper(bool keep_all)
{
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    pool *p = pool_create(1);
    const dry_jobs_def def = {.threads = 2, .tasks = pool_tasks(p), .keep_all = keep_all};
    meeting m = {.jobs = dry_jobs_create(&memory, &def)};
    for (int i = 0; i < 20; i++) {
        m.there = 0;
        dry_jobs_gather(m.jobs, meet_absent, &m);
        assert_int_equal(m.there, 2);
    }
    dry_jobs_destroy(&memory, m.jobs);
    int starts = p->starts;
    pool_destroy(p);
    return starts;
}

static void test_absent_helpers_are_left_out(void **state)
{
    (void)state;
    assert_int_equal(starts_with_an_absent_helper(true), 20);
    if (omp_get_num_procs() < 2)
        skip();
    assert_in_range(starts_with_an_absent_helper(false), 1, 19);
}

static void test_team_size_of_two(void **state)
{
    (void)state;
    dry_team_size team = dry_team_size_of(2);
    double now = 1000.0;
    for (int i = 0; i < 100; i++, now += 1.0) {
        assert_int_equal(dry_team_size_begin(&team, now), 2);
        dry_team_size_end(&team, now + 1.0, 1.0, 0.4);
    }
    /* One alone may be a helper that had to be woken. */
    for (int i = 0; i < 100; i++, now += 1.0) {
        assert_int_equal(dry_team_size_begin(&team, now), 2);
        dry_team_size_end(&team, now + 1.0, 1.0, i % 2 ? 0.4 : 0.6);
    }
    /* Two in a row make it smaller, and each time the rest longer, up to a second. */
    double rests = 0.0;
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 2; k++) {
            assert_int_equal(dry_team_size_begin(&team, now), 2);
            now += 1.0;
            dry_team_size_end(&team, now, 1.0, 0.6);
        }
        double lost = now;
        while (now += 0.25, dry_team_size_begin(&team, now) == 1)
            dry_team_size_end(&team, now, 0.25, 0.0);
        assert_true(now - lost >= rests && now - lost <= 1000.0);
        rests = now - lost;
    }
    assert_true(rests > 500.0);
    /* And without losses they become short again. */
    for (int i = 0; i < 3000; i++, now += 1.0) {
        assert_int_equal(dry_team_size_begin(&team, now), 2);
        dry_team_size_end(&team, now + 1.0, 1.0, 0.0);
    }
    dry_team_size_end(&team, now, 1.0, 0.9);
    dry_team_size_end(&team, now, 1.0, 0.9);
    assert_int_equal(dry_team_size_begin(&team, now), 1);
    assert_int_equal(dry_team_size_begin(&team, now + 5.0), 2);
}

static void test_team_sizes_go_down_and_up(void **state)
{
    (void)state;
    for (int most = 1; most <= 100; most++) {
        dry_team_size team = dry_team_size_of(most);
        double now = 1000.0;
        int last = most;
        for (int i = 0; i < 100 && last > 1; i++) {
            dry_team_size_end(&team, now, 1.0, 1.0);
            dry_team_size_end(&team, now, 1.0, 1.0);
            assert_in_range(team.size, 1, last - 1);
            last = team.size;
        }
        assert_int_equal(last, 1);
        for (int i = 0; i < 100 && last < most; i++) {
            now += 5000.0;
            last = dry_team_size_begin(&team, now);
            dry_team_size_end(&team, now, 1.0, 0.0);
        }
        assert_int_equal(last, most);
    }
}

/* ---- what runs on the calling thread alone ---- */

static void test_outside_a_gathering(void **state)
{
    (void)state;
    workload *w = workload_create(&(dry_jobs_def){.threads = 4});
    w->count = 1000;
    w->grain = 1;
    w->stages = 3;
    run_stages(w);
    assert_int_equal(workload_check(w), 0);
    assert_int_equal(atomic_load(&w->calls), 3);
    assert_int_equal(w->visits_by_worker[0], 3000);
    workload_destroy(w);
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

static void gather_again(void *context)
{
    workload *w = context;
    dry_jobs_gather(w->jobs, run_stages, w);
}

static void test_gathering_within_a_gathering(void **state)
{
    (void)state;
    pool *p = pool_create(1);
    workload *w = workload_create(&(dry_jobs_def){.threads = 2, .tasks = pool_tasks(p)});
    w->count = 1000;
    w->grain = 10;
    w->stages = 30;
    dry_jobs_gather(w->jobs, gather_again, w);
    assert_int_equal(workload_check(w), 0);
    assert_int_equal(p->starts, 1);
    workload_destroy(w);
    pool_destroy(p);
}

/* ---- the number of workers, memory, topology ---- */

static void *allocate_nothing(size_t bytes, size_t alignment, void *user)
{
    (void)bytes;
    (void)alignment;
    (void)user;
    return NULL;
}

static void release_nothing(void *block, size_t bytes, void *user)
{
    (void)block;
    (void)bytes;
    (void)user;
}

static void test_creation(void **state)
{
    (void)state;
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){allocate_nothing, release_nothing, NULL});
    assert_null(dry_jobs_create(&memory, &(dry_jobs_def){.threads = 2, .pin = true}));

    dry_memory_init(&memory, (dry_allocator){0});
    const int asked[] = {-5, 1, 1024, 5000}, given[] = {1, 1, 1024, 1024};
    for (int i = 0; i < LENGTH(asked); i++) {
        dry_jobs *jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = asked[i]});
        assert_non_null(jobs);
        assert_int_equal(dry_jobs_workers(jobs), given[i]);
        assert_int_equal((uintptr_t)jobs % DRY_CACHE_LINE, 0);
        dry_jobs_destroy(&memory, jobs);
    }
    dry_jobs_destroy(&memory, NULL);
    assert_int_equal(memory.bytes, 0);
}

/* Puts hwloc before a machine of its own making. */
static void pretend(const char *machine)
{
    setenv("HWLOC_SYNTHETIC", machine, 1);
}

static void test_topology_of_made_up_machines(void **state)
{
    (void)state;
    pretend("pack:2 [numa] l3:1(size=33554432) l2:6(size=1048576) l1d:1(size=49152) core:1 pu:2");
    dry_topology machine = dry_topology_read();
    assert_int_equal(machine.cores, 12);
    assert_int_equal(machine.hardware_threads, 24);
    assert_int_equal(machine.numa_nodes, 2);
    assert_int_equal(machine.l1_bytes, 49152);
    assert_int_equal(machine.l2_bytes, 1048576);
    assert_int_equal(machine.l3_bytes, 33554432);

    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_jobs *jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = 0});
    assert_int_equal(dry_jobs_workers(jobs), 12);
    dry_jobs_destroy(&memory, jobs);

    pretend("pu:16"); /* as in some virtual machines: no cores, no caches */
    machine = dry_topology_read();
    assert_int_equal(machine.cores, 16);
    assert_int_equal(machine.hardware_threads, 16);
    assert_int_equal(machine.numa_nodes, 1);
    assert_int_equal(machine.l3_bytes, 0);
    unsetenv("HWLOC_SYNTHETIC");
}

static void test_topology_of_this_machine(void **state)
{
    (void)state;
    dry_topology machine = dry_topology_read();
    assert_true(machine.cores >= 1 && machine.hardware_threads >= machine.cores);
    assert_true(machine.hardware_threads <= omp_get_num_procs());
    assert_true(machine.numa_nodes >= 1);
    assert_true(strlen(machine.processor) > 0);

    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_jobs *jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = 0});
    assert_int_equal(dry_jobs_workers(jobs), machine.cores);
    dry_jobs_destroy(&memory, jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openmp_runs_each_item_once),
        cmocka_unit_test(test_openmp_many_stages),
        cmocka_unit_test(test_openmp_inside_a_parallel_region),
        cmocka_unit_test(test_openmp_helpers_come),
        cmocka_unit_test(test_openmp_binds_helpers_only),
        cmocka_unit_test(test_openmp_from_many_threads),
        cmocka_unit_test(test_openmp_one_jobs_from_changing_threads),
        cmocka_unit_test(test_pool_of_threads),
        cmocka_unit_test(test_pool_many_stages),
        cmocka_unit_test(test_pool_helpers_come),
        cmocka_unit_test(test_spans_of_both_workers),
        cmocka_unit_test(test_pool_that_runs_at_finish),
        cmocka_unit_test(test_pool_that_runs_inside_start),
        cmocka_unit_test(test_one_pool_for_many_worlds),
        cmocka_unit_test(test_pool_that_swaps_helpers_inside_start),
        cmocka_unit_test(test_absent_helpers_are_left_out),
        cmocka_unit_test(test_team_size_of_two),
        cmocka_unit_test(test_team_sizes_go_down_and_up),
        cmocka_unit_test(test_outside_a_gathering),
        cmocka_unit_test(test_one_worker_asks_for_no_thread),
        cmocka_unit_test(test_gathering_within_a_gathering),
        cmocka_unit_test(test_creation),
        cmocka_unit_test(test_topology_of_made_up_machines),
        cmocka_unit_test(test_topology_of_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

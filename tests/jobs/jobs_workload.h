/* The work of a team in the tests of jobs: a workload that notices items done twice or never, a stage before
 * its time, and one worker twice at once; and a meeting of two workers inside one stage. */
#ifndef TESTS_JOBS_JOBS_WORKLOAD_H
#define TESTS_JOBS_JOBS_WORKLOAD_H

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "jobs/jobs.h"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
static inline workload *workload_create(const dry_jobs_def *given)
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

static inline void workload_destroy(workload *w)
{
    dry_jobs_destroy(&w->memory, w->jobs);
    assert_int_equal(w->memory.bytes, 0);
    free(w->from);
    free(w->to);
    free(w->visits);
    free(w);
}

static inline void run_items(void *context, dry_items items)
{
    workload *w = context;
    bool sound = items.worker >= 0 && items.worker < dry_jobs_workers(w->jobs) && items.begin >= 0 &&
                 items.begin < items.end && items.end <= w->count &&
                 (items.end - items.begin >= w->grain || items.end - items.begin == w->count);
    if (!sound || atomic_exchange(&w->busy[items.worker], 1) != 0) {
        atomic_fetch_add(&w->errors, 1);
        return;
    }
    atomic_fetch_add_explicit(&w->calls, 1, memory_order_relaxed);
    for (int i = items.begin; i < items.end; i++) {
        int source = i + w->shift;
        w->to[i] = w->from[source < w->count ? source : source - w->count] + 1;
        w->visits[i]++;
    }
    w->visits_by_worker[items.worker] += items.end - items.begin;
    if (items.worker)
        atomic_store_explicit(&w->helpers_seen, 1, memory_order_relaxed);
    if (w->slow)
        sched_yield();
    atomic_store(&w->busy[items.worker], 0);
}

static inline void run_stages(void *context)
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
static inline int workload_check(workload *w)
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

static inline int workload_run(workload *w, int count, int grain, int stages)
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
    dry_jobs_begin_parallel(w->jobs, run_stages, w);
    return workload_check(w);
}

static const int worker_counts[] = {1, 2, 3, 8};
static const int item_counts[] = {0, 1, 2, 3, 7, 8, 31, 64, 1000, 4999};
static const int grains[] = {-1, 0, 1, 3, 16, 100, 5000};
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static inline void check_all_counts(workload *w, int stages)
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

static inline void check_each_item_once(dry_team team)
{
    for (int n = 0; n < LENGTH(worker_counts); n++) {
        workload *w = workload_create(&(dry_jobs_def){.threads = worker_counts[n], .team = team});
        assert_int_equal(dry_jobs_workers(w->jobs), worker_counts[n]);
        assert_int_equal(dry_jobs_team(w->jobs), team);
        check_all_counts(w, 5);
        workload_destroy(w);
    }
}

static inline void check_many_stages(dry_team team)
{
    for (int n = 0; n < LENGTH(worker_counts); n++) {
        workload *w = workload_create(&(dry_jobs_def){.threads = worker_counts[n], .team = team});
        for (int region = 0; region < 20; region++)
            assert_int_equal(workload_run(w, 8 + region, 1, 1000), 0);
        workload_destroy(w);
    }
}

static inline void *step_alone(void *argument)
{
    workload *w = argument;
    int errors = 0;
    for (int i = 0; i < 20; i++)
        errors += workload_run(w, 1000, 7, 40);
    return errors ? w : NULL;
}

static inline void check_worlds_on_threads(const dry_jobs_def *def)
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

static inline void check_one_world_from_changing_threads(const dry_jobs_def *def)
{
    workload *w = workload_create(def);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        void *failed = NULL;
        assert_int_equal(pthread_create(&thread, NULL, step_alone, w), 0);
        pthread_join(thread, &failed);
        assert_null(failed);
    }
    workload_destroy(w);
}

/* Helpers come: two threads meet inside one stage, which neither can leave alone. Each is in one block then:
 * its own, or where a helper looks for more as the stage begins, the other's. */
typedef struct meeting {
    dry_jobs *jobs;
    _Atomic int there;
    int items_of_worker[2];
    hwloc_topology_t tree; /* null: bindings are not looked at */
    hwloc_bitmap_t binding_of_worker[2];
} meeting;

static inline void run_meeting(void *context, dry_items items)
{
    meeting *m = context;
    m->items_of_worker[items.worker] += items.end - items.begin;
    if (m->tree)
        hwloc_get_cpubind(m->tree, m->binding_of_worker[items.worker], HWLOC_CPUBIND_THREAD);
    atomic_fetch_add(&m->there, items.end - items.begin);
    while (atomic_load(&m->there) < 2)
        sched_yield();
}

static inline void meet(void *context)
{
    meeting *m = context;
    dry_jobs_for(m->jobs, 2, 1, run_meeting, m);
}

static inline void check_meeting(meeting *m)
{
    m->there = m->items_of_worker[0] = m->items_of_worker[1] = 0;
    dry_jobs_begin_parallel(m->jobs, meet, m);
    assert_int_equal(m->there, 2);
    assert_int_equal(m->items_of_worker[0], 1);
    assert_int_equal(m->items_of_worker[1], 1);
}

static inline meeting meeting_of_two(dry_memory *memory, const dry_jobs_def *given)
{
    dry_jobs_def def = *given;
    def.threads = 2;
    def.keep_all = true;
    dry_memory_init(memory, (dry_allocator){0});
    meeting m = {.jobs = dry_jobs_create(memory, &def)};
    assert_non_null(m.jobs);
    return m;
}

static inline void nap(double ms)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(ms / 1e3), .tv_nsec = (long)(ms * 1e6) % 1000000000},
              NULL);
}

/* The helper is still awake in most regions, asleep in some, and just falling asleep in others. */
static inline void check_helpers_come_after_any_rest(dry_team team)
{
    dry_memory memory;
    meeting m = meeting_of_two(&memory, &(dry_jobs_def){.team = team});
    for (int i = 0; i < 400; i++) {
        check_meeting(&m);
        if (i % 4 == 0)
            nap(i % 100 * 0.01);
    }
    dry_jobs_destroy(&memory, m.jobs);
    assert_int_equal(memory.bytes, 0);
}

typedef struct masks {
    dry_jobs *jobs;
    _Atomic int there;
    sigset_t of_worker[2];
} masks;

static inline void read_mask(void *context, dry_items items)
{
    masks *m = context;
    pthread_sigmask(SIG_SETMASK, NULL, &m->of_worker[items.worker]);
    atomic_fetch_add(&m->there, items.end - items.begin);
    while (atomic_load(&m->there) < 2)
        sched_yield();
}

static inline void read_masks(void *context)
{
    masks *m = context;
    dry_jobs_for(m->jobs, 2, 1, read_mask, m);
}

/* Returns the number of signals that are wrongly blocked, or not blocked, in the two workers. */
static inline int check_signals_go_to_the_hosts_threads(dry_team team)
{
    static const int host[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM};
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    dry_memory memory;
    masks m = {.jobs = meeting_of_two(&memory, &(dry_jobs_def){.team = team}).jobs};
    dry_jobs_begin_parallel(m.jobs, read_masks, &m);
    int wrong = 0;
    for (int i = 0; i < LENGTH(host); i++)
        wrong += sigismember(&m.of_worker[0], host[i]) != 0 || sigismember(&m.of_worker[1], host[i]) != 1;
    for (int i = 0; i < LENGTH(faults); i++)
        wrong += sigismember(&m.of_worker[1], faults[i]) != 0;
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 0; i < LENGTH(host); i++)
        wrong += sigismember(&after, host[i]) != 0;
    dry_jobs_destroy(&memory, m.jobs);
    return wrong;
}

#endif

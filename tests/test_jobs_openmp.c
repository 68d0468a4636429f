/* Jobs with OpenMP's threads: each item once, each stage after the one before, from any thread and inside a
 * parallel region; helpers come, and only they are bound to cores. Outside a parallel region the calling
 * thread is alone. */
#include "tests/jobs_workload.h"

#include "jobs/topology.h"

#include <omp.h>

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

/* The OpenMP runtimes are not instrumented: their forks and joins look like races. */
#define SKIP_OPENMP_UNDER_THREAD_SANITIZER()                                                                 \
    do {                                                                                                     \
        if (THREAD_SANITIZER)                                                                                \
            skip();                                                                                          \
    } while (0)

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
        for (int region = 0; region < 20; region++)
            assert_int_equal(workload_run(w, 8 + region, 1, 1000), 0);
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

static void test_outside_a_region(void **state)
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
        cmocka_unit_test(test_outside_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

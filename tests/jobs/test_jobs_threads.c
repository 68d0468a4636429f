/* Jobs with threads of the team's own: each item once, each stage after the one before, from any thread and
 * after any rest; threads that cannot be started, and that no signal reaches. Only helpers are bound to
 * cores. Outside a parallel region the calling thread is alone. test_host_process.c forks. */
#include "tests/jobs/jobs_workload.h"
#include "tests/log_lines.h"
#include "tests/thread_starts.h"

#include "jobs/threads.h"
#include "jobs/topology.h"

static void test_each_item_once(void **state)
{
    (void)state;
    check_each_item_once(DRY_TEAM_THREADS);
}

static void test_many_stages(void **state)
{
    (void)state;
    check_many_stages(DRY_TEAM_THREADS);
}

static void test_threads_start_once(void **state)
{
    (void)state;
    for (int n = 0; n < LENGTH(worker_counts); n++) {
        thread_starts_work();
        thread_starts.count = 0;
        workload *w = workload_create(&(dry_jobs_def){.threads = worker_counts[n], .team = DRY_TEAM_THREADS});
        assert_int_equal(thread_starts.count, 0);
        for (int region = 0; region < 50; region++)
            assert_int_equal(workload_run(w, 100, 1, 3), 0);
        assert_int_equal(thread_starts.count, worker_counts[n] - 1);
        workload_destroy(w);
    }
}

static void test_helpers_come_after_any_rest(void **state)
{
    (void)state;
    check_helpers_come_after_any_rest(DRY_TEAM_THREADS);
}

static void *bind_as_worker_1(void *tree)
{
    return dry_topology_bind(tree, 1 + dry_topology_cores(tree)) ? tree : NULL;
}

static void test_pin_binds_helpers_only(void **state)
{
    (void)state;
    struct hwloc_topology *tree = dry_topology_open();
    assert_non_null(tree);
    pthread_t thread;
    void *may_bind = NULL;
    assert_int_equal(pthread_create(&thread, NULL, bind_as_worker_1, tree), 0);
    pthread_join(thread, &may_bind);
    hwloc_obj_t core = hwloc_get_obj_by_type(tree, HWLOC_OBJ_CORE, 1);
    if (!may_bind || !core) {
        dry_topology_close(tree);
        skip();
    }

    dry_memory memory;
    meeting m = meeting_of_two(&memory, &(dry_jobs_def){.team = DRY_TEAM_THREADS, .pin = true});
    m.tree = tree;
    m.binding_of_worker[0] = hwloc_bitmap_alloc();
    m.binding_of_worker[1] = hwloc_bitmap_alloc();
    hwloc_bitmap_t before = hwloc_bitmap_alloc();
    hwloc_get_cpubind(tree, before, HWLOC_CPUBIND_THREAD);
    for (int i = 0; i < 3; i++) {
        check_meeting(&m);
        assert_true(hwloc_bitmap_isequal(m.binding_of_worker[0], before));
        assert_true(hwloc_bitmap_isequal(m.binding_of_worker[1], core->cpuset));
    }
    dry_jobs_destroy(&memory, m.jobs);
    assert_int_equal(memory.bytes, 0);
    hwloc_bitmap_free(m.binding_of_worker[0]);
    hwloc_bitmap_free(m.binding_of_worker[1]);
    hwloc_bitmap_free(before);
    dry_topology_close(tree);
}

static void test_many_worlds_on_many_threads(void **state)
{
    (void)state;
    check_worlds_on_threads(&(dry_jobs_def){.threads = 3, .team = DRY_TEAM_THREADS});
}

static void test_one_world_from_changing_threads(void **state)
{
    (void)state;
    check_one_world_from_changing_threads(
        &(dry_jobs_def){.threads = 2, .team = DRY_TEAM_THREADS, .pin = true});
}

static void test_outside_a_region(void **state)
{
    (void)state;
    workload *w = workload_create(&(dry_jobs_def){.threads = 4, .team = DRY_TEAM_THREADS});
    w->count = 1000;
    w->grain = 1;
    w->stages = 3;
    run_stages(w);
    assert_int_equal(workload_check(w), 0);
    assert_int_equal(atomic_load(&w->calls), 3);
    assert_int_equal(w->visits_by_worker[0], 3000);
    workload_destroy(w);
}

/* ---- threads that cannot be started ---- */

/* Every start fails once, from the first to the last of a team: those before it work, and the log tells it
 * once, however many regions follow. */
static void test_every_start_fails_once(void **state)
{
    (void)state;
    for (int n = 1; n < LENGTH(worker_counts); n++)
        for (int failing = 1; failing < worker_counts[n]; failing++) {
            log_lines lines = {0};
            thread_starts_fail(failing, 1000, EAGAIN); /* a slow run tries again after a second */
            workload *w = workload_create(&(dry_jobs_def){
                .threads = worker_counts[n], .team = DRY_TEAM_THREADS, .log = {keep_line, &lines}});
            assert_int_equal(dry_jobs_present(w->jobs), worker_counts[n]);
            for (int region = 0; region < 5; region++)
                assert_int_equal(workload_run(w, 1000, 7, 20), 0);
            assert_int_equal(dry_jobs_workers(w->jobs), worker_counts[n]);
            assert_int_equal(dry_jobs_present(w->jobs), failing);
            for (int worker = failing; worker < worker_counts[n]; worker++)
                assert_int_equal(w->visits_by_worker[worker], 0);
            assert_true(thread_starts.count >= failing);
            assert_int_equal(lines.count, 1);
            char said[64];
            snprintf(said, sizeof said, "%d of %d threads", worker_counts[n] - failing, worker_counts[n] - 1);
            assert_non_null(strstr(lines.last, said));
            assert_non_null(strstr(lines.last, "Resource temporarily unavailable"));
            workload_destroy(w);
        }
    thread_starts_work();
}

static void test_missing_threads_come_later(void **state)
{
    (void)state;
    log_lines lines = {0};
    thread_starts_fail(3, 3, EAGAIN);
    workload *w =
        workload_create(&(dry_jobs_def){.threads = 4, .team = DRY_TEAM_THREADS, .log = {keep_line, &lines}});
    assert_int_equal(workload_run(w, 1000, 7, 20), 0);
    assert_int_equal(dry_jobs_present(w->jobs), 3);
    nap(1050);
    assert_int_equal(workload_run(w, 1000, 7, 20), 0);
    assert_int_equal(dry_jobs_present(w->jobs), 4);
    assert_int_equal(lines.count, 1);
    workload_destroy(w);
    thread_starts_work();
}

/* A host whose thread-local variables do not fit into the small stack. */
static void test_stack_that_the_system_refuses(void **state)
{
    (void)state;
    thread_starts_work();
    thread_starts.refused_stack_bytes = DRY_THREAD_STACK_BYTES;
    dry_memory memory;
    meeting m = meeting_of_two(&memory, &(dry_jobs_def){.team = DRY_TEAM_THREADS});
    check_meeting(&m);
    dry_jobs_destroy(&memory, m.jobs);
    thread_starts_work();
}

/* ---- signals ---- */

static void test_signals_go_to_the_hosts_threads(void **state)
{
    (void)state;
    assert_int_equal(check_signals_go_to_the_hosts_threads(DRY_TEAM_THREADS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_item_once),
        cmocka_unit_test(test_many_stages),
        cmocka_unit_test(test_threads_start_once),
        cmocka_unit_test(test_helpers_come_after_any_rest),
        cmocka_unit_test(test_pin_binds_helpers_only),
        cmocka_unit_test(test_many_worlds_on_many_threads),
        cmocka_unit_test(test_one_world_from_changing_threads),
        cmocka_unit_test(test_outside_a_region),
        cmocka_unit_test(test_every_start_fails_once),
        cmocka_unit_test(test_missing_threads_come_later),
        cmocka_unit_test(test_stack_that_the_system_refuses),
        cmocka_unit_test(test_signals_go_to_the_hosts_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

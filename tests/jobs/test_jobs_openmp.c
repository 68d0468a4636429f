/* Jobs with OpenMP's threads: each item once, each stage after the one before; teams that belong to calling
 * threads and outlive worlds; regions of the host's own; threads that a trial, a limit or a variable of the
 * environment refuses; threads that spin between regions. test_host_process.c forks. */
#ifdef _OPENMP

#include "tests/jobs/jobs_workload.h"
#include "tests/log_lines.h"
#include "tests/sanitizers.h"
#include "tests/thread_starts.h"

#include "jobs/threads.h"

#include <dirent.h>
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const dry_jobs_def team_of_4 = {.threads = 4, .team = DRY_TEAM_OPENMP};

static void test_each_item_once(void **state)
{
    (void)state;
    check_each_item_once(DRY_TEAM_OPENMP);
}

static void test_many_stages(void **state)
{
    (void)state;
    check_many_stages(DRY_TEAM_OPENMP);
}

static void test_helpers_come_after_any_rest(void **state)
{
    (void)state;
    check_helpers_come_after_any_rest(DRY_TEAM_OPENMP);
}

static void test_many_worlds_on_many_threads(void **state)
{
    (void)state;
    check_worlds_on_threads(&(dry_jobs_def){.threads = 3, .team = DRY_TEAM_OPENMP});
}

static void test_one_world_from_changing_threads(void **state)
{
    (void)state;
    check_one_world_from_changing_threads(&(dry_jobs_def){.threads = 2, .team = DRY_TEAM_OPENMP});
}

/* Runs a test on a thread that has entered no region yet. It returns a string that says what is wrong. */
static void on_a_new_thread(void *(*run)(void *argument), void *argument)
{
    pthread_t thread;
    void *wrong = NULL;
    thread_starts_work();
    assert_int_equal(pthread_create(&thread, NULL, run, argument), 0);
    pthread_join(thread, &wrong);
    if (wrong)
        fail_msg("%s", (const char *)wrong);
}

#define TEXT_OF(line) #line
#define TEXT_OF_LINE(line) TEXT_OF(line)
#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            return (void *)("line " TEXT_OF_LINE(__LINE__) ": " #condition);                                 \
    } while (0)

static void *read_signals(void *argument)
{
    CHECK(check_signals_go_to_the_hosts_threads(DRY_TEAM_OPENMP) == 0);
    return argument;
}

/* New threads of OpenMP's start with the mask. */
static void test_signals_go_to_the_hosts_threads(void **state)
{
    (void)state;
    on_a_new_thread(read_signals, NULL);
}

/* ---- teams belong to calling threads ---- */

static int threads_of_process(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

static void *share_a_team(void *argument)
{
    workload *w[3];
    const int before = threads_of_process();
    for (int i = 0; i < 3; i++)
        w[i] = workload_create(&team_of_4);
    CHECK(threads_of_process() == before);
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < 3; i++)
            CHECK(workload_run(w[i], 1000, 7, 20) == 0);
    CHECK(threads_of_process() <=
          before + 3); /* a runtime may have kept threads of callers that have ended */
    const int with_team = threads_of_process();
    for (int i = 0; i < 3; i++)
        workload_destroy(w[i]);
    CHECK(threads_of_process() == with_team);
    return argument;
}

static void test_worlds_of_one_thread_share_a_team(void **state)
{
    (void)state;
    on_a_new_thread(share_a_team, NULL);
}

static void *run_alone(void *argument)
{
    const int before = threads_of_process();
    thread_starts.count = 0;
    workload *w = workload_create(&(dry_jobs_def){.threads = 1, .team = DRY_TEAM_OPENMP});
    CHECK(workload_run(w, 1000, 7, 20) == 0);
    workload_destroy(w);
    CHECK(threads_of_process() == before);
    CHECK(thread_starts.count == 0);
    return argument;
}

static void test_one_worker_enters_no_region(void **state)
{
    (void)state;
    on_a_new_thread(run_alone, NULL);
}

static void test_pin_and_tasks_go_before_the_team(void **state)
{
    (void)state;
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_jobs *jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = 2, .pin = true});
    assert_int_equal(dry_jobs_team(jobs), DRY_TEAM_THREADS);
    dry_jobs_destroy(&memory, jobs);
}

/* ---- regions of the host's own ---- */

static int errors_inside(dry_jobs_def def)
{
    workload *w = workload_create(&def);
    int errors = workload_run(w, 777, 10, 50);
    errors += dry_jobs_present(w->jobs) != 1 || dry_jobs_team(w->jobs) != DRY_TEAM_OPENMP;
    errors += w->visits_by_worker[0] != 777 * 50;
    workload_destroy(w);
    return errors;
}

static void test_inside_a_region_of_the_host(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_jobs_def def = team_of_4;
    def.log = (dry_log){keep_line, &lines};
    int errors = 0;
    for (int levels = 1; levels <= 2; levels++) {
        omp_set_max_active_levels(levels);
        for (int threads = 1; threads <= 3; threads++) {
#pragma omp parallel num_threads(threads) reduction(+ : errors)
            errors += errors_inside(def);
        }
    }
    omp_set_max_active_levels(1);
    assert_int_equal(errors, 0);
    assert_int_equal(lines.count, 0);
}

/* The same team works alone inside the host's region, and with all workers outside it. */
static void test_before_and_after_a_region_of_the_host(void **state)
{
    (void)state;
    workload *w = workload_create(&team_of_4);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(workload_run(w, 1000, 7, 20), 0);
        assert_int_equal(dry_jobs_present(w->jobs), 4);
        int errors = 0, sum = 0;
#pragma omp parallel num_threads(2 + i) reduction(+ : sum)
        {
            sum++;
#pragma omp master
            errors = workload_run(w, 1000, 7, 20);
        }
        assert_int_equal(errors, 0);
        assert_int_equal(sum, 2 + i);
        assert_int_equal(dry_jobs_present(w->jobs), 1);
    }
    workload_destroy(w);
}

static void test_the_hosts_settings_stay(void **state)
{
    (void)state;
    dry_memory memory;
    meeting m = meeting_of_two(&memory, &(dry_jobs_def){.team = DRY_TEAM_OPENMP});
    omp_set_dynamic(1); /* the runtime would give one thread on a busy machine */
    omp_set_num_threads(1);
    for (int i = 0; i < 20; i++)
        check_meeting(&m);
    assert_int_equal(omp_get_dynamic(), 1);
    assert_int_equal(omp_get_max_threads(), 1);
    omp_set_dynamic(0);
    dry_jobs_destroy(&memory, m.jobs);
}

/* ---- threads that cannot be had ---- */

static void *count_trials(void *argument)
{
    static const struct {
        int threads, trials;
    } rows[] = {{4, 3}, {4, 0}, {2, 0}, {4, 2}, {6, 2}, {6, 0}, {1, 0}, {6, 0}};
    for (int i = 0; i < LENGTH(rows); i++) {
        workload *w = workload_create(&(dry_jobs_def){.threads = rows[i].threads, .team = DRY_TEAM_OPENMP});
        thread_starts.count = 0;
        for (int region = 0; region < 5; region++)
            CHECK(workload_run(w, 1000, 7, 20) == 0);
        CHECK(thread_starts.count == rows[i].trials);
        CHECK(dry_jobs_present(w->jobs) == rows[i].threads);
        workload_destroy(w);
    }
    return argument;
}

static void test_threads_are_tried_before_a_region_grows(void **state)
{
    (void)state;
    thread_starts_work();
    on_a_new_thread(count_trials, NULL);
}

typedef struct failure {
    int from, until; /* the starts that fail */
    int present;     /* workers afterwards */
} failure;

static void *fail_trials(void *argument)
{
    const failure *f = argument;
    log_lines lines = {0};
    dry_jobs_def def = team_of_4;
    def.log = (dry_log){keep_line, &lines};
    workload *w = workload_create(&def);
    thread_starts_fail(f->from, f->until, EAGAIN);
    for (int region = 0; region < 5; region++)
        CHECK(workload_run(w, 1000, 7, 20) == 0);
    CHECK(dry_jobs_team(w->jobs) == DRY_TEAM_THREADS);
    CHECK(dry_jobs_present(w->jobs) == f->present);
    CHECK(lines.count == 1);
    CHECK(strstr(lines.last, "Resource temporarily unavailable"));
    CHECK((strstr(lines.last, "OpenMP") != NULL) == (f->present == 4));
    workload_destroy(w);
    return NULL;
}

/* Each trial fails once, and own threads come; or nothing can be started from then on. */
static void test_every_trial_fails_once(void **state)
{
    (void)state;
    for (int from = 1; from <= 3; from++) {
        on_a_new_thread(fail_trials, &(failure){from, from, 4});
        on_a_new_thread(fail_trials, &(failure){from, 1000, 1});
    }
    thread_starts_work();
}

static void test_no_active_level(void **state)
{
    (void)state;
    log_lines lines = {0};
    dry_jobs_def def = team_of_4;
    def.log = (dry_log){keep_line, &lines};
    workload *w = workload_create(&def);
    omp_set_max_active_levels(0);
    for (int region = 0; region < 5; region++)
        assert_int_equal(workload_run(w, 1000, 7, 20), 0);
    omp_set_max_active_levels(1);
    assert_int_equal(dry_jobs_present(w->jobs), 1);
    assert_int_equal(lines.count, 1);
    assert_int_equal(workload_run(w, 1000, 7, 20), 0);
    assert_int_equal(dry_jobs_present(w->jobs), 4);
    workload_destroy(w);
}

/* ---- in processes of their own: the environment is read when the library is loaded ---- */

static int regions_until_own_threads(workload *w, int most, double rest_ms)
{
    int regions = 0;
    while (regions < most && dry_jobs_team(w->jobs) == DRY_TEAM_OPENMP) {
        if (workload_run(w, 1000, 7, 20) != 0)
            return -1;
        nap(rest_ms);
        regions++;
    }
    return regions;
}

static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Returns null, or what is wrong. */
static const char *run_scenario(const char *name)
{
    log_lines lines = {0};
    dry_jobs_def def = team_of_4;
    def.log = (dry_log){keep_line, &lines};
    const bool rests = strcmp(name, "rest") == 0 || strcmp(name, "passive") == 0;
    if (strcmp(name, "places") == 0)
        def.threads = 0;
    else if (rests)
        def.threads = 2; /* with more threads than processors libgomp's would not spin */
    workload *w = workload_create(&def);
    if (strcmp(name, "memory") == 0) {
        const rlim_t bytes = address_space() + (8 << 20); /* own threads, but none of OpenMP's, find room */
        if (setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) != 0)
            return "setrlimit";
    }
    if (!rests)
        for (int region = 0; region < 20; region++)
            if (workload_run(w, 1000, 7, 20) != 0)
                return "an item was not done once";
    const int present = dry_jobs_present(w->jobs);
    const dry_team team = dry_jobs_team(w->jobs);
    const char *wrong = "there is no such scenario";
    if (strcmp(name, "limit") == 0)
        wrong = present == 2 && team == DRY_TEAM_OPENMP && lines.count == 1 ? NULL : "not limited";
    else if (strcmp(name, "all") == 0)
        wrong = present == 4 && team == DRY_TEAM_OPENMP && lines.count == 0 ? NULL : "not all";
    else if (strcmp(name, "refused") == 0 || strcmp(name, "memory") == 0)
        wrong =
            team == DRY_TEAM_THREADS && lines.count == 1 && strstr(lines.last, "OpenMP") ? NULL : "no line";
    else if (strcmp(name, "places") == 0)
        wrong = present == omp_get_num_places() && present > 0 && lines.count == 0 ? NULL : "other places";
    else if (strcmp(name, "rest") == 0)
        wrong = regions_until_own_threads(w, 4000, 20.0) < 4000 && lines.count == 1 &&
                        strstr(lines.last, "OMP_WAIT_POLICY")
                    ? NULL
                    : "spins on";
    else if (strcmp(name, "passive") == 0)
        wrong = regions_until_own_threads(w, 150, 2.0) == 150 && lines.count == 0 ? NULL : "left OpenMP";
    if (wrong)
        fprintf(stderr, "%d workers of team %d, %d lines: %s\n", present, (int)team, lines.count, lines.last);
    workload_destroy(w);
    return wrong;
}

static void check_scenario(const char *variable, const char *value, const char *name)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(200); /* ends a child that hangs */
        unsetenv("OMP_WAIT_POLICY");
        unsetenv("GOMP_SPINCOUNT");
        unsetenv("KMP_BLOCKTIME");
        if (variable)
            setenv(variable, value, 1);
        execl("/proc/self/exe", "test_jobs_openmp", name, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0)
        fail_msg("%s=%s: %s: status %x", variable ? variable : "", value ? value : "", name,
                 (unsigned)status);
}

static void test_variables_of_the_environment(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"OMP_THREAD_LIMIT", "2", "limit"},    {"OMP_NUM_THREADS", "1", "all"},
        {"OMP_DYNAMIC", "true", "all"},        {"OMP_CANCELLATION", "true", "all"},
        {"OMP_SCHEDULE", "dynamic,1", "all"},  {"OMP_MAX_ACTIVE_LEVELS", "4", "all"},
        {"OMP_DISPLAY_ENV", "true", "all"},    {"OMP_DISPLAY_AFFINITY", "true", "all"},
        {"OMP_PROC_BIND", "true", "places"},   {"OMP_PROC_BIND", "spread", "places"},
        {"OMP_PLACES", "{0}", "all"},          {"OMP_STACKSIZE", "1M", "all"},
        {"OMP_STACKSIZE", " 128 k ", "all"},   {"OMP_STACKSIZE", "64", "refused"},
        {"OMP_STACKSIZE", "900G", "refused"},  {"OMP_WAIT_POLICY", "active", "all"},
        {"OMP_WAIT_POLICY", "passive", "all"}, {"OMP_WAIT_POLICY", "junk", "all"},
    };
    for (int i = 0; i < LENGTH(rows); i++)
        check_scenario(rows[i][0], rows[i][1], rows[i][2]);
}

/* The system itself refuses what libgomp would end the process for. */
static void test_little_address_space(void **state)
{
    (void)state;
    if (TEST_ADDRESS_SANITIZER)
        skip(); /* it maps terabytes */
    check_scenario(NULL, NULL, "memory");
}

/* Threads that spin between regions are left, unless the host has said how they wait. */
static void test_threads_that_spin_are_left(void **state)
{
    (void)state;
    if (omp_get_num_procs() < 2)
        skip();
    check_scenario(NULL, NULL, "rest");
    check_scenario("OMP_WAIT_POLICY", "passive", "passive");
    check_scenario("GOMP_SPINCOUNT", "300000", "passive");
}

int main(int count, char **arguments)
{
    if (count == 2) {
        const char *wrong = run_scenario(arguments[1]);
        if (wrong)
            fprintf(stderr, "%s: %s\n", arguments[1], wrong);
        return wrong != NULL;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_item_once),
        cmocka_unit_test(test_many_stages),
        cmocka_unit_test(test_helpers_come_after_any_rest),
        cmocka_unit_test(test_many_worlds_on_many_threads),
        cmocka_unit_test(test_one_world_from_changing_threads),
        cmocka_unit_test(test_signals_go_to_the_hosts_threads),
        cmocka_unit_test(test_worlds_of_one_thread_share_a_team),
        cmocka_unit_test(test_one_worker_enters_no_region),
        cmocka_unit_test(test_pin_and_tasks_go_before_the_team),
        cmocka_unit_test(test_inside_a_region_of_the_host),
        cmocka_unit_test(test_before_and_after_a_region_of_the_host),
        cmocka_unit_test(test_the_hosts_settings_stay),
        cmocka_unit_test(test_threads_are_tried_before_a_region_grows),
        cmocka_unit_test(test_every_trial_fails_once),
        cmocka_unit_test(test_no_active_level),
        cmocka_unit_test(test_variables_of_the_environment),
        cmocka_unit_test(test_little_address_space),
        cmocka_unit_test(test_threads_that_spin_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdio.h>

int main(void)
{
    puts("this build has no OpenMP");
    return 77;
}

#endif

/* How many workers a team has: as many as were asked for, else as the machine has cores and control groups
 * leave, on machines that hwloc and the tests make up too; and fewer for a while when other work holds their
 * cores. */
#include "tests/counting_allocator.h"
#include "tests/jobs/jobs_pool.h"
#include "tests/jobs/jobs_workload.h"

#include "jobs/cgroup.h"
#include "jobs/team_size.h"
#include "jobs/topology.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

/* ---- as many as asked for, or as there are cores ---- */

static void test_creation(void **state)
{
    (void)state;
    counting_allocator none = {.fail_at = 0, .fail_all = true};
    dry_memory memory;
    dry_memory_init(&memory, counting_hooks(&none));
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

/* Checks that a team which counts for itself has a worker for each core that the groups leave. */
static void check_counted_workers(int cores)
{
    const int left = dry_cgroup_processors("");
    dry_memory memory;
    dry_memory_init(&memory, (dry_allocator){0});
    dry_jobs *jobs = dry_jobs_create(&memory, &(dry_jobs_def){.threads = 0});
    assert_int_equal(dry_jobs_workers(jobs), left < cores ? left : cores);
    assert_true(dry_jobs_are(jobs, &(dry_jobs_def){.threads = 0}));
    assert_false(dry_jobs_are(jobs, &(dry_jobs_def){.threads = 1}));
    dry_jobs_destroy(&memory, jobs);
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

    check_counted_workers(12);

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
    assert_true(machine.hardware_threads <= dry_topology_processors());
    assert_true(machine.numa_nodes >= 1);
    assert_true(strlen(machine.processor) > 0);
    check_counted_workers(machine.cores);
}

/* ---- as many as control groups leave ---- */

static void test_texts_of_limits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int processors;
    } rows[] = {{"max 100000\n", DRY_CGROUP_UNLIMITED},
                {"200000 100000\n", 2},
                {"250000 100000", 2},
                {"299999 100000\n", 2},
                {"50000 100000\n", 1},
                {"0 100000\n", 1},
                {"6400000 50000\n", 128},
                {"9223372036854775807 1\n", DRY_CGROUP_UNLIMITED},
                {"99999999999999999999 100000\n", DRY_CGROUP_UNLIMITED},
                {"200000 0\n", DRY_CGROUP_UNLIMITED},
                {"200000 -100000\n", DRY_CGROUP_UNLIMITED},
                {"-200000 100000\n", DRY_CGROUP_UNLIMITED},
                {"200000\n", DRY_CGROUP_UNLIMITED},
                {"200000 x\n", DRY_CGROUP_UNLIMITED},
                {"2e5 1e5\n", DRY_CGROUP_UNLIMITED},
                {"", DRY_CGROUP_UNLIMITED},
                {"\n", DRY_CGROUP_UNLIMITED}};
    for (int i = 0; i < LENGTH(rows); i++)
        if (dry_cgroup_parse_max(rows[i].text) != rows[i].processors)
            fail_msg("'%s': %d", rows[i].text, dry_cgroup_parse_max(rows[i].text));
    assert_int_equal(dry_cgroup_parse_quota("-1\n", "100000\n"), DRY_CGROUP_UNLIMITED);
    assert_int_equal(dry_cgroup_parse_quota("350000\n", "100000\n"), 3);
    assert_int_equal(dry_cgroup_parse_quota("1000\n", "100000\n"), 1);
    assert_int_equal(dry_cgroup_parse_quota("350000\n", "\n"), DRY_CGROUP_UNLIMITED);
}

/* A machine's files below a folder of the test's own. */
static void put_file(const char *root, const char *path, const char *text)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)mkdir(whole, 0700);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

typedef struct made_up_file {
    const char *path, *text;
} made_up_file;

/* Returns what the groups of a made-up machine leave, and removes its files. */
static int processors_of(const made_up_file *files, int count)
{
    const char *parent = getenv("TMPDIR");
    char root[512], command[600];
    snprintf(root, sizeof root, "%s/drystone_groups_XXXXXX", parent && parent[0] ? parent : "/tmp");
    assert_non_null(mkdtemp(root));
    for (int i = 0; i < count; i++)
        put_file(root, files[i].path, files[i].text);
    const int processors = dry_cgroup_processors(root);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
    return processors;
}

#define PROCESSORS_OF(...)                                                                                   \
    processors_of((const made_up_file[]){__VA_ARGS__}, LENGTH(((const made_up_file[]){__VA_ARGS__})))
#define GROUP "proc/self/cgroup"
#define MOUNTS "proc/self/mountinfo"
#define V2 "24 1 0:22 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1(root) "9 3 0:29 " root " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"

static void test_groups_of_made_up_machines(void **state)
{
    (void)state;
    /* No control groups at all, and groups without limits. */
    assert_int_equal(PROCESSORS_OF({"proc/none", ""}), DRY_CGROUP_UNLIMITED);
    assert_int_equal(PROCESSORS_OF({GROUP, "0::/\n"}, {MOUNTS, V2}), DRY_CGROUP_UNLIMITED);
    /* A container that sees its own group as the root. */
    assert_int_equal(
        PROCESSORS_OF({GROUP, "0::/\n"}, {MOUNTS, V2}, {"sys/fs/cgroup/cpu.max", "300000 100000\n"}), 3);
    /* A limit of a group above, and one of a group beside. */
    assert_int_equal(PROCESSORS_OF({GROUP, "1:name=systemd:/x\n0::/a/b\n"}, {MOUNTS, V2},
                                   {"sys/fs/cgroup/a/cpu.max", "200000 100000\n"},
                                   {"sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"},
                                   {"sys/fs/cgroup/a/c/cpu.max", "100000 100000\n"}),
                     2);
    /* Version 1 beside a version 2 that has no processors, as distributions had it. */
    assert_int_equal(
        PROCESSORS_OF({GROUP, "4:cpu,cpuacct:/a\n3:cpuset:/b\n0::/\n"},
                      {MOUNTS, "8 3 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n" V1("/")},
                      {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
                      {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "500000\n"},
                      {"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}),
        5);
    /* A container of version 1: the path is the host's, and its group lies at the mount point. */
    assert_int_equal(PROCESSORS_OF({GROUP, "4:cpu,cpuacct:/docker/f00/in\n"}, {MOUNTS, V1("/docker/f00")},
                                   {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"},
                                   {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n"}),
                     3);
    /* A path of which nothing is seen. */
    assert_int_equal(PROCESSORS_OF({GROUP, "4:cpu,cpuacct:/docker/f000\n"}, {MOUNTS, V1("/docker/f00")},
                                   {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "150000\n"},
                                   {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "50000\n"}),
                     3);
    /* Files of junk. */
    assert_int_equal(PROCESSORS_OF({GROUP, "0::\n:::\n\n0:"}, {MOUNTS, " - cgroup2\n - \n\n- cgroup2 x"},
                                   {"sys/fs/cgroup/cpu.max", "1 1 1 1"}),
                     DRY_CGROUP_UNLIMITED);
}

/* ---- fewer while other work holds their cores ---- */

/* Two in a block each at once; then the helper is away for some time. */
static void run_absent(void *context, dry_items items)
{
    run_meeting(context, items);
    if (items.worker)
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
        dry_jobs_begin_parallel(m.jobs, meet_absent, &m);
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
    if (dry_topology_processors() < 2)
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
        dry_team_size_end(&team, now + 1.0, 1.0, 0.4, team.size);
    }
    /* One alone may be a helper that had to be woken. */
    for (int i = 0; i < 100; i++, now += 1.0) {
        assert_int_equal(dry_team_size_begin(&team, now), 2);
        dry_team_size_end(&team, now + 1.0, 1.0, i % 2 ? 0.4 : 0.6, team.size);
    }
    /* Two in a row make it smaller, and each time the rest longer, up to a second. */
    double rests = 0.0;
    for (int i = 0; i < 20; i++) {
        for (int k = 0; k < 2; k++) {
            assert_int_equal(dry_team_size_begin(&team, now), 2);
            now += 1.0;
            dry_team_size_end(&team, now, 1.0, 0.6, team.size);
        }
        double lost = now;
        while (now += 0.25, dry_team_size_begin(&team, now) == 1)
            dry_team_size_end(&team, now, 0.25, 0.0, team.size);
        assert_true(now - lost >= rests && now - lost <= 1000.0);
        rests = now - lost;
    }
    assert_true(rests > 500.0);
    /* And without losses they become short again. */
    for (int i = 0; i < 3000; i++, now += 1.0) {
        assert_int_equal(dry_team_size_begin(&team, now), 2);
        dry_team_size_end(&team, now + 1.0, 1.0, 0.0, team.size);
    }
    dry_team_size_end(&team, now, 1.0, 0.9, team.size);
    dry_team_size_end(&team, now, 1.0, 0.9, team.size);
    assert_int_equal(dry_team_size_begin(&team, now), 1);
    assert_int_equal(dry_team_size_begin(&team, now + 5.0), 2);
}

/* A helper that does little is worth less waiting than one that does half. */
static void test_helpers_that_do_little(void **state)
{
    (void)state;
    static const struct {
        int size;
        double lost_ms, gain; /* of a region of 1 ms */
        bool loses;
    } rows[] = {
        {2, 0.45, 2.0, false}, {2, 0.55, 2.0, true}, {2, 0.45, 1.5, true}, {2, 0.3, 1.5, false},
        {2, 0.3, 1.01, true},  {2, 0.0, 1.0, false}, {8, 0.2, 8.0, false}, {8, 0.3, 8.0, true},
        {8, 0.2, 4.0, false},  {8, 0.3, 4.0, true},  {8, 0.02, 1.0, true}, {8, 0.0, 1.0, false},
    };
    for (int i = 0; i < LENGTH(rows); i++) {
        dry_team_size team = dry_team_size_of(rows[i].size);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(dry_team_size_begin(&team, 1000.0 + k), rows[i].size);
            dry_team_size_end(&team, 1001.0 + k, 1.0, rows[i].lost_ms, rows[i].gain);
        }
        if ((team.size < rows[i].size) != rows[i].loses)
            fail_msg("row %d: %d workers", i, team.size);
    }
}

static void test_team_sizes_go_down_and_up(void **state)
{
    (void)state;
    for (int most = 1; most <= 100; most++) {
        dry_team_size team = dry_team_size_of(most);
        double now = 1000.0;
        int last = most;
        for (int i = 0; i < 100 && last > 1; i++) {
            dry_team_size_end(&team, now, 1.0, 1.0, team.size);
            dry_team_size_end(&team, now, 1.0, 1.0, team.size);
            assert_in_range(team.size, 1, last - 1);
            last = team.size;
        }
        assert_int_equal(last, 1);
        for (int i = 0; i < 100 && last < most; i++) {
            now += 5000.0;
            last = dry_team_size_begin(&team, now);
            dry_team_size_end(&team, now, 1.0, 0.0, team.size);
        }
        assert_int_equal(last, most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creation),
        cmocka_unit_test(test_topology_of_made_up_machines),
        cmocka_unit_test(test_topology_of_this_machine),
        cmocka_unit_test(test_texts_of_limits),
        cmocka_unit_test(test_groups_of_made_up_machines),
        cmocka_unit_test(test_absent_helpers_are_left_out),
        cmocka_unit_test(test_team_size_of_two),
        cmocka_unit_test(test_helpers_that_do_little),
        cmocka_unit_test(test_team_sizes_go_down_and_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

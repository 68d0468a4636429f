/* The process belongs to the host: steps go on when threads cannot be started, a child process steps the
 * worlds that it copied, a library that is unloaded leaves nothing that runs. test_jobs_openmp.c has what
 * concerns OpenMP alone, test_stacks.c how much stack threads need. */
#include "tests/golden_scenes.h"
#include "tests/log_lines.h"
#include "tests/sanitizers.h"
#include "tests/scene_worlds.h"
#include "tests/thread_starts.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 20, THREADS = 4 };

/* A scene of some hundreds of bodies, whose steps are shared among workers. */
typedef struct heap {
    dry_world *world;
    dry_body_id *ids;
    dry_scene scene;
} heap;

static heap make_heap(const char *name, int size, const dry_world_def *base)
{
    heap h;
    h.scene = scene_of(name, size);
    dry_world_def def = *base;
    def.settings.gravity = h.scene.gravity;
    def.settings.sleep = false;
    h.world = world_from(&def);
    h.ids = built_in(h.world, &h.scene);
    return h;
}

static void destroy_heap(heap *h)
{
    dry_world_destroy(h->world);
    free(h->ids);
    dry_scene_free(&h->scene);
}

static void step_heap(heap *h, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_ok(dry_world_step(h->world, h->scene.dt));
}

/* Returns the state's hash of a pile after some steps on one thread. */
static uint64_t hash_alone(int steps)
{
    dry_world_def def = test_world_def();
    def.threads = 1;
    heap h = make_heap("pile", 200, &def);
    step_heap(&h, steps);
    uint64_t hash = dry_world_hash(h.world);
    destroy_heap(&h);
    return hash;
}

static dry_world_def def_of_threads(dry_team team, int threads, log_lines *lines)
{
    dry_world_def def = test_world_def();
    def.threads = threads;
    def.team = team;
    def.tasks = (dry_tasks){0};
    def.log = (dry_log){keep_line, lines};
    return def;
}

/* The teams of this build, from 0 to this number. */
static int teams(void)
{
    return dry_team_available(DRY_TEAM_OPENMP) ? 2 : 1;
}

static dry_team team_of(int i)
{
    return i == 0 ? DRY_TEAM_THREADS : DRY_TEAM_OPENMP;
}

/* ---- threads that cannot be started ---- */

static void test_steps_go_on_when_threads_cannot_be_started(void **state)
{
    (void)state;
    const uint64_t expected = hash_alone(STEPS);
    for (int failing = 1; failing < THREADS; failing++) {
        log_lines lines = {0};
        dry_world_def def = def_of_threads(DRY_TEAM_THREADS, THREADS, &lines);
        thread_starts_fail(failing, 1000, EAGAIN);
        heap h = make_heap("pile", 200, &def);
        assert_int_equal(dry_world_threads(h.world), THREADS);
        step_heap(&h, STEPS);
        assert_true(thread_starts.count >= failing);
        assert_true(dry_world_hash(h.world) == expected);
        assert_int_equal(dry_world_threads(h.world), failing);
        assert_int_equal(lines.count, 1);
        destroy_heap(&h);
    }
    thread_starts_work();
}

/* A query may be the first call that wants threads. */
static void test_rays_go_on_when_threads_cannot_be_started(void **state)
{
    (void)state;
    enum { RAYS = 200 };
    log_lines lines = {0};
    dry_world_def def = def_of_threads(DRY_TEAM_THREADS, THREADS, &lines);
    heap h = make_heap("pile", 200, &def);
    dry_ray rays[RAYS];
    dry_ray_hit hits[RAYS], hit;
    for (int i = 0; i < RAYS; i++)
        rays[i] = (dry_ray){
            .origin = {0.05 * i - 5, 100, 0.01 * i}, .translation = {0, -200, 0}, .mask = ~UINT64_C(0)};
    thread_starts_fail(1, 1000, EAGAIN);
    assert_ok(dry_world_cast_rays(h.world, RAYS, rays, hits));
    assert_int_equal(thread_starts.count, 1);
    assert_int_equal(lines.count, 1);
    for (int i = 0; i < RAYS; i++) {
        assert_ok(dry_world_cast_ray(h.world, &rays[i], &hit));
        assert_true(memcmp(&hit.shape, &hits[i].shape, sizeof hit.shape) == 0 &&
                    hit.fraction == hits[i].fraction);
    }
    destroy_heap(&h);
    thread_starts_work();
}

static int exit_status(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Memory that needs no address space of its own, and is never reused. */
typedef struct arena {
    unsigned char *memory;
    size_t used, size;
} arena;

static void *take(size_t bytes, size_t alignment, void *user)
{
    arena *a = user;
    size_t begin = (a->used + alignment - 1) / alignment * alignment;
    if (bytes > a->size || begin > a->size - bytes)
        return NULL;
    a->used = begin + bytes;
    return a->memory + begin;
}

static void keep(void *memory, size_t bytes, void *user)
{
    (void)memory;
    (void)bytes;
    (void)user;
}

/* Returns the exit status of a process of its own, in which a failed assertion would unwind into the parent's
 * test. */
static int step_with_little_address_space(dry_team team, uint64_t expected)
{
    const rlim_t room = 8 << 20; /* some 30 stacks of own threads, none of OpenMP's */
    const int threads = 200;
    static _Alignas(4096) unsigned char memory[64 << 20];
    arena a = {memory, 0, sizeof memory};
    log_lines lines = {0};
    dry_world_def def = def_of_threads(team, threads, &lines);
    def.allocator = (dry_allocator){take, keep, &a};
    heap h = make_heap("pile", 200, &def);
    /* Leaves room in the heap for the checks of a validating build. */
    mallopt(M_TRIM_THRESHOLD, 1 << 24);
    void *spare[32];
    for (int i = 0; i < COUNT_OF(spare); i++)
        spare[i] = malloc(64 << 10);
    for (int i = 0; i < COUNT_OF(spare); i++)
        free(spare[i]);
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        return 2;
    fclose(file);
    const rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + room;
    if (setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}) != 0)
        return 3;
    for (int i = 0; i < STEPS; i++)
        if (dry_world_step(h.world, h.scene.dt) != DRY_OK)
            return 4;
    if (dry_world_hash(h.world) != expected)
        return 5;
    if (lines.count != 1 || dry_world_threads(h.world) <= 1 || dry_world_threads(h.world) >= threads)
        return 6;
    if (dry_world_team(h.world) != DRY_TEAM_THREADS)
        return 7;
    destroy_heap(&h);
    return 0;
}

/* The system itself refuses the threads. The process is a new one, since one that is only forked never takes
 * OpenMP. */
static void test_steps_go_on_without_address_space(void **state)
{
    (void)state;
    if (TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER)
        skip(); /* they map terabytes */
    char expected[32];
    snprintf(expected, sizeof expected, "%llx", (unsigned long long)hash_alone(STEPS));
    for (int i = 0; i < teams(); i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            execl("/proc/self/exe", "test_host_process", dry_team_name(team_of(i)), expected, (char *)NULL);
            _exit(127);
        }
        assert_int_equal(exit_status(child), 0);
    }
}

/* ---- fork ---- */

/* An alarm ends a child that waits for the parent's threads. */
static int step_in_child(heap *h, uint64_t expected)
{
    alarm(120);
    thread_starts.count = 0;
    for (int i = 0; i < STEPS; i++)
        if (dry_world_step(h->world, h->scene.dt) != DRY_OK)
            return 1;
    if (thread_starts.count != THREADS - 1)
        return 2;
    if (dry_world_hash(h->world) != expected)
        return 3;
    if (dry_world_team(h->world) != DRY_TEAM_THREADS)
        return 4;
    destroy_heap(h);
    return 0;
}

static void test_a_child_process_steps_on(void **state)
{
    (void)state;
    SKIP_FORK_UNDER_SANITIZERS();
    const uint64_t expected = hash_alone(2 * STEPS);
    for (int i = 0; i < teams(); i++) {
        log_lines lines = {0};
        dry_world_def def = def_of_threads(team_of(i), THREADS, &lines);
        heap h = make_heap("pile", 200, &def);
        step_heap(&h, STEPS);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(step_in_child(&h, expected));
        step_heap(&h, STEPS);
        assert_true(dry_world_hash(h.world) == expected);
        assert_int_equal(dry_world_team(h.world), team_of(i));
        assert_int_equal(exit_status(child), 0);
        destroy_heap(&h);
        assert_int_equal(lines.count, 0);
    }
}

/* The parent may have had regions of its own, which no world knows of. */
static int step_a_new_world(uint64_t expected)
{
    alarm(120);
    log_lines lines = {0};
    dry_world_def def = def_of_threads(dry_default_world_def().team, THREADS, &lines);
    heap h = make_heap("pile", 200, &def);
    if (dry_world_team(h.world) != DRY_TEAM_THREADS)
        return 1;
    step_heap(&h, STEPS);
    if (dry_world_hash(h.world) != expected || lines.count != 0)
        return 2;
    destroy_heap(&h);
    return 0;
}

static void test_a_child_process_makes_a_world(void **state)
{
    (void)state;
    SKIP_FORK_UNDER_SANITIZERS();
    const uint64_t expected = hash_alone(STEPS);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(step_a_new_world(expected));
    assert_int_equal(exit_status(child), 0);
}

/* The threads of the parent sleep, or still look for work, and the child waits for neither. */
static void test_a_child_process_destroys_a_world(void **state)
{
    (void)state;
    SKIP_FORK_UNDER_SANITIZERS();
    log_lines lines = {0};
    dry_world_def def = def_of_threads(DRY_TEAM_THREADS, THREADS, &lines);
    heap h = make_heap("pile", 200, &def);
    for (int i = 0; i < 10; i++) {
        step_heap(&h, 1);
        if (i % 2)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(120);
            destroy_heap(&h);
            _exit(0);
        }
        assert_int_equal(exit_status(child), 0);
    }
    step_heap(&h, 1);
    destroy_heap(&h);
}

typedef struct forking {
    dry_stage at;
    bool done;
    pid_t child; /* 0 in the child */
} forking;

static void fork_once(dry_stage stage, void *user)
{
    forking *f = user;
    if (f->done || stage != f->at)
        return;
    f->done = true;
    f->child = fork();
    if (f->child == 0)
        alarm(120);
}

static void stay(dry_stage stage, void *user)
{
    (void)stage;
    (void)user;
}

/* The child comes out of a step that its parent began, without the workers that began it. */
static void test_a_fork_inside_a_step(void **state)
{
    (void)state;
    SKIP_FORK_UNDER_SANITIZERS();
    const uint64_t expected = hash_alone(STEPS);
    for (int round = 0; round < teams() * DRY_STAGE_COUNT; round++) {
        log_lines lines = {0};
        forking f = {.at = (dry_stage)(round % DRY_STAGE_COUNT)};
        dry_world_def def = def_of_threads(team_of(round / DRY_STAGE_COUNT), THREADS, &lines);
        def.hook = (dry_stage_hook){fork_once, stay, &f};
        f.done = true;
        heap h = make_heap("pile", 200, &def);
        step_heap(&h, STEPS / 2);
        f.done = false;
        for (int i = STEPS / 2; i < STEPS; i++)
            if (dry_world_step(h.world, h.scene.dt) != DRY_OK && f.child == 0)
                _exit(1);
        bool right = dry_world_hash(h.world) == expected;
        destroy_heap(&h);
        if (f.child == 0)
            _exit(right ? 0 : 2);
        assert_true(f.child > 0);
        assert_true(right);
        assert_int_equal(exit_status(f.child), 0);
    }
}

/* ---- the library is unloaded ---- */

/* Calls of a library that was loaded at run time. */
typedef struct loaded_library {
    void *handle;
    dry_world_def (*default_world_def)(void);
    dry_result (*create)(const dry_world_def *def, dry_world **world);
    dry_result (*cast_rays)(dry_world *world, int count, const dry_ray *rays, dry_ray_hit *hits);
    void (*destroy)(dry_world *world);
} loaded_library;

static void *symbol(void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    assert_non_null(found);
    return found;
}

static loaded_library load_library(const char *path)
{
    loaded_library l = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!l.handle)
        fail_msg("%s", dlerror());
    /* As POSIX has it: ISO C turns no pointer to an object into one to a function. */
    *(void **)&l.default_world_def = symbol(l.handle, "dry_default_world_def");
    *(void **)&l.create = symbol(l.handle, "dry_world_create");
    *(void **)&l.cast_rays = symbol(l.handle, "dry_world_cast_rays");
    *(void **)&l.destroy = symbol(l.handle, "dry_world_destroy");
    return l;
}

/* Helpers that still run, or rest, have no code in the library that is gone. */
static void test_an_unloaded_library_leaves_nothing_that_runs(void **state)
{
    (void)state;
    const char *path = getenv("DRYSTONE_LIBRARY");
    if (!path || TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER)
        skip();
    enum { RAYS = 200 };
    static dry_ray rays[RAYS];
    static dry_ray_hit hits[RAYS];
    for (int i = 0; i < RAYS; i++)
        rays[i] = (dry_ray){.translation = {0, -1, 0}, .mask = ~UINT64_C(0)};
    for (int round = 0; round < 3 * teams(); round++) {
        loaded_library l = load_library(path);
        dry_world_def def = l.default_world_def();
        def.threads = THREADS;
        def.team = team_of(round % teams());
        dry_world *world;
        assert_ok(l.create(&def, &world));
        assert_ok(l.cast_rays(world, RAYS, rays, hits)); /* shared among the workers */
        l.destroy(world);
        assert_int_equal(dlclose(l.handle), 0);
        assert_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

int main(int count, char **arguments)
{
    dry_team team;
    if (count == 3 && dry_team_from_name(arguments[1], &team))
        return step_with_little_address_space(team, strtoull(arguments[2], NULL, 16));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_go_on_when_threads_cannot_be_started),
        cmocka_unit_test(test_rays_go_on_when_threads_cannot_be_started),
        cmocka_unit_test(test_steps_go_on_without_address_space),
        cmocka_unit_test(test_a_child_process_steps_on),
        cmocka_unit_test(test_a_child_process_makes_a_world),
        cmocka_unit_test(test_a_child_process_destroys_a_world),
        cmocka_unit_test(test_a_fork_inside_a_step),
        cmocka_unit_test(test_an_unloaded_library_leaves_nothing_that_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

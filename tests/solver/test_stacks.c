/* How much stack the library needs: a thread that steps, saves and loads, and a helper that a server lends,
 * stay within what include/drystone/types.h states. Below that there is a guard page: more stack ends this
 * program by SIGSEGV.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "core/compiler.h"
#include "tests/golden_scenes.h"
#include "tests/sanitizers.h"
#include "tests/saved_worlds.h"
#include "tests/scene_worlds.h"

#include <drystone/history.h>
#include <drystone/recording.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* The needs that types.h states. */
#define STEP_STACK_BYTES (128 * 1024)
#define HELPER_STACK_BYTES (64 * 1024)

enum { HELPERS = 3, STACK_BYTES = 1 << 20, PAINT = 0xa5 };

/* Scenes whose contacts take the most stack, and the steps after which hulls have met what is below them. */
static const char *const of_hulls[] = {"hulls", "terrain", "field"};
enum { FALL_STEPS = 40 };

/* A thread on a painted stack. */
typedef struct painted {
    unsigned char *stack;
    size_t bytes; /* that its function may use */
    pthread_t thread;
    void (*run)(void *argument);
    void *argument;
    unsigned char *top; /* of what the function may use */
    bool busy;
} painted;

static void paint(painted *p, size_t usable)
{
    *p = (painted){.bytes = usable};
    p->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p->stack, MAP_FAILED);
    memset(p->stack, PAINT, STACK_BYTES);
}

/* Puts the guard page where the stack that was promised ends, below this function's own frame. */
static void guard(painted *p)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    p->top = DRY_FRAME_ADDRESS();
    uintptr_t end = ((uintptr_t)p->top - p->bytes) / page * page;
    assert_int_equal(mprotect((void *)(end - page), page, PROT_NONE), 0);
}

static void *run_painted(void *argument)
{
    painted *p = argument;
    if (!p->top)
        guard(p);
    p->run(p->argument);
    return NULL;
}

static void start(painted *p, void (*run)(void *argument), void *argument)
{
    p->run = run;
    p->argument = argument;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, p->stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&p->thread, &attributes, run_painted, p), 0);
    pthread_attr_destroy(&attributes);
}

static int used_stack(const painted *p)
{
    const unsigned char *low = p->top - p->bytes;
    while (low < p->top && *low == PAINT)
        low++;
    return (int)(p->top - low);
}

/* A scene that is about to be stepped. */
typedef struct subject {
    dry_world *world;
    dry_scene scene;
    int steps, failures;
} subject;

static subject make(const char *name, int size, dry_world_def *def, int steps)
{
    subject s = {.steps = steps};
    s.scene = scene_of(name, size);
    def->settings.gravity = s.scene.gravity;
    def->settings.sleep = false;
    s.world = world_from(def);
    return s;
}

/* Returns false if the world's settings do not go with the scene. */
static bool build(subject *s)
{
    dry_body_id *ids = malloc((size_t)s->scene.body_count * sizeof *ids);
    assert_non_null(ids);
    const bool built = dry_scene_build(&s->scene, s->world, ids) == DRY_OK;
    free(ids);
    return built;
}

static void step(void *argument)
{
    subject *s = argument;
    for (int i = 0; i < s->steps; i++)
        s->failures += dry_world_step(s->world, s->scene.dt) != DRY_OK;
}

static void end(subject *s)
{
    assert_int_equal(s->failures, 0);
    dry_world_destroy(s->world);
    dry_scene_free(&s->scene);
}

/* ---- threads that step ---- */

static void run_painted_scene(painted *p, const char *name, int size, dry_solver solver,
                              dry_joint_solver joints, int steps, void (*run)(void *argument))
{
    dry_world_def def = test_world_def();
    def.threads = 1;
    def.settings.method.solver = solver;
    def.settings.joint_solver = joints;
    if (!is_honored(&def.settings))
        return;
    subject s = make(name, size, &def, steps);
    if (build(&s)) {
        start(p, run, &s);
        pthread_join(p->thread, NULL);
    }
    end(&s);
}

static void step_painted(painted *p, const char *name, int size, dry_solver solver, dry_joint_solver joints,
                         int steps)
{
    run_painted_scene(p, name, size, solver, joints, steps, step);
}

/* Every built-in scene: all shapes and joints. Then each method and way to solve joints, with all shapes and
 * joints at once. */
static void test_steps_stay_within_the_stated_stack(void **state)
{
    (void)state;
    if (TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER)
        skip(); /* frames are several times as large */
    painted p;
    paint(&p, STEP_STACK_BYTES);
    const int steps = test_pick(24, 8);
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; builtin++) {
        const golden_length length = golden_length_of(builtin);
        step_painted(&p, length.name, length.size, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO, steps);
    }
    for (int scene = 0; scene < COUNT_OF(of_hulls); scene++)
        step_painted(&p, of_hulls[scene], 60, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO, FALL_STEPS);
    static const char *const names[] = {"mixed", "joints"};
    for (int scene = 0; scene < COUNT_OF(names); scene++)
        for (dry_solver solver = 0; solver < DRY_SOLVER_COUNT; solver++)
            for (int joints = DRY_JOINT_SOLVER_ITERATIVE; joints < DRY_JOINT_SOLVER_COUNT; joints++)
                step_painted(&p, names[scene], 30, solver, (dry_joint_solver)joints, test_pick(8, 4));
    assert_non_null(p.top);
    const int most = used_stack(&p);
    munmap(p.stack, STACK_BYTES);
    print_message("steps used %d of %d bytes of stack\n", most, STEP_STACK_BYTES);
    assert_in_range(most, 1000, STEP_STACK_BYTES);
}

/* Steps a world that is recorded and has a history. Then takes it back, saves it, loads it, restores it and
 * brings a mirror to it. */
static void step_and_save(void *argument)
{
    subject *s = argument;
    bytes save = {0}, delta = {0}, recording = {0};
    const dry_sink to_save = {append, &save}, to_delta = {append, &delta};
    dry_world_def def = test_world_def();
    dry_history *history = NULL;
    dry_world *recorded = NULL, *mirror = NULL;
    dry_replay *replay = NULL;
    bool more = true;
    def.threads = 1;
    step(s);
    assert_ok(dry_world_save(s->world, NULL, &to_save));
    assert_ok(dry_world_load(save.at, save.size, &def, NULL, &mirror, NULL));
    def.recording.sink = (dry_sink){append, &recording};
    assert_ok(dry_world_load(save.at, save.size, &def, NULL, &recorded, NULL));
    def.recording.sink.write = NULL;
    const uint64_t before = dry_world_step_count(recorded);
    assert_ok(dry_world_create_history(recorded, 2, &history));
    run_steps(recorded, 1, s->scene.dt);
    assert_ok(dry_world_save_delta(recorded, before, &to_delta));
    assert_ok(dry_world_apply_delta(mirror, delta.at, delta.size, NULL));
    assert_ok(dry_history_rewind(history, 1));
    dry_history_destroy(history);
    assert_ok(dry_world_restore(recorded, save.at, save.size, NULL, NULL));
    assert_ok(dry_world_trim(recorded));
    dry_world_destroy(recorded);
    dry_world_destroy(mirror);
    assert_ok(dry_replay_create(recording.at, recording.size, &def, NULL, &replay));
    while (more)
        assert_ok(dry_replay_step(replay, &more));
    dry_replay_destroy(replay);
    free(save.at);
    free(delta.at);
    free(recording.at);
}

static void test_saves_stay_within_the_stated_stack(void **state)
{
    (void)state;
    if (TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER)
        skip();
    painted p;
    paint(&p, STEP_STACK_BYTES);
    static const char *const names[] = {"mixed", "joints", "terrain"};
    for (int scene = 0; scene < COUNT_OF(names); scene++)
        run_painted_scene(&p, names[scene], 30, DRY_SOLVER_GAUSS_SEIDEL, DRY_JOINT_SOLVER_AUTO,
                          test_pick(24, 8), step_and_save);
    const int most = used_stack(&p);
    munmap(p.stack, STACK_BYTES);
    print_message("saves and loads used %d of %d bytes of stack\n", most, STEP_STACK_BYTES);
    assert_in_range(most, 1000, STEP_STACK_BYTES);
}

/* ---- helpers ---- */

static void *start_helper(void (*run)(void *argument), void *argument, void *user)
{
    painted *p = user;
    while (p->busy)
        p++;
    p->busy = true;
    start(p, run, argument);
    return p;
}

static void finish_helper(void *handle, void *user)
{
    (void)user;
    painted *p = handle;
    pthread_join(p->thread, NULL);
    p->busy = false;
}

static void step_with_helpers(painted *helpers, const char *name, dry_isa isa, dry_solver solver, int steps)
{
    dry_world_def def = test_world_def();
    def.isa = isa;
    def.settings.method.solver = solver;
    def.threads = 1 + HELPERS;
    def.tasks = (dry_tasks){start_helper, finish_helper, helpers};
    subject s = make(name, 300, &def, steps);
    assert_true(build(&s));
    step(&s);
    end(&s);
}

/* Every solver and instruction set. Contacts are found alike for all solvers: the scenes of contacts that
 * take the most stack, between hulls, and of hulls with triangles, run with one. */
static void test_helpers_stay_within_the_stated_stack(void **state)
{
    (void)state;
    if (TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER)
        skip(); /* frames are several times as large */
    painted helpers[HELPERS];
    for (int i = 0; i < HELPERS; i++)
        paint(&helpers[i], HELPER_STACK_BYTES);
    static const char *const names[] = {"pile", "mixed", "bridge"};
    for (dry_isa isa = DRY_ISA_AUTO + 1; isa < DRY_ISA_COUNT; isa++) {
        if (!dry_isa_available(isa))
            continue;
        for (int scene = 0; scene < COUNT_OF(names); scene++)
            for (dry_solver solver = 0; solver < DRY_SOLVER_COUNT; solver++) {
                /* Which has no springs; some joints of "mixed" are. */
                const bool refused = solver == DRY_SOLVER_PBD && strcmp(names[scene], "mixed") == 0;
                if (!refused)
                    step_with_helpers(helpers, names[scene], isa, solver, test_pick(10, 4));
            }
        for (int scene = 0; scene < COUNT_OF(of_hulls); scene++)
            step_with_helpers(helpers, of_hulls[scene], isa, DRY_SOLVER_GAUSS_SEIDEL, FALL_STEPS);
    }
    int most = 0;
    for (int i = 0; i < HELPERS; i++) {
        assert_non_null(helpers[i].top);
        const int used = used_stack(&helpers[i]);
        most = used > most ? used : most;
        munmap(helpers[i].stack, STACK_BYTES);
    }
    print_message("helpers used %d of %d bytes of stack\n", most, HELPER_STACK_BYTES);
    assert_in_range(most, 1000, HELPER_STACK_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_stay_within_the_stated_stack),
        cmocka_unit_test(test_saves_stay_within_the_stated_stack),
        cmocka_unit_test(test_helpers_stay_within_the_stated_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

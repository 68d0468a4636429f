/* Histories: a world that goes back and does its steps again has the bits of one that did not, whatever calls
 * lie between its steps. */
#include "tests/golden_scenes.h"
#include "tests/snapshot/stirred_world.h"

#include "tests/saved_worlds.h"
#include "tests/world_checker.h"

#include "snapshot/history.h"
#include "state/column_rows.h"
#include "world/state_tables.h"

/* A world that does its steps again, and the hashes that a world had which did not. */
typedef struct run {
    dry_world *world;
    float dt;
    uint64_t seed; /* of the calls before each step; 0: none */
    bool some;     /* most steps are of some bodies */
    void (*call)(dry_world *world, uint64_t seed);
    int steps;
    uint64_t *hash; /* by step */
} run;

/* Checks that the history has all bytes of the present state. Flags of proxies tell of trees, too, which are
 * made anew. */
static void check_kept(const dry_world *world)
{
    dry_memory memory;
    dry_past past;
    dry_column_rows rows[DRY_COLUMN_COUNT];
    const dry_tables now = dry_world_state(world);
    dry_memory_init(&memory, world->memory.allocator);
    assert_true(dry_history_recall(world->history, 0, &memory, &past));
    dry_find_column_rows(&now, rows);
    const int other = dry_shadow_find_other(&past.shadow, rows);
    if (other >= 0)
        fail_msg("%s is another in the history", dry_columns[other].name);
    assert_true(dry_state_hash(&past.tables) == dry_world_hash(world));
    dry_memory_release_all(&memory);
}

/* Steps a part of the bodies. */
static void step_some(dry_world *world, float dt, uint64_t seed)
{
    dry_body_id ids[64];
    const int found = (int)dry_world_get_bodies(world, ids, 64), made = found < 64 ? found : 64;
    int some = 0;
    for (int i = 0; i < made; ++i)
        if (random_below(&seed, 3) == 0)
            ids[some++] = ids[i];
    assert_ok(dry_world_step_only(world, dt, ids, some));
}

static uint64_t do_step(const run *r, int step)
{
    if (r->seed && (!r->some || step % 2))
        r->call(r->world, r->seed + (uint64_t)step);
    if (r->some && step % 4 != 0)
        step_some(r->world, r->dt, r->seed + (uint64_t)step);
    else
        assert_ok(dry_world_step(r->world, r->dt));
    if (r->world->history)
        check_kept(r->world);
    return dry_world_hash(r->world);
}

/* Goes back by some steps after every third one, and compares all hashes. */
static void check_again(const run *r, const char *what)
{
    dry_history *history = history_of(r->world, 8);
    uint64_t draw = 11;
    for (int step = 0; step < r->steps; ++step) {
        if (do_step(r, step) != r->hash[step])
            fail_msg("%s: step %d has another hash beside a history", what, step);
        if (step % 3 != 2)
            continue;
        if (r->seed)
            r->call(r->world, draw); /* which going back takes back */
        const int back = random_below(&draw, dry_history_steps(history) + 1);
        assert_ok(dry_history_rewind(history, back));
        if (step >= back && dry_world_hash(r->world) != r->hash[step - back])
            fail_msg("%s: another hash after going back %d from step %d", what, back, step);
        check_world(r->world, false);
        for (int again = step - back + 1; again <= step; ++again)
            if (do_step(r, again) != r->hash[again])
                fail_msg("%s: step %d, done again from %d before %d, has another hash", what, again, back,
                         step);
    }
    dry_history_destroy(history);
}

/* Runs a world and the same one again, with a history. Destroys both. */
static void check_pair(run plain, run again, const char *what)
{
    plain.hash = malloc((size_t)plain.steps * sizeof *plain.hash);
    assert_non_null(plain.hash);
    for (int step = 0; step < plain.steps; ++step)
        plain.hash[step] = do_step(&plain, step);
    again.hash = plain.hash;
    check_again(&again, what);
    bytes a = save_of(plain.world), b = save_of(again.world);
    assert_same_bytes(&a, &b);
    free(a.at);
    free(b.at);
    free(plain.hash);
}

static void check_scene(dry_scene *made, int steps, const dry_settings *settings, const char *what)
{
    run plain = {.world = scene_world(made, settings, 1), .dt = made->dt, .steps = steps};
    run again = plain;
    again.world = scene_world(made, settings, 2);
    check_pair(plain, again, what);
    dry_world_destroy(plain.world);
    dry_world_destroy(again.world);
    dry_scene_free(made);
}

static void every_scene(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin)
        for (int solver = DRY_JOINT_SOLVER_ITERATIVE; solver < DRY_JOINT_SOLVER_COUNT; ++solver) {
            const golden_length length = golden_length_of(builtin);
            dry_scene made;
            settings.joint_solver = (dry_joint_solver)solver;
            assert_true(golden_make(builtin->name, test_pick(length.size, builtin->size_min), &made));
            if (made.joint_count > 0 || solver == DRY_JOINT_SOLVER_ITERATIVE)
                check_scene(&made, test_pick(12, 9), &settings, builtin->name);
            else
                dry_scene_free(&made);
        }
}

/* Worlds of all methods, with calls of every kind between the steps. */
static void stirred_worlds(void **state)
{
    (void)state;
    for (int kind = 0; kind < COUNT_OF(kinds); ++kind)
        for (uint64_t seed = 1; seed <= (uint64_t)test_pick(4, 2); ++seed) {
            scene s, t;
            make_scene(&s, &kinds[kind]);
            dry_settings settings = dry_world_get_settings(s.world);
            settings.sleep = settings.sleep || seed % 2 == 0;
            settings.sleep_after = seed % 2 == 0 ? 0.1f : settings.sleep_after;
            assert_ok(dry_world_set_settings(s.world, &settings));
            bytes b = save_of(s.world);
            make_scene(&t, &kinds[kind]);
            assert_ok(dry_world_restore(t.world, b.at, b.size, NULL, NULL)); /* with the same ids */
            free(b.at);
            run plain = {.world = s.world,
                         .dt = TEST_DT,
                         .seed = seed << 20,
                         .call = stir,
                         .some = seed % 2 == 0,
                         .steps = test_pick(45, 30)};
            run again = plain;
            again.world = t.world;
            check_pair(plain, again, kinds[kind].name);
            end_scene(&s);
            end_scene(&t);
        }
}

/* Changes something of a world at rest in one of eight steps: what its step keeps follows from all of it. */
static void disturb(dry_world *world, uint64_t seed)
{
    dry_body_id bodies[64];
    dry_shape_id shape;
    int shapes = 0;
    uint64_t draw = seed;
    const int kind = random_below(&draw, 64), count = dry_world_get_bodies(world, bodies, 64);
    const dry_body_id body = bodies[random_below(&draw, count)];
    dry_settings settings = dry_world_get_settings(world);
    assert_ok(dry_body_get_shapes(world, body, &shape, 1, &shapes));
    if (kind == 0)
        assert_ok(dry_shape_set_friction(world, shape, 0.3f + 0.01f * (float)random_below(&draw, 9)));
    else if (kind == 1)
        settings.gravity.y = -9.0f - 0.1f * (float)random_below(&draw, 9);
    else if (kind == 2)
        settings.hit_speed_min = 1.0f + (float)random_below(&draw, 3);
    else if (kind == 3)
        assert_ok(dry_body_set_mass_from_shapes(world, body));
    else if (kind < 6)
        (void)dry_body_apply_force(world, body, (dry_vec3){500.0f, 0.0f, 0.0f}); /* refuses static bodies */
    else if (kind < 8)
        (void)dry_body_set_gravity_scale(world, body, 1.0f - 0.01f * (float)random_below(&draw, 9));
    if (kind == 1 || kind == 2)
        assert_ok(dry_world_set_settings(world, &settings));
}

/* Restores a living world to its state of some steps before, and does the steps again. */
static void check_restored(const run *r, int rounds)
{
    uint64_t hash[8], draw = 5;
    for (int round = 0; round < rounds; ++round) {
        bytes b = save_of(r->world);
        const int steps = 1 + random_below(&draw, 8), first = 100 * round;
        for (int i = 0; i < steps; ++i)
            hash[i] = do_step(r, first + i);
        assert_ok(dry_world_restore(r->world, b.at, b.size, NULL, NULL));
        check_world(r->world, false);
        for (int i = 0; i < steps; ++i)
            assert_int_equal(do_step(r, first + i), hash[i]);
        free(b.at);
    }
}

/* A world at rest, which keeps islands and bundles as it goes back: their bits are those that would be made
 * anew, with and without calls between the steps. */
static void settled_worlds(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.sleep = false;
    for (uint64_t seed = 0; seed < 3; ++seed) {
        dry_scene made;
        assert_true(golden_make("pyramid", 7, &made));
        run plain = {.dt = made.dt, .steps = test_pick(90, 60), .call = disturb};
        run again = plain;
        plain.world = scene_world(&made, &settings, 1);
        again.world = scene_world(&made, &settings, 1);
        run_steps(plain.world, 120, made.dt);
        run_steps(again.world, 120, made.dt);
        plain.seed = again.seed = seed << 20;
        check_pair(plain, again, "settled");
        check_restored(&again, 12);
        dry_world_destroy(plain.world);
        dry_world_destroy(again.world);
        dry_scene_free(&made);
    }
}

/* One call, two steps, and back by one: what the call did is there still, with all user data. Then back to
 * before the call. */
static void check_call(dry_world *world, int kind, int which)
{
    dry_body_id bodies[BODIES];
    dry_shape_id shape;
    dry_joint_id joint;
    int count = 0, joints = 0;
    assert_true(dry_world_get_bodies(world, bodies, BODIES) >= BODIES);
    const dry_body_id body = bodies[which % BODIES];
    assert_ok(dry_body_get_shapes(world, body, &shape, 1, &count));
    assert_ok(dry_body_get_joints(world, bodies[1], &joint, 1, &joints));
    if (kind == 0)
        call_with_body(world, which, body);
    else if (kind == 1 && count > 0)
        call_with_shape(world, which, shape);
    else if (kind == 2 && joints > 0)
        call_with_joint(world, which, joint);
    run_steps(world, 1, TEST_DT);
    bytes before = save_of(world);
    run_steps(world, 1, TEST_DT);
    assert_ok(dry_history_rewind(world->history, 1));
    bytes after = save_of(world);
    assert_ok(dry_history_rewind(world->history, 1));
    if (before.size != after.size || memcmp(before.at, after.at, after.size) != 0)
        fail_msg("call %d of kind %d is taken back with the step after it", which, kind);
    free(before.at);
    free(after.at);
}

static void each_call(void **state)
{
    (void)state;
    static const int calls[3] = {BODY_CALLS, SHAPE_CALLS, JOINT_CALLS}, places[2] = {1, 2};
    for (int place = 0; place < COUNT_OF(places); ++place) {
        scene s;
        make_scene(&s, &kinds[places[place]]);
        history_of(s.world, 2);
        run_steps(s.world, 3, TEST_DT);
        for (int kind = 0; kind < COUNT_OF(calls); ++kind)
            for (int which = 0; which < calls[kind]; ++which)
                check_call(s.world, kind, which);
        end_scene(&s);
    }
}

/* A history may begin between calls and the step that tells what they did. */
static void begun_after_calls(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)test_pick(100, 50); ++seed) {
        scene s;
        make_scene(&s, &kinds[seed % COUNT_OF(kinds)]);
        run_steps(s.world, 3, TEST_DT);
        stir(s.world, seed << 20);
        dry_history *history = history_of(s.world, 2);
        const uint64_t hash = dry_world_hash(s.world);
        run_steps(s.world, 1, TEST_DT);
        check_kept(s.world);
        assert_ok(dry_history_rewind(history, 1));
        if (dry_world_hash(s.world) != hash)
            fail_msg("%s, seed %d: another hash after going back to the begin",
                     kinds[seed % COUNT_OF(kinds)].name, (int)seed);
        end_scene(&s);
    }
}

/* Nothing is written for histories where no history is kept: rows are marked through these pointers alone. */
static void assert_no_marks(const dry_world *world)
{
    assert_true(!world->bodies.marks && !world->contacts.marks && !world->joints.marks);
}

static void refusals(void **state)
{
    (void)state;
    dry_history *history = NULL, *other = NULL;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    const dry_body_id id = add_dynamic(world, pose_at(0, 3, 0), box_shape(0.5, 0.5, 0.5));
    assert_int_equal(dry_world_create_history(NULL, 4, &history), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_create_history(world, 4, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_create_history(world, 0, &history), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_create_history(world, DRY_HISTORY_STEPS_MAX + 1, &history),
                     DRY_ERROR_ARGUMENT);
    assert_null(history);
    assert_no_marks(world);
    history = history_of(world, 4);
    assert_int_equal(dry_world_create_history(world, 4, &other), DRY_ERROR_ARGUMENT);
    assert_null(other);
    assert_int_equal(dry_history_rewind(NULL, 0), DRY_ERROR_ARGUMENT);
    const uint64_t hash = dry_world_hash(world);
    assert_ok(dry_body_destroy(world, id));
    assert_ok(dry_history_rewind(history, 0));
    assert_true(dry_world_hash(world) == hash);
    set_velocity(world, id, (d3){1, 0, 0}, (d3){0, 0, 0});
    for (int step = 0; step < 6; ++step) {
        run_steps(world, 1, TEST_DT);
        assert_int_equal(dry_history_steps(history), step < 4 ? step + 1 : 4);
    }
    const uint64_t later = dry_world_hash(world);
    assert_int_equal(dry_history_rewind(history, 5), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_history_rewind(history, -1), DRY_ERROR_ARGUMENT);
    assert_true(dry_world_hash(world) == later);
    bytes b = save_of(world);
    assert_ok(dry_world_restore(world, b.at, b.size, NULL, NULL));
    free(b.at);
    assert_int_equal(dry_history_steps(history), 0);
    assert_int_equal(dry_history_rewind(history, 0), DRY_ERROR_ARGUMENT);
    run_steps(world, 2, TEST_DT);
    assert_int_equal(dry_history_steps(history), 1);
    assert_ok(dry_history_rewind(history, 1));
    assert_true(dry_history_bytes(history) > 0 && dry_history_bytes(NULL) == 0);
    assert_int_equal(dry_history_steps(NULL), 0);
    dry_history_destroy(NULL);
    dry_history_destroy(history);
    assert_no_marks(world);
    history_of(world, 2);
    dry_world_destroy(world); /* with its history */
}

/* Data that only an earlier step had come back with it. */
static void data_of_shapes(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, &kinds[COUNT_OF(kinds) - 2]);
    dry_history *history = history_of(s.world, 6);
    const uint64_t hash = dry_world_hash(s.world);
    dry_body_id all[64];
    const int count = (int)dry_world_get_bodies(s.world, all, 64);
    for (int i = 0; i < 6; ++i) {
        assert_ok(dry_world_destroy_bodies(s.world, i < 5 ? 1 : count - 5, &all[i]));
        run_steps(s.world, 1, TEST_DT);
    }
    assert_ok(dry_history_rewind(history, 6));
    assert_true(dry_world_hash(s.world) == hash);
    check_world(s.world, false);
    run_steps(s.world, 5, TEST_DT);
    end_scene(&s);
}

/* A history that finds no memory begins anew, and the world goes on as without it. */
static void no_memory(void **state)
{
    (void)state;
    scene without;
    make_scene(&without, &kinds[0]);
    run_steps(without.world, 3, TEST_DT);
    const uint64_t plain = dry_world_hash(without.world);
    end_scene(&without);
    for (int at = 0, failed = 1; failed; ++at) {
        scene s;
        make_scene(&s, &kinds[0]);
        s.counter.calls = 0;
        s.counter.fail_at = at;
        dry_history *history = NULL;
        const dry_result made = dry_world_create_history(s.world, 4, &history);
        assert_true(made == DRY_OK || (made == DRY_ERROR_MEMORY && !history));
        for (int step = 0; step < 3 && history; ++step) {
            assert_ok(dry_world_step(s.world, TEST_DT));
            const dry_result back = dry_history_rewind(history, 0);
            assert_true(back == DRY_OK || (back == DRY_ERROR_ARGUMENT && dry_history_steps(history) == 0));
        }
        failed = s.counter.calls > (uint64_t)at;
        s.counter.fail_at = -1;
        check_world(s.world, false);
        if (history) {
            assert_true(dry_world_hash(s.world) == plain);
            run_steps(s.world, 1, TEST_DT);
            const uint64_t next = dry_world_hash(s.world);
            run_steps(s.world, 1, TEST_DT);
            assert_ok(dry_history_rewind(history, 1));
            assert_true(dry_world_hash(s.world) == next);
        }
        end_scene(&s);
    }
}

static void settled_steps_allocate_nothing(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, &kinds[0]);
    history_of(s.world, 4);
    run_steps(s.world, 200, TEST_DT);
    const uint64_t calls = s.counter.calls;
    run_steps(s.world, 20, TEST_DT);
    assert_true(s.counter.calls == calls);
    end_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call),      cmocka_unit_test(begun_after_calls),
        cmocka_unit_test(refusals),       cmocka_unit_test(data_of_shapes),
        cmocka_unit_test(no_memory),      cmocka_unit_test(settled_steps_allocate_nothing),
        cmocka_unit_test(stirred_worlds), cmocka_unit_test(settled_worlds),
        cmocka_unit_test(every_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Recordings and replays of scenes, by other threads and on other instruction sets; what a replay says of a
 * number that was changed; sinks and memory that fail; bytes that were cut or changed. */
#include "tests/counting_allocator.h"
#include "tests/golden_scenes.h"
#include "tests/recordings.h"
#include "tests/scene_worlds.h"

static void test_scenes(void **state)
{
    (void)state;
    int turn = 0;
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin, ++turn) {
        dry_scene made;
        bytes b = {0};
        assert_true(golden_make(builtin->name, golden_length_of(builtin).size, &made));
        dry_world_def def = recorded_def(&b);
        def.threads = 2;
        def.settings.gravity = made.gravity;
        def.hash_stages = turn % 4 == 0;
        def.recording.saves_every = 4;
        dry_world *world = world_from(&def);
        dry_body_id *ids = built_in(world, &made);
        run_steps(world, test_pick(24, 6), made.dt);
        check_replay(&b, world, turn, turn % 2 ? 5 : 0);
        dry_world_destroy(world);
        free(ids);
        free(b.at);
        dry_scene_free(&made);
    }
}

/* Steps of some bodies are calls, and count among the steps that a replay has done. */
static void test_steps_of_some_bodies(void **state)
{
    (void)state;
    bytes b = {0};
    dry_world_def def = recorded_def(&b);
    dry_world *world = world_from(&def);
    add_floor(world, 0.5, 0);
    const dry_body_id id = add_dynamic(world, pose_at(0, 0.5, 0), sphere_shape(0.5));
    add_dynamic(world, pose_at(3, 0.5, 0), sphere_shape(0.5));
    run_steps(world, 3, TEST_DT);
    for (int i = 0; i < 5; ++i)
        assert_ok(dry_world_step_only(world, TEST_DT, &id, 1));
    check_replay(&b, world, 0, 0);
    dry_world_destroy(world);
    free(b.at);
}

/* Saves and sums come as often as told where whole steps and steps of some bodies take turns, and replays
 * begin at these saves. */
static void test_steps_in_turns(void **state)
{
    (void)state;
    enum { TURNS = 30, EVERY = 6 };
    for (int order = 0; order < 3; ++order) {
        bytes b = {0};
        int saves = 0, sums = 0;
        dry_world_def def = recorded_def(&b);
        def.settings.sleep = false;
        def.recording.saves_every = def.recording.sums_every = EVERY;
        dry_world *world = world_from(&def);
        add_floor(world, 0.5, 0);
        const dry_body_id id = add_dynamic(world, pose_at(0, 0.5, 0), sphere_shape(0.5));
        add_dynamic(world, pose_at(3, 5, 0), sphere_shape(0.5));
        for (int i = 0; i < 2 * TURNS; ++i)
            if (i % 2 == order)
                run_steps(world, 1, TEST_DT);
            else
                assert_ok(dry_world_step_only(world, TEST_DT, &id, 1));
        for (uint64_t from = 0; from < 2 * TURNS; from += EVERY)
            check_replay(&b, world, (int)(from / EVERY), from);
        for (size_t at = sizeof(dry_save_header); at < b.size; at = end_of_block(&b, at)) {
            dry_section_header header;
            memcpy(&header, b.at + at, sizeof header);
            saves += header.kind == DRY_BLOCK_SAVE && header.number == DRY_SAVE_PERIODIC;
            sums += header.kind == DRY_BLOCK_STEP && (header.fields & DRY_STEP_HAS_SUMS);
        }
        assert_int_equal(saves, 2 * TURNS / EVERY);
        assert_int_equal(sums, order < 2 ? 2 * TURNS / EVERY - (order == 0) : 0);
        dry_world_destroy(world);
        free(b.at);
    }
}

/* Replays with hashes of stages begin at saves, too, where bodies that collide have lost and found points.
 * Some steps are of length 0, and leave out stages. */
static void test_stages_from_saves(void **state)
{
    (void)state;
    enum { STEPS = 42, SAVES_EVERY = 6 };
    dry_scene made;
    bytes b = {0};
    dry_body_id ids[64];
    assert_true(golden_make("mixed", 40, &made));
    dry_world_def def = recorded_def(&b);
    def.settings.gravity = made.gravity;
    def.hash_stages = true;
    def.recording.saves_every = SAVES_EVERY;
    dry_world *world = world_from(&def);
    assert_true(made.body_count <= COUNT_OF(ids));
    assert_ok(dry_scene_build(&made, world, ids));
    for (int step = 0; step < STEPS; ++step)
        run_steps(world, 1, step % 3 == 0 ? 0 : made.dt);
    for (int from = 0; from < STEPS; from += SAVES_EVERY)
        check_replay(&b, world, from / SAVES_EVERY, (uint64_t)from);
    dry_world_destroy(world);
    free(b.at);
    dry_scene_free(&made);
}

/* A pile that falls, and a body that is given a velocity in the third step. */
typedef struct fall {
    dry_world *world;
    bytes b;
    dry_body_id ids[4];
} fall;

static void make_fall(fall *f, int sums_every)
{
    *f = (fall){0};
    dry_world_def def = recorded_def(&f->b);
    def.recording.sums_every = sums_every;
    f->world = world_from(&def);
    add_floor(f->world, 0.6, 0);
    for (int i = 0; i < 4; ++i)
        f->ids[i] = add_dynamic(f->world, pose_at(0.1 * i, 0.6 + 1.1 * i, 0), box_shape(0.5, 0.5, 0.5));
    for (int i = 0; i < 8; ++i) {
        if (i == 2) {
            assert_ok(dry_body_apply_force(f->world, f->ids[0], v3(1, 2.37109375, 3)));
            set_velocity(f->world, f->ids[2], (d3){1, 2, 3}, (d3){0.5, 0, 0});
            assert_ok(dry_body_set_damping(f->world, f->ids[3], 0.23046875f, 0.5f));
        }
        run_steps(f->world, 1, TEST_DT);
    }
    dry_world_destroy(f->world);
}

/* Changes a float of the bytes, in the block where it is, whose checksum is repaired. */
static void change_float(bytes *b, float from, float to)
{
    for (size_t at = sizeof(dry_save_header); (at = find_block(b, at, DRY_BLOCK_CALL)) > 0;
         at = end_of_block(b, at))
        for (size_t i = at + sizeof(dry_section_header); i + 4 < end_of_block(b, at); ++i)
            if (memcmp(b->at + i, &from, sizeof from) == 0) {
                memcpy(b->at + i, &to, sizeof to);
                repair_block(b, at);
                return;
            }
    fail_msg("%g is in no call", (double)from);
}

static dry_difference difference_of(const bytes *b)
{
    dry_replay *replay = replay_of(b, 1, 0);
    const dry_difference difference = run_replay(replay).difference;
    dry_replay_destroy(replay);
    return difference;
}

static void test_changed_call(void **state)
{
    (void)state;
    fall f;
    make_fall(&f, 1);
    assert_int_equal(difference_of(&f.b).kind, DRY_DIFFERENCE_NONE);
    change_float(&f.b, 2.37109375f, 1.5f); /* of the force */
    dry_difference d = difference_of(&f.b);
    assert_int_equal(d.kind, DRY_DIFFERENCE_THING);
    assert_true(d.step == 3 && d.call == 1 && d.body.bits == f.ids[0].bits);
    assert_string_equal(d.name, "dry_body_apply_force");
    assert_string_equal(d.column, "BODY_FORCE");
    assert_string_equal(d.field, "force");
    free(f.b.at);

    make_fall(&f, 1);
    change_float(&f.b, 0.23046875f, 0.125f); /* of the damping */
    d = difference_of(&f.b);
    assert_true(d.step == 3 && d.call == 3 && d.body.bits == f.ids[3].bits);
    assert_string_equal(d.field, "linear_damping");
    assert_non_null(strstr(d.text, "0.125"));
    assert_non_null(strstr(d.text, "recorded as 0.23046875"));
    free(f.b.at);
}

/* Gives a step another length: the first difference is in the state after it. */
static void test_changed_step(void **state)
{
    (void)state;
    fall f;
    make_fall(&f, 1);
    size_t at = sizeof(dry_save_header);
    for (int i = 0; i < 5; ++i)
        at = end_of_block(&f.b, find_block(&f.b, at, DRY_BLOCK_STEP));
    at = find_block(&f.b, at, DRY_BLOCK_STEP);
    const float dt = 1.0f / 50.0f;
    memcpy(f.b.at + at + sizeof(dry_section_header) + offsetof(dry_step_block, dt), &dt, sizeof dt);
    repair_block(&f.b, at);
    const dry_difference d = difference_of(&f.b);
    assert_int_equal(d.kind, DRY_DIFFERENCE_STATE);
    assert_true(d.step == 6 && d.call == 0 && !d.name && d.column && d.field);
    free(f.b.at);
}

/* Another revision of the arithmetic: only results of calls are compared. */
static void test_other_arithmetic(void **state)
{
    (void)state;
    fall f;
    make_fall(&f, 1);
    const uint32_t other = DRY_ARITHMETIC_REVISION + 1;
    memcpy(f.b.at + offsetof(dry_save_header, arithmetic), &other, sizeof other);
    change_float(&f.b, 2.37109375f, 1.5f);
    dry_replay *replay = replay_of(&f.b, 0, 0);
    dry_replay_report report = run_replay(replay);
    assert_true(!report.compares_state && report.arithmetic == other && report.has_end);
    assert_int_equal(report.difference.kind, DRY_DIFFERENCE_NONE);
    assert_true(report.step_count == 8);
    dry_replay_destroy(replay);
    change_float(&f.b, 0.23046875f, -1.0f);
    const dry_difference d = difference_of(&f.b);
    assert_int_equal(d.kind, DRY_DIFFERENCE_RESULT);
    assert_true(d.step == 3 && d.call == 3 && d.result == DRY_ERROR_ARGUMENT);
    free(f.b.at);
}

/* A sink that takes so many bytes. */
typedef struct short_sink {
    bytes b;
    size_t room;
    int after; /* calls after it has failed */
    bool failed;
    dry_world *world;
    dry_result called; /* result of a call into the world */
} short_sink;

static bool take_some(void *user, const void *more, size_t size)
{
    short_sink *s = user;
    s->after += s->failed;
    if (s->world)
        s->called = dry_world_step(s->world, TEST_DT);
    s->failed = s->failed || s->b.size + size > s->room;
    return !s->failed && append(&s->b, more, size);
}

static void test_failing_sink(void **state)
{
    (void)state;
    for (size_t room = 0; room < 40000; room += 3777) {
        short_sink s = {.room = room};
        dry_world_def def = recorded_def(NULL);
        def.recording.sink = (dry_sink){take_some, &s};
        dry_world *world = world_from(&def), *plain = world_with(def.settings);
        for (int i = 0; i < 6; ++i) {
            add_dynamic(world, pose_at(0, i, 0), box_shape(0.5, 0.5, 0.5));
            add_dynamic(plain, pose_at(0, i, 0), box_shape(0.5, 0.5, 0.5));
            run_steps(world, 1, TEST_DT);
            run_steps(plain, 1, TEST_DT);
        }
        assert_true(dry_world_hash(world) == dry_world_hash(plain));
        assert_true(dry_world_is_recording(world) == !s.failed);
        dry_world_destroy(world);
        dry_world_destroy(plain);
        assert_int_equal(s.after, 0);
        dry_replay *replay = NULL;
        def = test_world_def();
        if (dry_replay_create(s.b.at ? s.b.at : "", s.b.size, &def, NULL, &replay) == DRY_OK) {
            const dry_replay_report report = run_replay(replay);
            assert_true(report.has_end == !s.failed && report.difference.kind == DRY_DIFFERENCE_NONE);
        }
        dry_replay_destroy(replay);
        free(s.b.at);
    }
}

/* A sink that calls into the world is refused. */
static void test_sink_that_calls(void **state)
{
    (void)state;
    short_sink s = {.room = SIZE_MAX};
    dry_world_def def = recorded_def(NULL);
    def.recording.sink = (dry_sink){take_some, &s};
    dry_world *world = world_from(&def);
    s.world = world;
    add_dynamic(world, pose_at(0, 0, 0), box_shape(0.5, 0.5, 0.5));
    assert_int_equal(s.called, DRY_ERROR_LOCKED);
    s.called = DRY_OK;
    run_steps(world, 1, TEST_DT);
    assert_int_equal(s.called, DRY_ERROR_LOCKED);
    s.world = NULL;
    check_replay(&s.b, world, 2, 0);
    dry_world_destroy(world);
    free(s.b.at);
}

/* Each allocation of calls and steps fails once; steps that memory stopped are followed by a save. */
static void test_memory(void **state)
{
    (void)state;
    bytes b = {0};
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = recorded_def(&b);
    def.allocator = counting_hooks(&counter);
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    int stopped = 0;
    for (int i = 0; i < 40; ++i) {
        counter.fail_at = (int64_t)counter.calls + i % 3;
        dry_body_def body = body_def(DRY_BODY_DYNAMIC, pose_at(0.3 * (i % 3), 0.6 + 0.8 * i, 0), NULL);
        const dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        dry_body_id id;
        body.shapes = &shape;
        body.shape_count = 1;
        if (dry_world_create_body(world, &body, &id) != DRY_OK)
            assert_ok(dry_world_create_body(world, &body, &id));
        counter.fail_at = (int64_t)counter.calls + i % 5;
        stopped += dry_world_step(world, TEST_DT) == DRY_ERROR_MEMORY;
        counter.fail_at = -1;
        run_steps(world, 2, TEST_DT);
    }
    assert_true(stopped > 2);
    check_replay(&b, world, 1, 0);
    check_replay(&b, world, 2, 30);
    dry_world_destroy(world);
    assert_int_equal(counter.bytes, 0);
    free(b.at);
}

/* Each allocation of a recorded world's creation fails once, and of its load: nothing is left or reported. */
static void test_memory_of_recorders(void **state)
{
    (void)state;
    dry_world_def plain = test_world_def();
    dry_world *other = world_from(&plain);
    add_floor(other, 0.6, 0);
    add_dynamic(other, pose_at(0, 0.4, 0), box_shape(0.5, 0.5, 0.5));
    bytes save = save_of(other);
    dry_world_destroy(other);
    for (int loads = 0; loads < 2; ++loads) {
        bytes b = {0};
        counting_allocator counter = {.fail_at = -1};
        dry_world_def def = recorded_def(&b);
        def.allocator = counting_hooks(&counter);
        dry_world *world = NULL;
        for (int at = 0; !world; ++at) {
            counter.calls = 0;
            counter.fail_at = at;
            b.size = 0;
            dry_load_report report = {.format = UINT32_MAX};
            const dry_result result = loads ? dry_world_load(save.at, save.size, &def, NULL, &world, &report)
                                            : dry_world_create(&def, &world);
            assert_true(result == DRY_OK || (result == DRY_ERROR_MEMORY && counter.bytes == 0));
            assert_true((report.format != UINT32_MAX) == (loads && result == DRY_OK));
        }
        counter.fail_at = -1;
        assert_true(dry_world_is_recording(world));
        run_steps(world, 3, TEST_DT);
        check_replay(&b, world, 1, 0);
        dry_world_destroy(world);
        assert_int_equal(counter.bytes, 0);
        free(b.at);
    }
    free(save.at);
}

/* Each allocation of a replay fails once: the replay ends with MEMORY, and gives all memory back. */
static void test_memory_of_replays(void **state)
{
    (void)state;
    fall f;
    counting_allocator counter = {.fail_at = -1};
    dry_world_def def = test_world_def();
    make_fall(&f, 3);
    def.allocator = counting_hooks(&counter);
    bool failed = true;
    for (int at = 0; failed; at += test_pick(1, 7)) {
        dry_replay *replay = NULL;
        bool more = true;
        counter.calls = 0;
        counter.fail_at = at;
        dry_result result = dry_replay_create(f.b.at, f.b.size, &def, NULL, &replay);
        while (result == DRY_OK && more)
            result = dry_replay_step(replay, &more);
        failed = result != DRY_OK;
        assert_true(!failed || (result == DRY_ERROR_MEMORY && (!replay || !more)));
        assert_true(failed || dry_replay_get_report(replay).difference.kind == DRY_DIFFERENCE_NONE);
        dry_replay_destroy(replay);
        assert_int_equal(counter.bytes, 0);
        assert_int_equal(counter.wrong, 0);
    }
    free(f.b.at);
}

/* A warmed-up step allocates nothing, with sums and with a save. */
static void test_warm_steps(void **state)
{
    (void)state;
    bytes b = {0};
    dry_world_def def = recorded_def(&b);
    def.recording.saves_every = 3;
    dry_world *world = world_from(&def);
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 4; ++i)
        add_dynamic(world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 60, TEST_DT);
    const uint64_t allocations = dry_world_statistics(world).allocations;
    run_steps(world, 60, TEST_DT);
    assert_true(dry_world_statistics(world).allocations == allocations);
    dry_world_destroy(world);
    free(b.at);
}

/* Begins and ends a replay of bytes that may be anything. Returns whether it finds nothing wrong. */
static bool try_bytes(const char *at, size_t size)
{
    dry_world_def def = test_world_def();
    dry_replay *replay = NULL;
    bool more = true;
    dry_result result = dry_replay_create(at, size, &def, NULL, &replay);
    for (int i = 0; i < 20 && more && result == DRY_OK; ++i)
        result = dry_replay_step(replay, &more);
    assert_true(result == DRY_OK || !replay || !more);
    const dry_replay_report report = dry_replay_get_report(replay);
    dry_replay_destroy(replay);
    return result == DRY_OK && report.has_end && report.difference.kind == DRY_DIFFERENCE_NONE;
}

static void test_hostile(void **state)
{
    (void)state;
    fall f;
    uint64_t random = 5;
    make_fall(&f, 3);
    for (size_t size = 0; size < f.b.size; size += 1 + (size_t)random_below(&random, test_pick(300, 4000))) {
        char *exact = malloc(size + 1);
        assert_non_null(exact);
        memcpy(exact, f.b.at, size);
        try_bytes(exact, size);
        free(exact);
    }
    for (int i = 0; i < test_pick(3000, 150); ++i) {
        size_t at = sizeof(dry_save_header);
        for (int skip = random_below(&random, 30); skip > 0 && end_of_block(&f.b, at) < f.b.size; --skip)
            at = end_of_block(&f.b, at);
        const size_t size = end_of_block(&f.b, at) - at;
        const size_t place = at + (size_t)random_below(&random, (int)size - 8);
        const char old = f.b.at[place];
        f.b.at[place] = (char)random_bits(&random);
        if (end_of_block(&f.b, at) - at == size)
            repair_block(&f.b, at);
        try_bytes(f.b.at, f.b.size);
        f.b.at[place] = old;
        repair_block(&f.b, at);
    }
    assert_int_equal(difference_of(&f.b).kind, DRY_DIFFERENCE_NONE);
    free(f.b.at);
}

/* Whole blocks that are left out, come twice, or change places: the first two are found, and none does harm.
 */
static void test_blocks_in_disorder(void **state)
{
    (void)state;
    enum { BLOCKS_MAX = 256 };
    fall f;
    size_t begin[BLOCKS_MAX + 1] = {sizeof(dry_save_header)};
    int blocks = 0;
    make_fall(&f, 1);
    for (; begin[blocks] < f.b.size; ++blocks) {
        assert_true(blocks < BLOCKS_MAX);
        begin[blocks + 1] = end_of_block(&f.b, begin[blocks]);
    }
    char *copy = malloc(2 * f.b.size);
    assert_non_null(copy);
    for (int i = 0; i < blocks; ++i) {
        const size_t from = begin[i], to = begin[i + 1], left = f.b.size - to;
        memcpy(copy, f.b.at, from);
        memcpy(copy + from, f.b.at + to, left);
        assert_false(try_bytes(copy, from + left)); /* without it */
        memcpy(copy, f.b.at, to);
        memcpy(copy + to, f.b.at + from, f.b.size - from);
        assert_false(try_bytes(copy, f.b.size + to - from));    /* twice */
        for (int k = i + 1; k < blocks; k += test_pick(1, 5)) { /* behind others */
            memcpy(copy, f.b.at, f.b.size);
            memcpy(copy + from, f.b.at + to, begin[k + 1] - to);
            memcpy(copy + begin[k + 1] - (to - from), f.b.at + from, to - from);
            (void)try_bytes(copy, f.b.size);
        }
    }
    free(copy);
    free(f.b.at);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    bytes b = {0};
    bool more = true;
    dry_replay *replay = NULL;
    dry_world *world = NULL;
    dry_world_def def = test_world_def();
    assert_int_equal(dry_replay_create("", 0, &def, NULL, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_replay_create(NULL, 0, &def, NULL, &replay), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_replay_create("", 0, NULL, NULL, &replay), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_replay_create("", 0, &def, NULL, &replay), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_replay_step(NULL, &more), DRY_ERROR_ARGUMENT);
    assert_true(!more && !dry_replay_world(NULL) && !dry_world_is_recording(NULL));
    dry_replay_destroy(NULL);
    def = recorded_def(&b);
    def.recording.sums_every = -1;
    assert_int_equal(dry_world_create(&def, &world), DRY_ERROR_ARGUMENT);
    assert_int_equal(b.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_stages_from_saves),
        cmocka_unit_test(test_changed_call),
        cmocka_unit_test(test_changed_step),
        cmocka_unit_test(test_other_arithmetic),
        cmocka_unit_test(test_failing_sink),
        cmocka_unit_test(test_sink_that_calls),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_warm_steps),
        cmocka_unit_test(test_memory_of_recorders),
        cmocka_unit_test(test_memory_of_replays),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_steps_of_some_bodies),
        cmocka_unit_test(test_steps_in_turns),
        cmocka_unit_test(test_blocks_in_disorder),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

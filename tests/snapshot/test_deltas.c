/* Deltas: a mirror that gets some of them has the bits of the world that they were written of. */
#include "tests/golden_scenes.h"
#include "tests/scene_worlds.h"
#include "tests/snapshot/stirred_world.h"

#include "tests/saved_worlds.h"
#include "tests/world_checker.h"

#include "snapshot/delta.h"

static bytes delta_of(const dry_world *world, uint64_t step)
{
    bytes b = {0};
    const dry_sink sink = {append, &b};
    assert_ok(dry_world_save_delta(world, step, &sink));
    return b;
}

static dry_world *mirror_of(const dry_world *world)
{
    const dry_world_def def = test_world_def();
    dry_world *mirror = NULL;
    bytes b = save_of(world);
    assert_ok(dry_world_load(b.at, b.size, &def, NULL, &mirror, NULL));
    free(b.at);
    return mirror;
}

/* Sends a delta since the mirror's step, and frees it. */
static void send_delta(const dry_world *world, dry_world *mirror, const char *what)
{
    bytes b = delta_of(world, dry_world_step_count(mirror));
    assert_ok(dry_world_apply_delta(mirror, b.at, b.size, NULL));
    if (dry_world_hash(mirror) != dry_world_hash(world))
        fail_msg("%s: the mirror has another hash", what);
    free(b.at);
}

/* Sends deltas of which some are lost, some come before the next step's calls, and some after. */
static void check_mirror(dry_world *world, float dt, int steps, uint64_t seed, const char *what)
{
    dry_history *history = history_of(world, 12);
    dry_world *mirror = mirror_of(world);
    uint64_t draw = 77;
    for (int step = 0; step < steps; ++step) {
        if (seed)
            stir(world, seed + (uint64_t)step);
        assert_ok(dry_world_step(world, dt));
        const bool lost = random_below(&draw, 3) > 0;
        const uint64_t behind = dry_world_step_count(world) - dry_world_step_count(mirror);
        if (!lost || behind == 12)
            send_delta(world, mirror, what);
    }
    send_delta(world, mirror, what);
    check_world(mirror, false);
    bytes a = save_of(world), b = save_of(mirror);
    assert_same_bytes(&a, &b);
    assert_ok(dry_world_step(world, dt));
    assert_ok(dry_world_step(mirror, dt));
    assert_true(dry_world_hash(world) == dry_world_hash(mirror));
    free(a.at);
    free(b.at);
    dry_world_destroy(mirror);
    dry_history_destroy(history);
}

static dry_world *pyramid(int size, bool sleeps)
{
    dry_world_def def = test_world_def();
    dry_scene made;
    assert_true(golden_make("pyramid", size, &made));
    def.settings.sleep = sleeps;
    dry_world *world = world_from(&def);
    dry_body_id *ids = built_in(world, &made);
    free(ids);
    dry_scene_free(&made);
    return world;
}

static void mirrored_scenes(void **state)
{
    (void)state;
    for (int kind = 0; kind < COUNT_OF(kinds); ++kind) {
        scene s;
        make_scene(&s, &kinds[kind]);
        check_mirror(s.world, TEST_DT, test_pick(60, 20), (uint64_t)(kind + 1) << 20, s.kind->name);
        end_scene(&s);
    }
    dry_world *world = pyramid(6, true);
    check_mirror(world, TEST_DT, test_pick(600, 60), 0, "pyramid");
    dry_world_destroy(world);
}

/* A body takes 250 bytes while it is awake, and a world that sleeps 200 in all. */
static void sizes(void **state)
{
    (void)state;
    dry_world *world = pyramid(20, false);
    run_steps(world, 60, TEST_DT);
    history_of(world, 4);
    const uint64_t step = dry_world_step_count(world);
    run_steps(world, 4, TEST_DT);
    bytes b = delta_of(world, step);
    assert_true(b.size <= 250 * (size_t)dry_world_statistics(world).dynamic_bodies);
    free(b.at);
    dry_world_destroy(world);
    world = pyramid(20, true);
    for (int i = 0; i < 600 && dry_world_statistics(world).awake_bodies > 0; ++i)
        run_steps(world, 1, TEST_DT);
    assert_int_equal(dry_world_statistics(world).awake_bodies, 0);
    run_steps(world, 30, TEST_DT);
    history_of(world, 4);
    const uint64_t asleep = dry_world_step_count(world);
    run_steps(world, 4, TEST_DT);
    b = delta_of(world, asleep);
    print_message("a delta of a sleeping pyramid: %zu bytes\n", b.size);
    assert_in_range(b.size, 1, 200);
    free(b.at);
    dry_world_destroy(world);
}

/* A world draws numbers and goes back: mirrors of before and of after both have the step that a delta begins
 * with, and end with the numbers that were drawn. */
static void numbers_drawn(void **state)
{
    (void)state;
    enum { USES = 70 }; /* of one slot: more than one number is good for */
    dry_world_def def = test_world_def();
    def.tag = 0;
    dry_world *world = world_from(&def);
    add_dynamic(world, pose_at(0, 0, 0), sphere_shape(0.5));
    dry_history *history = history_of(world, 8);
    run_steps(world, 5, TEST_DT);
    dry_world *before = mirror_of(world);
    for (int i = 0; i < USES; ++i)
        assert_ok(dry_body_destroy(world, add_dynamic(world, pose_at(5, 0, 0), sphere_shape(0.5))));
    run_steps(world, 3, TEST_DT);
    assert_ok(dry_history_rewind(history, 3));
    dry_world *after = mirror_of(world);
    run_steps(world, 2, TEST_DT);
    send_delta(world, before, "before");
    send_delta(world, after, "after");
    bytes a = save_of(world), b = save_of(before), c = save_of(after);
    assert_same_bytes(&a, &b);
    assert_same_bytes(&a, &c);
    free(a.at);
    free(b.at);
    free(c.at);
    dry_world_destroy(before);
    dry_world_destroy(after);
    dry_world_destroy(world);
}

/* A mirror that gives memory back, after most of its contacts went, still has the step that a delta begins
 * with. */
static void trimmed_mirror(void **state)
{
    (void)state;
    dry_body_id ids[16];
    dry_world *world = pyramid(4, false);
    run_steps(world, 30, TEST_DT);
    const int count = dry_world_get_bodies(world, ids, COUNT_OF(ids));
    assert_ok(dry_world_destroy_bodies(world, count - 3, &ids[3]));
    run_steps(world, 1, TEST_DT);
    history_of(world, 4);
    dry_world *mirror = mirror_of(world);
    run_steps(world, 2, TEST_DT);
    assert_ok(dry_world_trim(mirror));
    send_delta(world, mirror, "a trimmed mirror");
    dry_world_destroy(mirror);
    dry_world_destroy(world);
}

static bool refuse(void *user, const void *some, size_t size)
{
    (void)user, (void)some, (void)size;
    return false;
}

/* Checks that a mirror refuses bytes and stays as it is. */
static void check_refused(dry_world *mirror, const bytes *b, dry_result result)
{
    const uint64_t hash = dry_world_hash(mirror);
    assert_int_equal(dry_world_apply_delta(mirror, b->at, b->size, NULL), result);
    assert_true(dry_world_hash(mirror) == hash);
}

static void refusals(void **state)
{
    (void)state;
    dry_world *world = pyramid(3, false), *mirror = mirror_of(world);
    bytes none = {0};
    const dry_sink sink = {append, &none}, full = {refuse, NULL};
    assert_int_equal(dry_world_save_delta(NULL, 0, &sink), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_save_delta(world, 0, &sink), DRY_ERROR_ARGUMENT);
    history_of(world, 2);
    run_steps(world, 3, TEST_DT);
    assert_int_equal(dry_world_save_delta(world, 0, &sink), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_save_delta(world, 4, &sink), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_save_delta(world, 2, NULL), DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_save_delta(world, 2, &full), DRY_ERROR_ARGUMENT);
    assert_int_equal(none.size, 0);
    bytes b = delta_of(world, 2);
    check_refused(mirror, &b, DRY_ERROR_ARGUMENT); /* which is at step 0 */
    check_refused(mirror, &none, DRY_ERROR_ARGUMENT);
    assert_int_equal(dry_world_apply_delta(NULL, b.at, b.size, NULL), DRY_ERROR_ARGUMENT);
    run_steps(mirror, 2, TEST_DT);
    dry_body_id id;
    dry_world_get_bodies(mirror, &id, 1);
    assert_ok(dry_body_set_user_data(mirror, id, 99));
    check_refused(mirror, &b, DRY_ERROR_ARGUMENT);
    assert_ok(dry_body_set_user_data(mirror, id, 0));
    for (uint32_t other = 0; other < 3; ++other) { /* a format of before, a later one, another arithmetic */
        dry_delta_header *h = (dry_delta_header *)(void *)b.at;
        const dry_delta_header as_it_was = *h;
        h->format += other == 0 ? -1u : other == 1;
        h->arithmetic += other == 2;
        check_refused(mirror, &b, DRY_ERROR_UNSUPPORTED);
        *h = as_it_was;
    }
    assert_ok(dry_world_apply_delta(mirror, b.at, b.size, NULL));
    assert_true(dry_world_hash(mirror) == dry_world_hash(world));
    free(b.at);
    dry_world_destroy(mirror);
    dry_world_destroy(world);
}

/* Every byte that changes is refused or harmless, with checksums repaired. Every shorter delta is refused. */
static void hostile_bytes(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, &kinds[1]);
    history_of(s.world, 4);
    dry_world *mirror = mirror_of(s.world);
    stir(s.world, 5);
    run_steps(s.world, 2, TEST_DT);
    bytes b = delta_of(s.world, dry_world_step_count(mirror));
    dry_delta_header *h = (dry_delta_header *)(void *)b.at;
    const uint64_t sum = h->sum;
    const char *code = b.at + sizeof *h;
    for (size_t at = 0; at < b.size; at += (size_t)test_pick(1, 7)) {
        const char was = b.at[at];
        for (int bit = 0; bit < 8; bit += 5) {
            b.at[at] = (char)(was ^ 1 << bit);
            if (at >= sizeof *h)
                h->code_sum = dry_delta_sum(code, b.size - sizeof *h);
            const uint64_t hash = dry_world_hash(mirror);
            if (dry_world_apply_delta(mirror, b.at, b.size, NULL) == DRY_OK)
                assert_true(dry_world_hash(mirror) == dry_world_hash(s.world)); /* unused bits */
            else
                assert_true(dry_world_hash(mirror) == hash);
            if (dry_world_step_count(mirror) != dry_world_step_count(s.world))
                continue;
            dry_world_destroy(mirror);
            assert_ok(dry_history_rewind(s.world ? s.world->history : NULL, 2));
            mirror = mirror_of(s.world);
            stir(s.world, 5);
            run_steps(s.world, 2, TEST_DT);
        }
        b.at[at] = was;
        h->code_sum = dry_delta_sum(code, b.size - sizeof *h);
    }
    for (bytes cut = b; cut.size > 0; cut.size -= cut.size < 64 ? 1 : 61)
        if (cut.size < b.size)
            check_refused(mirror, &cut, DRY_ERROR_ARGUMENT);
    assert_true(h->sum == sum);
    assert_ok(dry_world_apply_delta(mirror, b.at, b.size, NULL));
    assert_true(dry_world_hash(mirror) == dry_world_hash(s.world));
    free(b.at);
    dry_world_destroy(mirror);
    end_scene(&s);
}

static dry_shape_data *find_data(void *user, uint64_t hash)
{
    return user && dry_shape_data_hash(user) == hash ? user : NULL;
}

/* Data that a mirror has are found there; new ones come from its program. */
static void data_of_shapes(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, &kinds[COUNT_OF(kinds) - 2]);
    history_of(s.world, 4);
    dry_world *mirror = mirror_of(s.world);
    dry_shape_data *data = surfaces_data();
    dry_shape_def ground = data_shape(DRY_SHAPE_COMPOUND, data);
    add_body(s.world, DRY_BODY_STATIC, pose_at(0, -1, 0), ground);
    run_steps(s.world, 1, TEST_DT);
    bytes b = delta_of(s.world, dry_world_step_count(mirror));
    check_refused(mirror, &b, DRY_ERROR_ARGUMENT);
    const dry_load_options options = {.find_data = find_data, .user = data};
    assert_ok(dry_world_apply_delta(mirror, b.at, b.size, &options));
    dry_shape_data_release(data);
    assert_true(dry_world_hash(mirror) == dry_world_hash(s.world));
    run_steps(mirror, 3, TEST_DT);
    free(b.at);
    dry_world_destroy(mirror);
    end_scene(&s);
}

/* Each allocation fails once, and nothing has changed. */
static void no_memory(void **state)
{
    (void)state;
    scene s, m;
    make_scene(&s, &kinds[0]);
    history_of(s.world, 4);
    bytes save = save_of(s.world);
    make_scene(&m, &kinds[0]);
    assert_ok(dry_world_restore(m.world, save.at, save.size, NULL, NULL));
    run_steps(s.world, 1, TEST_DT);
    bytes b = {0};
    const dry_sink sink = {append, &b};
    dry_result result = DRY_ERROR_MEMORY;
    for (int at = 0; result != DRY_OK; ++at) {
        s.counter.calls = 0;
        s.counter.fail_at = at;
        result = dry_world_save_delta(s.world, dry_world_step_count(m.world), &sink);
        assert_true(result == DRY_OK || (result == DRY_ERROR_MEMORY && b.size == 0));
    }
    result = DRY_ERROR_MEMORY;
    for (int at = 0; result != DRY_OK; ++at) {
        const uint64_t hash = dry_world_hash(m.world);
        m.counter.calls = 0;
        m.counter.fail_at = at;
        result = dry_world_apply_delta(m.world, b.at, b.size, NULL);
        assert_true(result == DRY_OK || (result == DRY_ERROR_MEMORY && dry_world_hash(m.world) == hash));
    }
    assert_true(dry_world_hash(m.world) == dry_world_hash(s.world));
    s.counter.fail_at = m.counter.fail_at = -1;
    free(save.at);
    free(b.at);
    end_scene(&s);
    end_scene(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trimmed_mirror),  cmocka_unit_test(refusals),      cmocka_unit_test(sizes),
        cmocka_unit_test(data_of_shapes),  cmocka_unit_test(hostile_bytes), cmocka_unit_test(no_memory),
        cmocka_unit_test(mirrored_scenes), cmocka_unit_test(numbers_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

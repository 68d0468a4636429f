/* Worlds that give memory back: their state, ids and future stay to the bit, whatever they hold; without
 * memory nothing changes; a world that lost most of its bodies needs little more than one that never had
 * them.
 */
#include "tests/counting_allocator.h"
#include "tests/golden_scenes.h"
#include "tests/memory_scenes.h"
#include "tests/recordings.h"
#include "tests/scene_worlds.h"
#include "tests/world_checker.h"

/* Trims one of two worlds of the same state, and steps both. */
static void check_future(dry_world *world, dry_world *twin, float dt, int steps, const char *what)
{
    const uint64_t before = dry_world_hash(world);
    const dry_statistics had = dry_world_statistics(world);
    assert_ok(dry_world_trim(world));
    const dry_statistics has = dry_world_statistics(world);
    check_world(world, false);
    if (dry_world_hash(world) != before)
        fail_msg("%s: another hash", what);
    assert_true(has.memory_bytes <= had.memory_bytes && has.allocations > had.allocations);
    assert_true(has.colors == had.colors && has.impacts == had.impacts && has.pairs == had.pairs &&
                has.manifolds == had.manifolds && has.step_ms == had.step_ms && has.repairs == had.repairs);
    assert_int_equal(dry_world_events(world).contact_begin_count, 0);
    for (int i = 0; i < steps; i++) {
        assert_ok(dry_world_step(world, dt));
        assert_ok(dry_world_step(twin, dt));
        if (dry_world_hash(world) != dry_world_hash(twin))
            fail_msg("%s: hashes differ after %d steps", what, i + 1);
        const dry_events x = dry_world_events(world), y = dry_world_events(twin);
        assert_true(x.contact_begin_count == y.contact_begin_count && x.sleep_count == y.sleep_count &&
                    x.contact_end_count == y.contact_end_count && x.hit_count == y.hit_count &&
                    x.moved_count == y.moved_count && x.joint_count == y.joint_count);
    }
}

static dry_world *twin_of(const dry_world *world)
{
    bytes b = save_of(world);
    dry_world *twin = loaded(&b, 0);
    free(b.at);
    return twin;
}

/* Each method, setting and object that has memory of its own, between calls that stir. */
static void test_stirred_worlds(void **state)
{
    (void)state;
    for (int kind = 0; kind < COUNT_OF(kinds); ++kind) {
        scene s;
        make_scene(&s, &kinds[kind]);
        for (int turn = 0; turn < test_pick(6, 3); ++turn) {
            const dry_body_id gone = s.ids[turn * 5 % BODIES];
            assert_ok(dry_body_destroy(s.world, gone));
            dry_world *twin = twin_of(s.world);
            check_future(s.world, twin, TEST_DT, 4, s.kind->name);
            const dry_shape_def shape = turn % 2 ? sphere_shape(0.3) : box_shape(0.3, 0.2, 0.4);
            const dry_pose pose = pose_at(0.1 * turn, 2 + 0.3 * turn, 0);
            s.ids[turn * 5 % BODIES] = add_dynamic(s.world, pose, shape);
            const dry_body_id other = add_dynamic(twin, pose, shape);
            assert_true(other.bits == s.ids[turn * 5 % BODIES].bits);
            assert_false(dry_body_is_valid(s.world, gone));
            check_future(s.world, twin, TEST_DT, 2, s.kind->name);
            dry_world_destroy(twin);
        }
        end_scene(&s);
    }
}

/* All built-in scenes, while they run: each has slabs, joints that are factored, or shapes of its own. */
static void test_scenes(void **state)
{
    (void)state;
    for (const dry_scene_builtin *builtin = dry_scene_builtins(); builtin->name; ++builtin) {
        const golden_length length = golden_length_of(builtin);
        dry_scene made;
        assert_true(golden_make(builtin->name, length.size, &made));
        dry_world_def def = test_world_def();
        def.threads = 2;
        def.settings.gravity = made.gravity;
        dry_world *world = world_from(&def);
        dry_body_id *ids = built_in(world, &made);
        free(ids);
        for (int done = 0; done < test_pick(30, 10); done += 10) {
            run_steps(world, 6, made.dt);
            dry_world *twin = twin_of(world);
            check_future(world, twin, made.dt, 4, builtin->name);
            dry_world_destroy(twin);
        }
        dry_world_destroy(world);
        dry_scene_free(&made);
    }
}

static void test_trims_without_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < COUNT_OF(kinds); kind += test_pick(1, 4)) {
        scene s;
        make_scene(&s, &kinds[kind]);
        dry_world *twin = twin_of(s.world);
        const uint64_t hash = dry_world_hash(s.world);
        const size_t held = s.counter.bytes;
        int failures = 0;
        for (;; failures++) {
            s.counter.fail_at = (int64_t)s.counter.calls + failures;
            const dry_result result = dry_world_trim(s.world);
            s.counter.fail_at = -1;
            if (result == DRY_OK)
                break;
            assert_int_equal(result, DRY_ERROR_MEMORY);
            assert_int_equal(s.counter.bytes, held);
            assert_int_equal(dry_world_statistics(s.world).memory_bytes, held);
            assert_true(dry_world_hash(s.world) == hash);
        }
        assert_in_range(failures, 20, 200);
        assert_int_equal(dry_world_statistics(s.world).memory_bytes, s.counter.bytes);
        check_future(s.world, twin, TEST_DT, 3, s.kind->name);
        dry_world_destroy(twin);
        end_scene(&s);
    }
}

static void trim_in_stage(dry_stage stage, void *user)
{
    (void)stage;
    dry_world **world = user;
    if (*world)
        assert_int_equal(dry_world_trim(*world), DRY_ERROR_LOCKED);
}

static void test_trim_is_locked_in_a_step(void **state)
{
    (void)state;
    dry_world *world = NULL;
    dry_world_def def = test_world_def();
    def.hook = (dry_stage_hook){trim_in_stage, trim_in_stage, &world};
    world = world_from(&def);
    add_floor(world, 0.6, 0);
    add_dynamic(world, pose_at(0, 1, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 3, TEST_DT);
    assert_int_equal(dry_world_trim(NULL), DRY_ERROR_ARGUMENT);
    dry_world_destroy(world);
}

static void add_towers(dry_world *world, int begin, int end, dry_body_id *ids)
{
    for (int i = begin; i < end; i++)
        ids[i] = add_dynamic(world, pose_at(2.0 * (i / 10), 0.5 + i % 10, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 10, TEST_DT);
}

/* Makes a floor and boxes in towers of ten. */
static dry_world *towers(int boxes, dry_body_id *ids)
{
    dry_settings settings = test_settings();
    settings.sleep = false;
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    add_towers(world, 0, boxes, ids);
    return world;
}

/* Bodies at rest keep beside the tables what spares work; a push ends the rest of one tower. */
static void test_worlds_at_rest(void **state)
{
    (void)state;
    enum { BOXES = 30 };
    dry_body_id ids[BOXES];
    dry_world *world = towers(BOXES, ids);
    for (int turn = 0; turn < 4; turn++) {
        run_steps(world, 100, TEST_DT);
        if (turn % 2)
            assert_ok(dry_body_apply_impulse(world, ids[5 * turn], v3(300, 0, 0)));
        dry_world *twin = twin_of(world);
        check_future(world, twin, TEST_DT, 30, "towers at rest");
        dry_world_destroy(twin);
    }
    dry_world_destroy(world);
}

/* Returns how many proxies wait for their trees to be brought up to date. */
static int waiting_proxies(const dry_world *world)
{
    const dry_proxies *proxies = dry_broadphase_proxies(world->broadphase);
    int count = 0;
    for (int i = 0; i < proxies->used; i++)
        count += (proxies->flags[i] & ~(unsigned)DRY_PROXY_STATE) != 0;
    return count;
}

/* A sleeper that a call wakes is in the tree of sleepers until the next step. New trees have it where it
 * belongs, and nobody waits. */
static void test_a_world_whose_trees_are_behind(void **state)
{
    (void)state;
    dry_settings settings = test_settings();
    settings.sleep = true;
    dry_world *world = world_with(settings);
    dry_body_id ids[3];
    add_floor(world, 0.6, 0);
    for (int i = 0; i < 3; i++)
        ids[i] = add_dynamic(world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 240, TEST_DT);
    assert_int_equal(dry_world_statistics(world).awake_bodies, 0);
    assert_ok(dry_body_set_awake(world, ids[0], true));
    assert_in_range(waiting_proxies(world), 1, 3);
    dry_world *twin = twin_of(world);
    assert_ok(dry_world_trim(world));
    assert_int_equal(waiting_proxies(world), 0);
    assert_ok(dry_body_apply_impulse(world, ids[2], v3(3000, 0, 0)));
    assert_ok(dry_body_apply_impulse(twin, ids[2], v3(3000, 0, 0)));
    check_future(world, twin, TEST_DT, 60, "a tower that woke");
    dry_world_destroy(twin);
    dry_world_destroy(world);
}

/* Of what the lost bodies took, slots and columns of shapes stay. */
static void test_a_world_that_lost_most_of_its_bodies(void **state)
{
    (void)state;
    enum { MANY = 2000, FEW = 100, BYTES_AN_ID = 150 };
    static dry_body_id ids[MANY], few[FEW];
    dry_world *world = towers(FEW, ids), *small = towers(FEW, few);
    add_towers(world, FEW, MANY, ids);
    run_steps(small, 10, TEST_DT);
    assert_ok(dry_world_destroy_bodies(world, MANY - FEW, ids + FEW));
    run_steps(world, 5, TEST_DT);
    run_steps(small, 5, TEST_DT);
    assert_true(dry_world_motion_hash(world) == dry_world_motion_hash(small));
    const size_t before = dry_world_statistics(world).memory_bytes;
    assert_ok(dry_world_trim(world));
    const size_t at_rest = dry_world_statistics(world).memory_bytes;
    run_steps(world, 5, TEST_DT);
    run_steps(small, 5, TEST_DT);
    assert_true(dry_world_motion_hash(world) == dry_world_motion_hash(small));
    const size_t after = dry_world_statistics(world).memory_bytes;
    const size_t least = dry_world_statistics(small).memory_bytes;
    print_message("%zu bytes, trimmed %zu, after steps %zu; never more than %d bodies %zu\n", before, at_rest,
                  after, FEW, least);
    assert_in_range(at_rest, 1, after);
    assert_in_range(after, 1, least + (MANY - FEW) * BYTES_AN_ID);
    /* Grows again, and all is as it was. */
    for (int i = 0; i < FEW; i++)
        assert_true(dry_body_is_valid(world, ids[i]) && !dry_body_is_valid(world, ids[FEW + i]));
    for (int i = 0; i < 300; i++)
        add_dynamic(world, pose_at(-2.0 * (i / 10 + 1), 0.5 + i % 10, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 5, TEST_DT);
    check_world(world, true);
    dry_world_destroy(world);
    dry_world_destroy(small);
}

/* Returns a body's bytes in a pile that fell, and once that was trimmed. */
static void weigh_pile(int boxes, double *fallen, double *trimmed)
{
    dry_scene made;
    assert_true(golden_make("pile", boxes, &made));
    dry_world_def def = test_world_def();
    def.threads = 1;
    def.settings.gravity = made.gravity;
    def.settings.sleep = false;
    dry_world *world = world_from(&def);
    dry_body_id *ids = built_in(world, &made);
    free(ids);
    run_steps(world, 300, made.dt);
    *fallen = (double)dry_world_statistics(world).memory_bytes / boxes;
    assert_ok(dry_world_trim(world));
    run_steps(world, 60, made.dt);
    *trimmed = (double)dry_world_statistics(world).memory_bytes / boxes;
    dry_world_destroy(world);
    dry_scene_free(&made);
}

/* Piles that fell keep room for what they needed meanwhile, such as a bundle for islands that share it. The
 * bounds are what a room's memory is to stay below (core/DECISIONS.md), in the mean: some piles slide again.
 */
static void test_memory_of_piles(void **state)
{
    (void)state;
    enum { PILES = 9, FALLEN_MOST = 2800, TRIMMED_MOST = 2500 };
    double fallen = 0, trimmed = 0;
    for (int i = 0; i < PILES; i++) {
        double once, then;
        weigh_pile(80 + 5 * i, &once, &then);
        fallen += once / PILES;
        trimmed += then / PILES;
    }
    print_message("bytes a body: %.0f, trimmed %.0f\n", fallen, trimmed);
    assert_at_most(fallen, FALLEN_MOST);
    assert_at_most(trimmed, TRIMMED_MOST);
}

/* A world with nothing to give back keeps what it has, whatever it holds and however often it is asked, and
 * the steps after it need no more than those before. */
static void test_a_trim_makes_no_world_larger(void **state)
{
    (void)state;
    for (int boxes = 0; boxes <= 27; boxes = 3 * boxes + (boxes == 0)) {
        for (int sleep = 0; sleep < 2; sleep++) {
            dry_settings settings = test_settings();
            settings.sleep = sleep;
            dry_world *world = world_with(settings);
            if (boxes > 0)
                add_floor(world, 0.6, 0);
            for (int i = 0; i < boxes; i++)
                add_dynamic(world, pose_at(2.0 * (i / 3), 0.5 + i % 3, 0), box_shape(0.5, 0.5, 0.5));
            run_steps(world, 100, TEST_DT);
            const size_t before = dry_world_statistics(world).memory_bytes;
            dry_world *twin = twin_of(world);
            assert_ok(dry_world_trim(world));
            const size_t once = dry_world_statistics(world).memory_bytes;
            assert_in_range(once, 1, before);
            check_future(world, twin, TEST_DT, 0, "trimmed twice");
            assert_int_equal(dry_world_statistics(world).memory_bytes, once);
            check_future(world, twin, TEST_DT, 5, "trimmed three times");
            assert_in_range(dry_world_statistics(world).memory_bytes, 1, before);
            check_future(world, twin, TEST_DT, 5, "trimmed between steps");
            dry_world_destroy(twin);
            dry_world_destroy(world);
        }
    }
}

/* A recording goes on over a trim, and steps of some bodies find their room again. */
static void test_trim_while_recording(void **state)
{
    (void)state;
    bytes b = {0};
    dry_body_id ids[12];
    const dry_world_def def = recorded_def(&b);
    dry_world *world = world_from(&def);
    add_body(world, DRY_BODY_STATIC, pose_at(0, -1, 0), box_shape(10, 1, 10));
    for (int i = 0; i < COUNT_OF(ids); i++)
        ids[i] = add_dynamic(world, pose_at(i % 4, 0.5 + i / 4, 0), box_shape(0.5, 0.5, 0.5));
    for (int turn = 0; turn < 3; turn++) {
        run_steps(world, 5, TEST_DT);
        assert_ok(dry_world_step_only(world, TEST_DT, ids + turn, 6));
        assert_ok(dry_body_destroy(world, ids[11 - turn]));
        assert_ok(dry_world_trim(world));
        assert_ok(dry_world_step_only(world, TEST_DT, ids + turn, 5));
        assert_true(dry_world_is_recording(world));
    }
    run_steps(world, 5, TEST_DT);
    /* The world that nobody trimmed has the same state, in a longer column of contacts. */
    dry_replay *replay = replay_of(&b, 1, 0);
    const dry_replay_report report = run_replay(replay);
    assert_int_equal(report.difference.kind, DRY_DIFFERENCE_NONE);
    assert_true(dry_world_hash(dry_replay_world(replay)) == dry_world_hash(world));
    dry_replay_destroy(replay);
    dry_world_destroy(world);
    free(b.at);
}

/* A history may go back to more bodies than a trimmed world has room for. */
static void test_trim_beside_a_history(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    dry_history *history;
    assert_ok(dry_world_create_history(world, 4, &history));
    assert_int_equal(dry_world_trim(world), DRY_ERROR_ARGUMENT);
    dry_history_destroy(history);
    assert_ok(dry_world_trim(world));
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stirred_worlds),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_trims_without_memory),
        cmocka_unit_test(test_trim_is_locked_in_a_step),
        cmocka_unit_test(test_trim_while_recording),
        cmocka_unit_test(test_trim_beside_a_history),
        cmocka_unit_test(test_worlds_at_rest),
        cmocka_unit_test(test_a_world_whose_trees_are_behind),
        cmocka_unit_test(test_a_world_that_lost_most_of_its_bodies),
        cmocka_unit_test(test_memory_of_piles),
        cmocka_unit_test(test_a_trim_makes_no_world_larger),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Many bodies destroyed by one call against the same ones destroyed one by one, in the same order. */
#include "tests/counting_allocator.h"
#include "tests/world_checker.h"

enum { BODIES_MAX = 700 };

typedef struct crowd {
    dry_world *world;
    dry_body_id ids[BODIES_MAX];
    int count;
} crowd;

typedef struct crowd_case {
    int layers;      /* of 64 boxes and balls */
    int steps;       /* before */
    int share;       /* of a hundred that are destroyed */
    bool sleep;      /* as soon as they rest */
    bool wake_some;  /* then */
    bool only_awake; /* or asleep ones are destroyed: */
    bool only_asleep;
} crowd_case;

/* Clusters of boxes, balls and compound bodies on boxes of their own, some jointed, some kinematic or
 * disabled; under all a half-space. */
static void make_crowd(crowd *c, const crowd_case *one, dry_allocator allocator)
{
    dry_world_def def = test_world_def();
    def.settings = test_settings();
    def.settings.sleep = one->sleep;
    def.settings.sleep_after = 0.1f;
    def.allocator = allocator;
    c->world = world_from(&def);
    c->ids[0] = add_body(c->world, DRY_BODY_STATIC, pose_at(0, -1, 0), halfspace_shape(v3(0, 1, 0), 0));
    c->count = 1;
    for (int layer = 0; layer < one->layers; ++layer)
        for (int i = 0; i < 64; ++i) {
            int column = i % 8, row = i / 8;
            double x = 1.05 * column + 3 * (column / 4), z = 1.05 * row + 3 * (row / 4);
            dry_shape_def shapes[2] = {box_shape(0.5, 0.5, 0.5), sphere_shape(0.3)};
            shapes[1].pose.position.y = 0.3f;
            dry_body_type type = DRY_BODY_DYNAMIC;
            if (layer == 0)
                type = i % 3 ? DRY_BODY_STATIC : DRY_BODY_KINEMATIC;
            dry_body_def body = body_def(type, pose_at(x, 0.5 + 1.01 * layer, z), shapes);
            body.shape_count = 1 + (i + layer) % 5 / 4;
            body.enabled = (7 * layer + i) % 29 != 0;
            if (i % 7 == 3)
                shapes[0] = sphere_shape(0.5);
            c->ids[c->count++] = add_def(c->world, &body);
            if (layer > 1 && i % 11 < 3 && i % 4 > 0) {
                dry_joint_def joint = dry_default_joint_def(DRY_JOINT_DISTANCE);
                joint.body_a = c->ids[c->count - 1];
                joint.body_b = c->ids[c->count - 2];
                joint.length = 1.05f;
                dry_joint_id id;
                assert_ok(dry_world_create_joint(c->world, &joint, &id));
            }
        }
    run_steps(c->world, one->steps, TEST_DT);
    for (int i = 0; one->wake_some && i < c->count; i += 150)
        assert_ok(dry_body_set_awake(c->world, c->ids[i], true));
}

/* The same ones of both crowds, in the same order. */
static int choose(const crowd *c, const crowd_case *one, uint64_t seed, dry_body_id *chosen)
{
    int count = 0;
    for (int i = 0; i < c->count; ++i) {
        bool awake = dry_body_is_awake(c->world, c->ids[i]);
        if (random_below(&seed, 100) < one->share && !(one->only_awake && !awake) &&
            !(one->only_asleep && awake))
            chosen[count++] = c->ids[i];
    }
    for (int i = count - 1; i > 0; --i) {
        int k = random_below(&seed, i + 1);
        dry_body_id swap = chosen[i];
        chosen[i] = chosen[k];
        chosen[k] = swap;
    }
    return count;
}

static int compare_events(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(dry_contact_event));
}

static void assert_same_ends(const dry_world *a, const dry_world *b)
{
    dry_events of_a = dry_world_events(a), of_b = dry_world_events(b);
    check(of_a.contact_end_count == of_b.contact_end_count);
    assert_int_equal(of_a.contact_end_count, of_b.contact_end_count);
    size_t bytes = (size_t)of_a.contact_end_count * sizeof *of_a.contact_ends;
    if (bytes == 0)
        return;
    dry_contact_event *ends[2] = {malloc(bytes), malloc(bytes)};
    assert_true(ends[0] && ends[1]);
    memcpy(ends[0], of_a.contact_ends, bytes);
    memcpy(ends[1], of_b.contact_ends, bytes);
    for (int i = 0; i < 2; ++i)
        qsort(ends[i], (size_t)of_a.contact_end_count, sizeof *ends[i], compare_events);
    assert_memory_equal(ends[0], ends[1], bytes);
    free(ends[0]);
    free(ends[1]);
}

static void check_case(const crowd_case *one, uint64_t seed)
{
    static crowd many, each;
    static dry_body_id chosen[BODIES_MAX];
    make_crowd(&many, one, (dry_allocator){0});
    make_crowd(&each, one, (dry_allocator){0});
    assert_true(dry_world_hash(many.world) == dry_world_hash(each.world));
    int count = choose(&many, one, seed, chosen);
    snprintf(checker_place, sizeof checker_place, "%d layers, %d of 100 after %d steps, seed %d: %d bodies",
             one->layers, one->share, one->steps, (int)seed, count);
    assert_ok(dry_world_destroy_bodies(many.world, count, chosen));
    for (int i = 0; i < count; ++i)
        assert_ok(dry_body_destroy(each.world, chosen[i]));
    check_world(many.world, true);
    /* End events wait in another order until a step publishes them. */
    check(dry_world_motion_hash(many.world) == dry_world_motion_hash(each.world));
    for (int i = 0; i < count; ++i)
        check(!dry_body_is_valid(many.world, chosen[i]));
    run_steps(many.world, 1, TEST_DT);
    run_steps(each.world, 1, TEST_DT);
    check(dry_world_hash(many.world) == dry_world_hash(each.world));
    assert_same_ends(many.world, each.world);
    /* New objects have the same ids, and both worlds go on alike. */
    crowd *both[2] = {&many, &each};
    dry_body_id made[2][10];
    for (int w = 0; w < 2; ++w) {
        for (int i = 0; i < 10; ++i)
            made[w][i] = add_dynamic(both[w]->world, pose_at(i, 8, i), box_shape(0.4, 0.4, 0.4));
        run_steps(both[w]->world, 40, TEST_DT);
        check_world(both[w]->world, true);
    }
    assert_memory_equal(made[0], made[1], sizeof made[0]);
    check(dry_world_hash(many.world) == dry_world_hash(each.world));
    dry_world_destroy(many.world);
    dry_world_destroy(each.world);
}

static void test_many_are_as_one_by_one(void **state)
{
    (void)state;
    const crowd_case cases[] = {
        {.layers = 6, .steps = 30, .share = 100},
        {.layers = 6, .steps = 30, .share = 50},
        {.layers = 6, .steps = 3, .share = 10},
        {.layers = 10, .steps = 0, .share = 80},
        {.layers = 6, .steps = 120, .share = 100, .sleep = true},
        {.layers = 6, .steps = 120, .share = 40, .sleep = true},
        {.layers = 3, .steps = 90, .share = 60, .sleep = true, .wake_some = true},
        {.layers = 3, .steps = 90, .share = 100, .sleep = true, .wake_some = true, .only_awake = true},
        {.layers = 3, .steps = 90, .share = 100, .sleep = true, .wake_some = true, .only_asleep = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (uint64_t seed = 1; seed <= (uint64_t)test_pick(4, 1); ++seed)
            check_case(&cases[i], seed);
}

/* Without room for the end events nothing is destroyed; nor if one id is bad, or there twice. */
static void test_all_or_none(void **state)
{
    (void)state;
    static crowd c;
    static dry_body_id chosen[BODIES_MAX];
    const crowd_case one = {.layers = 6, .steps = 30, .share = 90};
    counting_allocator counter = {.fail_at = -1};
    make_crowd(&c, &one, counting_hooks(&counter));
    snprintf(checker_place, sizeof checker_place, "all or none");
    int count = choose(&c, &one, 3, chosen);
    uint64_t hash = dry_world_hash(c.world);
    dry_body_id last = chosen[count - 1];
    chosen[count - 1] = chosen[count / 2];
    assert_int_equal(dry_world_destroy_bodies(c.world, count, chosen), DRY_ERROR_STALE_ID);
    chosen[count - 1] = (dry_body_id){0};
    assert_int_equal(dry_world_destroy_bodies(c.world, count, chosen), DRY_ERROR_STALE_ID);
    chosen[count - 1] = last;
    check_world(c.world, true);
    int failures = 0;
    for (;; ++failures) {
        counter.fail_at = (int64_t)counter.calls;
        counter.fail_all = true;
        if (failures > 0)
            counter.fail_at += failures - 1;
        dry_result result = dry_world_destroy_bodies(c.world, count, chosen);
        counter.fail_at = -1;
        if (result == DRY_OK)
            break;
        assert_int_equal(result, DRY_ERROR_MEMORY);
        assert_true(dry_world_hash(c.world) == hash);
        check_world(c.world, true);
    }
    assert_true(failures > 0);
    check_world(c.world, true);
    assert_int_equal(dry_world_get_bodies(c.world, NULL, 0), c.count - count);
    run_steps(c.world, 5, TEST_DT);
    dry_world_destroy(c.world);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_are_as_one_by_one),
        cmocka_unit_test(test_all_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

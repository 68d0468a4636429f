/* Events against what the world's state says: contacts that begin and end, hits, sleep, moved bodies. */
#include "tests/test_world.h"

enum { PAIRS_MAX = 1024 };

/* A set of touching shape pairs, sorted, the smaller id first. */
typedef struct pair_list {
    uint64_t pairs[PAIRS_MAX][2];
    int count;
} pair_list;

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

static void list_add(pair_list *list, dry_shape_id a, dry_shape_id b)
{
    assert_true(list->count < PAIRS_MAX);
    uint64_t *pair = list->pairs[list->count++];
    pair[0] = a.bits < b.bits ? a.bits : b.bits;
    pair[1] = a.bits < b.bits ? b.bits : a.bits;
}

static void list_sort(pair_list *list)
{
    qsort(list->pairs, (size_t)list->count, sizeof *list->pairs, compare_pairs);
    for (int i = 1; i < list->count; ++i)
        assert_true(compare_pairs(list->pairs[i - 1], list->pairs[i]) != 0);
}

static bool list_has(const pair_list *list, const uint64_t *pair)
{
    return bsearch(pair, list->pairs, (size_t)list->count, sizeof *list->pairs, compare_pairs) != NULL;
}

static pair_list touching(const dry_world *world)
{
    static dry_contact contacts[PAIRS_MAX];
    pair_list list;
    list.count = 0;
    int count = dry_world_get_contacts(world, contacts, PAIRS_MAX);
    for (int i = 0; i < count; ++i)
        list_add(&list, contacts[i].shape_a, contacts[i].shape_b);
    list_sort(&list);
    return list;
}

static pair_list pairs_of_events(const dry_contact_event *events, int count)
{
    pair_list list;
    list.count = 0;
    for (int i = 0; i < count; ++i)
        list_add(&list, events[i].shape_a, events[i].shape_b);
    list_sort(&list);
    return list;
}

/* Every pair of `in` that is not in `without` must be in `events`, and nothing else. */
static void check_difference(const pair_list *in, const pair_list *without, const pair_list *events)
{
    int expected = 0;
    for (int i = 0; i < in->count; ++i) {
        if (!list_has(without, in->pairs[i])) {
            assert_true(list_has(events, in->pairs[i]));
            expected++;
        }
    }
    assert_int_equal(events->count, expected);
}

static dry_body_id drop_one(dry_world *world, uint64_t *seed)
{
    int kind = random_below(seed, 3);
    dry_shape_def shape = kind == 0   ? sphere_shape(0.4)
                          : kind == 1 ? capsule_shape(0.25, 0.4)
                                      : box_shape(0.4, 0.3, 0.5);
    shape.restitution = 0.6f;
    d3 p = random_d3(seed, 2.5);
    return add_dynamic(world, (dry_pose){{p.x, 5 + p.y, p.z}, random_quat(seed)}, shape);
}

/* A tumbling heap in which bodies come and go: begin and end events are exactly the changes of the
 * list of touching pairs from step to step. */
static void test_contact_events_match_transitions(void **state)
{
    (void)state;
    enum { BODIES = 40 };
    dry_world *world = world_with(dry_default_settings());
    add_floor(world, 0.6, 0);
    uint64_t seed = 11;
    dry_body_id ids[BODIES];
    for (int i = 0; i < BODIES; ++i)
        ids[i] = drop_one(world, &seed);
    pair_list before = {.count = 0};
    int begins = 0, ends = 0;
    for (int step = 0; step < 300; ++step) {
        if (step % 20 == 10) {
            int k = random_below(&seed, BODIES);
            assert_ok(dry_body_destroy(world, ids[k]));
            ids[k] = drop_one(world, &seed);
        }
        run_steps(world, 1, TEST_DT);
        pair_list now = touching(world);
        dry_events events = dry_world_events(world);
        pair_list begun = pairs_of_events(events.contact_begins, events.contact_begin_count);
        pair_list ended = pairs_of_events(events.contact_ends, events.contact_end_count);
        check_difference(&now, &before, &begun);
        check_difference(&before, &now, &ended);
        begins += begun.count;
        ends += ended.count;
        before = now;
    }
    assert_true(begins > 50 && ends > 50);
    dry_world_destroy(world);
}

static void test_destroyed_body_ends_its_contacts(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    dry_body_id low = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id high = add_dynamic(world, pose_at(0, 1.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 10, TEST_DT);
    assert_int_equal(dry_world_get_contacts(world, NULL, 0), 2);
    dry_shape_id shape;
    int count = 0;
    assert_ok(dry_body_get_shapes(world, low, &shape, 1, &count));
    assert_ok(dry_body_destroy(world, low));
    assert_int_equal(dry_world_get_contacts(world, NULL, 0), 0);
    run_steps(world, 1, TEST_DT);
    dry_events events = dry_world_events(world);
    assert_int_equal(events.contact_end_count, 2);
    for (int i = 0; i < 2; ++i) {
        const dry_contact_event *end = &events.contact_ends[i];
        assert_true(end->body_a.bits == low.bits || end->body_b.bits == low.bits);
        assert_true(end->shape_a.bits == shape.bits || end->shape_b.bits == shape.bits);
    }
    assert_false(dry_shape_is_valid(world, shape));
    assert_true(dry_body_is_valid(world, high));
    run_steps(world, 1, TEST_DT);
    assert_int_equal(dry_world_events(world).contact_end_count, 0);
    dry_world_destroy(world);
}

/* Contacts of the world and of its bodies agree, and each is sound geometry. */
static void test_contact_lists_agree(void **state)
{
    (void)state;
    enum { BODIES = 30 };
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    uint64_t seed = 5;
    dry_body_id ids[BODIES];
    for (int i = 0; i < BODIES; ++i)
        ids[i] = drop_one(world, &seed);
    run_steps(world, 150, TEST_DT);
    static dry_contact all[PAIRS_MAX], own[PAIRS_MAX];
    int total = dry_world_get_contacts(world, all, PAIRS_MAX);
    assert_true(total > BODIES / 2);
    const dry_statistics statistics = dry_world_statistics(world);
    const dry_contact_counts counts = dry_world_count_contacts(world);
    int points = 0, awake = 0;
    for (int i = 0; i < total; ++i) {
        const dry_contact *c = &all[i];
        points += c->point_count;
        awake += dry_body_is_awake(world, c->body_a) || dry_body_is_awake(world, c->body_b);
        assert_near(d3_length(d3_of(c->normal)), 1, 1e-4);
        assert_true(c->point_count >= 1 && c->point_count <= 4);
        d3 a = position_of(world, c->body_a), b = position_of(world, c->body_b);
        for (int k = 0; k < c->point_count; ++k) {
            assert_true(c->points[k].normal_impulse_Ns >= 0);
            /* from a to b: a's side of the point is behind the normal, for round bodies at least */
            dry_shape_def shape;
            assert_ok(dry_shape_get_def(world, c->shape_b, &shape));
            if (shape.type == DRY_SHAPE_SPHERE)
                assert_true(d3_dot(d3_sub(b, d3_at(c->points[k].position)), d3_of(c->normal)) > 0.3);
            assert_ok(dry_shape_get_def(world, c->shape_a, &shape));
            if (shape.type == DRY_SHAPE_SPHERE)
                assert_true(d3_dot(d3_sub(d3_at(c->points[k].position), a), d3_of(c->normal)) > 0.3);
        }
    }
    assert_int_equal(statistics.manifolds, total);
    assert_int_equal(statistics.awake_manifolds, awake);
    assert_int_equal(counts.points, points);
    assert_true(counts.recycled_manifolds + counts.lever_rebuilds <= awake);
    assert_int_equal(dry_world_count_contacts(NULL).points, 0);
    for (int i = 0; i < BODIES; ++i) {
        int count = 0, expected = 0;
        assert_ok(dry_body_get_contacts(world, ids[i], own, PAIRS_MAX, &count));
        for (int k = 0; k < total; ++k)
            expected += all[k].body_a.bits == ids[i].bits || all[k].body_b.bits == ids[i].bits;
        assert_int_equal(count, expected);
        for (int k = 0; k < count; ++k)
            assert_true(own[k].body_a.bits == ids[i].bits || own[k].body_b.bits == ids[i].bits);
    }
    dry_world_destroy(world);
}

static void test_features_are_stable(void **state)
{
    (void)state;
    dry_world *world = world_with(test_settings());
    add_floor(world, 0.6, 0);
    dry_body_id box = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 30, TEST_DT);
    dry_contact before, now;
    int count = 0;
    assert_ok(dry_body_get_contacts(world, box, &before, 1, &count));
    assert_int_equal(count, 1);
    assert_int_equal(before.point_count, 4);
    run_steps(world, 30, TEST_DT);
    assert_ok(dry_body_get_contacts(world, box, &now, 1, &count));
    assert_int_equal(now.point_count, 4);
    for (int i = 0; i < 4; ++i) {
        int same = 0;
        for (int k = 0; k < 4; ++k)
            same += now.points[k].feature == before.points[i].feature;
        assert_int_equal(same, 1);
    }
    dry_world_destroy(world);
}

/* A hit carries the approach speed; below hit_speed_min there is none. */
static void test_hit_events(void **state)
{
    (void)state;
    static const double speeds[] = {0.5, 0.95, 1.5, 8};
    for (int i = 0; i < COUNT_OF(speeds); ++i) {
        dry_world *world = world_with(test_settings_weightless());
        dry_body_id floor = add_floor(world, 0.6, 0);
        dry_body_id ball = add_dynamic(world, pose_at(0, 1, 0), sphere_shape(0.5));
        set_velocity(world, ball, (d3){0.3, -speeds[i], 0}, (d3){0, 0, 0});
        int hits = 0;
        for (int k = 0; k < 90; ++k) {
            run_steps(world, 1, TEST_DT);
            dry_events events = dry_world_events(world);
            hits += events.hit_count;
            if (!events.hit_count)
                continue;
            dry_hit_event hit = events.hits[0];
            assert_near(hit.speed_m_s, speeds[i], 0.02 * speeds[i]);
            dry_body_id a = {0}, b = {0};
            assert_ok(dry_shape_get_body(world, hit.shape_a, &a));
            assert_ok(dry_shape_get_body(world, hit.shape_b, &b));
            bool floor_first = a.bits == floor.bits;
            assert_true((floor_first ? b : a).bits == ball.bits);
            assert_near(hit.normal.y, floor_first ? 1 : -1, 1e-4);
            assert_near(hit.point.y, 0, speeds[i] / 60 + 0.02);
        }
        assert_int_equal(hits, speeds[i] > 1 ? 1 : 0);
        dry_world_destroy(world);
    }
}

/* A box at rest falls asleep after sleep_after, all its island at once; a push wakes it, and the call's
 * wake-up is in the next step's events. That of the box below, which it leaves, follows. */
static void test_sleep_and_wake(void **state)
{
    (void)state;
    dry_settings settings = dry_default_settings();
    dry_world *world = world_with(settings);
    add_floor(world, 0.6, 0);
    dry_body_id boxes[3];
    for (int i = 0; i < 3; ++i)
        boxes[i] = add_dynamic(world, pose_at(0, 0.5 + i, 0), box_shape(0.5, 0.5, 0.5));
    int slept_at = 0;
    for (int i = 1; i <= 300 && !slept_at; ++i) {
        run_steps(world, 1, TEST_DT);
        dry_events events = dry_world_events(world);
        if (events.sleep_count) {
            slept_at = i;
            assert_int_equal(events.sleep_count, 3);
            for (int k = 0; k < 3; ++k)
                assert_true(events.sleeps[k].asleep);
        }
    }
    assert_true(slept_at >= (int)(settings.sleep_after * 60) && slept_at < 180);
    assert_int_equal(dry_world_statistics(world).awake_bodies, 0);
    uint64_t hash = dry_world_hash(world);
    dry_pose poses[3];
    for (int i = 0; i < 3; ++i) {
        assert_false(dry_body_is_awake(world, boxes[i]));
        poses[i] = pose_of(world, boxes[i]);
    }
    run_steps(world, 60, TEST_DT);
    assert_int_equal(dry_world_events(world).moved_count, 0);
    assert_true(dry_world_hash(world) == hash);

    assert_ok(dry_body_apply_impulse(world, boxes[2], v3(0, 2000, 0)));
    run_steps(world, 1, TEST_DT);
    dry_events events = dry_world_events(world);
    assert_int_equal(events.sleep_count, 1);
    assert_true(events.sleeps[0].body.bits == boxes[2].bits && !events.sleeps[0].asleep);
    assert_true(dry_body_is_awake(world, boxes[2]) && !dry_body_is_awake(world, boxes[1]));
    assert_true(position_of(world, boxes[2]).y > poses[2].position.y + 0.01);
    for (int i = 0; i < 10 && !dry_body_is_awake(world, boxes[1]); ++i) {
        run_steps(world, 1, TEST_DT);
        events = dry_world_events(world);
    }
    assert_int_equal(events.sleep_count, 1);
    assert_true(events.sleeps[0].body.bits == boxes[1].bits && !events.sleeps[0].asleep);
    dry_world_destroy(world);
}

/* A body that falls on a sleeping one wakes it; taking a sleeper's support away wakes it; can_sleep = false
 * keeps its whole island awake. */
static void test_sleepers_wake_for_cause(void **state)
{
    (void)state;
    dry_world *world = world_with(dry_default_settings());
    add_floor(world, 0.6, 0);
    dry_body_id low = add_dynamic(world, pose_at(0, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id high = add_dynamic(world, pose_at(0, 1.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id restless = add_dynamic(world, pose_at(9, 0.5, 0), box_shape(0.5, 0.5, 0.5));
    dry_body_id neighbor = add_dynamic(world, pose_at(9, 1.5, 0), box_shape(0.5, 0.5, 0.5));
    assert_ok(dry_body_set_can_sleep(world, restless, false));
    run_steps(world, 180, TEST_DT);
    assert_false(dry_body_is_awake(world, low) || dry_body_is_awake(world, high));
    assert_true(dry_body_is_awake(world, restless) && dry_body_is_awake(world, neighbor));

    dry_body_id falling = add_dynamic(world, pose_at(0, 2.6, 0), sphere_shape(0.5));
    run_steps(world, 30, TEST_DT);
    assert_true(dry_body_is_awake(world, low) && dry_body_is_awake(world, high));
    assert_ok(dry_body_destroy(world, falling));
    run_steps(world, 180, TEST_DT);
    assert_false(dry_body_is_awake(world, high));
    assert_ok(dry_body_destroy(world, low));
    assert_true(dry_body_is_awake(world, high));
    run_steps(world, 60, TEST_DT);
    assert_near(position_of(world, high).y, 0.5, 0.01);

    assert_ok(dry_body_set_awake(world, neighbor, false)); /* puts its island to sleep */
    assert_false(dry_body_is_awake(world, neighbor));
    assert_ok(dry_body_set_awake(world, neighbor, true));
    assert_true(dry_body_is_awake(world, neighbor) && dry_body_is_awake(world, restless));
    dry_world_destroy(world);
}

/* A static body that is put over sleeping bodies wakes them in the order of their creation, wherever they lie
 * in the broadphase's trees. Awake bodies are told of in the order in which they woke. */
static void test_placed_body_wakes_in_slot_order(void **state)
{
    (void)state;
    enum { SIDE = 7, SLEEPERS = SIDE * SIDE * SIDE };
    dry_world *world = world_with(test_settings_weightless());
    dry_body_id cover = add_body(world, DRY_BODY_STATIC, pose_at(0, 1000, 0), box_shape(15, 15, 15));
    int cell[SLEEPERS];
    uint64_t seed = 7;
    for (int i = 0; i < SLEEPERS; i++) {
        int k = random_below(&seed, i + 1);
        cell[i] = cell[k];
        cell[k] = i;
    }
    dry_body_id ids[SLEEPERS];
    for (int i = 0; i < SLEEPERS; i++) {
        dry_shape_def shape = box_shape(0.5, 0.5, 0.5);
        dry_pose pose =
            pose_at(2 * (cell[i] % SIDE), 2 * (cell[i] / SIDE % SIDE), 2 * (cell[i] / SIDE / SIDE));
        dry_body_def def = body_def(DRY_BODY_DYNAMIC, pose, &shape);
        def.awake = false;
        ids[i] = add_def(world, &def);
    }
    run_steps(world, 1, TEST_DT);
    assert_int_equal(dry_world_events(world).moved_count, 0);
    assert_ok(dry_body_set_pose(world, cover, pose_at(SIDE, SIDE, SIDE)));
    run_steps(world, 1, TEST_DT);
    dry_events events = dry_world_events(world);
    assert_int_equal(events.moved_count, SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++)
        assert_true(events.moved[i].body.bits == ids[i].bits);
    dry_world_destroy(world);
}

/* Moved events: each awake body that moved, once, with its pose; none for static bodies or sleepers. */
static void test_moved_events(void **state)
{
    (void)state;
    enum { BODIES = 20 };
    dry_world *world = world_with(dry_default_settings());
    dry_body_id floor = add_floor(world, 0.6, 0), ids[BODIES];
    for (int i = 0; i < BODIES; ++i) {
        dry_shape_def shape = box_shape(0.4, 0.4, 0.4);
        dry_body_def def = body_def(i == 0 ? DRY_BODY_KINEMATIC : DRY_BODY_DYNAMIC,
                                    pose_at(2 * i, 0.4 + 0.3 * i, 0), &shape);
        def.user_data = (uint64_t)(1000 + i);
        ids[i] = add_def(world, &def);
    }
    set_velocity(world, ids[0], (d3){0, 0, 1}, (d3){0, 0, 0});
    dry_pose before[BODIES];
    for (int step = 0; step < 240; ++step) {
        for (int i = 0; i < BODIES; ++i)
            before[i] = pose_of(world, ids[i]);
        run_steps(world, 1, TEST_DT);
        dry_events events = dry_world_events(world);
        int seen[BODIES] = {0};
        for (int k = 0; k < events.moved_count; ++k) {
            const dry_moved_event *moved = &events.moved[k];
            assert_true(moved->body.bits != floor.bits);
            int i = (int)(moved->user_data - 1000);
            assert_true(i >= 0 && i < BODIES && ids[i].bits == moved->body.bits);
            dry_pose pose = pose_of(world, ids[i]);
            assert_memory_equal(&moved->pose.position, &pose.position, sizeof pose.position);
            assert_memory_equal(&moved->pose.orientation, &pose.orientation, sizeof pose.orientation);
            dry_velocity velocity;
            assert_ok(dry_body_get_velocity(world, ids[i], &velocity));
            assert_memory_equal(&moved->velocity, &velocity, sizeof velocity);
            seen[i]++;
        }
        for (int i = 0; i < BODIES; ++i) {
            d3 change = d3_sub(position_of(world, ids[i]), d3_at(before[i].position));
            assert_true(seen[i] <= 1);
            if (d3_length(change) > 0)
                assert_int_equal(seen[i], 1);
        }
    }
    assert_int_equal(dry_world_events(world).moved_count, 1); /* only the kinematic one is left */
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_events_match_transitions),
        cmocka_unit_test(test_destroyed_body_ends_its_contacts),
        cmocka_unit_test(test_contact_lists_agree),
        cmocka_unit_test(test_features_are_stable),
        cmocka_unit_test(test_hit_events),
        cmocka_unit_test(test_sleep_and_wake),
        cmocka_unit_test(test_sleepers_wake_for_cause),
        cmocka_unit_test(test_placed_body_wakes_in_slot_order),
        cmocka_unit_test(test_moved_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

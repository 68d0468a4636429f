/* Single rules of the broadphase, each on a world of a few boxes: when a proxy leaves its fat box and how it
 * gets the next one, alone or among many; and which pairs are reported then, again, or never. */
#include "tests/broadphase/broadphase_model.h"

#include <string.h>

/* Sixteen at a time or one by one: the same fat boxes, the same proxies moved. */
static void test_many_updates(void **state)
{
    (void)state;
    enum { PROXIES = 61 };
    random_state = 99;
    for (int world = 0; world < 20; world++) {
        model one, many;
        model_create(&one, PROXIES, (dry_allocator){0});
        model_create(&many, PROXIES, (dry_allocator){0});
        for (int i = 0; i < PROXIES; i++) {
            dry_bounds bounds = random_bounds(center, 5.0, 0.001, world % 2 ? 2.0 : 0.1);
            assert_true(model_add(&one, i, bounds, true) && model_add(&many, i, bounds, true));
        }
        int left = 0, stayed = 0;
        for (int round = 0; round < 40; round++)
            for (int first = 0; first < PROXIES;) {
                dry_proxy_update updates[DRY_UPDATES_MAX];
                int count = random_below(DRY_UPDATES_MAX + 1);
                count = dry_min_int(count, PROXIES - first);
                for (int i = 0; i < count; i++) {
                    item *it = &one.items[first + i];
                    shift(&it->tight, random_vector(round % 3 ? 0.02 : 0.2));
                    dry_vec3 ahead = random_vector(random_below(3) ? 0.0 : 3.0);
                    updates[i] = (dry_proxy_update){it->tight, ahead, it->proxy};
                    bool moved = dry_broadphase_update(one.broadphase, it->proxy, &it->tight, ahead);
                    left += moved;
                    stayed += !moved;
                }
                dry_broadphase_update_many(many.broadphase, updates, count);
                first += count;
            }
        assert_memory_equal(one.broadphase->proxies.box, many.broadphase->proxies.box,
                            PROXIES * sizeof(dry_box));
        assert_memory_equal(one.broadphase->proxies.flags, many.broadphase->proxies.flags, PROXIES);
        assert_true(left > 100 && stayed > 100);
        model_destroy(&one);
        model_destroy(&many);
    }
}

static void test_settled_world_reports_nothing(void **state)
{
    (void)state;
    model m;
    model_create(&m, 100, (dry_allocator){0});
    for (int i = 0; i < m.size; i++)
        assert_true(model_add(&m, i, box_at(i % 10, i / 10, 0.0, 0.5, 0.5, 0.5), i >= 10));
    /* Neighbors in the row, above, and on both diagonals; those among the ten fixed ones are no pairs. */
    assert_int_equal(find_count(&m), 9 * 10 + 10 * 9 + 2 * 9 * 9 - 9);
    uint64_t allocations = m.memory.allocations;
    for (int step = 0; step < 10; step++) {
        for (int i = 0; i < m.size; i++) {
            shift(&m.items[i].tight, vec3(0.0f, step % 2 ? 0.02f : -0.02f, 0.0f));
            m.items[i].velocity = vec3(0.0f, -0.003f, 0.0f);
            assert_false(model_update(&m, i));
        }
        memset(m.known, 0, (size_t)m.size * (size_t)m.size);
        assert_true(model_find(&m));
    }
    assert_int_equal(m.reported, 9 * 10 + 10 * 9 + 2 * 9 * 9 - 9);
    assert_int_equal(m.memory.allocations, allocations);
    model_destroy(&m);
}

static void test_touched_proxy_is_paired_again(void **state)
{
    (void)state;
    model m;
    model_create(&m, 3, (dry_allocator){0});
    assert_true(model_add(&m, 0, box_at(0, 0, 0, 5, 1, 5), false));
    assert_true(model_add(&m, 1, box_at(0, 1.5, 0, 0.5, 0.5, 0.5), true));
    assert_true(model_add(&m, 2, box_at(1.02, 1.5, 0, 0.5, 0.5, 0.5), true));
    assert_int_equal(find_count(&m), 3);
    assert_int_equal(find_count(&m), 0);
    model_forget(&m, 0);
    assert_true(model_find(&m));
    assert_int_equal(m.reported, 3);
    dry_broadphase_mark_moved(m.broadphase, m.items[0].proxy);
    assert_int_equal(find_count(&m), 2);
    model_forget(&m, 2);
    dry_broadphase_mark_moved(m.broadphase, m.items[2].proxy);
    assert_int_equal(find_count(&m), 2);
    /* A known pair is not reported although both are touched. */
    for (int user = 0; user < 3; user++)
        dry_broadphase_mark_moved(m.broadphase, m.items[user].proxy);
    assert_int_equal(find_count(&m), 0);
    model_destroy(&m);
}

/* A pair of which neither moved stays out, also where most others moved. */
static void test_unmoved_pairs_are_left_alone(void **state)
{
    (void)state;
    for (int moving = 5; moving <= 100; moving += 95) {
        model m;
        model_create(&m, 201, (dry_allocator){0});
        /* Two columns of overlapping neighbors, before a wall that overlaps them all. */
        for (int i = 0; i < 100; i++) {
            assert_true(model_add(&m, i, box_at(0, 0.9 * i, 0, 0.5, 0.5, 0.5), true));
            assert_true(model_add(&m, 100 + i, box_at(1.5, 0.9 * i, 0, 0.5, 0.5, 0.5), true));
        }
        assert_true(model_add(&m, 200, box_at(0, 45, 1.3, 5, 60, 1), false));
        assert_int_equal(find_count(&m), 2 * 99 + 200);
        memset(m.known, 0, (size_t)m.size * (size_t)m.size);
        for (int i = 0; i < moving; i++) {
            shift(&m.items[i].tight, vec3(-0.2f, 0.0f, 0.0f));
            assert_true(model_update(&m, i));
        }
        assert_true(model_find(&m));
        /* Each that moved with the one above it and with the wall. */
        assert_int_equal(m.reported - (2 * 99 + 200), (moving < 100 ? moving : 99) + moving);
        model_destroy(&m);
    }
}

static void test_fat_box_follows_prediction_and_shrinks_at_rest(void **state)
{
    (void)state;
    model m;
    model_create(&m, 2, (dry_allocator){0});
    assert_true(model_add(&m, 0, box_at(0, 0, 0, 0.5, 0.5, 0.5), true));
    assert_true(model_add(&m, 1, box_at(2, 0, 0, 0.5, 0.5, 0.5), false));
    assert_int_equal(find_count(&m), 0);
    /* One meter apart: a meter of predicted way with two margins bridges it. */
    shift(&m.items[0].tight, vec3(0.06f, 0.0f, 0.0f));
    m.items[0].velocity = vec3(0.9f, 0.0f, 0.0f);
    assert_true(model_update(&m, 0));
    assert_int_equal(find_count(&m), 1);
    assert_false(model_update(&m, 0));
    /* At rest there, the long box is given up. */
    m.items[0].velocity = vec3(0.0f, 0.0f, 0.0f);
    assert_true(model_update(&m, 0));
    assert_false(dry_broadphase_overlaps(m.broadphase, m.items[0].proxy, m.items[1].proxy));
    assert_int_equal(find_count(&m), 0);
    /* An absurd displacement counts for at most a meter. */
    m.items[0].velocity = vec3(1e20f, 0.0f, 0.0f);
    shift(&m.items[0].tight, vec3(-2.0f, 0.0f, 0.0f));
    assert_true(model_update(&m, 0));
    assert_false(dry_broadphase_overlaps(m.broadphase, m.items[0].proxy, m.items[1].proxy));
    model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_updates),
        cmocka_unit_test(test_settled_world_reports_nothing),
        cmocka_unit_test(test_touched_proxy_is_paired_again),
        cmocka_unit_test(test_unmoved_pairs_are_left_alone),
        cmocka_unit_test(test_fat_box_follows_prediction_and_shrinks_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

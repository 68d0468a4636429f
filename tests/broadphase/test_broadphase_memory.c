/* The broadphase's memory: indices and room are used again, steady motion allocates nothing, and whichever
 * allocation fails, the broadphase stays as it was and goes on when memory is there again. */
#include "tests/broadphase/broadphase_worlds.h"

static void test_indices_are_reused(void **state)
{
    (void)state;
    regime r = regimes[5];
    random_state = 5;
    /* model_add asserts that every index is below `size`. */
    model m;
    model_create(&m, 50, (dry_allocator){0});
    fill_world(&m, &r);
    assert_true(model_find(&m));
    for (int round = 0; round < 20; round++) {
        for (int user = 0; user < m.size; user += 1 + round % 3)
            model_remove(&m, user);
        for (int user = 0; user < m.size; user += 1 + round % 3)
            assert_true(model_add(&m, user, random_box(&r), true));
        find_count(&m);
    }
    size_t bytes = m.memory.bytes;
    uint64_t allocations = m.memory.allocations;
    for (int round = 0; round < 20; round++) {
        for (int user = 0; user < m.size; user++)
            model_remove(&m, user);
        assert_int_equal(dry_broadphase_proxies(m.broadphase)->count, 0);
        for (int user = 0; user < m.size; user++)
            assert_true(model_add(&m, user, box_at(2 * user, 0, 0, 0.5, 0.5, 0.5), true));
        find_count(&m);
    }
    assert_true(m.memory.bytes == bytes && m.memory.allocations == allocations);
    model_destroy(&m);
}

typedef struct countdown {
    int left;  /* allocations until the failure; negative: never */
    bool once; /* else all after it fail too */
    bool failed;
} countdown;

static void *countdown_allocate(size_t bytes, size_t alignment, void *user)
{
    countdown *c = user;
    if (c->left == 0) {
        c->failed = true;
        if (c->once)
            c->left = -1;
        return NULL;
    }
    if (c->left > 0)
        c->left--;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void countdown_release(void *block, size_t bytes, void *user)
{
    (void)bytes;
    (void)user;
    free(block);
}

/* Runs a small world in which everything grows; whatever fails is tried again after the allocator recovered.
 */
static bool run_with_failure(int allocation, bool once)
{
    countdown c = {allocation, once, false};
    model m;
    model_create(&m, 70, (dry_allocator){countdown_allocate, countdown_release, &c});
    if (!m.broadphase) {
        c.left = -1;
        m.broadphase = dry_broadphase_create(&m.memory, &m.scratch, NULL, NULL);
        assert_non_null(m.broadphase);
    }
    random_state = 9;
    regime heap = {"heap", 0.5, 0.5, 0.1, 0.0, 0.2, 0.2f};
    for (int user = 0; user < m.size; user++) {
        dry_bounds box = random_box(&heap);
        if (!model_add(&m, user, box, user % 5 != 0)) {
            assert_true(c.failed);
            assert_int_equal(dry_broadphase_proxies(m.broadphase)->count, user);
            c.left = -1;
            assert_true(model_add(&m, user, box, user % 5 != 0));
        }
        /* A heap of 50 has over a thousand pairs: more than the output's first room. */
        if (user == 3 || user == 50) {
            if (!model_find(&m)) {
                c.left = -1;
                assert_true(model_find(&m));
            }
            model_check(&m);
        }
    }
    for (int step = 0; step < 3; step++) {
        run_step(&m, &heap);
        if (!model_find(&m)) {
            c.left = -1;
            run_step(&m, &heap);
            assert_true(model_find(&m));
        }
        model_check(&m);
    }
    c.left = -1;
    model_destroy(&m);
    return c.failed;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    int failures = 0;
    while (run_with_failure(failures, true)) {
        assert_true(run_with_failure(failures, false));
        failures++;
    }
    assert_true(failures > 15);
}

static void test_absurd_reserve_fails(void **state)
{
    (void)state;
    model m;
    model_create(&m, 1, (dry_allocator){0});
    size_t bytes = m.memory.bytes;
    assert_false(dry_broadphase_reserve(m.broadphase, INT32_MAX));
    assert_int_equal(m.memory.bytes, bytes);
    assert_true(model_add(&m, 0, box_at(0, 0, 0, 1, 1, 1), true));
    assert_int_equal(find_count(&m), 0);
    model_destroy(&m);
}

static void test_steady_motion_allocates_nothing(void **state)
{
    (void)state;
    random_state = 12;
    regime r = regimes[2];
    model m;
    model_create(&m, 300, (dry_allocator){0});
    fill_world(&m, &r);
    uint64_t warm = 0;
    for (int step = 0; step < 400; step++) {
        /* To and fro, so that the same pairs come again and again. */
        for (int user = 1; user < m.size; user++) {
            item *it = &m.items[user];
            it->velocity = vec3(step / 20 % 2 ? 0.03f : -0.03f, 0.0f, user % 2 ? 0.01f : 0.0f);
            if (step % 40 >= 20)
                it->velocity.z = -it->velocity.z;
            shift(&it->tight, it->velocity);
            model_update(&m, user);
        }
        assert_true(model_find(&m));
        if (step == 80)
            warm = m.memory.allocations;
    }
    assert_true(m.memory.allocations == warm);
    model_destroy(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices_are_reused),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_absurd_reserve_fails),
        cmocka_unit_test(test_steady_motion_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

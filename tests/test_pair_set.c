/* The pair map against a plain array of pairs, and against a failing allocator. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/pair_map.h"

#include <stdlib.h>

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)random_state * n >> 32);
}

enum { PAIRS_MAX = 4000 };

typedef struct model {
    dry_pair_entry pairs[PAIRS_MAX];
    int count;
} model;

static int model_find(const model *m, uint32_t a, uint32_t b)
{
    for (int i = 0; i < m->count; i++) {
        if ((m->pairs[i].first == a && m->pairs[i].second == b) ||
            (m->pairs[i].first == b && m->pairs[i].second == a))
            return i;
    }
    return -1;
}

static void assert_same(const dry_pair_set *set, const model *m)
{
    assert_int_equal(set->count, m->count);
    for (int i = 0; i < m->count; i++) {
        assert_int_equal(dry_pair_set_find(set, m->pairs[i].first, m->pairs[i].second), m->pairs[i].value);
        assert_int_equal(dry_pair_set_find(set, m->pairs[i].second, m->pairs[i].first), m->pairs[i].value);
    }
}

/* Indices of few bodies collide often; spread ones try all 32 bits. */
static void check_random(uint32_t bodies, uint32_t stride, int pairs_max, int operations, uint32_t seed)
{
    dry_memory memory;
    dry_pair_set set = {0};
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    dry_memory_init(&memory, (dry_allocator){0});
    random_state = seed;
    for (int step = 0; step < operations; step++) {
        uint32_t a = random_below(bodies) * stride, b = random_below(bodies) * stride;
        if (a == b)
            continue;
        int at = model_find(m, a, b);
        assert_int_equal(dry_pair_set_find(&set, a, b), at < 0 ? -1 : m->pairs[at].value);
        if (at >= 0 && random_below(3) > 0) {
            dry_pair_set_remove(&set, b, a);
            m->pairs[at] = m->pairs[--m->count];
        } else if (at < 0 && m->count < pairs_max) {
            assert_true(dry_pair_set_reserve(&set, &memory, m->count + 1));
            dry_pair_set_insert(&set, a, b, step);
            m->pairs[m->count++] = (dry_pair_entry){a, b, step};
        }
        if (step % (operations / 8) == 0)
            assert_same(&set, m);
    }
    assert_true(m->count > 10);
    assert_same(&set, m);
    dry_pair_set_clear(&set);
    assert_int_equal(set.count, 0);
    for (int i = 0; i < m->count; i++) {
        dry_pair_entry pair = m->pairs[i];
        assert_int_equal(dry_pair_set_find(&set, pair.first, pair.second), -1);
        dry_pair_set_insert(&set, pair.second, pair.first, pair.value);
        assert_ptr_equal(dry_pair_set_home(&set, pair.first, pair.second),
                         dry_pair_set_home(&set, pair.second, pair.first));
    }
    assert_same(&set, m);
    while (m->count > 0) {
        dry_pair_entry last = m->pairs[--m->count];
        dry_pair_set_remove(&set, last.first, last.second);
        if (m->count % 64 == 0)
            assert_same(&set, m);
        assert_int_equal(dry_pair_set_find(&set, last.first, last.second), -1);
    }
    dry_pair_set_free(&set, &memory);
    assert_int_equal(memory.bytes, 0);
    free(m);
}

static void test_random_operations(void **state)
{
    (void)state;
    check_random(12, 1, 40, 20000, 1);
    check_random(90, 1, 3000, 20000, 2);
    check_random(500, 8589934, 2000, 20000, 3);
}

/* No deletion may break a chain: fill to the promised room, delete in several orders. */
static void test_full_table(void **state)
{
    (void)state;
    dry_memory memory;
    dry_pair_set set = {0};
    dry_memory_init(&memory, (dry_allocator){0});
    const int count = 1000;
    static const int strides[] = {1, 3, 7, 9, 11, 333, 501, 999};
    assert_true(dry_pair_set_reserve(&set, &memory, count));
    uint64_t allocations = memory.allocations;
    for (int round = 1; round <= 7; round++) {
        for (int i = 0; i < count; i++)
            dry_pair_set_insert(&set, 0, (uint32_t)i + 1, i);
        /* Strides without a factor in common with 1000 visit every pair once. */
        for (int i = 0; i < count; i++)
            dry_pair_set_remove(&set, 0, (uint32_t)(i * strides[round] % count) + 1);
        assert_int_equal(set.count, 0);
        for (int i = 0; i < count; i++)
            assert_int_equal(dry_pair_set_find(&set, (uint32_t)i + 1, 0), -1);
        for (int i = 0; i < count; i++)
            dry_pair_set_insert(&set, UINT32_MAX, (uint32_t)i, -i);
        for (int i = 0; i < count; i += 1 + round)
            dry_pair_set_remove(&set, (uint32_t)i, UINT32_MAX);
        for (int i = 0; i < count; i++)
            assert_int_equal(dry_pair_set_find(&set, (uint32_t)i, UINT32_MAX), i % (1 + round) ? -i : -1);
        for (int i = 0; i < count; i++) {
            if (i % (1 + round))
                dry_pair_set_remove(&set, (uint32_t)i, UINT32_MAX);
        }
    }
    assert_true(dry_pair_set_reserve(&set, &memory, count));
    assert_int_equal(memory.allocations, allocations);
    dry_pair_set_free(&set, &memory);
    assert_int_equal(memory.bytes, 0);
}

static void *allocate_nothing(size_t bytes, size_t alignment, void *user)
{
    (void)bytes;
    (void)alignment;
    (void)user;
    return NULL;
}

static void release_nothing(void *block, size_t bytes, void *user)
{
    (void)block;
    (void)bytes;
    (void)user;
}

static void test_memory_failure_changes_nothing(void **state)
{
    (void)state;
    dry_memory memory;
    dry_pair_set set = {0};
    dry_memory_init(&memory, (dry_allocator){0});
    assert_int_equal(dry_pair_set_find(&set, 1, 2), -1);
    assert_true(dry_pair_set_reserve(&set, &memory, 0));
    assert_true(dry_pair_set_reserve(&set, &memory, 1));
    dry_pair_set_insert(&set, 7, 3, 42);

    dry_allocator good = memory.allocator;
    memory.allocator = (dry_allocator){allocate_nothing, release_nothing, NULL};
    assert_false(dry_pair_set_reserve(&set, &memory, 100000));
    memory.allocator = good;
    assert_int_equal(set.count, 1);
    assert_int_equal(dry_pair_set_find(&set, 3, 7), 42);
    assert_false(dry_pair_set_reserve(&set, &memory, INT32_MAX));
    assert_true(dry_pair_set_reserve(&set, &memory, 100000));
    assert_int_equal(dry_pair_set_find(&set, 3, 7), 42);
    dry_pair_set_free(&set, &memory);
    dry_pair_set_free(&set, &memory);
    assert_int_equal(memory.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_memory_failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

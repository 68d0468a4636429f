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
        dry_pair key = m->pairs[i].key;
        if ((key.first == a && key.second == b) || (key.first == b && key.second == a))
            return i;
    }
    return -1;
}

/* The same key from its indices in the other order. */
static dry_pair reversed(dry_pair key)
{
    return dry_pair_key_of(key.second, key.first);
}

static void assert_same(const dry_pair_map *map, const model *m)
{
    assert_int_equal(map->count, m->count);
    for (int i = 0; i < m->count; i++) {
        assert_int_equal(dry_pair_map_find(map, m->pairs[i].key), m->pairs[i].value);
        assert_int_equal(dry_pair_map_find(map, reversed(m->pairs[i].key)), m->pairs[i].value);
    }
}

/* Indices of few bodies collide often; spread ones try all 32 bits. */
static void check_random(uint32_t bodies, uint32_t stride, int pairs_max, int operations, uint32_t seed)
{
    dry_memory memory;
    dry_pair_map map = {0};
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    dry_memory_init(&memory, (dry_allocator){0});
    random_state = seed;
    for (int step = 0; step < operations; step++) {
        uint32_t a = random_below(bodies) * stride, b = random_below(bodies) * stride;
        if (a == b)
            continue;
        dry_pair key = dry_pair_key_of(a, b);
        int at = model_find(m, a, b);
        assert_int_equal(dry_pair_map_find(&map, key), at < 0 ? -1 : m->pairs[at].value);
        if (at >= 0 && random_below(3) > 0) {
            dry_pair_map_remove(&map, reversed(key));
            m->pairs[at] = m->pairs[--m->count];
        } else if (at < 0 && m->count < pairs_max) {
            assert_true(dry_pair_map_reserve(&map, &memory, m->count + 1));
            dry_pair_map_insert(&map, key, step);
            m->pairs[m->count++] = (dry_pair_entry){key, step};
        }
        if (step % (operations / 8) == 0)
            assert_same(&map, m);
    }
    assert_true(m->count > 10);
    assert_same(&map, m);
    dry_pair_map_clear(&map);
    assert_int_equal(map.count, 0);
    for (int i = 0; i < m->count; i++) {
        dry_pair_entry pair = m->pairs[i];
        assert_int_equal(dry_pair_map_find(&map, pair.key), -1);
        dry_pair_map_insert(&map, reversed(pair.key), pair.value);
        assert_ptr_equal(dry_pair_map_home(&map, pair.key), dry_pair_map_home(&map, reversed(pair.key)));
    }
    assert_same(&map, m);
    while (m->count > 0) {
        dry_pair_entry last = m->pairs[--m->count];
        dry_pair_map_remove(&map, last.key);
        if (m->count % 64 == 0)
            assert_same(&map, m);
        assert_int_equal(dry_pair_map_find(&map, last.key), -1);
    }
    dry_memory_release_all(&memory);
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
    dry_pair_map map = {0};
    dry_memory_init(&memory, (dry_allocator){0});
    const int count = 1000;
    static const int strides[] = {1, 3, 7, 9, 11, 333, 501, 999};
    assert_true(dry_pair_map_reserve(&map, &memory, count));
    uint64_t allocations = memory.allocations;
    for (int round = 1; round <= 7; round++) {
        for (int i = 0; i < count; i++)
            dry_pair_map_insert(&map, dry_pair_key_of(0, (uint32_t)i + 1), i);
        /* Strides without a factor in common with 1000 visit every pair once. */
        for (int i = 0; i < count; i++)
            dry_pair_map_remove(&map, dry_pair_key_of(0, (uint32_t)(i * strides[round] % count) + 1));
        assert_int_equal(map.count, 0);
        for (int i = 0; i < count; i++)
            assert_int_equal(dry_pair_map_find(&map, dry_pair_key_of((uint32_t)i + 1, 0)), -1);
        for (int i = 0; i < count; i++)
            dry_pair_map_insert(&map, dry_pair_key_of(UINT32_MAX, (uint32_t)i), -i);
        for (int i = 0; i < count; i += 1 + round)
            dry_pair_map_remove(&map, dry_pair_key_of((uint32_t)i, UINT32_MAX));
        for (int i = 0; i < count; i++)
            assert_int_equal(dry_pair_map_find(&map, dry_pair_key_of((uint32_t)i, UINT32_MAX)),
                             i % (1 + round) ? -i : -1);
        for (int i = 0; i < count; i++) {
            if (i % (1 + round))
                dry_pair_map_remove(&map, dry_pair_key_of((uint32_t)i, UINT32_MAX));
        }
    }
    assert_true(dry_pair_map_reserve(&map, &memory, count));
    assert_int_equal(memory.allocations, allocations);
    dry_memory_release_all(&memory);
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
    dry_pair_map map = {0};
    dry_memory_init(&memory, (dry_allocator){0});
    assert_int_equal(dry_pair_map_find(&map, dry_pair_key_of(1, 2)), -1);
    assert_true(dry_pair_map_reserve(&map, &memory, 0));
    assert_true(dry_pair_map_reserve(&map, &memory, 1));
    dry_pair_map_insert(&map, dry_pair_key_of(7, 3), 42);

    dry_allocator good = memory.allocator;
    memory.allocator = (dry_allocator){allocate_nothing, release_nothing, NULL};
    assert_false(dry_pair_map_reserve(&map, &memory, 100000));
    memory.allocator = good;
    assert_int_equal(map.count, 1);
    assert_int_equal(dry_pair_map_find(&map, dry_pair_key_of(3, 7)), 42);
    assert_false(dry_pair_map_reserve(&map, &memory, INT32_MAX));
    assert_true(dry_pair_map_reserve(&map, &memory, 100000));
    assert_int_equal(dry_pair_map_find(&map, dry_pair_key_of(3, 7)), 42);
    dry_memory_release_all(&memory);
}

/* Pairs in the map are known. */
static void test_known_pairs_are_dropped(void **state)
{
    (void)state;
    dry_memory memory;
    dry_pair_map map = {0};
    dry_memory_init(&memory, (dry_allocator){0});
    assert_true(dry_pair_map_reserve(&map, &memory, 100));
    dry_pair pairs[100];
    for (uint32_t i = 0; i < 100; i++) {
        pairs[i] = (dry_pair){i, i + 7};
        if (i % 3 == 0)
            dry_pair_map_insert(&map, dry_pair_key_of(i, i + 7), (int32_t)i);
    }
    assert_int_equal(dry_pair_map_drop_known(&map, pairs, 100), 66);
    for (uint32_t k = 0; k < 66; k++)
        assert_int_equal(pairs[k].first, k / 2 * 3 + 1 + k % 2);
    dry_memory_release_all(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_known_pairs_are_dropped),
        cmocka_unit_test(test_memory_failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

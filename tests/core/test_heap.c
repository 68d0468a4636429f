/* The first items of a sequence in an order, against a sort of all of them. */
#include "core/heap.h"
#include "tests/test_world.h"

typedef struct item {
    int key, number;
} item;

static int comparisons;

static bool is_less(const void *context, const void *first, const void *second)
{
    (void)context;
    const item *a = first, *b = second;
    comparisons++;
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

static int by_key(const void *a, const void *b)
{
    return is_less(NULL, a, b) ? -1 : 1;
}

enum { ITEMS_MAX = 20000 };

static item all[ITEMS_MAX], kept[ITEMS_MAX + 1];

/* Keeps the first `capacity` of `count` items and returns how many comparisons that took. */
static int check_first(int count, int capacity, int keys, uint64_t *seed)
{
    for (int i = 0; i < count; ++i)
        all[i] = (item){random_below(seed, keys), i};
    kept[capacity] = (item){-1, -1}; /* out of bounds */
    dry_heap heap = {kept, sizeof *kept, capacity, 0, is_less, NULL};
    comparisons = 0;
    for (int i = 0; i < count; ++i)
        dry_heap_keep(&heap, &all[i]);
    dry_heap_sort(&heap);
    const int took = comparisons;
    qsort(all, (size_t)count, sizeof *all, by_key);
    assert_int_equal(heap.kept, capacity < count ? capacity : count);
    for (int i = 0; i < heap.kept; ++i)
        assert_int_equal(kept[i].number, all[i].number);
    assert_int_equal(kept[capacity].number, -1);
    return took;
}

static void test_first_items_in_order(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int count = 0; count < 40; ++count)
        for (int capacity = 0; capacity <= count + 1; ++capacity)
            check_first(count, capacity, 1 + count / 2, &seed);
    check_first(ITEMS_MAX, ITEMS_MAX, 1 << 20, &seed);
    check_first(ITEMS_MAX, 1, 1 << 20, &seed);
}

/* n items in whatever order take some n log n comparisons, not n^2. */
static void test_many_items_take_few_comparisons(void **state)
{
    (void)state;
    uint64_t seed = 6;
    const double bound = 4.0 * ITEMS_MAX * log2(ITEMS_MAX);
    assert_at_most(check_first(ITEMS_MAX, ITEMS_MAX, 1 << 20, &seed), bound);
    assert_at_most(check_first(ITEMS_MAX, ITEMS_MAX, 1, &seed), bound);
    assert_at_most(check_first(ITEMS_MAX, ITEMS_MAX / 2, 1 << 20, &seed), bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_items_in_order),
        cmocka_unit_test(test_many_items_take_few_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A world's memory: what is counted, how arrays grow, and what an allocator that fails leaves behind. */
#include "tests/counting_allocator.h"
#include "tests/test_world.h"

#include "core/memory.h"
#include "core/scratch.h"
#include "host/rooms/prefetch.h"

static counting_allocator counter;
static dry_memory memory;

static void begin(void)
{
    counter = (counting_allocator){.fail_at = -1};
    dry_memory_init(&memory, counting_hooks(&counter));
}

static void test_counts(void **state)
{
    (void)state;
    begin();
    void *blocks[3];
    static const size_t sizes[] = {1, 100, 4097};
    for (int i = 0; i < 3; i++) {
        blocks[i] = dry_memory_allocate(&memory, sizes[i], (size_t)8 << i);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % ((size_t)8 << i), 0);
        assert_true(counter.bytes >= sizes[i]);
        assert_int_equal(memory.bytes, counter.bytes);
        assert_int_equal(memory.allocations, i + 1);
    }
    /* Nothing is not an allocation, and giving nothing back is fine. */
    assert_null(dry_memory_allocate(&memory, 0, 8));
    dry_memory_release(&memory, NULL, 123);
    assert_int_equal(memory.bytes, counter.bytes);
    assert_int_equal(counter.calls, 3);
    /* A failed allocation does not count. */
    counter.fail_at = 3;
    assert_null(dry_memory_allocate(&memory, 64, 8));
    assert_int_equal(memory.bytes, counter.bytes);
    assert_int_equal(memory.allocations, 3);
    for (int i = 0; i < 3; i++)
        dry_memory_release(&memory, blocks[i], sizes[i]);
    assert_int_equal(memory.bytes, 0);
    assert_int_equal(memory.allocations, 3);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

/* Blocks that are held go at once, whichever were released before. */
static void test_release_all(void **state)
{
    (void)state;
    for (int gone = 0; gone < 5; gone++) {
        begin();
        void *blocks[5];
        for (int i = 0; i < 5; i++)
            blocks[i] = dry_memory_allocate(&memory, (size_t)(1 + 100 * i), 64);
        dry_memory_release(&memory, blocks[gone], (size_t)(1 + 100 * gone));
        dry_memory_release(&memory, blocks[(gone + 2) % 5], (size_t)(1 + 100 * ((gone + 2) % 5)));
        dry_memory_release_all(&memory);
        assert_int_equal(memory.bytes, 0);
        assert_int_equal(counter.bytes, 0);
        assert_int_equal(counter.wrong, 0);
        dry_memory_release_all(&memory);
        assert_null(dry_memory_allocate(&memory, SIZE_MAX, 64));
        assert_int_equal(counter.calls, 5);
    }
}

/* Without functions, the C library's: aligned as asked for, also for sizes that are no multiple of that. */
static void test_default_allocator(void **state)
{
    (void)state;
    dry_memory own;
    dry_memory_init(&own, (dry_allocator){0});
    for (size_t alignment = 8; alignment <= 4096; alignment *= 2)
        for (size_t bytes = 1; bytes < 10000; bytes = bytes * 3 + 1) {
            char *block = dry_memory_allocate(&own, bytes, alignment);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % alignment, 0);
            memset(block, 0x5A, bytes);
            dry_memory_release(&own, block, bytes);
        }
    assert_int_equal(own.bytes, 0);
    dry_memory_release(&own, NULL, 0);
}

typedef struct element {
    int64_t number;
    char rest[12];
} element;

/* Elements stay, new room is zero and aligned, and appending one at a time asks seldom. */
static void test_growth(void **state)
{
    (void)state;
    begin();
    element *array = NULL;
    int capacity = 0;
    for (int i = 0; i < 20000; i++) {
        int before = capacity;
        assert_true(DRY_RESERVE(&memory, array, capacity, i + 1));
        assert_true(capacity > i);
        if (capacity != before) {
            assert_int_equal((uintptr_t)array % DRY_CACHE_LINE, 0);
            for (int k = 0; k < before; k++)
                assert_int_equal(array[k].number, k + 1);
            static const element zero;
            for (int k = before; k < capacity; k++)
                assert_memory_equal(&array[k], &zero, sizeof zero);
        }
        array[i].number = i + 1;
        assert_int_equal(memory.bytes, counter.bytes);
    }
    assert_true(counter.successes < 25);
    assert_true(capacity < 2 * 20000);
    uint64_t calls = counter.calls;
    assert_true(DRY_RESERVE(&memory, array, capacity, 20000) && DRY_RESERVE(&memory, array, capacity, 0) &&
                DRY_RESERVE(&memory, array, capacity, -1));
    assert_int_equal(counter.calls, calls);
    /* At once, far beyond half more. */
    assert_true(DRY_RESERVE(&memory, array, capacity, 1000000));
    assert_true(capacity >= 1000000 && array[19999].number == 20000 && array[999999].number == 0);
    DRY_RELEASE(&memory, array, capacity);
    assert_null(array);
    assert_int_equal(capacity, 0);
    assert_int_equal(memory.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    /* Once more, of nothing. */
    DRY_RELEASE(&memory, array, capacity);
    assert_int_equal(counter.wrong, 0);
}

static void test_growth_without_memory(void **state)
{
    (void)state;
    begin();
    element *array = NULL;
    int capacity = 0;
    counter.fail_at = 0;
    assert_false(DRY_RESERVE(&memory, array, capacity, 5));
    assert_true(array == NULL && capacity == 0 && memory.bytes == 0);
    assert_true(DRY_RESERVE(&memory, array, capacity, 5));
    for (int i = 0; i < 5; i++)
        array[i].number = 7 * i;
    element *was = array;
    int had = capacity;
    size_t bytes = memory.bytes;
    counter.fail_at = (int64_t)counter.calls;
    assert_false(DRY_RESERVE(&memory, array, capacity, had + 1));
    assert_true(array == was && capacity == had && memory.bytes == bytes);
    for (int i = 0; i < 5; i++)
        assert_int_equal(array[i].number, 7 * i);
    DRY_RELEASE(&memory, array, capacity);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

/* The largest capacity there is: asked for in full, with no sum wrapped round. */
static size_t largest_asked;

static void *refuse(size_t bytes, size_t alignment, void *user)
{
    (void)alignment;
    (void)user;
    largest_asked = bytes;
    return NULL;
}

static void release_nothing(void *block, size_t bytes, void *user)
{
    (void)block;
    (void)bytes;
    (void)user;
}

static void test_largest_capacity(void **state)
{
    (void)state;
    dry_memory own;
    dry_memory_init(&own, (dry_allocator){refuse, release_nothing, NULL});
    element *array = NULL;
    for (int capacity = INT32_MAX / 2; capacity < INT32_MAX - 1; capacity += INT32_MAX / 9) {
        int had = capacity;
        assert_false(DRY_RESERVE(&own, array, capacity, INT32_MAX));
        assert_in_range(largest_asked, (size_t)INT32_MAX * sizeof(element),
                        (size_t)INT32_MAX * sizeof(element) + 64);
        assert_int_equal(capacity, had);
        assert_false(DRY_RESERVE(&own, array, capacity, capacity + 1));
        assert_true(largest_asked > (size_t)had * sizeof(element) &&
                    largest_asked <= (size_t)INT32_MAX * sizeof(element) + 64);
        if (INT32_MAX - capacity < INT32_MAX / 9)
            break;
    }
}

/* Parts lie one after the other, aligned. The next lifetime takes the memory over without asking for more. */
static void test_scratch_lifetimes(void **state)
{
    (void)state;
    begin();
    dry_scratch scratch = {0};
    for (int step = 0; step < 3; step++) {
        uint64_t allocations = memory.allocations;
        dry_scratch_begin(&scratch, &memory, DRY_LIFETIME_PAIRS);
        assert_true(dry_scratch_reserve(&scratch, &memory, 1000));
        char *first = dry_scratch_take(&scratch, dry_scratch_bytes(1, 1));
        size_t mark = scratch.used;
        int64_t *second = DRY_SCRATCH_TAKE(&scratch, int64_t, 9);
        assert_int_equal((char *)second - first, DRY_CACHE_LINE);
        assert_int_equal((uintptr_t)second % DRY_CACHE_LINE, 0);
        assert_int_equal(scratch.used, 3 * DRY_CACHE_LINE);
        dry_scratch_give_back(&scratch, mark);
        assert_ptr_equal(DRY_SCRATCH_TAKE(&scratch, int64_t, 9), second);
        size_t bytes;
        assert_ptr_equal(dry_scratch_rest(&scratch, &bytes), (char *)second + 2 * DRY_CACHE_LINE);
        assert_int_equal(bytes, dry_scratch_room(&scratch) - scratch.used);
        dry_scratch_begin(&scratch, &memory, DRY_LIFETIME_SOLVE);
        assert_ptr_equal(dry_scratch_take(&scratch, DRY_CACHE_LINE), first);
        assert_int_equal(memory.allocations - allocations, step == 0);
    }
    dry_memory_release_all(&memory);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

/* A part that lives stays where it is while the memory grows, and its block goes with its lifetime. */
static void test_scratch_growth(void **state)
{
    (void)state;
    begin();
    dry_scratch scratch = {0};
    dry_scratch_begin(&scratch, &memory, DRY_LIFETIME_PAIRS);
    assert_true(dry_scratch_reserve(&scratch, &memory, 100));
    char *part = dry_scratch_take(&scratch, dry_scratch_bytes(1, 100));
    memset(part, 7, 100);
    for (int i = 1; i < 200; i++)
        assert_true(dry_scratch_promise(&scratch, &memory, DRY_PROMISE_TREES, (size_t)i * 100));
    assert_true(counter.successes < 20);
    assert_true(dry_scratch_room(&scratch) - scratch.used >= 19900);
    for (int i = 0; i < 100; i++)
        assert_int_equal(part[i], 7);
    size_t with_both = memory.bytes;
    dry_scratch_begin(&scratch, &memory, DRY_LIFETIME_SOLVE);
    assert_true(memory.bytes < with_both && memory.bytes >= 19900);

    counter.fail_at = (int64_t)counter.calls;
    size_t bytes = memory.bytes, promised = dry_scratch_promised(&scratch);
    assert_false(dry_scratch_promise(&scratch, &memory, DRY_PROMISE_TREES, 1000000));
    assert_true(dry_scratch_promised(&scratch) == promised && memory.bytes == bytes);
    assert_true(dry_scratch_reserve(&scratch, &memory, promised));
    assert_false(dry_scratch_reserve(&scratch, &memory, SIZE_MAX / 2));
    dry_memory_release_all(&memory);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

/* Memory that is taken in order and never comes back. */
static char arena[1 << 20];
static size_t arena_used;

static void *take_from_arena(size_t bytes, size_t alignment, void *user)
{
    (void)user;
    const uintptr_t begin = ((uintptr_t)arena + arena_used + alignment - 1) / alignment * alignment;
    arena_used = begin - (uintptr_t)arena + bytes;
    return arena_used <= sizeof arena ? (void *)begin : NULL;
}

static dry_world *stepped_towers(dry_allocator allocator)
{
    dry_world_def def = test_world_def();
    def.allocator = allocator;
    def.threads = 1;
    dry_world *world = world_from(&def);
    add_floor(world, 0.5, 0.0);
    for (int i = 0; i < 100; i++)
        add_dynamic(world, pose_at(3.0 * (i / 10), 0.5 + i % 10, 0.0), box_shape(0.5, 0.5, 0.5));
    run_steps(world, 5, 1.0f / 60.0f);
    return world;
}

/* A working set is the world's own memory and most of it, and a walk takes each line once. */
static void test_working_set(void **state)
{
    (void)state;
    static dry_prefetch walk;
    dry_world *world = stepped_towers((dry_allocator){take_from_arena, release_nothing, NULL});
    dry_working_set_note(&walk.set, world);
    for (int i = 0; i < walk.set.count; i++) {
        const uint64_t first = walk.set.part[i] >> 13, end = first + (walk.set.part[i] & 0x1fff);
        assert_true(first >= (uintptr_t)arena / 64 && end <= ((uintptr_t)arena + arena_used + 63) / 64);
    }
    const size_t bytes = 64 * (size_t)walk.set.lines, all = dry_world_statistics(world).memory_bytes;
    assert_true(bytes > all / 2 && bytes < all);
    int turns = 0;
    for (; walk.part < walk.set.count; turns++)
        dry_prefetch_lines(&walk, 7);
    assert_int_equal(turns, (walk.set.lines + 6) / 7);
    dry_world_destroy(world);
}

/* A set has room for 256 KiB, and takes no empty blocks. */
static void test_working_set_ends(void **state)
{
    (void)state;
    static dry_working_set set;
    dry_working_set_add(&set, NULL, 100);
    dry_working_set_add(&set, arena, 0);
    assert_int_equal(set.count, 0);
    dry_working_set_add(&set, arena, 1);
    assert_int_equal(set.lines, 1);
    dry_working_set_add(&set, arena, sizeof arena);
    assert_int_equal(set.lines, 4096);
    dry_working_set_add(&set, arena, 1);
    assert_int_equal(set.count, 2);
}

/* A step prefetches all lines that it is given, and does as it does without. */
static void test_prefetching_step(void **state)
{
    (void)state;
    static dry_prefetch walk;
    dry_world *plain = stepped_towers((dry_allocator){0}), *world = stepped_towers((dry_allocator){0});
    dry_working_set_note(&walk.set, plain);
    dry_step_prefetches(world, &walk);
    run_steps(world, 1, 1.0f / 60.0f);
    dry_step_prefetches(world, NULL);
    assert_int_equal(walk.part, walk.set.count);
    run_steps(plain, 1, 1.0f / 60.0f);
    assert_true(dry_world_hash(plain) == dry_world_hash(world));
    dry_world_destroy(plain);
    dry_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_release_all),
        cmocka_unit_test(test_default_allocator),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_growth_without_memory),
        cmocka_unit_test(test_largest_capacity),
        cmocka_unit_test(test_scratch_lifetimes),
        cmocka_unit_test(test_scratch_growth),
        cmocka_unit_test(test_working_set),
        cmocka_unit_test(test_working_set_ends),
        cmocka_unit_test(test_prefetching_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

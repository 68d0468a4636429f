/* Memory of a world for tests of inner functions: made before each test, and given back whole by its end, by
 * the test or all at once. */
#ifndef TESTS_COUNTED_MEMORY_H
#define TESTS_COUNTED_MEMORY_H

#include "core/memory.h"
#include "tests/counting_allocator.h"

static counting_allocator counter;
static dry_memory memory;

static inline void begin_memory(void)
{
    counter = (counting_allocator){.fail_at = -1};
    dry_memory_init(&memory, counting_hooks(&counter));
}

/* Everything went back, in the sizes in which it came. */
static inline void end_memory(void)
{
    dry_memory_release_all(&memory);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
}

static inline int begin_counted(void **state)
{
    (void)state;
    begin_memory();
    return 0;
}

static inline int end_counted(void **state)
{
    (void)state;
    assert_int_equal(memory.bytes, 0);
    end_memory();
    return 0;
}

#endif

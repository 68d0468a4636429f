/* Memory of a world for tests of inner functions: made before each test, and given back whole by its end. */
#ifndef TESTS_COUNTED_MEMORY_H
#define TESTS_COUNTED_MEMORY_H

#include "core/memory.h"
#include "tests/counting_allocator.h"

static counting_allocator counter;
static dry_memory memory;

static inline int begin_counted(void **state)
{
    (void)state;
    counter = (counting_allocator){.fail_at = -1};
    dry_memory_init(&memory, counting_hooks(&counter));
    return 0;
}

static inline int end_counted(void **state)
{
    (void)state;
    assert_int_equal(memory.bytes, 0);
    assert_int_equal(counter.bytes, 0);
    assert_int_equal(counter.wrong, 0);
    return 0;
}

#endif

/* DRYSTONE_TEST_QUICK=1 asks tests for their short forms: each check on fewer cases or less time, for builds
 * and machines that are slow and for builds that repeat what another runs in full. Tests of the suite long
 * are always asked for them, but by `./run long`, which sets DRYSTONE_TEST_LONG=1. */
#ifndef TESTS_QUICK_H
#define TESTS_QUICK_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool test_environment(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] == '1';
}

static inline bool test_quick(void)
{
    return test_environment("DRYSTONE_TEST_QUICK") && !test_environment("DRYSTONE_TEST_LONG");
}

/* The gate repeats tests at one instruction set: DRYSTONE_ISA names it. Checks that go through all sets by
 * themselves have done so in the run without. */
static inline bool test_one_isa(void)
{
    return getenv("DRYSTONE_ISA") != NULL;
}

static inline int test_pick(int full, int quick)
{
    return test_quick() ? quick : full;
}

#endif

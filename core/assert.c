/* Ends the program when an invariant of this code does not hold. */
#include "core/assert.h"

#if DRY_ASSERTS
#include <stdio.h>
#include <stdlib.h>

_Noreturn void dry_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "drystone: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#else
/* A translation unit of C has at least one declaration. */
typedef int dry_assert_unused;
#endif

/* Telling why a call failed. All failures of public calls pass through here, and those of assertions. */
#include "core/fail.h"

#include "core/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512 };

/* Nothing of the library reads it. */
static _Thread_local char last_error[LINE_BYTES];

dry_result dry_fail_with(const dry_log *log, dry_result result, const char *format, va_list arguments)
{
    char line[LINE_BYTES];
    vsnprintf(line, sizeof line, format, arguments);
    if (log && log->write)
        log->write(line, log->user);
    if (result != DRY_OK)
        memcpy(last_error, line, sizeof line); /* last: the log may have made calls that failed */
    return result;
}

dry_result dry_fail(const dry_log *log, dry_result result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dry_fail_with(log, result, format, arguments);
    va_end(arguments);
    return result;
}

const char *dry_last_error(void)
{
    return last_error;
}

#if DRY_ASSERTS
_Noreturn void dry_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "drystone: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}
#endif

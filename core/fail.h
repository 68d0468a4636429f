/* The reasons of failed calls: for logs, and for dry_last_error. */
#ifndef CORE_FAIL_H
#define CORE_FAIL_H

#include "core/compiler.h"

#include <drystone/types.h>

#include <stdarg.h>

/* Writes why a call fails to a log, which may be null, and keeps it as the last error of the thread. With
 * DRY_OK the line goes to the log alone. The format names the call and the argument. Returns `result`. */
dry_result dry_fail(const dry_log *log, dry_result result, const char *format, ...) DRY_PRINTF(3, 4);
dry_result dry_fail_with(const dry_log *log, dry_result result, const char *format, va_list arguments);

#endif

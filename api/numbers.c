/* The range of world numbers that a process gives out.
 *
 * Reads and writes: the counter of the process. Next: core/numbers.h. */
#include "core/numbers.h"

#include <stdio.h>

dry_result dry_set_number_range(dry_number_range range, const dry_log *log)
{
    const char *error = dry_numbers_set_range(range.begin, range.end);
    if (error && log && log->write) {
        char line[160];
        snprintf(line, sizeof line, "dry_set_number_range: %s", error);
        log->write(line, log->user);
    }
    return error ? DRY_ERROR_ARGUMENT : DRY_OK;
}

dry_number_range dry_get_number_range(void)
{
    dry_number_range range;
    dry_numbers_get_range(&range.begin, &range.end);
    return range;
}

/* The range of world numbers that a process gives out.
 *
 * Reads and writes: the counter of the process. Next: core/numbers.h. */
#include "core/numbers.h"
#include "core/fail.h"

dry_result dry_set_number_range(dry_number_range range, const dry_log *log)
{
    const char *error = dry_numbers_set_range(range.begin, range.end);
    return error ? dry_fail(log, DRY_ERROR_ARGUMENT, "%s: %s", __func__, error) : DRY_OK;
}

dry_number_range dry_get_number_range(void)
{
    dry_number_range range;
    dry_numbers_get_range(&range.begin, &range.end);
    return range;
}

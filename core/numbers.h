/* The world numbers of this process: which are given out, and which a loaded world has brought along.
 *
 * A number is given out once, in rising order. Numbers that a loaded world holds are passed over, a whole
 * block of numbers at a time: one bit a block needs no memory that grows. All functions may be called from
 * any thread.
 *
 * Reads and writes: the one counter of the process. Next: core/leases.h, api/numbers.c. */
#ifndef CORE_NUMBERS_H
#define CORE_NUMBERS_H

#include <drystone/numbers.h>

/* Numbers below DRY_NUMBERS_BEGIN belong to tags, 2^16 of them to each. */
enum { DRY_NUMBER_TAG_BITS = 16 };

/* Gives out `count` numbers in a row, at most a block. Returns the first; 0 if the range has no more. */
uint64_t dry_numbers_draw(uint64_t count);
/* Passes over numbers that a loaded world holds: they are not given out any more. */
void dry_numbers_pass_over(uint64_t first, uint64_t count);

/* Sets the range of numbers that are given out. Returns what is wrong with it, in words; null if nothing is.
 * Must not run beside a draw. */
const char *dry_numbers_set_range(uint64_t begin, uint64_t end);
/* Reads that range. */
void dry_numbers_get_range(uint64_t *begin, uint64_t *end);

/* Forgets everything, as if the process had just begun: for tests of restarts. */
void dry_numbers_restart(void);

#endif

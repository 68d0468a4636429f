/* The counter of world numbers. It has no lock, so that a fork never copies a held one.
 *
 * A draw looks at the marks of its blocks before and after it moves the counter. A load marks blocks first. A
 * draw that a mark overtakes is thrown away: its numbers are lost and nobody has them. */
#include "core/numbers.h"

#include <stdatomic.h>
#include <stddef.h>

/* As many numbers as a tag has, and twice as many as the longest draw: a draw lies in two blocks at most. */
enum { BLOCK_BITS = DRY_NUMBER_TAG_BITS };
#define BLOCKS_BEGIN (DRY_NUMBERS_BEGIN >> BLOCK_BITS)
#define BLOCKS_END (DRY_NUMBERS_END >> BLOCK_BITS)
#define BLOCK (UINT64_C(1) << BLOCK_BITS)

static _Atomic uint64_t range_begin = DRY_NUMBERS_BEGIN, range_end = DRY_NUMBERS_END;
static _Atomic uint64_t next = DRY_NUMBERS_BEGIN;
static _Atomic uint64_t passed[(BLOCKS_END - BLOCKS_BEGIN) / 64]; /* a bit for each block */

static bool is_passed(uint64_t number)
{
    const uint64_t block = (number >> BLOCK_BITS) - BLOCKS_BEGIN;
    return atomic_load(&passed[block / 64]) >> block % 64 & 1;
}

/* Returns where `count` numbers can be drawn, from `at` on: beyond all blocks that are passed over. */
static uint64_t find_room(uint64_t at, uint64_t count, uint64_t end)
{
    while (at < end && count <= end - at) {
        if (is_passed(at))
            at = (at | (BLOCK - 1)) + 1;
        else if (is_passed(at + count - 1))
            at = ((at + count - 1) | (BLOCK - 1)) + 1;
        else
            return at;
    }
    return 0;
}

uint64_t dry_numbers_draw(uint64_t count)
{
    const uint64_t end = atomic_load(&range_end);
    uint64_t at = atomic_load(&next);
    for (;;) {
        const uint64_t first = find_room(at, count, end);
        if (first == 0)
            return 0;
        if (!atomic_compare_exchange_weak(&next, &at, first + count))
            continue;
        if (!is_passed(first) && !is_passed(first + count - 1))
            return first;
        at = first + count;
    }
}

void dry_numbers_pass_over(uint64_t first, uint64_t count)
{
    if (first < DRY_NUMBERS_BEGIN || first >= DRY_NUMBERS_END || count > DRY_NUMBERS_END - first)
        return;
    /* Numbers that this process has given out itself are behind the counter. */
    if (first >= atomic_load(&range_begin) && first + count <= atomic_load(&next))
        return;
    for (uint64_t block = first >> BLOCK_BITS; block <= (first + count - 1) >> BLOCK_BITS; block++)
        atomic_fetch_or(&passed[(block - BLOCKS_BEGIN) / 64], UINT64_C(1) << (block - BLOCKS_BEGIN) % 64);
}

const char *dry_numbers_set_range(uint64_t begin, uint64_t end)
{
    const uint64_t at = atomic_load(&next);
    const bool drawn = at > atomic_load(&range_begin);
    if (begin < DRY_NUMBERS_BEGIN || end > DRY_NUMBERS_END || begin >= end)
        return "the range must lie within DRY_NUMBERS_BEGIN and DRY_NUMBERS_END, and must not be empty";
    if (drawn && (begin > atomic_load(&range_begin) || end < at))
        return "worlds of this process hold numbers outside of the range";
    atomic_store(&range_begin, begin);
    atomic_store(&range_end, end);
    if (!drawn)
        atomic_store(&next, begin);
    return NULL;
}

void dry_numbers_get_range(uint64_t *begin, uint64_t *end)
{
    *begin = atomic_load(&range_begin);
    *end = atomic_load(&range_end);
}

uint64_t dry_numbers_left(void)
{
    const uint64_t end = atomic_load(&range_end);
    uint64_t left = 0;
    for (uint64_t at = atomic_load(&next); at < end;) {
        const uint64_t behind = (at | (BLOCK - 1)) + 1, stop = behind < end ? behind : end;
        left += is_passed(at) ? 0 : stop - at;
        at = stop;
    }
    return left;
}

void dry_numbers_restart(void)
{
    for (uint64_t i = 0; i < (BLOCKS_END - BLOCKS_BEGIN) / 64; i++)
        atomic_store(&passed[i], 0);
    atomic_store(&range_begin, DRY_NUMBERS_BEGIN);
    atomic_store(&range_end, DRY_NUMBERS_END);
    atomic_store(&next, DRY_NUMBERS_BEGIN);
}

/* The numbers that a world holds, in leases, and what they make of its ids.
 *
 * An id has, from the lowest bit up, 24 bits of slot + 1, 6 bits of use, and a number of 34 bits:
 *
 *     | number | use | slot + 1 |
 *       34       6     24
 *
 * Lease k is 2^k numbers in a row, each good for 64 uses of every slot. Reuse n of a slot belongs to lease k
 * if 2^k - 1 <= n / 64 < 2^(k + 1) - 1. So its count alone finds a slot's number and use, without a search.
 * When a slot has used up the world's leases, the world draws the next one before it creates anything more.
 * Sixteen leases are 65,535 numbers and 4,194,240 uses of a slot, which is then never taken again.
 *
 * Draws depend on the other worlds of the process. So they are input, not state: they do not enter the hash,
 * saves hold them, and what takes a world back to an earlier state must keep them. Then the same calls yield
 * the same ids again. A world with a tag draws nothing: it holds the 2^16 numbers from tag * 2^16 on.
 *
 * Why they suffice: W worlds in which N objects are created take at most W + N / 32 numbers, since lease k
 * is drawn after 64 (2^k - 1) uses of one slot. A process that has half of all 3 * 2^32 numbers makes 10^9
 * worlds and 10^11 objects of 4.1 * 10^9 numbers, and has 6.4 * 10^9.
 *
 * Next: core/slots.h, core/numbers.h. */
#ifndef CORE_LEASES_H
#define CORE_LEASES_H

#include "core/compiler.h"
#include "core/numbers.h"

#include <stddef.h>

enum {
    DRY_LEASES_MAX = 16,
    DRY_ID_SLOT_BITS = 24,
    DRY_ID_USE_BITS = 6,
    DRY_NUMBER_USES = 1 << DRY_ID_USE_BITS,
};
/* The uses of one slot under all leases. */
#define DRY_SLOT_USES_MAX ((uint32_t)DRY_NUMBER_USES * ((UINT32_C(1) << DRY_LEASES_MAX) - 1))

typedef struct dry_leases {
    uint64_t first[DRY_LEASES_MAX]; /* number of each lease */
    int count;
} dry_leases;

/* Returns the lease of a slot's reuse, the first use being reuse 0. */
static inline int dry_lease_of(uint32_t reuse)
{
    return dry_highest_bit(reuse / DRY_NUMBER_USES + 1);
}

/* Returns number and use of a reuse whose lease has been drawn, where an id has them. */
static inline uint64_t dry_leases_bits(const dry_leases *leases, uint32_t reuse)
{
    const int lease = dry_lease_of(reuse);
    const uint32_t before = DRY_NUMBER_USES * ((UINT32_C(1) << lease) - 1);
    return ((leases->first[lease] << DRY_ID_USE_BITS) + (reuse - before)) << DRY_ID_SLOT_BITS;
}

/* Gives the numbers of a tag, 1 to 65,535. */
void dry_leases_of_tag(dry_leases *leases, uint16_t tag);
/* Draws leases until there are `count`. Returns false if the process has no more numbers. */
bool dry_leases_draw(dry_leases *leases, int count);
/* Tells whether two worlds hold the same numbers, as far as both have drawn. */
bool dry_leases_agree(const dry_leases *a, const dry_leases *b);
/* Returns what is wrong with leases of unknown origin, in words; null if nothing is. */
const char *dry_leases_error(const dry_leases *leases);
/* Keeps the numbers of a loaded world from being given out. */
void dry_leases_pass_over(const dry_leases *leases);

#endif

/* Sorting pairs. The order takes away every trace of threads and of the trees' history. */
#include "broadphase/internal.h"

/* Ranges this short are sorted by insertion. */
enum { INSERTION_MAX = 32 };

static uint64_t pair_key(dry_pair pair)
{
    return (uint64_t)pair.first << 32 | pair.second;
}

/* Sorts pairs whose keys have equal bits from `shift` + 8 up: radix sort in place from the top ("American
 * flag sort" [McIlroy, Bostic, McIlroy 93]), so that the first step's many pairs need no second array. */
static void sort_pairs(dry_pair *pairs, int count, int shift)
{
    if (count <= INSERTION_MAX) {
        for (int i = 1; i < count; i++) {
            dry_pair pair = pairs[i];
            int j = i;
            for (; j > 0 && pair_key(pairs[j - 1]) > pair_key(pair); j--)
                pairs[j] = pairs[j - 1];
            pairs[j] = pair;
        }
        return;
    }
    int ends[256] = {0}, next[256], begin = 0;
    for (int i = 0; i < count; i++)
        ends[pair_key(pairs[i]) >> shift & 255]++;
    for (int digit = 0; digit < 256; digit++) {
        next[digit] = begin;
        begin = ends[digit] += begin;
    }
    for (int digit = 0; digit < 256; digit++) {
        while (next[digit] < ends[digit]) {
            dry_pair pair = pairs[next[digit]];
            int home = (int)(pair_key(pair) >> shift & 255);
            if (home == digit) {
                next[digit]++;
            } else {
                pairs[next[digit]] = pairs[next[home]];
                pairs[next[home]++] = pair;
            }
        }
    }
    if (shift == 0)
        return;
    /* The lowest digits overlap where less than a whole digit is left; the overlapping bits are equal. */
    begin = 0;
    for (int digit = 0; digit < 256; digit++) {
        if (ends[digit] - begin > 1)
            sort_pairs(pairs + begin, ends[digit] - begin, shift < 8 ? 0 : shift - 8);
        begin = ends[digit];
    }
}

/* Returns the shift of the highest digit in which pairs differ. */
static int sort_shift(const dry_pair *pairs, int count)
{
    uint64_t differing = 0;
    int shift = 0;
    for (int i = 1; i < count; i++)
        differing |= pair_key(pairs[i]) ^ pair_key(pairs[0]);
    while (differing >> shift >> 8 != 0)
        shift++;
    return shift;
}

void dry_pairs_sort(dry_pair *pairs, int count)
{
    sort_pairs(pairs, count, sort_shift(pairs, count));
}

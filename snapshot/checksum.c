/* The checksum of a section. Next: snapshot/format.h. */
#include "snapshot/format.h"

#include <string.h>

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint64_t mixed(uint64_t lane, uint64_t word)
{
    lane = (lane ^ word) * FACTOR;
    return lane ^ lane >> 32;
}

void dry_checksum_add(dry_checksum *sum, const void *bytes, size_t words)
{
    const char *at = bytes;
    for (; words > 0 && sum->words % 4 != 0; words--, at += 8, sum->words++)
        sum->lane[sum->words % 4] = mixed(sum->lane[sum->words % 4], word_at(at));
    uint64_t a = sum->lane[0], b = sum->lane[1], c = sum->lane[2], d = sum->lane[3];
    for (; words >= 4; words -= 4, at += 32, sum->words += 4) {
        a = mixed(a, word_at(at));
        b = mixed(b, word_at(at + 8));
        c = mixed(c, word_at(at + 16));
        d = mixed(d, word_at(at + 24));
    }
    sum->lane[0] = a, sum->lane[1] = b, sum->lane[2] = c, sum->lane[3] = d;
    for (; words > 0; words--, at += 8, sum->words++)
        sum->lane[sum->words % 4] = mixed(sum->lane[sum->words % 4], word_at(at));
}

uint64_t dry_checksum_end(const dry_checksum *sum)
{
    uint64_t h = sum->words;
    for (int i = 0; i < 4; i++)
        h = mixed(h, sum->lane[i]);
    return h;
}

/* How a hash takes in words, bytes and numbers. */
#ifndef STATE_HASH_MIX_H
#define STATE_HASH_MIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A multiply-and-rotate mix per word: fast, and every bit of every word reaches the result. */
static inline uint64_t dry_hash_mix(uint64_t h, uint64_t word)
{
    h ^= word;
    h *= 0x9e3779b97f4a7c15ull;
    return (h << 29 | h >> 35) * 0xbf58476d1ce4e5b9ull;
}

static inline uint64_t dry_hash_mix_bytes(uint64_t h, const void *data, size_t size)
{
    const char *bytes = data;
    for (; size >= 8; bytes += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        h = dry_hash_mix(h, word);
    }
    if (size == 0)
        return h;
    uint64_t word = 0;
    memcpy(&word, bytes, size);
    return dry_hash_mix(h, word);
}

/* Spreads a hash so that sums of such words do not cancel [splitmix64]: dry_hash_mix alone is so nearly
 * linear that two rows which exchange values one bit apart left their sum as it was. */
static inline uint64_t dry_hash_spread(uint64_t h)
{
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 27) * 0x94d049bb133111ebull;
    return h ^ h >> 31;
}

static inline uint64_t dry_hash_mix_floats(uint64_t h, const float *values, int count)
{
    for (int i = 0; i < count; i++)
        h = dry_hash_mix_bytes(h, &values[i], sizeof values[i]);
    return h;
}

#endif

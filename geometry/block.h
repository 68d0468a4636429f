/* Blocks of shape data: arrays that follow each other at multiples of 64 bytes, with zeros between them. */
#ifndef GEOMETRY_BLOCK_H
#define GEOMETRY_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { DRY_BLOCK_ALIGNMENT = 64 };

static inline uint64_t dry_block_padded(uint64_t bytes)
{
    return (bytes + DRY_BLOCK_ALIGNMENT - 1) / DRY_BLOCK_ALIGNMENT * DRY_BLOCK_ALIGNMENT;
}

/* Puts an array behind what ends at `end`. Returns where it begins. */
static inline uint64_t dry_block_lay_array(uint64_t *end, uint64_t bytes)
{
    const uint64_t begin = dry_block_padded(*end);
    *end = begin + bytes;
    return begin;
}

/* Tells whether the bytes [begin, end) of a block are zero. */
static inline bool dry_block_is_zero(const void *block, uint64_t begin, uint64_t end)
{
    const uint8_t *bytes = block;
    uint8_t sum = 0;
    for (uint64_t i = begin; i < end; i++)
        sum |= bytes[i];
    return sum == 0;
}

#endif

/* Pseudo-random numbers from integer arithmetic alone: the same to the last bit on every machine. */
#ifndef TOOLS_SCENES_RANDOM_H
#define TOOLS_SCENES_RANDOM_H

#include <stdint.h>

/* Draws the next 64 bits of splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t dry_random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Draws a number from [-1, 1) with 53 bits. */
static inline double dry_random_signed(uint64_t *state)
{
    return (double)(dry_random_bits(state) >> 11) * 0x1p-52 - 1.0;
}

#endif

/* What the machine can do at most: bytes streamed from one core, multiply-adds on it. stream.c is compiled
 * once per instruction set, as the kernels are. */
#ifndef PERF_STREAM_H
#define PERF_STREAM_H

#include <drystone/world.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAM_SUMS = 12 };

typedef struct stream_level {
    dry_isa isa;
    /* A sum of `words` words, a multiple of 64. */
    uint64_t (*read)(const uint64_t *words, size_t count);
    /* a = b + s c, `count` floats each, a multiple of 64 [McCalpin: STREAM]. */
    void (*triad)(float *a, const float *b, const float *c, float s, size_t count);
    /* `rounds` times STREAM_SUMS multiply-adds; *lanes gets the floats in a register. */
    float (*multiply_add)(int rounds, int *lanes);
} stream_level;

extern const stream_level stream_scalar;
#if defined(__x86_64__)
extern const stream_level stream_sse2, stream_avx2, stream_avx512;
#elif defined(__aarch64__)
extern const stream_level stream_neon;
#endif

/* The level of that name; null if the build or the processor lacks it. */
const stream_level *stream_for(dry_isa isa);
/* The widest that the processor has. */
const stream_level *stream_widest(void);

/* Limits of one core with the widest level: best of many passes. A working set of `bytes`. */
double stream_read_limit(size_t bytes, double seconds);  /* bytes/s */
double stream_triad_limit(size_t bytes, double seconds); /* bytes/s: two streams read and one written */
double stream_flop_limit(dry_isa isa, double seconds);   /* flop/s, two in a multiply-add */

#endif

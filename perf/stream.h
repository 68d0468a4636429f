/* Measures the limits of the machine: bytes streamed by one core, and its multiply-adds. stream.c is compiled
 * once for each instruction set, as the kernels are. */
#ifndef PERF_STREAM_H
#define PERF_STREAM_H

#include <drystone/world.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAM_SUMS = 12 };

typedef struct stream_level {
    dry_isa isa;
    /* Sums `count` words, a multiple of 64. */
    uint64_t (*read)(const uint64_t *words, size_t count);
    /* Computes a = b + s c for `count` floats, a multiple of 64 [McCalpin: STREAM]. */
    void (*triad)(float *a, const float *b, const float *c, float s, size_t count);
    /* Computes `rounds` times STREAM_SUMS multiply-adds; sets *lanes to the number of floats in a register.
     */
    float (*multiply_add)(int rounds, int *lanes);
} stream_level;

extern const stream_level stream_scalar;
#if defined(__x86_64__)
extern const stream_level stream_sse2, stream_avx2, stream_avx512;
#elif defined(__aarch64__)
extern const stream_level stream_neon;
#endif

/* Returns the level of an instruction set; null if the build or the processor lacks it. */
const stream_level *stream_for(dry_isa isa);
/* Returns the widest level of the processor. */
const stream_level *stream_widest(void);

/* Return the limits of one core, the best of many passes, for a working set of `bytes`. */
double stream_read_limit(size_t bytes, double seconds);  /* bytes/s */
double stream_triad_limit(size_t bytes, double seconds); /* bytes/s: two streams read and one written */
double stream_flop_limit(dry_isa isa, double seconds);   /* flop/s, two in a multiply-add */

#endif

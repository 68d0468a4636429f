/* Measures the limits of the machine with the streams of stream.c. */
#include "perf/bench.h"
#include "perf/stream.h"

#include <stdlib.h>

const stream_level *stream_for(dry_isa isa)
{
    static const stream_level *const levels[] = {
        &stream_scalar,
#if defined(__x86_64__)
        &stream_sse2,
        &stream_avx2,
        &stream_avx512,
#elif defined(__aarch64__)
        &stream_neon,
#endif
    };
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i]->isa == isa && dry_isa_available(isa))
            return levels[i];
    return NULL;
}

const stream_level *stream_widest(void)
{
    const stream_level *widest = &stream_scalar;
    for (int isa = DRY_ISA_SCALAR; isa < DRY_ISA_COUNT; isa++)
        if (stream_for((dry_isa)isa))
            widest = stream_for((dry_isa)isa);
    return widest;
}

static volatile uint64_t kept; /* keeps the compiler from dropping the work */

double stream_read_limit(size_t bytes, double seconds)
{
    const stream_level *level = stream_widest();
    size_t words = bytes / 8 / 64 * 64;
    uint64_t *data = bench_allocate(words * 8), sum = 0;
    for (size_t i = 0; i < words; i++)
        data[i] = i;
    /* Repeats until the time is long enough for the clock. */
    size_t repeats = 1 + (1 << 20) / (words * 8);
    double best = 0.0, end = bench_now() + seconds;
    do {
        double began = bench_now();
        for (size_t i = 0; i < repeats; i++)
            sum += level->read(data, words);
        double rate = (double)(words * 8 * repeats) / (bench_now() - began);
        best = rate > best ? rate : best;
    } while (bench_now() < end);
    kept = sum;
    free(data);
    return best;
}

double stream_triad_limit(size_t bytes, double seconds)
{
    const stream_level *level = stream_widest();
    size_t count = bytes / 12 / 64 * 64;
    float *a = bench_allocate(count * 4), *b = bench_allocate(count * 4), *c = bench_allocate(count * 4);
    for (size_t i = 0; i < count; i++)
        b[i] = c[i] = (float)(i % 1000);
    size_t repeats = 1 + (1 << 20) / (count * 12);
    double best = 0.0, end = bench_now() + seconds;
    do {
        double began = bench_now();
        for (size_t i = 0; i < repeats; i++)
            level->triad(a, b, c, (float)i, count);
        double rate = (double)(count * 12 * repeats) / (bench_now() - began);
        best = rate > best ? rate : best;
    } while (bench_now() < end);
    kept = (uint64_t)a[count / 2];
    free(a);
    free(b);
    free(c);
    return best;
}

double stream_flop_limit(dry_isa isa, double seconds)
{
    const stream_level *level = stream_for(isa);
    double best = 0.0, end = bench_now() + seconds;
    float total = 0.0f;
    while (level && (best == 0.0 || bench_now() < end)) {
        enum { ROUNDS = 2000 };
        int lanes;
        double began = bench_now();
        total += level->multiply_add(ROUNDS, &lanes);
        double rate = 2.0 * STREAM_SUMS * ROUNDS * lanes / (bench_now() - began);
        best = rate > best ? rate : best;
    }
    kept = (uint64_t)total;
    return best;
}

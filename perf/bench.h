/* What the benchmarks share: batches and their median, hashes of work, worlds in a known state.
 *
 * A benchmark restores one state, works on it for a batch, and says how long the work took; that again and
 * again. The report has the median over the batches, which one disturbed batch does not move, and a hash of
 * what the work left, so that nothing is optimised away and two runs are known to have done the same. */
#ifndef PERF_BENCH_H
#define PERF_BENCH_H

#include "perf/benchmark_shim.h"
#include "scenes/scenes.h"

#include <stddef.h>
#include <stdint.h>

/* Monotonic, s. */
double bench_now(void);

/* The batches of one run of one benchmark. */
typedef struct bench_batches {
    double *seconds;
    int count, capacity;
    double began;
    uint64_t hash; /* of the first batch's work */
    bool differs;  /* a later batch's was another */
} bench_batches;

void bench_begin(bench_batches *batches);
/* Ends the timed part that bench_begin began. */
void bench_end(bench_batches *batches, bench_state *state);
/* The same where the benchmark took the time. */
void bench_add(bench_batches *batches, bench_state *state, double seconds);
/* What the batch's work came to. All batches must agree. */
void bench_work(bench_batches *batches, uint64_t hash);

/* Reports the median: `items` of work were in a batch, each called `item`. Returns seconds an item; frees the
 * batches. */
double bench_report(bench_batches *batches, bench_state *state, double items, const char *item);

/* The value at share q of the sorted values; sorts them. */
double bench_quantile(double *values, int count, double q);

#define BENCH_HASH_BEGIN 0xcbf29ce484222325u
uint64_t bench_hash(uint64_t hash, const void *data, size_t bytes);

/* Ends the program: a benchmark that cannot get memory has nothing to say. Cache lines. */
void *bench_allocate(size_t bytes);

/* Random numbers: the same everywhere. */
uint64_t bench_random(uint64_t *seed);
float bench_random_in(uint64_t *seed, float low, float high);

/* A built-in scene in a new world that has taken `steps` steps; ends the program if it cannot be made. */
typedef struct bench_world {
    dry_scene scene;
    dry_world *world;
} bench_world;
bench_world bench_world_make(const char *scene, int size, int steps, const dry_world_def *def);
void bench_world_free(bench_world *made);
void bench_check(dry_result result, const char *what);
/* Without sleep: every step has work to do. */
dry_world_def bench_world_def(int threads);

/* True with the argument --tiny, which is taken out: sizes and times for a test, not for a measurement. */
bool bench_tiny(int *argc, char **argv);
/* Describes processor, compiler and flags, runs all that is registered; the program's exit status. */
int bench_main(int argc, char **argv, bool tiny);

#endif

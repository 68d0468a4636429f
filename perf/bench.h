/* Declares what the benchmarks share: batches and their median, hashes of work, worlds in a known state.
 *
 * A benchmark runs batches. Each batch restores one state, works on it, and measures the time of the work.
 * The report has the median over the batches, which one disturbed batch does not change. The report also has
 * a hash of the result, so that the compiler keeps the work, and two runs with equal hashes did the same
 * work. */
#ifndef PERF_BENCH_H
#define PERF_BENCH_H

#include "perf/benchmark_shim.h"
#include "tools/scenes/scenes.h"

#include <stddef.h>
#include <stdint.h>

/* Returns monotonic time, s. */
double bench_now(void);

/* The batches of one run of one benchmark. */
typedef struct bench_batches {
    double *seconds;
    int count, capacity;
    double began;
    uint64_t hash; /* of the result of the first batch */
    bool differs;  /* a later batch has another result */
} bench_batches;

void bench_begin(bench_batches *batches);
/* Ends the timed part of a batch, which bench_begin began. */
void bench_end(bench_batches *batches, bench_state *state);
/* Adds a batch whose time the benchmark measured itself. */
void bench_add(bench_batches *batches, bench_state *state, double seconds);
/* Records the hash of a batch's result. All batches must agree. */
void bench_work(bench_batches *batches, uint64_t hash);

/* Reports the median time of an item; a batch has `items` items, and `item` names one. Returns that time, s,
 * and frees the batches. */
double bench_report(bench_batches *batches, bench_state *state, double items, const char *item);

/* Sorts the values and returns the one at share q. */
double bench_quantile(double *values, int count, double q);

#define BENCH_HASH_BEGIN 0xcbf29ce484222325u
uint64_t bench_hash(uint64_t hash, const void *data, size_t bytes);

/* Returns memory aligned to a cache line; ends the program if there is none. */
void *bench_allocate(size_t bytes);

/* A sink's room for a save. */
typedef struct bench_bytes {
    char *at;
    size_t size, room;
} bench_bytes;
/* Appends bytes to the bench_bytes that `user` is, as a dry_sink does. Returns false if there is no room. */
bool bench_append(void *user, const void *bytes, size_t size);
/* Adds a number of bytes to the size_t that `user` is, likewise. */
bool bench_count(void *user, const void *bytes, size_t size);

/* Draws random numbers, the same on every machine. */
uint64_t bench_random(uint64_t *seed);
float bench_random_in(uint64_t *seed, float low, float high);

/* A built-in scene in a new world after `steps` steps. Making it ends the program on failure. */
typedef struct bench_world {
    dry_scene scene;
    dry_world *world;
} bench_world;
bench_world bench_world_make(const char *scene, int size, int steps, const dry_world_def *def);
void bench_world_free(bench_world *made);
void bench_check(dry_result result, const char *what);
/* Returns a definition without sleep, so that every step has work. */
dry_world_def bench_world_def(int threads);

/* Removes the argument --tiny and returns true if it was there: sizes and times for a test, not a
 * measurement. */
bool bench_tiny(int *argc, char **argv);
/* Describes processor, compiler and flags, runs all registered benchmarks, and returns the program's exit
 * status. */
int bench_main(int argc, char **argv, bool tiny);

#endif

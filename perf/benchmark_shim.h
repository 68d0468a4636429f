/* Makes the calls of Google Benchmark that the benchmarks need available to C.
 *
 * Each benchmark measures its own time (perf/bench.h), batch by batch, so that restoring the state between
 * two batches does not count. */
#ifndef PERF_BENCHMARK_SHIM_H
#define PERF_BENCHMARK_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run of one benchmark. */
typedef struct bench_state bench_state;

/* A benchmark. The library may call it several times, with more batches each time, until they take long
 * enough. */
typedef void bench_function(bench_state *state, const void *context);

/* Registers a benchmark. Copies `name` and `bytes` bytes of *context. If `batches` is 0 the library chooses
 * the number. */
void bench_register(const char *name, bench_function *run, const void *context, size_t bytes, int batches);

/* Returns true once for each batch. */
bool bench_next(bench_state *state);
void bench_took(bench_state *state, double seconds);

/* Adds a number, or the text, to the report. */
void bench_counter(bench_state *state, const char *name, double value);
void bench_label(bench_state *state, const char *text);

/* Ends the benchmark. The program runs all others and then ends with an error. */
void bench_fail(bench_state *state, const char *why);

/* Adds a line to the report's head. */
void bench_describe(const char *key, const char *value);

/* Runs the registered benchmarks with Google Benchmark's arguments; returns the program's exit status. */
int bench_run(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif

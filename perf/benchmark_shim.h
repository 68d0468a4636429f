/* Google Benchmark for C: the few of its calls that the benchmarks need.
 *
 * Time is always measured by the benchmark itself (perf/bench.h), batch by batch, so that restoring the
 * state between two batches costs nothing. */
#ifndef PERF_BENCHMARK_SHIM_H
#define PERF_BENCHMARK_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One run of one benchmark. */
typedef struct bench_state bench_state;

/* May be called several times, with more batches each time, until they took long enough. */
typedef void bench_function(bench_state *state, const void *context);

/* `name` and the `bytes` of *context are copied. With `batches` 0 the library chooses how many. */
void bench_register(const char *name, bench_function *run, const void *context, size_t bytes, int batches);

/* True once for each batch. */
bool bench_next(bench_state *state);
void bench_took(bench_state *state, double seconds);

/* A number and the text that go into the report. */
void bench_counter(bench_state *state, const char *name, double value);
void bench_label(bench_state *state, const char *text);

/* Ends the benchmark, and the program with an error once all others have run. */
void bench_fail(bench_state *state, const char *why);

/* A line of the report's head. */
void bench_describe(const char *key, const char *value);

/* Runs what is registered; the program's exit status. Takes Google Benchmark's arguments. */
int bench_run(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif

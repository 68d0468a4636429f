// Implements the C interface to Google Benchmark (benchmark_shim.h).
#include "perf/benchmark_shim.h"

#include <benchmark/benchmark.h>
#include <vector>

struct bench_state {
    benchmark::State &state;
};

namespace
{
bool failed = false;
}

void bench_register(const char *name, bench_function *run, const void *context, size_t bytes, int batches)
{
    const auto *from = static_cast<const char *>(context);
    const std::vector<char> copy(from, from + bytes);
    auto *one = benchmark::RegisterBenchmark(name, [run, copy](benchmark::State &state) {
        bench_state wrapped{state};
        run(&wrapped, copy.data());
    });
    one->UseManualTime()->Unit(benchmark::kMicrosecond);
    if (batches > 0)
        one->Iterations(batches);
}

bool bench_next(bench_state *state)
{
    return state->state.KeepRunning();
}

void bench_took(bench_state *state, double seconds)
{
    state->state.SetIterationTime(seconds);
}

void bench_counter(bench_state *state, const char *name, double value)
{
    state->state.counters[name] = value;
}

void bench_label(bench_state *state, const char *text)
{
    state->state.SetLabel(text);
}

void bench_fail(bench_state *state, const char *why)
{
    failed = true;
    state->state.SkipWithError(why);
}

void bench_describe(const char *key, const char *value)
{
    benchmark::AddCustomContext(key, value);
}

int bench_run(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    const size_t count = benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return failed || count == 0;
}

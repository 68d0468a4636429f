/* Measures how even the steps of standing scenes are, and how much of the unevenness is the machine's.
 *
 *   evenness/SCENE:SIZE   repeats one run: the same steps of the same motion. The smallest time of a step
 * over all runs is nearest to the engine's time. A step that is slow in every run is slow because of the
 * engine; a step that is slow in one run is slow because of the machine.
 *
 *   evenness/machine      how often, and how long, the machine interrupts a loop that only reads the clock
 */
#include "perf/bench.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 16, STEPS_MAX = 600 };

typedef struct even_case {
    const char *scene;
    int size, before, timed;
} even_case;

typedef struct spread {
    double median;
    double p99, max; /* in medians */
} spread;

static spread spread_of(double *values, int count)
{
    double median = bench_quantile(values, count, 0.5);
    return (spread){median, bench_quantile(values, count, 0.99) / median, values[count - 1] / median};
}

static void bench_evenness(bench_state *state, const void *context)
{
    const even_case *one = context;
    double step_s[STEPS_MAX], least_s[STEPS_MAX], p99[RUNS], max[RUNS];
    int runs = 0;
    bench_batches batches = {0};
    for (int i = 0; i < one->timed; i++)
        least_s[i] = INFINITY;
    while (bench_next(state)) {
        dry_world_def def = bench_world_def(1);
        bench_world made = bench_world_make(one->scene, one->size, one->before, &def);
        double seconds = 0.0;
        for (int i = 0; i < one->timed; i++) {
            double began = bench_now();
            bench_check(dry_world_step(made.world, made.scene.dt), one->scene);
            step_s[i] = bench_now() - began;
            least_s[i] = fmin(least_s[i], step_s[i]);
            seconds += step_s[i];
        }
        bench_add(&batches, state, seconds);
        bench_work(&batches, dry_world_hash(made.world));
        spread run = spread_of(step_s, one->timed);
        p99[runs] = run.p99;
        max[runs++] = run.max;
        bench_world_free(&made);
    }
    spread least = spread_of(least_s, one->timed);
    bench_counter(state, "least_ms", 1e3 * least.median);
    bench_counter(state, "least_p99", least.p99);
    bench_counter(state, "least_max", least.max);
    bench_counter(state, "run_p99", bench_quantile(p99, runs, 0.5));
    bench_counter(state, "run_max", bench_quantile(max, runs, 0.5));
    bench_report(&batches, state, one->timed, "step");
}

static void bench_machine(bench_state *state, const void *context)
{
    /* Reading the clock takes some 0.04 us. */
    const double stall_min_s = 2e-6;
    static double stalls_us[65536];
    const double *seconds = context;
    int count = 0;
    double held_up_us = 0.0;
    while (bench_next(state)) {
        double began = bench_now(), last = began, now;
        while ((now = bench_now()) - began < *seconds) {
            if (now - last > stall_min_s && count < 65536) {
                stalls_us[count++] = 1e6 * (now - last);
                held_up_us += 1e6 * (now - last);
            }
            last = now;
        }
        bench_took(state, now - began);
    }
    bench_counter(state, "stalls_per_s", count / *seconds);
    bench_counter(state, "stall_us", bench_quantile(stalls_us, count, 0.5));
    bench_counter(state, "stall_us_max", bench_quantile(stalls_us, count, 1.0));
    bench_counter(state, "held_up_share", 1e-6 * held_up_us / *seconds);
}

int main(int argc, char **argv)
{
    static const even_case cases[] = {
        {"tower", 2, 60, 600},     {"tower", 10, 60, 600},        {"tower", 30, 60, 600},
        {"tower", 100, 60, 600},   {"pyramid", 20, 60, 600},      {"pyramid", 100, 60, 200},
        {"pyramids", 10, 60, 200}, {"mass-ratio", 1000, 60, 600},
    };
    bool tiny = bench_tiny(&argc, argv);
    double seconds = tiny ? 1e-3 : 2.0;
    bench_register("evenness/machine", bench_machine, &seconds, sizeof seconds, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        even_case one = cases[i];
        char name[96];
        if (tiny) {
            one.size = one.size < 4 ? one.size : 4;
            one.before = one.timed = 5;
        }
        snprintf(name, sizeof name, "evenness/%s:%d", one.scene, one.size);
        bench_register(name, bench_evenness, &one, sizeof one, tiny ? 2 : RUNS);
    }
    return bench_main(argc, argv, tiny);
}

/* Measures whole steps: every built-in scene on one thread and on all cores; the pyramids, the pile and the
 * large pyramid also on the numbers of threads between.
 *
 * Each batch builds its scene anew and steps it to the same state outside the timed part. All batches, thread
 * counts and machines therefore time the same steps of the same motion. Sleep is off, so that a scene at rest
 * is solved, too. */
#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 3, STEPS_MAX = 240 };

typedef struct step_case {
    const char *scene, *state;
    int size, before, timed; /* scene's size; steps before timing; timed steps */
    int tiny_size;
    bool scales; /* measured on several numbers of threads */
} step_case;

static const step_case cases[] = {
    {"tower", "resting", 30, 120, 120, 4, false},        {"tower", "resting_100", 100, 120, 120, 4, false},
    {"pyramid", "resting", 100, 60, 60, 4, false},       {"pyramids", "resting", 10, 60, 60, 2, true},
    {"pile", "falling", 10000, 100, 40, 20, false},      {"pile", "settled", 10000, 300, 40, 20, true},
    {"mass-ratio", "resting", 1000, 120, 120, 9, false}, {"mixed", "settled", 500, 200, 60, 20, false},
    {"bridge", "swinging", 40, 120, 120, 4, false},      {"pyramid", "base_447", 447, 3, 57, 5, true},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct step_run {
    step_case one;
    int number, threads;
} step_run;

static void report_stages(bench_state *state, double (*stage_ms)[STEPS_MAX * BATCHES], int count)
{
    for (int stage = 0; stage < DRY_STAGE_COUNT; stage++) {
        char name[64];
        snprintf(name, sizeof name, "%s_ms", dry_stage_name((dry_stage)stage));
        bench_counter(state, name, bench_quantile(stage_ms[stage], count, 0.5));
    }
}

/* Tells whether a hash differs from the first one, which is the expected one. */
static bool is_another(uint64_t *expected, uint64_t hash)
{
    if (*expected == 0)
        *expected = hash;
    return *expected != hash;
}

static void bench_steps(bench_state *state, const void *context)
{
    const step_run *run = context;
    const step_case *one = &run->one;
    static double step_ms[STEPS_MAX * BATCHES], stage_ms[DRY_STAGE_COUNT][STEPS_MAX * BATCHES];
    /* Hashes of the states in which all batches of a case begin and end, on any number of threads. */
    static uint64_t begins[CASES], ends[CASES];
    int count = 0;
    bool differs = false;
    dry_statistics statistics = {0};
    bench_batches batches = {0};
    while (bench_next(state)) {
        dry_world_def def = bench_world_def(run->threads);
        bench_world made = bench_world_make(one->scene, one->size, one->before, &def);
        differs |= is_another(&begins[run->number], dry_world_hash(made.world));
        double seconds = 0.0;
        for (int i = 0; i < one->timed; i++) {
            double began = bench_now();
            bench_check(dry_world_step(made.world, made.scene.dt), one->scene);
            double took = bench_now() - began;
            seconds += took;
            statistics = dry_world_statistics(made.world);
            step_ms[count] = 1e3 * took;
            for (int stage = 0; stage < DRY_STAGE_COUNT; stage++)
                stage_ms[stage][count] = statistics.stage_ms[stage];
            count++;
        }
        bench_add(&batches, state, seconds);
        uint64_t hash = dry_world_hash(made.world);
        differs |= is_another(&ends[run->number], hash);
        bench_work(&batches, hash);
        bench_world_free(&made);
    }
    bench_counter(state, "threads", run->threads);
    bench_counter(state, "step_ms", bench_quantile(step_ms, count, 0.5));
    bench_counter(state, "step_ms_min", bench_quantile(step_ms, count, 0.0));
    bench_counter(state, "step_ms_p99", bench_quantile(step_ms, count, 0.99));
    report_stages(state, stage_ms, count);
    bench_counter(state, "bodies", statistics.dynamic_bodies);
    bench_counter(state, "manifolds", statistics.awake_manifolds);
    bench_counter(state, "substeps", statistics.substeps);
    bench_counter(state, "bytes_per_body",
                  (double)statistics.memory_bytes /
                      (statistics.dynamic_bodies ? statistics.dynamic_bodies : 1));
    bench_report(&batches, state, one->timed, "step");
    if (differs)
        bench_fail(state, "states differ between batches or numbers of threads");
}

static void add(int number, int threads, bool tiny)
{
    const step_case *one = &cases[number];
    step_run run = {*one, number, threads};
    if (tiny) {
        run.one.size = one->tiny_size;
        run.one.before = 10;
        run.one.timed = 5;
    }
    char name[96];
    snprintf(name, sizeof name, "step/%s/%s/threads:%d", one->scene, one->state, threads);
    bench_register(name, bench_steps, &run, sizeof run, tiny ? 1 : BATCHES);
}

/* Selects every number of threads up to 8, then powers of two, then all cores. */
static bool is_worth_timing(int threads, int cores, bool scales)
{
    return threads == 1 || threads == cores || (scales && (threads <= 8 || (threads & (threads - 1)) == 0));
}

int main(int argc, char **argv)
{
    bool tiny = bench_tiny(&argc, argv);
    int cores = dry_machine_describe().cores;
    for (int c = 0; c < CASES; c++)
        for (int threads = 1; threads <= cores; threads++)
            if (is_worth_timing(threads, cores, cases[c].scales))
                add(c, threads, tiny);
    return bench_main(argc, argv, tiny);
}

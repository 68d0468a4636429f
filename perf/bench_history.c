/* Measures histories and deltas beside a settled step and a load.
 *
 *   history/SCENE:SIZE    times in ms; `keep_share` is what a history adds to a step over that step,
 *                         `rewind_share` going back by 8 steps over a load, `step_share` the first step after
 *                         that over a usual one; `step_bytes` what a step takes in the history for each body
 *                         that is awake, `delta_bytes` the delta of a step likewise
 */
#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, STEPS = 8 };

typedef struct history_case {
    const char *scene;
    int size, steps;
} history_case;

static double least(double least_so_far, double took)
{
    return took < least_so_far ? took : least_so_far;
}

/* Returns the least time of some steps, s. */
static double time_steps(dry_world *world, float dt, int steps)
{
    double best = 1e9;
    for (int i = 0; i < steps; i++) {
        const double began = bench_now();
        bench_check(dry_world_step(world, dt), "a step");
        best = least(best, bench_now() - began);
    }
    return best;
}

static double time_load(const dry_world *world, const dry_world_def *def)
{
    size_t size = 0;
    const dry_sink counter = {bench_count, &size};
    bench_check(dry_world_save(world, NULL, &counter), "a save");
    bench_bytes b = {bench_allocate(size), 0, size};
    const dry_sink sink = {bench_append, &b};
    bench_check(dry_world_save(world, NULL, &sink), "a save");
    dry_world *loaded;
    const double began = bench_now();
    bench_check(dry_world_load(b.at, b.size, def, NULL, &loaded, NULL), "a load");
    const double took = bench_now() - began;
    dry_world_destroy(loaded);
    free(b.at);
    return took;
}

/* Returns the bytes of a history that keeps so many steps, when it is full. */
static size_t bytes_of(dry_world *world, float dt, int steps)
{
    dry_history *history;
    bench_check(dry_world_create_history(world, steps, &history), "a history");
    time_steps(world, dt, steps + 4);
    const size_t size = dry_history_bytes(history);
    dry_history_destroy(history);
    return size;
}

static void bench_history(bench_state *state, const void *context)
{
    const history_case *one = context;
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.sleep = false;
    bench_world made = bench_world_make(one->scene, one->size, one->steps, &def);
    const float dt = made.scene.dt;
    double plain = 1e9, kept = 1e9, rewind = 1e9, first = 1e9, load = 1e9;
    size_t delta = 0;
    const dry_sink counter = {bench_count, &delta};
    bench_batches batches = {0};
    while (bench_next(state)) {
        for (int i = 0; i < ROUNDS; i++) {
            dry_history *history;
            plain = least(plain, time_steps(made.world, dt, STEPS));
            bench_check(dry_world_create_history(made.world, STEPS, &history), "a history");
            bench_begin(&batches);
            kept = least(kept, time_steps(made.world, dt, STEPS));
            bench_end(&batches, state);
            delta = 0;
            bench_check(dry_world_save_delta(made.world, dry_world_step_count(made.world) - 1, &counter),
                        "a delta");
            const uint64_t hash = dry_world_hash(made.world);
            const double began = bench_now();
            bench_check(dry_history_rewind(history, STEPS), "going back");
            rewind = least(rewind, bench_now() - began);
            first = least(first, time_steps(made.world, dt, 1));
            time_steps(made.world, dt, STEPS - 1);
            if (dry_world_hash(made.world) != hash)
                exit(1);
            dry_history_destroy(history);
            load = least(load, time_load(made.world, &def));
        }
    }
    const double bodies = made.scene.body_count;
    const size_t less = bytes_of(made.world, dt, STEPS), more = bytes_of(made.world, dt, 2 * STEPS);
    bench_counter(state, "step_ms", 1e3 * plain);
    bench_counter(state, "keep_share", (kept - plain) / plain);
    bench_counter(state, "rewind_share", rewind / load);
    bench_counter(state, "step_share", first / kept);
    bench_counter(state, "step_bytes", (double)(more - less) / STEPS / bodies);
    bench_counter(state, "delta_bytes", (double)delta / bodies);
    bench_report(&batches, state, bodies, "body");
    bench_world_free(&made);
}

int main(int argc, char **argv)
{
    const bool tiny = bench_tiny(&argc, argv);
    static const history_case cases[] = {{"pyramid", 100, 120}, {"pile", 105, 200}, {"ragdolls", 8, 60}};
    for (int i = 0; i < 3; i++) {
        history_case one = cases[i];
        char name[96];
        if (tiny) {
            one.size = i == 2 ? 1 : 10;
            one.steps = 5;
        }
        snprintf(name, sizeof name, "history/%s:%d", one.scene, one.size);
        bench_register(name, bench_history, &one, sizeof one, tiny ? 1 : 3);
    }
    return bench_main(argc, argv, tiny);
}

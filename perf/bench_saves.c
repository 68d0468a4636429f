/* Measures saves: what a save, a load and a restoration cost beside the call that creates the same bodies,
 * and the first step after a load beside the step that it replaces.
 *
 *   saves/SCENE:SIZE    times in ms; `save_share` is that of a save over the creating call, `load_share` and
 *                       `restore_share` likewise, `step_share` that of the first step over a usual one;
 *                       `bytes_body` the bytes of the save for each body
 */
#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9 };

typedef struct save_case {
    const char *scene;
    int size, steps;
} save_case;

typedef struct bytes {
    char *at;
    size_t size, room;
} bytes;

static bool append(void *user, const void *more, size_t size)
{
    bytes *to = user;
    if (to->size + size > to->room)
        return false;
    memcpy(to->at + to->size, more, size);
    to->size += size;
    return true;
}

static bool count(void *user, const void *more, size_t size)
{
    (void)more;
    *(size_t *)user += size;
    return true;
}

static bytes room_for(const dry_world *world)
{
    size_t size = 0;
    const dry_sink counter = {count, &size};
    bench_check(dry_world_save(world, NULL, &counter), "a save");
    bytes b = {bench_allocate(size), 0, size};
    memset(b.at, 0, size);
    return b;
}

static double least(double least_so_far, double took)
{
    return took < least_so_far ? took : least_so_far;
}

/* Returns the least time of the call that creates the bodies of a scene, s. */
static double time_creation(const dry_scene *scene, const dry_world_def *def, dry_body_id *ids)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        dry_world *world;
        bench_check(dry_world_create(def, &world), "a world");
        const double began = bench_now();
        bench_check(dry_scene_build(scene, world, ids), "a scene");
        best = least(best, bench_now() - began);
        dry_world_destroy(world);
    }
    return best;
}

static double time_step(dry_world *world, float dt)
{
    const double began = bench_now();
    bench_check(dry_world_step(world, dt), "a step");
    return bench_now() - began;
}

static void bench_save(bench_state *state, const void *context)
{
    const save_case *one = context;
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.sleep = false;
    bench_world made = bench_world_make(one->scene, one->size, one->steps, &def);
    const float dt = made.scene.dt;
    def.settings.gravity = made.scene.gravity;
    dry_body_id *ids = bench_allocate((size_t)made.scene.body_count * sizeof *ids);
    bytes b = room_for(made.world);
    const dry_sink sink = {append, &b};
    double create = time_creation(&made.scene, &def, ids), save = 1e9, load = 1e9, restore = 1e9, step = 1e9,
           first = 1e9;
    bench_batches batches = {0};
    while (bench_next(state)) {
        b.size = 0;
        bench_begin(&batches);
        bench_check(dry_world_save(made.world, NULL, &sink), "a save");
        bench_end(&batches, state);
        for (int i = 0; i < ROUNDS; i++) {
            dry_world *world;
            b.size = 0;
            double began = bench_now();
            bench_check(dry_world_save(made.world, NULL, &sink), "a save");
            save = least(save, bench_now() - began);
            began = bench_now();
            bench_check(dry_world_load(b.at, b.size, &def, NULL, &world, NULL), "a load");
            load = least(load, bench_now() - began);
            began = bench_now();
            bench_check(dry_world_restore(world, b.at, b.size, NULL, NULL), "a restoration");
            restore = least(restore, bench_now() - began);
            first = least(first, time_step(world, dt));
            step = least(step, time_step(world, dt));
            bench_work(&batches, dry_world_hash(world));
            dry_world_destroy(world);
        }
    }
    bench_counter(state, "bytes_body", (double)b.size / made.scene.body_count);
    bench_counter(state, "create_ms", 1e3 * create);
    bench_counter(state, "save_ms", 1e3 * save);
    bench_counter(state, "load_ms", 1e3 * load);
    bench_counter(state, "step_ms", 1e3 * step);
    bench_counter(state, "save_share", save / create);
    bench_counter(state, "load_share", load / create);
    bench_counter(state, "restore_share", restore / create);
    bench_counter(state, "step_share", first / step);
    bench_report(&batches, state, made.scene.body_count, "body");
    free(b.at);
    free(ids);
    bench_world_free(&made);
}

int main(int argc, char **argv)
{
    const bool tiny = bench_tiny(&argc, argv);
    static const save_case cases[] = {{"pyramid", 100, 60}, {"pile", 105, 200}, {"ragdolls", 8, 60}};
    for (int i = 0; i < 3; i++) {
        save_case one = cases[i];
        char name[96];
        if (tiny) {
            one.size = i == 2 ? 1 : 10;
            one.steps = 5;
        }
        snprintf(name, sizeof name, "saves/%s:%d", one.scene, one.size);
        bench_register(name, bench_save, &one, sizeof one, tiny ? 1 : 3);
    }
    return bench_main(argc, argv, tiny);
}

/* Measures saves: what a save, a load and a restoration cost beside the call that creates the same bodies,
 * and the first step after a load beside the step that it replaces. Measures steps of some bodies beside
 * steps of a world of those bodies.
 *
 *   saves/SCENE:SIZE    times in ms; `save_share` is that of a save over the creating call, `load_share` and
 *                       `restore_share` likewise, `step_share` that of the first step over a usual one,
 *                       `living_share` likewise after a restoration of a world that has done steps;
 *                       `bytes_body` the bytes of the save for each body
 *   step_only/HIGH:APART  steps of 20 of 5,000 cubes in towers of so many, m apart: eight after each whole
 * step, as a client predicts. `first_us` is the first of them, `rest_us` the mean of the others, and
 * `first_alone_us`, `rest_alone_us` those of a world of these 20 after the same whole step of the large one,
 * which has emptied the caches. `share` is the mean of the eight over that of the world alone, and
 * `warm_share` the same of the others
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

static bench_bytes room_for(const dry_world *world)
{
    size_t size = 0;
    const dry_sink counter = {bench_count, &size};
    bench_check(dry_world_save(world, NULL, &counter), "a save");
    bench_bytes b = {bench_allocate(size), 0, size};
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
    bench_bytes b = room_for(made.world);
    const dry_sink sink = {bench_append, &b};
    double create = time_creation(&made.scene, &def, ids), save = 1e9, load = 1e9, restore = 1e9, step = 1e9,
           first = 1e9, again = 1e9;
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
            bench_check(dry_world_restore(world, b.at, b.size, NULL, NULL), "a restoration");
            again = least(again, time_step(world, dt));
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
    bench_counter(state, "living_share", again / step);
    bench_report(&batches, state, made.scene.body_count, "body");
    free(b.at);
    free(ids);
    bench_world_free(&made);
}

typedef struct towers_case {
    int high, bodies;
    double apart; /* m */
} towers_case;

enum { FEW = 20, BODIES_MAX = 5000 };

static dry_body_id add_cube(dry_world *world, dry_body_type type, dry_position at, dry_vec3 half)
{
    dry_shape_def shape = dry_default_shape_def();
    dry_body_def def = dry_default_body_def();
    dry_body_id id;
    shape.type = DRY_SHAPE_BOX;
    shape.half_extents = half;
    def.type = type;
    def.pose.position = at;
    def.shapes = &shape;
    def.shape_count = 1;
    bench_check(dry_world_create_body(world, &def, &id), "a body");
    return id;
}

/* Returns a world of towers on a floor after some steps, and its cubes, tower by tower. */
static dry_world *make_towers(const towers_case *one, int bodies, dry_body_id *ids)
{
    const int side = 16;
    dry_world_def def = dry_default_world_def();
    dry_world *world;
    def.threads = 1;
    def.settings.sleep = false;
    bench_check(dry_world_create(&def, &world), "a world");
    add_cube(world, DRY_BODY_STATIC, (dry_position){0, -1, 0}, (dry_vec3){1000, 1, 1000});
    for (int i = 0; i < bodies; i++) {
        const int tower = i / one->high;
        const dry_position at = {one->apart * (tower % side), 0.5 + i % one->high,
                                 one->apart * (tower / side)};
        ids[i] = add_cube(world, DRY_BODY_DYNAMIC, at, (dry_vec3){0.5f, 0.5f, 0.5f});
    }
    for (int i = 0; i < 100; i++)
        bench_check(dry_world_step(world, 1.0f / 60), "a step");
    return world;
}

/* The least times of steps after a whole step, s. */
typedef struct predicted {
    double first, rest;
} predicted;

enum { PREDICTED = 8 };

/* Times steps of a world, of some bodies if `ids` is given, after a whole step of the large one. */
static void time_predicted(dry_world *all, dry_world *world, const dry_body_id *ids, predicted *p)
{
    double rest = 0;
    bench_check(dry_world_step(all, 1.0f / 60), "a step");
    for (int i = 0; i < PREDICTED; i++) {
        const double began = bench_now();
        bench_check(ids ? dry_world_step_only(world, 1.0f / 60, ids, FEW) : dry_world_step(world, 1.0f / 60),
                    "a step");
        const double took = bench_now() - began;
        if (i == 0)
            p->first = least(p->first, took);
        else
            rest += took / (PREDICTED - 1);
    }
    p->rest = least(p->rest, rest);
}

static double mean_of(const predicted *p)
{
    return (p->first + (PREDICTED - 1) * p->rest) / PREDICTED;
}

static void bench_step_only(bench_state *state, const void *context)
{
    const towers_case *one = context;
    dry_body_id *ids = bench_allocate(BODIES_MAX * sizeof *ids), few[FEW];
    dry_world *all = make_towers(one, one->bodies, ids), *alone = make_towers(one, FEW, few);
    predicted only = {1e9, 1e9}, step = {1e9, 1e9};
    bench_batches batches = {0};
    while (bench_next(state)) {
        bench_begin(&batches);
        bench_check(dry_world_step_only(all, 1.0f / 60, ids, FEW), "a step of some");
        bench_end(&batches, state);
        for (int i = 0; i < ROUNDS; i++) {
            time_predicted(all, all, ids, &only);
            time_predicted(all, alone, NULL, &step);
        }
        bench_work(&batches, (uint64_t)one->bodies);
    }
    bench_counter(state, "first_us", 1e6 * only.first);
    bench_counter(state, "rest_us", 1e6 * only.rest);
    bench_counter(state, "first_alone_us", 1e6 * step.first);
    bench_counter(state, "rest_alone_us", 1e6 * step.rest);
    bench_counter(state, "share", mean_of(&only) / mean_of(&step));
    bench_counter(state, "warm_share", only.rest / step.rest);
    bench_report(&batches, state, FEW, "body");
    dry_world_destroy(all);
    dry_world_destroy(alone);
    free(ids);
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
    static const towers_case towers[] = {
        {20, BODIES_MAX, 3}, {4, BODIES_MAX, 3}, {20, BODIES_MAX, 1.02}, {20, BODIES_MAX, 1}};
    for (int i = 0; i < 4; i++) {
        towers_case one = towers[i];
        char name[96];
        one.bodies = tiny ? 2 * FEW : one.bodies;
        snprintf(name, sizeof name, "step_only/%d:%g", one.high, one.apart);
        bench_register(name, bench_step_only, &one, sizeof one, tiny ? 1 : 9);
    }
    return bench_main(argc, argv, tiny);
}

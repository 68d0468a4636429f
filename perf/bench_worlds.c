/* Measures the cost of sleeping bodies, and of creating and destroying bodies.
 *
 *   world/awake:100/...   a step of 100 bodies alone and beside 100,000 asleep: standing in ten towers, or
 *                         flying, so that each leaves its fat box in every step
 *   world/life/...        creating and destroying all bodies of a scene, in one call and one by one, beside
 *                         the steps of the same bodies; `steps` is how many of those they cost together
 */
#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { AWAKE = 100, STEPS = 400, BATCHES = 3, LIVES = 5, LAST_STEPS = 10 };

typedef struct sleep_case {
    int sleepers;
    bool flying, tiny;
} sleep_case;

static void add_box(dry_world *world, const dry_body_def *base, dry_position at, dry_vec3 half)
{
    dry_shape_def shape = dry_default_shape_def();
    shape.half_extents = half;
    dry_body_def def = *base;
    def.pose.position = at;
    def.shapes = &shape;
    def.shape_count = 1;
    dry_body_id id;
    bench_check(dry_world_create_body(world, &def, &id), "a body");
}

/* Puts cubes on a floor, 2 m apart, lets them fall asleep, and adds the awake ones beside or above them. */
static dry_world *make_sleepers(const sleep_case *one)
{
    const dry_vec3 half = {0.5f, 0.5f, 0.5f};
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    dry_world *world;
    bench_check(dry_world_create(&def, &world), "a world");
    dry_body_def body = dry_default_body_def();
    add_box(world, &body, (dry_position){0.0, -1.0, 0.0}, (dry_vec3){1000.0f, 1.0f, 1000.0f});
    body.type = DRY_BODY_DYNAMIC;
    for (int i = 0; i < one->sleepers; i++)
        add_box(world, &body, (dry_position){2.0 * (i % 317) - 317.0, 0.5, 2.0 * (i / 317) - 317.0}, half);
    for (int i = 0; i < 60 && one->sleepers > 0; i++)
        bench_check(dry_world_step(world, 1.0f / 60.0f), "sleep");
    body.can_sleep = false;
    if (one->flying) {
        body.velocity.linear.x = 20.0f;
        body.gravity_scale = 0.0f;
    }
    for (int i = 0; i < AWAKE; i++) {
        double x = one->flying ? -300.0 : -9.0 + 2.0 * (i / 10), z = one->flying ? 4.0 * i - 200.0 : 400.0;
        add_box(world, &body, (dry_position){x, one->flying ? 1.7 : 0.5 + i % 10, z}, half);
    }
    return world;
}

static void bench_awake(bench_state *state, const void *context)
{
    const sleep_case *one = context;
    static double step_ms[STEPS * BATCHES];
    int timed = one->tiny ? 10 : STEPS, count = 0;
    bench_batches batches = {0};
    while (bench_next(state)) {
        dry_world *world = make_sleepers(one);
        for (int i = 0; i < 30; i++)
            bench_check(dry_world_step(world, 1.0f / 60.0f), "a step");
        double seconds = 0.0;
        for (int i = 0; i < timed; i++) {
            double began = bench_now();
            bench_check(dry_world_step(world, 1.0f / 60.0f), "a step");
            double took = bench_now() - began;
            seconds += took;
            step_ms[count++] = 1e3 * took;
        }
        dry_statistics statistics = dry_world_statistics(world);
        bench_add(&batches, state, seconds);
        bench_work(&batches, dry_world_hash(world));
        bench_counter(state, "awake", statistics.awake_bodies);
        bench_counter(state, "asleep", statistics.dynamic_bodies - statistics.awake_bodies);
        dry_world_destroy(world);
    }
    bench_counter(state, "step_ms", bench_quantile(step_ms, count, 0.5));
    bench_counter(state, "step_ms_min", bench_quantile(step_ms, count, 0.0));
    bench_report(&batches, state, timed, "step");
}

typedef struct life_case {
    const char *scene;
    int size, steps; /* scene's size; steps before the bodies are destroyed */
    bool one_by_one;
} life_case;

static double create_all(dry_world *world, const dry_scene *scene, dry_body_id *ids, bool one_by_one)
{
    dry_body_def *defs = bench_allocate((size_t)scene->body_count * sizeof *defs);
    for (int i = 0; i < scene->body_count; i++)
        defs[i] = scene->bodies[i].def;
    double began = bench_now();
    for (int i = 0; one_by_one && i < scene->body_count; i++)
        bench_check(dry_world_create_body(world, &defs[i], &ids[i]), "create");
    if (!one_by_one)
        bench_check(dry_world_create_bodies(world, scene->body_count, defs, ids), "create");
    double took = bench_now() - began;
    free(defs);
    return took;
}

static double destroy_all(dry_world *world, const dry_scene *scene, const dry_body_id *ids, bool one_by_one)
{
    double began = bench_now();
    for (int i = 0; one_by_one && i < scene->body_count; i++)
        bench_check(dry_body_destroy(world, ids[i]), "destroy");
    if (!one_by_one)
        bench_check(dry_world_destroy_bodies(world, scene->body_count, ids), "destroy");
    return bench_now() - began;
}

/* Measures creation and destruction in a world that held the scene before, so that its arrays have room. */
static void bench_life(bench_state *state, const void *context)
{
    const life_case *one = context;
    static double create_ms[LIVES], destroy_ms[LIVES], both_ms[LIVES], step_ms[LIVES * LAST_STEPS];
    int lives = 0, bodies = 0, steps = 0;
    bench_batches batches = {0};
    dry_world_def def = bench_world_def(1);
    while (bench_next(state)) {
        bench_world made = bench_world_make(one->scene, one->size, one->steps, &def);
        bodies = made.scene.body_count;
        dry_body_id *ids = bench_allocate((size_t)bodies * sizeof *ids);
        dry_world_get_bodies(made.world, ids, bodies);
        destroy_all(made.world, &made.scene, ids, false);
        double create = create_all(made.world, &made.scene, ids, one->one_by_one);
        for (int i = 0; i < one->steps; i++) {
            double began = bench_now();
            bench_check(dry_world_step(made.world, made.scene.dt), one->scene);
            if (i >= one->steps - LAST_STEPS)
                step_ms[steps++] = 1e3 * (bench_now() - began);
        }
        uint64_t hash = dry_world_hash(made.world);
        double destroy = destroy_all(made.world, &made.scene, ids, one->one_by_one);
        bench_add(&batches, state, create + destroy);
        bench_work(&batches, hash);
        create_ms[lives] = 1e3 * create;
        destroy_ms[lives] = 1e3 * destroy;
        both_ms[lives++] = 1e3 * (create + destroy);
        free(ids);
        bench_world_free(&made);
    }
    const double median = 0.5, least = 0.0;
    bench_counter(state, "create_ms", bench_quantile(create_ms, lives, median));
    bench_counter(state, "create_ms_min", bench_quantile(create_ms, lives, least));
    bench_counter(state, "destroy_ms", bench_quantile(destroy_ms, lives, median));
    bench_counter(state, "destroy_ms_min", bench_quantile(destroy_ms, lives, least));
    bench_counter(state, "step_ms", bench_quantile(step_ms, steps, median));
    bench_counter(state, "step_ms_min", bench_quantile(step_ms, steps, least));
    bench_counter(state, "steps",
                  bench_quantile(both_ms, lives, median) / bench_quantile(step_ms, steps, median));
    bench_report(&batches, state, bodies, "body");
}

int main(int argc, char **argv)
{
    bool tiny = bench_tiny(&argc, argv);
    int batches = tiny ? 1 : BATCHES;
    char name[96];
    for (int flying = 0; flying < 2; flying++)
        for (int crowd = 0; crowd < 2; crowd++) {
            sleep_case one = {crowd ? (tiny ? 1000 : 100000) : 0, flying, tiny};
            snprintf(name, sizeof name, "world/awake:%d/%s/asleep:%d", AWAKE, flying ? "flying" : "standing",
                     one.sleepers);
            bench_register(name, bench_awake, &one, sizeof one, batches);
        }
    static const life_case cases[] = {
        {"pile", 10000, 300, false}, /* the pile is at rest after these steps */
        {"pile", 10000, 300, true},
        {"pyramids", 13, 10, false},
        {"pyramids", 13, 10, true},
    };
    for (int i = 0; i < 4; i++) {
        life_case one = cases[i];
        if (tiny) {
            one.size = i < 2 ? 50 : 2;
            one.steps = 10;
        }
        snprintf(name, sizeof name, "world/life/%s/%s", one.scene, one.one_by_one ? "one_by_one" : "at_once");
        bench_register(name, bench_life, &one, sizeof one, tiny ? 1 : LIVES);
    }
    return bench_main(argc, argv, tiny);
}

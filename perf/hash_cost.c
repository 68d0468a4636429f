/* The cost of dry_world_hash beside that of a step: processor time of both, in turns, while all bodies are
 * awake.
 *
 *   hash_cost [SCENE SIZE]...     about 100 bodies, and one, by default
 *
 * The scene `apart` has cubes that lie on a floor and touch nothing else: no awake body has a shorter step. A
 * row has the medians of the turns. */
#define _POSIX_C_SOURCE 200809L

#include "tools/scenes/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BEFORE = 120, TURNS = 301 };

typedef struct sized_scene {
    const char *name;
    int size;
} sized_scene;

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[TURNS])
{
    qsort(values, TURNS, sizeof *values, compare);
    return values[TURNS / 2];
}

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "hash_cost: %s\n", what);
    exit(1);
}

static dry_world *make_world(dry_vec3 gravity)
{
    dry_world *world;
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.gravity = gravity;
    def.settings.sleep = false;
    check(dry_world_create(&def, &world) == DRY_OK, "no world");
    return world;
}

static void add_body(dry_world *world, dry_body_type type, dry_position at, const dry_shape_def *shape)
{
    dry_body_id id;
    dry_body_def def = dry_default_body_def();
    def.type = type;
    def.pose.position = at;
    def.shapes = shape;
    def.shape_count = 1;
    check(dry_world_create_body(world, &def, &id) == DRY_OK, "no body");
}

static dry_world *make_apart(int count)
{
    const int side = (int)ceil(sqrt(count));
    dry_world *world = make_world(dry_default_settings().gravity);
    dry_shape_def floor = dry_default_shape_def(), cube = dry_default_shape_def();
    floor.type = DRY_SHAPE_HALFSPACE;
    floor.normal = (dry_vec3){0.0f, 1.0f, 0.0f};
    cube.type = DRY_SHAPE_BOX;
    cube.half_extents = (dry_vec3){0.5f, 0.5f, 0.5f};
    add_body(world, DRY_BODY_STATIC, (dry_position){0.0, 0.0, 0.0}, &floor);
    for (int i = 0; i < count; i++)
        add_body(world, DRY_BODY_DYNAMIC, (dry_position){2.0 * (i % side), 0.5, 2.0 * (i / side)}, &cube);
    return world;
}

static dry_world *make_scene(const sized_scene *of)
{
    char error[256];
    dry_scene scene;
    if (strcmp(of->name, "apart") == 0)
        return make_apart(of->size);
    check(dry_scene_make(of->name, of->size, &scene, error, sizeof error), error);
    dry_world *world = make_world(scene.gravity);
    dry_body_id *ids = calloc((size_t)scene.body_count, sizeof *ids);
    check(ids && dry_scene_build(&scene, world, ids) == DRY_OK, "no scene");
    free(ids);
    dry_scene_free(&scene);
    return world;
}

static void step(dry_world *world)
{
    check(dry_world_step(world, 1.0f / 60) == DRY_OK, "a step failed");
}

static void measure(const sized_scene *of)
{
    static double step_us[TURNS], hash_us[TURNS];
    dry_world *world = make_scene(of);
    uint64_t sum = 0;
    for (int i = 0; i < BEFORE; i++)
        step(world);
    for (int i = 0; i < TURNS; i++) {
        const double began = microseconds();
        step(world);
        const double middle = microseconds();
        sum += dry_world_hash(world);
        hash_us[i] = microseconds() - middle;
        step_us[i] = middle - began;
    }
    check(sum != 0, "no hash");
    const dry_statistics s = dry_world_statistics(world);
    const double of_step = median(step_us), of_hash = median(hash_us);
    printf("| %s %d | %d | %d | %.1f | %.1f | %.2f |%s\n", of->name, of->size, s.dynamic_bodies,
           s.awake_manifolds, of_step, of_hash, of_hash / of_step, of_hash > of_step ? " over" : "");
    fflush(stdout);
    dry_world_destroy(world);
}

int main(int argc, char **argv)
{
    static const sized_scene scenes[] = {{"apart", 1},   {"apart", 100},  {"tower", 100}, {"pyramid", 14},
                                         {"pile", 100},  {"spheres", 5},  {"mixed", 100}, {"ragdolls", 4},
                                         {"bridge", 50}, {"apart", 10000}};
    printf("A hash may take as long as a step.\n\n"
           "| scene | bodies | manifolds | step, us | hash, us | hash / step |\n|---|--:|--:|--:|--:|--:|\n");
    for (int i = 1; i + 1 < argc; i += 2)
        measure(&(sized_scene){argv[i], atoi(argv[i + 1])});
    for (int i = 0; argc < 3 && i < (int)(sizeof scenes / sizeof *scenes); i++)
        measure(&scenes[i]);
    return 0;
}

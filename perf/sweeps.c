/* Measures orders and relaxations of sweeps: the sweeps from rest until a step's velocities are within 1 %
 * of their solution.
 *
 *   sweeps [SCENE [SIZE]]     tower 10 and pyramid 10 by default
 *
 * Error after k sweeps is the state after one step of one substep with k sweeps, without old or guessed
 * impulses, against that of many sweeps: the root of the sum of all bodies' squared differences in velocity,
 * over that after no sweep. Shuffled orders are those of the first step. */
#include "tools/scenes/scenes.h"

#include <drystone/drystone.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS_MAX = 256 };

static void check(dry_result result, const char *what)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, dry_result_name(result));
    exit(1);
}

/* The velocities after a step; the caller frees them. */
static dry_velocity *run(const dry_scene *scene, const dry_settings *settings)
{
    dry_world_def def = dry_default_world_def();
    dry_world *world = NULL;
    dry_body_id *id = malloc((size_t)scene->body_count * sizeof *id);
    dry_velocity *velocity = calloc((size_t)scene->body_count, sizeof *velocity);
    if (!id || !velocity)
        exit(1);
    def.settings = *settings;
    def.settings.gravity = scene->gravity;
    def.threads = 1;
    check(dry_world_create(&def, &world), "world");
    check(dry_scene_build(scene, world, id), scene->name);
    check(dry_world_step(world, scene->dt), "step");
    for (int i = 0; i < scene->body_count; i++)
        check(dry_body_get_velocity(world, id[i], &velocity[i]), "velocity");
    dry_world_destroy(world);
    free(id);
    return velocity;
}

static double distance(const dry_scene *scene, const dry_velocity *a, const dry_velocity *b)
{
    double sum = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        const double d[] = {(double)(a[i].linear.x - b[i].linear.x), (double)(a[i].linear.y - b[i].linear.y),
                            (double)(a[i].linear.z - b[i].linear.z)};
        for (int k = 0; k < 3; k++)
            sum += d[k] * d[k];
    }
    return sqrt(sum);
}

/* Returns the sweeps until the error is 1 %; 0 if there are not enough. */
static int sweeps_of(const dry_scene *scene, dry_settings settings, const dry_velocity *solved, double first)
{
    for (int sweeps = settings.method.relaxation_adaptive ? 2 : 1; sweeps < SWEEPS_MAX; sweeps++) {
        settings.sweeps = sweeps;
        dry_velocity *velocity = run(scene, &settings);
        const double error = distance(scene, velocity, solved);
        free(velocity);
        if (error <= 0.01 * first)
            return sweeps;
    }
    return 0;
}

static void print_scene(const char *name, int size)
{
    static const char *const orders[] = {"color",  "forward",  "layers-up",      "layers-down",
                                         "layers", "shuffled", "shuffled-sweeps"};
    static const float relaxations[] = {0.7f, 1.0f, 1.2f, 1.4f, 1.6f, 1.8f};
    char error[256];
    dry_scene scene;
    if (!dry_scene_make(name, size, &scene, error, sizeof error)) {
        fprintf(stderr, "%s: %s\n", name, error);
        exit(1);
    }
    dry_settings settings = dry_default_settings();
    settings.substeps = 1;
    settings.relax_sweeps = 0;
    settings.warm_start = false;
    settings.sleep = false;
    settings.sweeps = SWEEPS_MAX;
    settings.method.relaxation = 1.3f;
    settings.method.order = DRY_ORDER_FORWARD;
    dry_velocity *solved = run(&scene, &settings);
    settings.method.order = DRY_ORDER_LAYERS_UP;
    dry_velocity *again = run(&scene, &settings);
    dry_velocity *none = calloc((size_t)scene.body_count, sizeof *none);
    for (int i = 0; none && i < scene.body_count; i++)
        if (scene.bodies[i].def.type == DRY_BODY_DYNAMIC)
            none[i].linear.y = scene.gravity.y * scene.dt;
    const double first = distance(&scene, none, solved);
    printf("%s %d: error before sweeps %.3g m/s; solutions of two orders differ by %.2g of that\n", name,
           size, first, distance(&scene, solved, again) / first);
    printf("%-16s", "relaxation");
    for (size_t i = 0; i < sizeof relaxations / sizeof *relaxations; i++)
        printf(" %8.1f", (double)relaxations[i]);
    printf(" adaptive\n");
    for (int order = 0; order < DRY_ORDER_COUNT; order++) {
        printf("%-16s", orders[order]);
        settings.method.order = (dry_order)order;
        settings.method.relaxation_adaptive = false;
        for (size_t i = 0; i < sizeof relaxations / sizeof *relaxations; i++) {
            settings.method.relaxation = relaxations[i];
            printf(" %8d", sweeps_of(&scene, settings, solved, first));
        }
        settings.method.relaxation = 1.0f;
        settings.method.relaxation_adaptive = true;
        printf(" %8d\n", sweeps_of(&scene, settings, solved, first));
    }
    free(solved);
    free(again);
    free(none);
    dry_scene_free(&scene);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        print_scene(argv[1], argc > 2 ? atoi(argv[2]) : 10);
        return 0;
    }
    print_scene("tower", 10);
    print_scene("pyramid", 10);
    return 0;
}

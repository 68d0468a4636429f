#define _POSIX_C_SOURCE 200809L

#include "perf/articulation_run.h"

#include "solver/constraint/joints/joint_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void articulation_check(dry_result result, const char *what)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, dry_result_name(result));
    exit(1);
}

void *articulation_room(int count, size_t bytes)
{
    void *room = calloc((size_t)count + 1, bytes);
    if (!room)
        articulation_check(DRY_ERROR_MEMORY, "room");
    return room;
}

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = ((const dry_joint_id *)a)->bits, y = ((const dry_joint_id *)b)->bits;
    return (x > y) - (x < y);
}

/* Lists each joint once: those of all bodies hold most of them twice. */
static void list_joints(articulation_run *r, const dry_scene *scene)
{
    const int most = 2 * scene->joint_count;
    r->joint = articulation_room(most, sizeof *r->joint);
    int listed = 0;
    for (int b = 0; b < scene->body_count; b++) {
        int count = 0;
        articulation_check(
            dry_body_get_joints(r->world, r->body[b], r->joint + listed, most - listed, &count),
            "dry_body_get_joints");
        listed += count;
    }
    qsort(r->joint, (size_t)listed, sizeof *r->joint, by_id);
    for (int j = 0; j < listed; j++)
        if (j == 0 || r->joint[j].bits != r->joint[j - 1].bits)
            r->joint[r->joints++] = r->joint[j];
    for (int j = 0; j < scene->joint_count; j++)
        r->rows += dry_joint_count(&scene->joints[j].def).locked;
}

static void quiet(const char *line, void *user)
{
    (void)line;
    (void)user;
}

void articulation_begin(articulation_run *r, const dry_scene *scene, dry_joint_solver solver,
                        double regularization, int steps, bool sleep)
{
    *r = (articulation_run){.asleep_after = -1};
    dry_world_def def = dry_default_world_def();
    def.settings.gravity = scene->gravity;
    def.settings.joint_solver = solver;
    def.settings.sleep = sleep;
    if (regularization > 0.0)
        def.settings.method.joint_regularization = regularization;
    def.threads = 1;
    def.log.write = quiet;
    articulation_check(dry_world_create(&def, &r->world), "dry_world_create");
    r->body = articulation_room(scene->body_count, sizeof *r->body);
    r->ms = articulation_room(steps, sizeof *r->ms);
    articulation_check(dry_scene_build(scene, r->world, r->body), "dry_scene_build");
    list_joints(r, scene);
    r->first_J = r->last_J = r->largest_J = dry_world_energy(r->world).total_J;
}

static void count_iterations(articulation_run *r)
{
    const dry_articulation_statistics a = dry_world_statistics(r->world).articulations;
    if (r->steps == 1)
        r->nonzeros = a.nonzeros;
    r->iterations += a.iterations;
    r->corrections += a.corrections;
    r->corrected_steps += a.corrections > 0;
}

void articulation_step(articulation_run *r, float dt)
{
    const double began = processor_ms();
    articulation_check(dry_world_step(r->world, dt), "dry_world_step");
    r->ms[r->steps] = processor_ms() - began;
    r->used_ms += r->ms[r->steps++];
    const int direct = dry_world_statistics(r->world).articulations.joints;
    r->direct = direct > r->direct ? direct : r->direct;
    for (int j = 0; j < r->joints; j++) {
        float m, rad;
        if (dry_joint_get_error(r->world, r->joint[j], &m, &rad) != DRY_OK)
            continue;
        r->error_m = larger(r->error_m, (double)m);
        r->error_rad = larger(r->error_rad, (double)rad);
    }
    r->last_J = dry_world_energy(r->world).total_J;
    r->largest_J = larger(r->largest_J, r->last_J);
    count_iterations(r);
    if (dry_world_statistics(r->world).awake_bodies > 0)
        r->asleep_after = -1;
    else if (r->asleep_after < 0)
        r->asleep_after = r->steps;
}

void articulation_end(articulation_run *r)
{
    dry_world_destroy(r->world);
    free(r->body);
    free(r->joint);
    free(r->ms);
}

double articulation_quantile(articulation_run *r, double share)
{
    if (r->steps == 0)
        return 0.0;
    qsort(r->ms, (size_t)r->steps, sizeof *r->ms, by_value);
    return r->ms[(int)((double)(r->steps - 1) * share + 0.5)];
}

/* Direct and iterative joints beside each other: for each scene and each solver the rows of all joints, their
 * largest errors over all steps, what energy the world gained, and times of a step.
 *
 *   articulations [SCENE [SIZE [SECONDS [LOAD]]]]     without arguments: a list of about a minute
 *
 * LOAD adds so many times the mass of the scene to its body "frame". The solvers take their steps in turns:
 * on a busy machine both are equally disturbed. Times are processor times of one thread.
 * Nothing sleeps. */
#define _POSIX_C_SOURCE 200809L

#include "scenes/scenes.h"
#include "solver/joints/joint_type.h"

#include <drystone/drystone.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SOLVERS = 2 };

typedef struct trial {
    const char *scene;
    int size; /* 0: the scene's default */
    double seconds, load;
} trial;

static const trial trials[] = {
    {"ball-hinge", 0, 60, 0}, {"peaucellier", 0, 60, 0}, {"chain", 100, 5, 0},      {"spider", 10, 10, 0},
    {"spider", 100, 3, 0},    {"tree", 8, 5, 0},         {"strandbeest", 10, 2, 0}, {"four-bar", 0, 10, 0},
    {"lattice", 0, 5, 0},     {"crane", 0, 5, 0},        {"bridge", 0, 2, 0},       {"ragdolls", 10, 2, 0},
    {"door", 0, 10, 0},       {"vehicle", 0, 5, 0},      {"lever", 0, 10, 0},       {"scissor", 0, 5, 0},
};
enum { TRIALS = (int)(sizeof trials / sizeof *trials) };

/* One world with one of the solvers, and what was seen of it. */
typedef struct run {
    dry_world *world;
    dry_body_id *body;
    dry_joint_id *joint;
    double *ms; /* of each step */
    double first_J, last_J, largest_J, error_m, error_rad;
    int joints;
    int rows; /* those of locked axes; limits, motors and springs have none */
    int lost; /* bodies in quarantine when the run ended */
} run;

static void check(dry_result result, const char *what)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, dry_result_name(result));
    exit(1);
}

static void *room_for(int count, size_t bytes)
{
    void *room = calloc((size_t)count + 1, bytes);
    if (!room)
        check(DRY_ERROR_MEMORY, "room");
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
static void list_joints(run *r, const dry_scene *scene)
{
    const int most = 2 * scene->joint_count;
    r->joint = room_for(most, sizeof *r->joint);
    int listed = 0;
    for (int b = 0; b < scene->body_count; b++) {
        int count = 0;
        check(dry_body_get_joints(r->world, r->body[b], r->joint + listed, most - listed, &count),
              "dry_body_get_joints");
        listed += count;
    }
    qsort(r->joint, (size_t)listed, sizeof *r->joint, by_id);
    for (int j = 0; j < listed; j++)
        if (j == 0 || r->joint[j].bits != r->joint[j - 1].bits)
            r->joint[r->joints++] = r->joint[j];
    for (int j = 0; j < scene->joint_count; j++)
        r->rows += dry_joint_locked_count(&scene->joints[j].def);
}

static void quiet(const char *line, void *user)
{
    (void)line;
    (void)user;
}

static void begin(run *r, const dry_scene *scene, dry_joint_solver solver, int steps)
{
    dry_world_def def = dry_default_world_def();
    def.settings.gravity = scene->gravity;
    def.settings.joint_solver = solver;
    def.settings.sleep = false;
    def.threads = 1;
    def.log.write = quiet;
    check(dry_world_create(&def, &r->world), "dry_world_create");
    r->body = room_for(scene->body_count, sizeof *r->body);
    r->ms = room_for(steps, sizeof *r->ms);
    check(dry_scene_build(scene, r->world, r->body), "dry_scene_build");
    list_joints(r, scene);
    r->first_J = r->last_J = r->largest_J = dry_world_energy(r->world).total_J;
}

static void take_step(run *r, float dt, int i)
{
    const double began = processor_ms();
    check(dry_world_step(r->world, dt), "dry_world_step");
    r->ms[i] = processor_ms() - began;
    for (int j = 0; j < r->joints; j++) {
        float m, rad;
        if (dry_joint_get_error(r->world, r->joint[j], &m, &rad) != DRY_OK)
            continue;
        r->error_m = larger(r->error_m, (double)m);
        r->error_rad = larger(r->error_rad, (double)rad);
    }
    r->last_J = dry_world_energy(r->world).total_J;
    r->largest_J = larger(r->largest_J, r->last_J);
}

static void end(run *r)
{
    r->lost = dry_world_statistics(r->world).quarantined_bodies;
    dry_world_destroy(r->world);
    free(r->body);
    free(r->joint);
}

static void print(const trial *t, const run *r, const char *solver, int steps)
{
    qsort(r->ms, (size_t)steps, sizeof *r->ms, by_value);
    printf("| %s", t->scene);
    if (t->size > 0)
        printf(" %d", t->size);
    if (t->load > 0.0)
        printf(", load %g", t->load);
    printf(", %g s | %s | %d | %.2g | %.2g | %.3g | %.3g | %.2g | %.2g | %d |\n", t->seconds, solver, r->rows,
           r->error_m, r->error_rad, r->last_J - r->first_J, r->largest_J - r->first_J, r->ms[steps / 2],
           r->ms[steps * 95 / 100], r->lost);
}

static void measure(const trial *t)
{
    dry_scene scene = {0};
    char error[300];
    if (!dry_scene_make(t->scene, t->size, &scene, error, sizeof error)) {
        fprintf(stderr, "articulations: %s\n", error);
        exit(2);
    }
    if (t->load > 0.0 && !dry_scene_add_load(&scene, "frame", t->load)) {
        fprintf(stderr, "articulations: no frame for a load of %g\n", t->load);
        exit(2);
    }
    const int steps = (int)(t->seconds / (double)scene.dt + 0.5);
    run runs[SOLVERS] = {{0}};
    static const dry_joint_solver solver[SOLVERS] = {DRY_JOINT_SOLVER_DIRECT, DRY_JOINT_SOLVER_ITERATIVE};
    for (int s = 0; s < SOLVERS; s++)
        begin(&runs[s], &scene, solver[s], steps);
    for (int i = 0; i < steps; i++)
        for (int s = 0; s < SOLVERS; s++)
            take_step(&runs[s], scene.dt, i);
    for (int s = 0; s < SOLVERS; s++) {
        end(&runs[s]);
        print(t, &runs[s], solver[s] == DRY_JOINT_SOLVER_DIRECT ? "direct" : "iterative", steps);
        free(runs[s].ms);
    }
    dry_scene_free(&scene);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    trial one = {argc > 1 ? argv[1] : "", argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? atof(argv[3]) : 5.0,
                 argc > 4 ? atof(argv[4]) : 0.0};
    if (!(one.seconds > 0.0 && one.seconds <= 1e5 && one.load >= 0.0)) {
        fprintf(stderr, "articulations: seconds must be above 0 and at most 1e5, a load not below 0\n");
        return 2;
    }
    printf(
        "| scene | joints | rows | error m | rad | gained J, at the end | largest | ms a step | 95 %% | lost "
        "|\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    if (argc > 1)
        measure(&one);
    for (int i = 0; argc == 1 && i < TRIALS; i++)
        measure(&trials[i]);
    return 0;
}

/* Direct, iterative and automatic joints beside each other: for each scene and each solver the rows of all
 * joints, their largest errors over all steps, what energy the world gained, and times of a step.
 *
 *   articulations [SCENE [SIZE [SECONDS [LOAD [sleep]]]]]     without arguments: a list of about a minute
 *
 * LOAD adds so many times the mass of the scene to its body "frame". The solvers take their steps in turns:
 * on a busy machine both are equally disturbed. Times are processor times of one thread.
 * Nothing sleeps but with `sleep`; then each row ends with the time after which nothing was awake. */
#include "perf/articulation_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOLVERS = 3 };

typedef struct trial {
    const char *scene;
    int size; /* 0: the scene's default */
    double seconds, load;
    bool sleep;
} trial;

static const trial trials[] = {
    {"ball-hinge", 0, 60, 0, false},  {"peaucellier", 0, 60, 0, false}, {"chain", 100, 5, 0, false},
    {"spider", 10, 10, 0, false},     {"spider", 100, 3, 0, false},     {"tree", 8, 5, 0, false},
    {"strandbeest", 10, 2, 0, false}, {"four-bar", 0, 10, 0, false},    {"lattice", 0, 5, 0, false},
    {"crane", 0, 5, 0, false},        {"bridge", 0, 2, 0, false},       {"ragdolls", 10, 2, 0, false},
    {"door", 0, 10, 0, false},        {"vehicle", 0, 5, 0, false},      {"excavator", 0, 5, 0, false},
    {"lever", 0, 10, 0, false},       {"scissor", 0, 5, 0, false},
};
enum { TRIALS = (int)(sizeof trials / sizeof *trials) };

static void print(const trial *t, articulation_run *r, const char *solver)
{
    printf("| %s", t->scene);
    if (t->size > 0)
        printf(" %d", t->size);
    if (t->load > 0.0)
        printf(", load %g", t->load);
    printf(", %g s | %s | %d | %.2g | %.2g | %.3g | %.3g | %.2g | %.2g | %d |", t->seconds, solver, r->rows,
           r->error_m, r->error_rad, r->last_J - r->first_J, r->largest_J - r->first_J,
           articulation_quantile(r, 0.5), articulation_quantile(r, 0.95),
           dry_world_statistics(r->world).quarantined_bodies);
    if (t->sleep && r->asleep_after < 0)
        printf(" no |");
    else if (t->sleep)
        printf(" %.3g s |", t->seconds * (double)r->asleep_after / (double)r->steps);
    printf("\n");
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
    articulation_run runs[SOLVERS];
    static const dry_joint_solver solver[SOLVERS] = {DRY_JOINT_SOLVER_DIRECT, DRY_JOINT_SOLVER_ITERATIVE,
                                                     DRY_JOINT_SOLVER_AUTO};
    for (int s = 0; s < SOLVERS; s++)
        articulation_begin(&runs[s], &scene, solver[s], 0.0, steps, t->sleep);
    for (int i = 0; i < steps; i++)
        for (int s = 0; s < SOLVERS; s++)
            articulation_step(&runs[s], scene.dt);
    for (int s = 0; s < SOLVERS; s++) {
        char name[64] = "iterative";
        if (solver[s] == DRY_JOINT_SOLVER_DIRECT)
            snprintf(name, sizeof name, "direct");
        if (solver[s] == DRY_JOINT_SOLVER_AUTO)
            snprintf(name, sizeof name, "auto: %d of %d direct", runs[s].direct, runs[s].joints);
        print(t, &runs[s], name);
        articulation_end(&runs[s]);
    }
    dry_scene_free(&scene);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    trial one = {argc > 1 ? argv[1] : "", argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? atof(argv[3]) : 5.0,
                 argc > 4 ? atof(argv[4]) : 0.0, argc > 5 && strcmp(argv[5], "sleep") == 0};
    if (argc > 6 || (argc > 5 && !one.sleep)) {
        fprintf(stderr, "articulations: after the load comes nothing but `sleep`\n");
        return 2;
    }
    if (!(one.seconds > 0.0 && one.seconds <= 1e5 && one.load >= 0.0)) {
        fprintf(stderr, "articulations: seconds must be above 0 and at most 1e5, a load not below 0\n");
        return 2;
    }
    printf(
        "| scene | joints | rows | error m | rad | gained J, at the end | largest | ms a step | 95 %% | lost "
        "|%s\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|%s\n",
        one.sleep ? " asleep after |" : "", one.sleep ? "--:|" : "");
    if (argc > 1)
        measure(&one);
    for (int i = 0; argc == 1 && i < TRIALS; i++)
        measure(&trials[i]);
    return 0;
}

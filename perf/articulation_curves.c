/* Joint errors, times and iterations of joint corrections [Tomcin 3], over the size of scenes and over eps_T,
 * dry_settings.method.joint_regularization.
 *
 *   articulation_curves sizes      both solvers, over size
 *   articulation_curves eps        the direct solver, over eps_T
 *   articulation_curves swing      the Peaucellier-Lipkin linkage step by step: the condition number of A,
 * and iterations for each eps_T articulation_curves tiny       a moment of each
 *
 * Worlds of a table's block take their steps in turns, until one of them has used BUDGET_MS. Times are
 * medians of processor times of one thread. Iterations are those of a joint correction, in the mean. */
#include "perf/articulation_run.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 8, EPSILONS = 7 };
#define BUDGET_MS 5000.0

typedef struct series {
    const char *scene;
    int steps;
    int size[SIZES]; /* 0 ends them */
} series;

static const series by_size[] = {
    {"chain", 60, {10, 30, 100, 300, 1000, 3000, 10000}},
    {"tree", 60, {2, 4, 6, 8, 10}},
    {"spider", 60, {10, 30, 100, 300, 1000}},
    {"strandbeest", 60, {2, 4, 10, 20, 50, 100}},
    {"scissor", 60, {10, 20, 50, 100, 220}},
    {"tube", 60, {8, 20, 50, 100, 150}},
    {"lattice", 60, {3, 4, 5, 6, 8}},
};
static const series by_epsilon[] = {
    {"peaucellier", 2000, {1}}, {"ball-hinge", 600, {10}},  {"strandbeest", 60, {10}},
    {"spider", 60, {100}},      {"tube", 10, {8, 50, 150}},
};
static const series tiny_by_size[] = {{"chain", 3, {3}}};
static const series tiny_by_epsilon[] = {{"peaucellier", 3, {1}}};

static const double epsilons[EPSILONS] = {1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16};

static dry_scene make(const char *name, int size)
{
    dry_scene scene = {0};
    char error[300];
    if (!dry_scene_make(name, size, &scene, error, sizeof error)) {
        fprintf(stderr, "articulation_curves: %s\n", error);
        exit(2);
    }
    return scene;
}

static void take_steps(articulation_run *runs, int count, int steps, float dt)
{
    bool goes_on = true;
    for (int i = 0; i < steps && goes_on; i++)
        for (int k = 0; k < count; k++) {
            articulation_step(&runs[k], dt);
            goes_on = goes_on && runs[k].used_ms < BUDGET_MS;
        }
}

static void print_run(articulation_run *r)
{
    printf(" %d | %llu | %d | %.2g | %.2g |", r->rows, (unsigned long long)r->nonzeros, r->steps, r->error_m,
           r->error_rad);
    if (r->corrections > 0)
        printf(" %.2f | %.2f |", (double)r->iterations / (double)r->corrections,
               (double)r->corrections / r->corrected_steps);
    else
        printf(" | |");
    printf(" %.3g | %d | %.3g |\n", r->largest_J - r->first_J,
           dry_world_statistics(r->world).quarantined_bodies, articulation_quantile(r, 0.5));
    fflush(stdout);
}

#define COLUMNS                                                                                              \
    "rows | nonzeros | steps | error m | rad | iterations | corrections a step | gained J | lost | "         \
    "ms a step |\n"
#define RULES "--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"

static void measure_sizes(const series *s, int size)
{
    enum { SOLVERS = 2 };
    static const dry_joint_solver solver[SOLVERS] = {DRY_JOINT_SOLVER_DIRECT, DRY_JOINT_SOLVER_ITERATIVE};
    dry_scene scene = make(s->scene, size);
    articulation_run runs[SOLVERS];
    for (int k = 0; k < SOLVERS; k++)
        articulation_begin(&runs[k], &scene, solver[k], 0.0, s->steps, false);
    take_steps(runs, SOLVERS, s->steps, scene.dt);
    for (int k = 0; k < SOLVERS; k++) {
        printf("| %s | %d | %s |", s->scene, size, k == 0 ? "direct" : "iterative");
        print_run(&runs[k]);
        articulation_end(&runs[k]);
    }
    dry_scene_free(&scene);
}

static void print_sizes(const series *list, int count)
{
    printf("| scene | size | joints | " COLUMNS "|---|--:|---|" RULES);
    for (int s = 0; s < count; s++)
        for (int i = 0; i < SIZES && list[s].size[i] > 0; i++)
            measure_sizes(&list[s], list[s].size[i]);
}

static void begin_epsilons(articulation_run runs[EPSILONS], const dry_scene *scene, int steps)
{
    for (int k = 0; k < EPSILONS; k++)
        articulation_begin(&runs[k], scene, DRY_JOINT_SOLVER_DIRECT, epsilons[k], steps, false);
}

static void print_epsilons(const series *list, int count)
{
    printf("| scene | size | eps_T | " COLUMNS "|---|--:|--:|" RULES);
    for (int s = 0; s < count; s++)
        for (int i = 0; i < SIZES && list[s].size[i] > 0; i++) {
            dry_scene scene = make(list[s].scene, list[s].size[i]);
            articulation_run runs[EPSILONS];
            begin_epsilons(runs, &scene, list[s].steps);
            take_steps(runs, EPSILONS, list[s].steps, scene.dt);
            for (int k = 0; k < EPSILONS; k++) {
                printf("| %s | %d | %g |", list[s].scene, list[s].size[i], epsilons[k]);
                print_run(&runs[k]);
                articulation_end(&runs[k]);
            }
            dry_scene_free(&scene);
        }
}

/* Diagonalizes a symmetric matrix by Jacobi's rotations. */
static void find_eigenvalues(double *a, int n)
{
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0.0)
                    continue;
                const double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
                const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < n; k++) {
                    const double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    const double x = a[p * n + k], y = a[q * n + k];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
            }
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double dot(dry_double3 a, dry_double3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Returns the ratio of the largest eigenvalue of A of the present rows to the smallest one that is not 0: as
 * many are as there are redundant rows. */
static double condition_of(const dry_articulations *a, const dry_articulation *l, int redundant)
{
    const int n = l->row_end - l->row_begin, joints = l->joint_end - l->joint_begin;
    double *matrix = articulation_room(n * n, sizeof *matrix), *value = articulation_room(n, sizeof *value);
    for (int i = 0; i < joints * joints * 4; i++) {
        const dry_articulated_joint *x = &a->joint[l->joint_begin + i / 4 / joints],
                                    *y = &a->joint[l->joint_begin + i / 4 % joints];
        const int s = i / 2 % 2, t = i % 2;
        const dry_articulated_body *body = &a->body[x->body[s]];
        if (x->body[s] != y->body[t] || !body->moves)
            continue;
        for (int r = 0; r < x->rows; r++)
            for (int c = 0; c < y->rows; c++) {
                const dry_articulated_row *p = &a->row[x->row + r], *q = &a->row[y->row + c];
                matrix[(x->row - l->row_begin + r) * n + y->row - l->row_begin + c] +=
                    (s == t ? 1.0 : -1.0) * (body->inverse_mass * dot(p->linear, q->linear) +
                                             dot(p->angular[s], a->swings[y->row + c].side[t]));
            }
    }
    find_eigenvalues(matrix, n);
    for (int i = 0; i < n; i++)
        value[i] = matrix[i * n + i];
    qsort(value, (size_t)n, sizeof *value, descending);
    const double condition = value[0] / value[n - 1 - redundant];
    free(matrix);
    free(value);
    return condition;
}

/* The step of each line has the iterations of its joint corrections, and the condition number at its end. */
static void print_swing(int steps, int every)
{
    enum { REDUNDANT = 9 };
    dry_scene scene = make("peaucellier", 1);
    articulation_run runs[EPSILONS];
    begin_epsilons(runs, &scene, steps);
    printf("| t | condition |");
    for (int k = 0; k < EPSILONS; k++)
        printf(" %g |", epsilons[k]);
    printf("\n|--:|--:|");
    for (int k = 0; k < EPSILONS; k++)
        printf("--:|");
    printf("\n");
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < EPSILONS; k++)
            articulation_step(&runs[k], scene.dt);
        if (i % every)
            continue;
        const dry_articulations *first = &runs[0].world->solver.articulations;
        printf("| %.2f | %.4g |", (i + 1) * (double)scene.dt,
               condition_of(first, &first->articulation[0], REDUNDANT));
        for (int k = 0; k < EPSILONS; k++) {
            const dry_articulation_statistics s = dry_world_statistics(runs[k].world).articulations;
            printf(" %.3g |", (double)s.iterations / (double)s.corrections);
        }
        printf("\n");
    }
    for (int k = 0; k < EPSILONS; k++)
        articulation_end(&runs[k]);
    dry_scene_free(&scene);
}

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "sizes") == 0) {
        print_sizes(by_size, COUNT(by_size));
    } else if (strcmp(what, "eps") == 0) {
        print_epsilons(by_epsilon, COUNT(by_epsilon));
    } else if (strcmp(what, "swing") == 0) {
        print_swing(400, 2);
    } else if (strcmp(what, "tiny") == 0) {
        print_sizes(tiny_by_size, COUNT(tiny_by_size));
        print_epsilons(tiny_by_epsilon, COUNT(tiny_by_epsilon));
        print_swing(3, 1);
    } else {
        fprintf(stderr, "articulation_curves: expected sizes, eps, swing or tiny\n");
        return 2;
    }
    return 0;
}

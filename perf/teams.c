/* The cost of each team: OpenMP's threads and the world's own, in turns.
 *
 *   teams scenes [STEPS [busy]]              a step of some scenes on one thread and on two; `busy`: while
 *                                            another process computes on the second processor
 *   teams worlds [WORLDS BODIES THREADS]     many worlds that one thread steps in turns
 *   teams rests [REST_MS [BODIES THREADS]]   steps with a rest after each, as a program in real time has them
 *
 * Two threads and 100 worlds of 5,000 bodies by default. The variables of OpenMP (OMP_WAIT_POLICY) change
 * what is measured. */
#define _GNU_SOURCE /* CPU_SET */
#include "tools/scenes/measure/resident.h"
#include "tools/scenes/scenes.h"

#include <drystone/drystone.h>

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEAMS = 2, TIMES_MAX = 100000 };

static const dry_team teams[TEAMS] = {DRY_TEAM_OPENMP, DRY_TEAM_THREADS};

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "teams: %s\n", what);
    exit(1);
}

static double clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void rest(double ms)
{
    nanosleep(&(struct timespec){.tv_sec = (time_t)(ms / 1e3), .tv_nsec = (long)(ms * 1e6) % 1000000000},
              NULL);
}

static int compare_times(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

typedef struct times {
    double ms[TIMES_MAX];
    int count;
    double processor_ms; /* of all of them, all threads */
} times;

static double median(times *t)
{
    qsort(t->ms, (size_t)t->count, sizeof *t->ms, compare_times);
    return t->ms[t->count / 2];
}

static int threads_of_process(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;)
        count += entry->d_name[0] != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

static dry_world *make_world(const char *name, int size, dry_team team, int threads, float *dt)
{
    char error[256];
    dry_scene scene;
    check(dry_scene_make(name, size, &scene, error, sizeof error), "no such scene");
    dry_world_def def = dry_default_world_def();
    def.settings.gravity = scene.gravity;
    def.settings.sleep = false;
    def.threads = threads;
    def.team = team;
    dry_world *world = NULL;
    dry_body_id *ids = calloc((size_t)scene.body_count, sizeof *ids);
    check(ids && dry_world_create(&def, &world) == DRY_OK, "no world");
    check(dry_scene_build(&scene, world, ids) == DRY_OK, "no bodies");
    free(ids);
    *dt = scene.dt;
    dry_scene_free(&scene);
    return world;
}

static void step(dry_world *world, float dt, times *t)
{
    const double begin = clock_ms(CLOCK_MONOTONIC), used = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
    check(dry_world_step(world, dt) == DRY_OK, "a step failed");
    if (!t)
        return;
    t->processor_ms += clock_ms(CLOCK_PROCESS_CPUTIME_ID) - used;
    check(t->count < TIMES_MAX, "too many steps");
    t->ms[t->count++] = clock_ms(CLOCK_MONOTONIC) - begin;
}

/* Computes on the second processor until it is killed. */
static pid_t start_busy_process(void)
{
    pid_t child = fork();
    check(child >= 0, "fork");
    if (child > 0)
        return child;
    cpu_set_t second;
    CPU_ZERO(&second);
    CPU_SET(1, &second);
    (void)sched_setaffinity(0, sizeof second, &second);
    for (;;)
        ;
}

/* Teams take turns of 20 steps, and helpers that spin have 20 ms to fall asleep before the other's turn. */
static void measure_scene(const char *name, int size, int threads, int steps)
{
    enum { TURN = 20 };
    static times t[TEAMS];
    dry_world *world[TEAMS];
    float dt = 0.0f;
    memset(t, 0, sizeof t);
    for (int i = 0; i < TEAMS; i++) {
        world[i] = make_world(name, size, teams[i], threads, &dt);
        for (int s = 0; s < TURN; s++)
            step(world[i], dt, NULL);
    }
    for (int done = 0; done < steps; done += TURN)
        for (int i = 0; i < TEAMS; i++) {
            rest(20.0);
            step(world[i], dt, NULL);
            for (int s = 1; s < TURN; s++)
                step(world[i], dt, &t[i]);
        }
    check(dry_world_hash(world[0]) == dry_world_hash(world[1]), "the teams gave other bits");
    printf("%-9s %5d  %d threads ", name, size, threads);
    for (int i = 0; i < TEAMS; i++) {
        double mean = 0.0, processor = t[i].processor_ms / t[i].count, middle = median(&t[i]);
        for (int s = 0; s < t[i].count; s++)
            mean += t[i].ms[s] / t[i].count;
        printf("  %s median %.3f mean %.3f least %.3f processor %.3f",
               dry_team_name(dry_world_team(world[i])), middle, mean, t[i].ms[0], processor);
        dry_world_destroy(world[i]);
    }
    putchar('\n');
    fflush(stdout);
}

static void measure_scenes(int steps, bool busy)
{
    static const struct {
        const char *name;
        int size;
    } scenes[] = {{"pyramid", 100}, {"pyramids", 10}, {"pile", 3000}, {"pyramid", 20}};
    pid_t child = busy ? start_busy_process() : 0;
    for (int threads = 1; threads <= 2; threads++)
        for (int i = 0; i < 4; i++)
            measure_scene(scenes[i].name, scenes[i].size, threads, steps);
    if (busy) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

/* Worlds with a pyramid of about so many bodies: all of one team, then all of the other, five rounds of each
 * in turns. The first team's worlds are made after one that is thrown away, which leaves the program's own
 * tables in memory. */
static void measure_worlds(int worlds, int bodies, int threads)
{
    enum { ROUNDS = 5, WARMUP = 3 };
    static times t[TEAMS];
    dry_world **world[TEAMS];
    size_t bytes[TEAMS];
    int started[TEAMS];
    float dt = 0.0f;
    int base = 1;
    while ((base + 1) * (base + 2) / 2 <= bodies)
        base++;
    dry_world *first = make_world("pyramid", base, DRY_TEAM_THREADS, 1, &dt);
    step(first, dt, NULL);
    dry_world_destroy(first);
    for (int i = 0; i < TEAMS; i++) {
        const size_t before = dry_resident_bytes();
        const int threads_before = threads_of_process();
        world[i] = calloc((size_t)worlds, sizeof *world[i]);
        check(world[i], "no memory");
        for (int w = 0; w < worlds; w++)
            world[i][w] = make_world("pyramid", base, teams[i], threads, &dt);
        for (int s = 0; s < WARMUP; s++)
            for (int w = 0; w < worlds; w++)
                step(world[i][w], dt, NULL);
        bytes[i] = dry_resident_since(before);
        started[i] = threads_of_process() - threads_before;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < TEAMS; i++) {
            rest(50.0);
            for (int w = 0; w < worlds; w++)
                step(world[i][w], dt, &t[i]);
        }
    printf("%d worlds, pyramids of base %d, %d threads each, stepped in turns\n", worlds, base, threads);
    for (int i = 0; i < TEAMS; i++) {
        double processor = t[i].processor_ms / t[i].count, middle = median(&t[i]);
        printf(
            "%-8s %4d threads started, %.1f MiB resident, a step: median %.3f least %.3f processor %.3f ms\n",
            dry_team_name(dry_world_team(world[i][0])), started[i], (double)bytes[i] / (1 << 20), middle,
            t[i].ms[0], processor);
        for (int w = 0; w < worlds; w++)
            dry_world_destroy(world[i][w]);
        free(world[i]);
    }
}

/* Processor time of the rests alone. */
static void measure_rests(double rest_ms, int bodies, int threads)
{
    enum { STEPS = 32, BLOCKS = 6 };
    static times t;
    float dt = 0.0f;
    dry_world *world[TEAMS];
    for (int i = 0; i < TEAMS; i++)
        world[i] = make_world("pile", bodies, teams[i], threads, &dt);
    printf(
        "%d bodies, %d threads, a rest of %.1f ms after each step; processor time of a rest, and the median "
        "step, ms\n",
        bodies, threads, rest_ms);
    for (int block = 0; block < BLOCKS; block++)
        for (int i = 0; i < TEAMS; i++) {
            double used_ms = 0.0;
            t.count = 0;
            rest(50.0);
            for (int s = 0; s < STEPS; s++) {
                step(world[i], dt, &t);
                const double before = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
                rest(rest_ms);
                used_ms += clock_ms(CLOCK_PROCESS_CPUTIME_ID) - before;
            }
            printf("%-8s asked, %-8s %.3f  %.3f\n", dry_team_name(teams[i]),
                   dry_team_name(dry_world_team(world[i])), used_ms / STEPS, median(&t));
        }
    for (int i = 0; i < TEAMS; i++)
        dry_world_destroy(world[i]);
}

static int number(int count, char **arguments, int at, int otherwise)
{
    return count > at ? atoi(arguments[at]) : otherwise;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    if (!dry_team_available(DRY_TEAM_OPENMP)) {
        puts("this build has one team");
        return 0;
    }
    if (strcmp(what, "scenes") == 0)
        measure_scenes(number(count, arguments, 2, 400), count > 3 && strcmp(arguments[3], "busy") == 0);
    else if (strcmp(what, "worlds") == 0)
        measure_worlds(number(count, arguments, 2, 100), number(count, arguments, 3, 5000),
                       number(count, arguments, 4, 2));
    else if (strcmp(what, "rests") == 0)
        measure_rests(number(count, arguments, 2, 16), number(count, arguments, 3, 1000),
                      number(count, arguments, 4, 2));
    else
        check(false, "expected scenes, worlds or rests");
    return 0;
}

/* How much of a sleeping pile a push wakes: bodies awake, time, and where bodies end.
 *
 *   waking [BOXES] [SECONDS]     100 boxes and 30 s by default
 *
 * Boxes of 512 kg fall into a bin and fall asleep. Each second another one is pushed along the floor. The
 * same pushes are given to a pile in which each of them wakes all boxes, and to one that does not sleep. */
#define _POSIX_C_SOURCE 200809L

#include "tools/scenes/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RATE = 60, SETTLING_MAX = 3600 };

static const float MASS = 512.0f; /* kg */

typedef enum mode { PART, ALL, NEVER_ASLEEP } mode;

typedef struct pile {
    dry_world *world;
    dry_scene scene;
    dry_body_id *id;
} pile;

typedef struct outcome {
    double awake, seconds; /* mean of bodies; processor time */
    double moved;          /* by the body that moves the farthest once all have been woken, m */
    dry_position *at;
} outcome;

static void check(dry_result result, const char *what)
{
    if (result == DRY_OK)
        return;
    fprintf(stderr, "waking: %s: %s\n", what, dry_result_name(result));
    exit(1);
}

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        exit(1);
    return memory;
}

static void step(pile *p)
{
    check(dry_world_step(p->world, 1.0f / RATE), "dry_world_step");
}

static int count_awake(const pile *p)
{
    return dry_world_statistics(p->world).awake_bodies;
}

static void set_sleep(pile *p, bool sleep)
{
    dry_settings settings = dry_world_get_settings(p->world);
    settings.sleep = sleep;
    check(dry_world_set_settings(p->world, &settings), "dry_world_set_settings");
}

static bool is_dynamic(const pile *p, int body)
{
    return p->scene.bodies[body].def.type == DRY_BODY_DYNAMIC;
}

static dry_position position_of(const pile *p, int body)
{
    dry_pose pose;
    check(dry_body_get_pose(p->world, p->id[body], &pose), "dry_body_get_pose");
    return pose.position;
}

/* Returns a pile that fell and sleeps. */
static pile make_pile(int boxes)
{
    pile p = {0};
    char error[256];
    if (!dry_scene_make("pile", boxes, &p.scene, error, sizeof error)) {
        fprintf(stderr, "waking: %s\n", error);
        exit(1);
    }
    for (int i = 0; i < p.scene.shape_count; i++)
        p.scene.shapes[i].density = MASS;
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.settings.gravity = p.scene.gravity;
    check(dry_world_create(&def, &p.world), "dry_world_create");
    p.id = take((size_t)p.scene.body_count, sizeof *p.id);
    check(dry_scene_build(&p.scene, p.world, p.id), "dry_scene_build");
    int steps = 0;
    do
        step(&p);
    while (count_awake(&p) > 0 && ++steps < SETTLING_MAX);
    if (count_awake(&p) > 0)
        printf("%d boxes are awake after %d steps\n", count_awake(&p), steps);
    return p;
}

static void end_pile(pile *p)
{
    dry_world_destroy(p->world);
    dry_scene_free(&p->scene);
    free(p->id);
}

/* Returns the box that is pushed in a second: another one each time. */
static int pushed_box(const pile *p, int second)
{
    int body = 37 * second % p->scene.body_count;
    while (!is_dynamic(p, body))
        body = (body + 1) % p->scene.body_count;
    return body;
}

static void wake_all(pile *p)
{
    for (int i = 0; i < p->scene.body_count; i++)
        check(dry_body_set_awake(p->world, p->id[i], true), "dry_body_set_awake");
}

static void push(pile *p, mode how, int second, float impulse)
{
    if (how == ALL)
        wake_all(p);
    const double angle = 2.4 * second; /* turns by the golden angle */
    const dry_vec3 along = {impulse * (float)cos(angle), 0.0f, impulse * (float)sin(angle)};
    check(dry_body_apply_impulse(p->world, p->id[pushed_box(p, second)], along), "dry_body_apply_impulse");
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double distance(dry_position a, dry_position b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* Wakes all and returns how far the body that moves the farthest goes: what slept held by itself if that is
 * little. */
static double shake(pile *p, const dry_position *at)
{
    double most = 0.0;
    wake_all(p);
    for (int i = 0; i < 3 * RATE; i++)
        step(p);
    for (int i = 0; i < p->scene.body_count; i++)
        most = fmax(most, distance(position_of(p, i), at[i]));
    return most;
}

static outcome run(int boxes, int seconds, mode how, float impulse)
{
    pile p = make_pile(boxes);
    set_sleep(&p, how != NEVER_ASLEEP);
    outcome o = {0};
    const double start = now_s();
    for (int second = 0; second < seconds; second++) {
        push(&p, how, second, impulse);
        for (int i = 0; i < RATE; i++) {
            step(&p);
            o.awake += count_awake(&p);
        }
    }
    o.seconds = now_s() - start;
    o.awake /= (double)seconds * RATE;
    o.at = take((size_t)p.scene.body_count, sizeof *o.at);
    for (int i = 0; i < p.scene.body_count; i++)
        o.at[i] = position_of(&p, i);
    o.moved = shake(&p, o.at);
    end_pile(&p);
    return o;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const char *what, int bodies, const outcome *a, const outcome *b)
{
    double *apart = take((size_t)bodies, sizeof *apart);
    for (int i = 0; i < bodies; i++)
        apart[i] = distance(a->at[i], b->at[i]);
    qsort(apart, (size_t)bodies, sizeof *apart, by_size);
    printf("  %s: median %.2g mm, largest %.2g mm apart\n", what, 1e3 * apart[bodies / 2],
           1e3 * apart[bodies - 1]);
    free(apart);
}

static void measure_pushes(int boxes, int seconds, float impulse)
{
    const outcome part = run(boxes, seconds, PART, impulse), all = run(boxes, seconds, ALL, impulse),
                  never = run(boxes, seconds, NEVER_ASLEEP, impulse);
    printf("%g N s each second: %.1f awake of %d (all woken: %.1f), %.2f of the time without sleep\n",
           (double)impulse, part.awake, boxes, all.awake, part.seconds / never.seconds);
    printf("  woken afterwards, boxes move by %.2g mm (all woken: %.2g mm)\n", 1e3 * part.moved,
           1e3 * all.moved);
    pile p = {0};
    char error[256];
    if (!dry_scene_make("pile", boxes, &p.scene, error, sizeof error))
        exit(1);
    compare("from where all wake", p.scene.body_count, &part, &all);
    compare("from where none sleeps", p.scene.body_count, &part, &never);
    dry_scene_free(&p.scene);
    free(part.at);
    free(all.at);
    free(never.at);
}

/* Pushes the highest box of a sleeping pile once. */
static void measure_top(int boxes, float impulse)
{
    pile p = make_pile(boxes);
    int top = -1, most = 0, steps = 0;
    for (int i = 0; i < p.scene.body_count; i++)
        if (is_dynamic(&p, i) && (top < 0 || position_of(&p, i).y > position_of(&p, top).y))
            top = i;
    const dry_vec3 along = {impulse, 0.0f, 0.0f};
    check(dry_body_apply_impulse(p.world, p.id[top], along), "dry_body_apply_impulse");
    do {
        step(&p);
        most = count_awake(&p) > most ? count_awake(&p) : most;
    } while (count_awake(&p) > 0 && ++steps < SETTLING_MAX);
    printf("%g N s at the top box of %d: wakes %d, which sleep after %.2f s\n", (double)impulse, boxes, most,
           (double)steps / RATE);
    end_pile(&p);
}

int main(int argc, char **argv)
{
    const int boxes = argc > 1 ? atoi(argv[1]) : 100, seconds = argc > 2 ? atoi(argv[2]) : 30;
    if (boxes < 1 || seconds < 1) {
        fprintf(stderr, "usage: waking [BOXES] [SECONDS]\n");
        return 2;
    }
    measure_top(boxes, 20.0f);
    measure_top(boxes, 400.0f);
    measure_pushes(boxes, seconds, 20.0f);
    measure_pushes(boxes, seconds, 400.0f);
    return 0;
}

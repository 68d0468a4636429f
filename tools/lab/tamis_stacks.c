/* The stacks of Tamis [10.1, 10.2], and what a stabilized contact does by itself [5.2, 8.1]. */
#include "tools/lab/linear.h"
#include "tools/lab/tamis.h"
#include "tools/lab/tamis_model.h"

#include <math.h>
#include <string.h>

static const float dt = 1.0f / 60.0f;

/* Contacts that lose the share beta of their depth in a step, solved as Tamis does. */
static dry_settings tamis_settings(double beta, int sweeps, float gravity)
{
    dry_settings settings = lab_settings(sweeps);
    settings.gravity.y = -gravity;
    settings.contact_stiffness = 1e9f;
    settings.contact_damping = (float)(1.0 / beta - 0.25);
    settings.push_out_speed_max = 1e6f;
    settings.levers = DRY_LEVERS_TRUE;
    return settings;
}

static const dry_vec3 up = {0.0f, 1.0f, 0.0f};
static const float friction = 0.6f;

/* Rigid contacts that lose the share beta of their depth in a step by the push factor. */
static dry_settings push_settings(double beta, int sweeps, int relax_sweeps, float gravity)
{
    dry_settings settings = lab_settings(sweeps);
    settings.gravity.y = -gravity;
    settings.method.push_factor = (float)beta;
    settings.relax_sweeps = relax_sweeps;
    settings.push_out_speed_max = 1e6f;
    settings.levers = DRY_LEVERS_TRUE;
    return settings;
}

/* A cube at depth q in the floor: its speed after one step, by SPOOK's d, by the push factor, and by the push
 * factor with a second solve, which leaves none [8.1]. */
static void one_cube(lab_run *run)
{
    static const double depths[] = {0.001, 0.01, 0.1};
    static const char *const ways[] = {"", ", push factor", ", push factor, second solve"};
    for (int i = 0; i < 9; i++) {
        const double beta = 0.2, q = depths[i % 3], speed = i < 6 ? beta * q / (double)dt : 0.0;
        const dry_settings settings =
            i < 3 ? tamis_settings(beta, 100, 10.0f) : push_settings(beta, 100, i < 6 ? 0 : 100, 10.0f);
        dry_world *world = lab_world(run, &settings);
        lab_add_plane(run, world, up, friction);
        const dry_body_id cube =
            lab_tamis_add(run, world, DRY_SHAPE_BOX, 0.5, 1.0, (dry_position){0.0, 0.5 - q, 0.0});
        lab_check(run, dry_world_step(world, dt));
        dry_velocity v;
        lab_check(run, dry_body_get_velocity(world, cube, &v));
        lab_add(run, i < 6 ? "Tamis 5.2.3" : "Tamis 8.1", speed, speed, (double)v.linear.y,
                i < 6 ? 0.01 : 1e-4, "speed of a cube from a depth of %g m, beta 0.2, m/s%s", q, ways[i / 3]);
    }
}

enum { STACK = 5 };

typedef struct stack {
    double side, mass, spacing, lowest; /* m, kg; distance of centers, height of the lowest center */
    double aside;                       /* of the middle cube, m */
    dry_settings settings;
    double seconds;
    bool watched;      /* ends when a cube is half a side too low */
    bool two_solves;   /* each step is solved twice [8.1] */
    const char *curve; /* of the last plot; null: none */
    bool draws_height; /* the highest center, and not how far the top is sideways */
} stack;

typedef struct stack_end {
    double highest;  /* center of any cube at any time, m */
    double sideways; /* of the top cube at the end, m */
    double fell;     /* when a center was first half a side below its place, s; 0: never */
} stack_end;

/* The motion of a stack's cubes. */
typedef struct stack_motion {
    dry_pose pose[STACK];
    dry_velocity velocity[STACK];
} stack_motion;

static void read_motion(lab_run *run, const dry_world *world, const dry_body_id *id, stack_motion *m)
{
    for (int i = 0; i < STACK; i++) {
        lab_check(run, dry_body_get_pose(world, id[i], &m->pose[i]));
        lab_check(run, dry_body_get_velocity(world, id[i], &m->velocity[i]));
    }
}

static void write_motion(lab_run *run, dry_world *world, const dry_body_id *id, const stack_motion *m)
{
    for (int i = 0; i < STACK; i++) {
        lab_check(run, dry_body_set_pose(world, id[i], m->pose[i]));
        lab_check(run, dry_body_set_velocity(world, id[i], m->velocity[i]));
    }
}

/* Solves a step twice from the same start: with the push for the poses, without it for the velocities [8.1].
 * A push factor of 1e-30 keeps contacts rigid, and pushes nothing. */
static void step_twice(lab_run *run, dry_world *world, const dry_body_id *id, dry_settings settings)
{
    stack_motion start, pushed, end;
    read_motion(run, world, id, &start);
    lab_check(run, dry_world_set_settings(world, &settings));
    lab_check(run, dry_world_step(world, dt));
    read_motion(run, world, id, &pushed);
    write_motion(run, world, id, &start);
    settings.method.push_factor = 1e-30f;
    lab_check(run, dry_world_set_settings(world, &settings));
    lab_check(run, dry_world_step(world, dt));
    read_motion(run, world, id, &end);
    memcpy(pushed.velocity, end.velocity, sizeof pushed.velocity);
    write_motion(run, world, id, &pushed);
}

static stack_end run_stack(lab_run *run, const stack *of)
{
    dry_world *world = lab_world(run, &of->settings);
    dry_body_id id[STACK];
    stack_end end = {0};
    lab_add_plane(run, world, up, friction);
    for (int i = 0; i < STACK; i++)
        id[i] = lab_tamis_add(run, world, DRY_SHAPE_BOX, 0.5 * of->side, of->mass,
                              (dry_position){i == 2 ? of->aside : 0.0, of->lowest + i * of->spacing, 0.0});
    const int steps = (int)(of->seconds * 60.0);
    double *time = lab_doubles(run, steps + 1), *drawn = lab_doubles(run, steps + 1);
    int count = 0;
    for (int step = 1; step <= steps; step++) {
        if (of->two_solves)
            step_twice(run, world, id, of->settings);
        else
            lab_check(run, dry_world_step(world, dt));
        double highest = 0.0;
        for (int i = 0; i < STACK; i++) {
            const dry_position at = lab_position(run, world, id[i]);
            highest = fmax(highest, at.y);
            if (of->watched && end.fell == 0.0 && at.y < of->side * i)
                end.fell = step / 60.0;
        }
        const dry_position top = lab_position(run, world, id[STACK - 1]);
        end.highest = fmax(end.highest, highest);
        end.sideways = hypot(top.x, top.z);
        if (steps <= 600 || step % (steps / 600) == 0) {
            time[count] = step / 60.0;
            drawn[count++] = of->draws_height ? highest : end.sideways;
        }
        if (end.fell > 0.0)
            break;
    }
    if (of->curve)
        lab_add_curve(run, of->curve, time, drawn, count);
    return end;
}

static void even_stacks(lab_run *run)
{
    const double seconds = run->options->quick ? 5.0 : 60.0;
    lab_add_plot(run, "stack", "Five cubes, beta 0.2, 25 sweeps: the top one sideways", "time, s", "m")
        ->log_y = true;
    for (int aside = 0; aside < 2; aside++)
        for (int warm = 0; warm < 2; warm++) {
            stack of = {.side = 1.0,
                        .mass = 1.0,
                        .spacing = 1.0,
                        .lowest = 0.5,
                        .aside = 1e-3 * aside,
                        .settings = tamis_settings(0.2, 25, 10.0f),
                        .seconds = seconds,
                        .watched = true,
                        .curve = aside ? (warm ? "one 1 mm aside, warm" : "one 1 mm aside, cold")
                                       : (warm ? "even, warm" : "even, cold")};
            of.settings.warm_start = warm;
            const stack_end end = run_stack(run, &of);
            lab_add(run, "Tamis 10.1", 0.0, 0.0, end.fell > 0.0 ? of.side : end.sideways,
                    aside ? (warm ? 0.1 : 0.5) : 0.02,
                    /* beyond half a side it falls */ "top of five cubes sideways in %g s, %s, %s, m",
                    seconds, aside ? "one 1 mm aside" : "even", warm ? "warm" : "cold");
        }
}

/* The document's stack of both tests, by its own solver. */
static const lab_tamis_stack document = {.side = 2.4,
                                         .mass = 1.2,
                                         .gravity = 10.0,
                                         .friction = 0.6,
                                         .step = 1.0 / 60.0,
                                         .beta = 0.2,
                                         .sweeps = 25,
                                         .from_top = true};

/* Lets the stack of 10.1 stand or fall by the document's solver, written again. Returns when a center is
 * first half a side below its place, s; 0: never. Adds a curve of the top, unless null. */
static double fall_of_model(lab_run *run, lab_tamis_stack model, int seconds, const char *curve)
{
    double *time = lab_doubles(run, seconds), *sideways = lab_doubles(run, seconds), fell = 0.0;
    int count = 0;
    lab_tamis_place(&model, 2.0, 3.0);
    for (int step = 1; step <= 60 * seconds && fell == 0.0; step++) {
        lab_tamis_step(&model);
        for (int i = 1; i < STACK; i++)
            fell = model.cube[i].at.y < model.side * i ? step / 60.0 : fell;
        if (step % 60 == 0) {
            const lab_vector top = model.cube[STACK - 1].at;
            time[count] = step / 60.0;
            sideways[count++] = hypot(top.x, top.z);
        }
    }
    if (curve)
        lab_add_curve(run, curve, time, sideways, count);
    return fell;
}

/* Adds when the stack falls by the document's solver: it tells neither its friction nor the order of its
 * rows.
 */
static void falling_models(lab_run *run)
{
    static const char order[] = "the order of the rows decides it, of which the document says nothing";
    static const double frictions[] = {0.6, 0.2, 0.4, 0.5, 0.8, 1.0};
    const int seconds = run->options->quick ? 100 : 300;
    lab_tamis_stack model = document;
    for (int i = 0; i < (run->options->quick ? 1 : 6); i++) {
        model.friction = frictions[i];
        const char *curve = i == 0 ? "the document's solver, downward" : NULL;
        lab_add(run, "Tamis 10.1", 85.0, NAN, fall_of_model(run, model, seconds, curve), 0.3,
                "the stack of 10.1 falls, the document's solver, from the top downward, friction %g, s",
                model.friction);
    }
    model.friction = frictions[0];
    model.twice = true;
    lab_unbounded(lab_add(run, "Tamis 8.1, 10.1", 85.0, NAN, fall_of_model(run, model, seconds, NULL),
                          INFINITY, "the same, friction 0.6, each step solved twice, s"),
                  order);
    model.twice = model.from_top = false;
    lab_unbounded(lab_add(run, "Tamis 10.1", 85.0, NAN,
                          fall_of_model(run, model, seconds, "the document's solver, upward"), INFINITY,
                          "the same, from the floor upward, s (0: not in %d s)", seconds),
                  order);
}

static void falling_stack(lab_run *run)
{
    stack of = {.side = 2.4,
                .mass = 1.2,
                .spacing = 3.0,
                .lowest = 2.0,
                .settings = tamis_settings(0.2, 25, 10.0f),
                .seconds = run->options->quick ? 5.0 : 300.0,
                .watched = true};
    lab_add_plot(run, "falling", "The stack of 10.1: the top cube sideways", "time, s", "m")->log_y = true;
    falling_models(run);
    stack_end end = run_stack(run, &of);
    static const char alike[] = "the engine's faces get even impulses, where the document's tip the stack";
    lab_unbounded(lab_add(run, "Tamis 10.1", 85.0, NAN, end.fell, INFINITY,
                          "the stack of 10.1 falls, 25 cold sweeps, even, s (0: not in %g s)", of.seconds),
                  alike);
    of.aside = 1e-3;
    of.curve = "one cube 1 mm aside, cold";
    end = run_stack(run, &of);
    lab_unbounded(lab_add(run, "Tamis 10.1", 85.0, NAN, end.fell, INFINITY,
                          "the stack of 10.1 falls, 25 cold sweeps, one cube 1 mm aside, s (0: not in %g s)",
                          of.seconds),
                  alike);
    of.settings.warm_start = true;
    of.curve = "one cube 1 mm aside, warm";
    end = run_stack(run, &of);
    lab_add(run, "-", 0.0, 0.0, end.fell, 0.0, "the same with a warm start, s (0: not in %g s)", of.seconds);
}

/* Returns the highest center of the intersecting stack whose steps are solved twice, in double precision. The
 * cubes only move up and down. Sweeps go by color, every second one backward if they alternate. */
static double twice_solved(lab_run *run, bool alternates)
{
    static const int order[STACK] = {0, 2, 4, 1, 3};
    const double side = 2.4, h = (double)dt;
    const lab_method sweep = {
        .kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0, .order = order, .alternate = alternates};
    lab_problem p = lab_problem_of(run, STACK);
    double at[STACK], velocity[STACK] = {0.0}, end[2][STACK], x[STACK], work[STACK], highest = 0.0;
    p.lo = lab_doubles(run, STACK);
    p.hi = lab_doubles(run, STACK);
    for (int i = 0; i < STACK; i++) {
        at[i] = 2.0 * i;
        p.hi[i] = 1e300;
        p.a[i * STACK + i] = i > 0 ? 2.0 : 1.0;
        if (i > 0)
            p.a[i * STACK + i - 1] = p.a[(i - 1) * STACK + i] = -1.0;
    }
    for (int step = 0; step < 5 * 60; step++) {
        for (int pushes = 0; pushes < 2; pushes++) {
            for (int i = 0; i < STACK; i++) {
                const double gap = i > 0 ? at[i] - at[i - 1] - side : at[0] - 0.5 * side;
                const double target = gap > 0.0 ? -gap / h : pushes ? -0.2 * gap / h : 0.0;
                p.b[i] = target - (i > 0 ? velocity[i] - velocity[i - 1] : velocity[0] - 10.0 * h);
            }
            memset(x, 0, sizeof x);
            for (int k = 0; k < 25; k++)
                lab_sweep(&p, &sweep, k, x, work);
            for (int i = 0; i < STACK; i++)
                end[pushes][i] = velocity[i] - 10.0 * h + x[i] - (i + 1 < STACK ? x[i + 1] : 0.0);
        }
        for (int i = 0; i < STACK; i++) {
            velocity[i] = end[0][i];
            at[i] += h * end[1][i];
        }
        highest = fmax(highest, at[STACK - 1]);
    }
    return highest;
}

/* Returns the highest center of the intersecting stack by the document's solver. */
static double twice_solved_by_model(void)
{
    lab_tamis_stack model = document;
    double highest = 0.0;
    model.twice = true;
    lab_tamis_place(&model, 0.0, 2.0);
    for (int step = 0; step < 5 * 60; step++) {
        lab_tamis_step(&model);
        highest = fmax(highest, model.cube[STACK - 1].at.y);
    }
    return highest;
}

static void intersecting_stack(lab_run *run)
{
    stack of = {.side = 2.4,
                .mass = 1.2,
                .spacing = 2.0,
                .settings = tamis_settings(0.2, 25, 10.0f),
                .seconds = 5.0,
                .curve = "one solve",
                .draws_height = true};
    lab_add_plot(run, "intersecting", "Intersecting stack: its highest center", "time, s", "m");
    of.settings = push_settings(0.2, 25, 0, 10.0f);
    stack_end end = run_stack(run, &of);
    /* Each overlap gives its cubes beta q / dt to part, and all of it stays: no cube rises above this. */
    const double parts = 0.2 / (double)dt, speed = parts * (1.2 + 4.0 * 0.4),
                 most = 8.0 + speed * speed / (2.0 * 10.0);
    lab_bound(lab_add(run, "Tamis 10.2", most, NAN, end.highest, 0.0,
                      "highest center of the intersecting stack, push factor, one solve, m"),
              LAB_AT_MOST);
    of.settings.relax_sweeps = 25;
    of.curve = "a second solve of 25 sweeps";
    end = run_stack(run, &of);
    lab_add(run, "Tamis 8.1, 10.2", 10.80, 4.5 * of.side, end.highest, 0.1,
            "the same, a second solve of 25 relax sweeps, m");
    of.settings.relax_sweeps = 0;
    of.two_solves = true;
    of.curve = "two solves of 25 sweeps";
    for (int forward = 0; forward < 2; forward++) {
        of.settings.method.order = forward ? DRY_ORDER_FORWARD : DRY_ORDER_COLOR;
        end = run_stack(run, &of);
        lab_add(run, "Tamis 8.1, 10.2", 10.80, twice_solved(run, !forward), end.highest, 1e-4,
                "the same, two solves of 25 sweeps each%s, m", forward ? ", always forward" : "");
        of.curve = NULL;
    }
    lab_add(run, "Tamis 8.1, 10.2", 10.80, NAN, twice_solved_by_model(), 1e-3,
            "the same, the document's solver, from the top downward, m");
    of.settings.method.order = DRY_ORDER_COLOR;
    of.two_solves = false;
    of.settings.sweeps = of.settings.relax_sweeps = 200;
    of.curve = "two solves of 200 sweeps";
    end = run_stack(run, &of);
    lab_add(run, "Tamis 8.1, 10.2", 10.80, 4.5 * of.side, end.highest, 0.02,
            "the same with 200 sweeps each, m");
}

void lab_tamis_stacks(lab_run *run)
{
    lab_part(run);
    one_cube(run);
    lab_part(run);
    even_stacks(run);
    falling_stack(run);
    lab_part(run);
    intersecting_stack(run);
}

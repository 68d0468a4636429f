/* The test scenes of Tamis [10], and what a stabilized contact does by itself. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/linear.h"

#include <math.h>
#include <string.h>

const char lab_tamis_text[] =
    "Tamis removes the share beta of an error in each step of 1/60 s, in 25 sweeps and one substep. "
    "That is the engine's push factor, or in Spook's terms d = 1 / beta - 1/4 [Spook 9], with hardly "
    "any softness. A cube at depth q leaves the floor at beta q / dt; after a second solve without "
    "the push, the relax sweeps, it has no speed left [8.1].\n\n"
    "**Stacks.** Five cubes of 1 m at beta 0.2, even and with the middle one 1 mm aside. The stack of "
    "[10.1] has cubes of 2.4 m and 1.2 kg, gaps of 0.6 m, g = 10 and no warm start; there it falls "
    "after 85 s. Here an even stack never falls: its forces are even to the last bit. With one cube 1 "
    "mm aside it falls, later than there, and with a warm start it stands. The row has no bound but "
    "that of its text, as what tips a stack is not in the document.\n\n"
    "**The intersecting stack** [10.2] begins with overlaps of 0.4 m and 1.2 m. One solve turns the "
    "push that ends them into speed, and the cubes fly. The single-frame push [8.1] solves a second "
    "time without the push, so that no speed is left. The engine's relax sweeps are that second solve "
    "where they converge: 200 leave the top cube at rest at 10.80 m, with 25 it still rises to 11.76 "
    "m.\n\n"
    "**Pendulums.** A swing is integrated at the step, not the substep: the joint's direction is that "
    "of the step's begin. The joint is a spring of 0.19 of the substep rate, stretched by g / w^2. "
    "Both, and the angle of 0.02 rad, are in the exact values. Lengths for 51 to 100 swings a minute "
    "are in step again after it. The 5 x 5 pendulums hold four cubes, each over four spheres, and a "
    "ball between four.\n";

static const double pi = 3.14159265358979323846;
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

static dry_body_id add_body(lab_run *run, dry_world *world, dry_shape_type type, double half, double mass,
                            dry_position at)
{
    const dry_shape_def shape = lab_shape(type, half);
    return lab_add_body(run, world, &shape, mass, at, (dry_vec3){0.0f, 0.0f, 0.0f});
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
            add_body(run, world, DRY_SHAPE_BOX, 0.5, 1.0, (dry_position){0.0, 0.5 - q, 0.0});
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
    const char *curve; /* of the last plot; null: none */
    bool draws_height; /* the highest center, and not how far the top is sideways */
} stack;

typedef struct stack_end {
    double highest;  /* center of any cube at any time, m */
    double sideways; /* of the top cube at the end, m */
    double fell;     /* when a center was first half a side below its place, s; 0: never */
} stack_end;

static stack_end run_stack(lab_run *run, const stack *of)
{
    dry_world *world = lab_world(run, &of->settings);
    dry_body_id id[STACK];
    stack_end end = {0};
    lab_add_plane(run, world, up, friction);
    for (int i = 0; i < STACK; i++)
        id[i] = add_body(run, world, DRY_SHAPE_BOX, 0.5 * of->side, of->mass,
                         (dry_position){i == 2 ? of->aside : 0.0, of->lowest + i * of->spacing, 0.0});
    const int steps = (int)(of->seconds * 60.0);
    double *time = lab_doubles(run, steps + 1), *drawn = lab_doubles(run, steps + 1);
    int count = 0;
    for (int step = 1; step <= steps; step++) {
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
    stack_end end = run_stack(run, &of);
    static const char rounding[] = "a stack that is even to rounding falls by what rounding makes of it";
    lab_unbounded(lab_add(run, "Tamis 10.1", 85.0, NAN, end.fell, INFINITY,
                          "the stack of 10.1 falls, 25 cold sweeps, even, s (0: not in %g s)", of.seconds),
                  rounding);
    of.aside = 1e-3;
    of.curve = "one cube 1 mm aside, cold";
    end = run_stack(run, &of);
    lab_unbounded(lab_add(run, "Tamis 10.1", 85.0, NAN, end.fell, INFINITY,
                          "the stack of 10.1 falls, 25 cold sweeps, one cube 1 mm aside, s (0: not in %g s)",
                          of.seconds),
                  rounding);
    of.settings.warm_start = true;
    of.curve = "one cube 1 mm aside, warm";
    end = run_stack(run, &of);
    lab_add(run, "-", 0.0, 0.0, end.fell, 0.0, "the same with a warm start, s (0: not in %g s)", of.seconds);
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
    of.settings.sweeps = of.settings.relax_sweeps = 200;
    of.curve = "two solves of 200 sweeps";
    end = run_stack(run, &of);
    lab_add(run, "Tamis 8.1, 10.2", 10.80, 4.5 * of.side, end.highest, 0.02,
            "the same with 200 sweeps each, m");
}

static void funnel(lab_run *run)
{
    dry_settings settings = dry_default_settings();
    settings.gravity.y = -10.0f;
    settings.sleep = false;
    dry_world *world = lab_world(run, &settings);
    const float slope = 0.70710678f;
    lab_add_plane(run, world, (dry_vec3){slope, slope, 0.0f}, friction);
    lab_add_plane(run, world, (dry_vec3){-slope, slope, 0.0f}, friction);
    lab_add_plane(run, world, (dry_vec3){0.0f, slope, slope}, friction);
    lab_add_plane(run, world, (dry_vec3){0.0f, slope, -slope}, friction);
    enum { BALLS = 20 };
    dry_body_id id[BALLS];
    for (int i = 0; i < BALLS; i++)
        id[i] =
            add_body(run, world, DRY_SHAPE_SPHERE, 0.5, 1.0,
                     (dry_position){0.6 * (i % 2) - 0.3 + 0.01 * i, 4.0 + 0.6 * i, 0.6 * (i / 2 % 2) - 0.3});
    enum { STEPS = 15 * 60 };
    double fastest = 0.0, time[STEPS], speed[STEPS] = {0};
    for (int step = 0; step < STEPS; step++) {
        lab_check(run, dry_world_step(world, dt));
        time[step] = (step + 1) / 60.0;
        for (int i = 0; i < BALLS; i++) {
            dry_velocity v;
            lab_check(run, dry_body_get_velocity(world, id[i], &v));
            const double of_ball[3] = {(double)v.linear.x, (double)v.linear.y, (double)v.linear.z};
            speed[step] = fmax(speed[step], lab_length(of_ball, 3));
        }
        fastest = step >= 14 * 60 ? fmax(fastest, speed[step]) : 0.0;
    }
    lab_add_plot(run, "funnel", "20 balls in a funnel: the fastest one", "time, s", "m/s")->log_y = true;
    lab_add_curve(run, "the default", time, speed, STEPS);
    lab_add(run, "Tamis figure 8", 0.0, 0.0, fastest, 0.01,
            "fastest of 20 balls in a funnel, 15th second, m/s");
}

/* Returns a pendulum that hangs from (x, 0, z). */
static dry_body_id hang(lab_run *run, dry_world *world, double x, double z, double length, double angle,
                        double radius, double mass)
{
    const dry_position at = {x, -length * cos(angle), z + length * sin(angle)};
    const dry_body_id id = add_body(run, world, DRY_SHAPE_SPHERE, radius, mass, at);
    lab_add_rod(run, world, NULL, (dry_position){x, 0.0, z}, id, length);
    return id;
}

static void wave(lab_run *run)
{
    enum { SLOWEST = 51, COUNT = 50, RATE = 240, SUBSTEPS = 4 };
    const int every = run->options->quick ? 10 : 1;
    const double g = 10.0, angle = 0.02;
    dry_settings settings = dry_default_settings();
    settings.gravity.y = (float)-g;
    settings.sleep = false;
    settings.substeps = SUBSTEPS;
    dry_world *world = lab_world(run, &settings);
    dry_body_id id[COUNT];
    double length[COUNT], before[COUNT], swings[COUNT] = {0}, crossed[COUNT] = {0};
    for (int i = 0; i < COUNT; i += every) {
        const double w = 2.0 * pi * (SLOWEST + i) / 60.0;
        length[i] = g / (w * w);
        id[i] = hang(run, world, i, 0.0, length[i], angle, 0.05, 1.0);
        before[i] = angle;
    }
    /* Counts swings by the upward zeros of the angle, with the share of a step at which they are. */
    for (int step = 1; step <= 61 * RATE; step++) {
        lab_check(run, dry_world_step(world, 1.0f / RATE));
        for (int i = 0; i < COUNT; i += every) {
            const dry_position at = lab_position(run, world, id[i]);
            const double now = atan2(at.z, -at.y);
            if (before[i] < 0.0 && now >= 0.0 && step <= 60 * RATE) {
                crossed[i] = (step - now / (now - before[i])) / RATE;
                swings[i] += 1.0;
            }
            before[i] = now;
        }
    }
    double furthest = 0.0, numbers[COUNT], measured[COUNT], expected[COUNT];
    int count = 0;
    for (int i = 0; i < COUNT; i += every, count++) {
        /* A step of dt turns a swing by 2 arcsin(w dt / 2) in place of w dt, an angle slows it, and the joint
         * is a spring of 0.19 of the substep rate, which the load stretches by g / w^2. */
        const double number = SLOWEST + i, spring = 2.0 * pi * 0.19 * RATE * SUBSTEPS;
        const double stretched = length[i] + g / (spring * spring), w = sqrt(g / stretched);
        const double exact =
            60.0 / (2.0 * pi) * 2.0 * RATE * asin(w / (2.0 * RATE)) / (1.0 + angle * angle / 16.0);
        /* The k-th upward zero comes at k - 1/4 periods. */
        const double a_minute = 60.0 * (swings[i] - 0.25) / crossed[i];
        numbers[count] = number;
        measured[count] = a_minute - number;
        expected[count] = exact - number;
        furthest = fmax(furthest, fabs(measured[count]));
        if (i % 10 == 0 || i == COUNT - 1)
            lab_add(run, "Tamis 10", number, exact, a_minute, 1e-4, "swings a minute of a pendulum of %.4f m",
                    length[i]);
    }
    lab_add(run, "Tamis figure 10", 0.0, 0.0, furthest, 0.02,
            "wave of %d pendulums: most out of step after a minute, swings", count);
    lab_add_plot(run, "wave", "Pendulum wave, 50 pendulums, 240 steps a second", "swings a minute by length",
                 "swings a minute, less those");
    lab_add_curve(run, "the engine", numbers, measured, count);
    lab_add_curve(run, "exact", numbers, expected, count);
}

static void grid(lab_run *run)
{
    enum { SIDE = 5, SHAPES = 5 };
    dry_settings settings = dry_default_settings();
    settings.gravity.y = -10.0f;
    settings.sleep = false;
    dry_world *world = lab_world(run, &settings);
    const double length = 3.0, radius = 0.5;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            hang(run, world, i, j, length, 0.0, radius, 1.0);
    /* Four cubes, each on four pendulums, and a ball among four. */
    dry_body_id shape[SHAPES];
    double height[SHAPES], furthest = 0.0;
    for (int i = 0; i < SHAPES; i++) {
        const bool ball = i == SHAPES - 1;
        height[i] = -length + (ball ? sqrt(0.5) : radius + 0.6);
        shape[i] = add_body(
            run, world, ball ? DRY_SHAPE_SPHERE : DRY_SHAPE_BOX, ball ? 0.5 : 0.6, ball ? 0.02 : 0.2,
            (dry_position){ball ? 1.5 : 0.5 + 3.0 * (i % 2), height[i], ball ? 2.5 : 0.5 + 3.0 * (i / 2)});
    }
    const int seconds = run->options->quick ? 5 : 30;
    for (int step = 0; step < seconds * 60; step++)
        lab_check(run, dry_world_step(world, dt));
    for (int i = 0; i < SHAPES; i++) {
        const double sank = height[i] - lab_position(run, world, shape[i]).y;
        furthest = fmax(furthest, fabs(sank));
    }
    lab_add(run, "Tamis figure 9", 0.0, 0.0, furthest, 0.1,
            "how far shapes on 5 x 5 pendulums sank in %d s, m", seconds);
}

void lab_tamis(lab_run *run)
{
    lab_part(run);
    one_cube(run);
    lab_part(run);
    even_stacks(run);
    falling_stack(run);
    lab_part(run);
    intersecting_stack(run);
    lab_part(run);
    funnel(run);
    grid(run);
    lab_part(run);
    wave(run);
}

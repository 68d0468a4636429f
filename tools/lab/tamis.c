/* The test scenes of Tamis [10]; the stacks are in tamis_stacks.c. */
#include "tools/lab/tamis.h"
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
    "after 85 s. The document's solver, written again in double precision, lets it fall after 75 to 83 s "
    "with friction of 0.2 to 1, and after 62 s with 0.5, if it solves the contacts from the top downward. "
    "A sweep takes the corners of a face one after another, and 25 from zero leave a torque, the same in "
    "each step. From the floor upward the first sweep reaches the top, and the stack does not fall in 300 "
    "s; the document tells neither order nor friction. Here an even stack never falls: its forces are even "
    "to the last bit. With one cube 1 mm aside it falls, later than there, and "
    "with a warm start it stands.\n\n"
    "**The intersecting stack** [10.2] begins with overlaps of 0.4 m and 1.2 m. One solve turns the "
    "push that ends them into speed, and the cubes fly. The single-frame push [8.1] solves a second "
    "time without the push, so that no speed is left. Two steps of the engine do so: the poses of one "
    "with the push, and the velocities of one without it from the same start. Then 25 sweeps each leave the "
    "top cube at 10.79 m. The engine's relax sweeps go on from the first solve, and are the second one "
    "where they converge: 200 leave the top cube at rest at 10.80 m, with 25 it still rises to 11.76 "
    "m.\n\n"
    "**Pendulums.** A swing is integrated at the step, not the substep: the joint's direction is that "
    "of the step's begin. The joint is a spring of 0.19 of the substep rate, stretched by g / w^2. "
    "Both, and the angle of 0.02 rad, are in the exact values. Lengths for 51 to 100 swings a minute "
    "are in step again after it. The 5 x 5 pendulums hold four cubes, each over four spheres, and a "
    "ball between four.\n";

static const double pi = 3.14159265358979323846;
static const float dt = 1.0f / 60.0f;

dry_body_id lab_tamis_add(lab_run *run, dry_world *world, dry_shape_type type, double half, double mass,
                          dry_position at)
{
    const dry_shape_def shape = lab_shape(type, half);
    return lab_add_body(run, world, &shape, mass, at, (dry_vec3){0.0f, 0.0f, 0.0f});
}

static const float friction = 0.6f;

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
        id[i] = lab_tamis_add(
            run, world, DRY_SHAPE_SPHERE, 0.5, 1.0,
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
    const dry_body_id id = lab_tamis_add(run, world, DRY_SHAPE_SPHERE, radius, mass, at);
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
        shape[i] = lab_tamis_add(
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
    lab_tamis_stacks(run);
    lab_part(run);
    funnel(run);
    grid(run);
    lab_part(run);
    wave(run);
}

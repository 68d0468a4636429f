/* The modified inertia [Waterson 4.17]: how a spinning top gives way to a push, and how a gyroscope on a ball
 * joint precesses. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"

#include <math.h>
#include <string.h>

const char lab_gyroscope_text[] =
    "**A push across the axis of a spinning top**, an angular impulse at the begin of a step, with "
    "the moment C about the axis and A across it. The axis goes along a circle of nutation, sin x / x "
    "along the push and (1 - cos x) / x across it with x = C / A w dt, of the way that it would go "
    "without spin: the rows *exact motion*, which Runge-Kutta meets with the push as a velocity "
    "before the step. A step that adds the push's displacement I^-1 L dt to the free motion [Waterson "
    "4.19] turns the axis as if it did not spin, and so does the engine's default with impulses "
    "within a substep, except where all moments are equal and the rotation has a closed form. The "
    "document's modified inertia [4.17] turns it by A / (A + (C - A) [w dt]x).\n\n"
    "**It does not hold.** The way across is C / 2A w dt to first order, and [4.17] has (C - A) / A w "
    "dt: alike for a thin disk, C = 2A, nothing for a cube, where C / 2A is 1/2, and the wrong way "
    "for a rod. [4.15] adds the displacement's rate to w, but leaves out that w itself turns with the "
    "displacement; with that, I [w dt]x drops out, and I - [I w dt]x is left: C / A w dt, as an "
    "implicit step takes the displacement at its end. Rotation about the new w (exponential) has w dt "
    "/ 2, right for the cube alone.\n\n"
    "**A gyroscope**: a disk of 1 m whose axis a ball joint holds at 1 m from its center precesses at "
    "m g l / C w while the axis stays level. The engine's default follows within 0.4 % with 4 "
    "substeps as long as the disk turns by a quarter of a radian in each, and the axis stays level "
    "within 5 mrad. Beyond, at 180 rad/s, it takes 16 substeps. Integrators of first order turn a "
    "body once a step, whatever the substeps, and the axis leaves the level by 25 to 770 mrad. The "
    "modified inertia does not help: at 60 rad/s the axis leaves the level by 190 instead of 25 mrad, "
    "at 180 rad/s it flies. As the document says, I itself is the choice.\n";

static const float dt = 1.0f / 60.0f;
static const double disk_moment = 0.5 / 3.0; /* of 1 kg and 1 x 1 x 0.2 m about its axis */
static const dry_vec3 still = {0.0f, 0.0f, 0.0f};

/* A box that spins about y. */
typedef struct shape {
    const char *name;
    float half[3];
} shape;

static const shape shapes[] = {
    {"disk", {0.5f, 0.1f, 0.5f}}, {"cube", {0.3f, 0.3f, 0.3f}}, {"rod", {0.1f, 0.5f, 0.1f}}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Moments about the y axis and across it, of 1 kg. */
static double along_of(const shape *s)
{
    return ((double)s->half[0] * s->half[0] + (double)s->half[2] * s->half[2]) / 3.0;
}

static double across_of(const shape *s)
{
    return ((double)s->half[0] * s->half[0] + (double)s->half[1] * s->half[1]) / 3.0;
}

/* The way of a top's axis in a step, as a share of the way without spin: along the push, and across it. */
typedef struct way {
    double along, across;
} way;

/* sin x / x and (1 - cos x) / x: a circle of nutation. */
static way circle(double x)
{
    return (way){sin(x) / x, (1.0 - cos(x)) / x};
}

/* [4.17] on a top with the moments C about its axis and A across it: of I + I [w dt]x - [I w dt]x there is
 * A + (A - C) [w dt]x left across the axis. */
static way modified_way(double a, double c, double turn)
{
    const double x = (c - a) / a * turn;
    return (way){1.0 / (1.0 + x * x), x / (1.0 + x * x)};
}

/* How a top gets its push. */
typedef enum push_kind { BEFORE, WITHIN } push_kind; /* a velocity before the step, or a torque within it */

/* Pushes a top in a step of the engine. */
static way push(lab_run *run, const shape *s, double spin, dry_integrator integrator, bool modified,
                push_kind kind)
{
    const double hit = 0.02; /* rad/s, so that first order counts alone */
    dry_settings settings = lab_settings(1);
    settings.method.integrator = integrator;
    settings.method.modified_inertia = modified;
    dry_world *world = lab_world(run, &settings);
    dry_shape_def box = lab_shape(DRY_SHAPE_BOX, 0.5);
    box.half_extents = (dry_vec3){s->half[0], s->half[1], s->half[2]};
    const dry_body_id id = lab_add_body(run, world, &box, 1.0, (dry_position){0.0, 0.0, 0.0}, still);
    const dry_vec3 angular = {kind == BEFORE ? (float)hit : 0.0f, (float)spin, 0.0f};
    lab_check(run, dry_body_set_velocity(world, id, (dry_velocity){still, angular}));
    if (kind == WITHIN)
        lab_check(run, dry_body_apply_torque(
                           world, id, (dry_vec3){(float)(hit * across_of(s) / (double)dt), 0.0f, 0.0f}));
    lab_check(run, dry_world_step(world, dt));
    dry_pose pose;
    lab_check(run, dry_body_get_pose(world, id, &pose));
    const double x = (double)pose.orientation.x, y = (double)pose.orientation.y,
                 z = (double)pose.orientation.z, w = (double)pose.orientation.w;
    const double far = hit * (double)dt;
    return (way){2.0 * (y * z + w * x) / far, 2.0 * (x * y - w * z) / far}; /* the body's y axis */
}

/* Adds the rows of one push: along it and across it. The engine's bits are single precision, 1e-7 over hit
 * dt. */
static void push_rows(lab_run *run, const char *source, const way *predicted, const way *exact, way measured,
                      const char *what)
{
    const double rounding = 1e-3,
                 given[2][2] = {{predicted ? predicted->along : NAN, exact ? exact->along : NAN},
                                {predicted ? predicted->across : NAN, exact ? exact->across : NAN}};
    for (int side = 0; side < 2; side++) {
        const double expected = exact ? given[side][1] : given[side][0];
        lab_add(run, source, given[side][0], given[side][1], side ? measured.across : measured.along,
                expected == 0.0 ? rounding : rounding / fabs(expected), "%s: %s", what,
                side ? "across the push" : "along the push");
    }
}

static void pushes(lab_run *run)
{
    static const double turns[] = {0.1, 1.0};
    for (int i = 0; i < SHAPES; i++) {
        const shape *s = &shapes[i];
        const double a = across_of(s), c = along_of(s);
        for (int k = 0; k < 2; k++) {
            const double turn = turns[k], spin = turn / (double)dt;
            const way still_top = {1.0, 0.0}, exact = circle(c / a * turn), about = circle(turn),
                      document = modified_way(a, c, turn);
            char what[LAB_TEXT];
            snprintf(what, sizeof what, "%s, w dt = %g, exact motion", s->name, turn);
            push_rows(run, "Euler", NULL, &exact,
                      push(run, s, spin, DRY_INTEGRATOR_RUNGE_KUTTA, false, BEFORE), what);
            snprintf(what, sizeof what, "%s, w dt = %g, Runge-Kutta", s->name, turn);
            push_rows(run, "Waterson 4.19", &still_top, c == a ? &about : &still_top,
                      push(run, s, spin, DRY_INTEGRATOR_RUNGE_KUTTA, false, WITHIN), what);
            snprintf(what, sizeof what, "%s, w dt = %g, exponential", s->name, turn);
            push_rows(run, "Waterson 4.19", &still_top, &about,
                      push(run, s, spin, DRY_INTEGRATOR_EXPONENTIAL, false, WITHIN), what);
            snprintf(what, sizeof what, "%s, w dt = %g, exponential, modified inertia", s->name, turn);
            push_rows(run, "Waterson 4.17", &document, NULL,
                      push(run, s, spin, DRY_INTEGRATOR_EXPONENTIAL, true, WITHIN), what);
        }
    }
}

static void drawing(lab_run *run)
{
    enum { POINTS = 60 };
    double x[POINTS], exact[POINTS], document[POINTS];
    lab_add_plot(run, "pushes", "A push across the axis of a spinning top, for a step", "w dt",
                 "way of the axis along the push, over that without spin");
    for (int i = 0; i < SHAPES; i++) {
        const double a = across_of(&shapes[i]), c = along_of(&shapes[i]);
        char name[2][LAB_TEXT];
        for (int k = 0; k < POINTS; k++) {
            x[k] = 0.05 * (k + 1);
            exact[k] = circle(c / a * x[k]).along;
            document[k] = modified_way(a, c, x[k]).along;
        }
        snprintf(name[0], LAB_TEXT, "%s, exact", shapes[i].name);
        snprintf(name[1], LAB_TEXT, "%s, [4.17]", shapes[i].name);
        lab_add_curve(run, name[0], x, exact, POINTS);
        lab_add_curve(run, name[1], x, document, POINTS);
    }
}

/* Lets a disk precess about a ball joint at its axis. Returns the angle, and writes how far the axis sinks,
 * rad. */
static double precess(lab_run *run, double spin, double rate, dry_integrator integrator, bool modified,
                      int substeps, int steps, double *sinks)
{
    dry_settings settings = lab_settings(4);
    settings.gravity = (dry_vec3){0.0f, -9.81f, 0.0f};
    settings.relax_sweeps = 1;
    settings.substeps = substeps;
    settings.method.integrator = integrator;
    settings.method.modified_inertia = modified;
    dry_world *world = lab_world(run, &settings);
    dry_shape_def box = lab_shape(DRY_SHAPE_BOX, 0.5);
    box.half_extents.x = 0.1f;
    const dry_body_id id = lab_add_body(run, world, &box, 1.0, (dry_position){1.0, 0.0, 0.0},
                                        (dry_vec3){0.0f, 0.0f, (float)-rate});
    lab_check(run,
              dry_body_set_velocity(
                  world, id, (dry_velocity){{0.0f, 0.0f, (float)-rate}, {(float)spin, (float)rate, 0.0f}}));
    dry_joint_def joint = dry_default_joint_def(DRY_JOINT_BALL);
    joint.body_b = id;
    joint.anchor_b.x = -1.0f;
    lab_check(run, dry_world_create_joint(world, &joint, &(dry_joint_id){0}));
    double angle = 0.0, last = 0.0;
    *sinks = 0.0;
    for (int step = 0; step < steps; step++) {
        lab_check(run, dry_world_step(world, dt));
        const dry_position at = lab_position(run, world, id);
        const double now = atan2(-at.z, at.x);
        angle += remainder(now - last, 6.28318530717958647692);
        last = now;
        *sinks = fmax(*sinks, fabs(atan2(at.y, hypot(at.x, at.z))));
    }
    return angle;
}

static void precessions(lab_run *run)
{
    static const double spins[] = {30.0, 60.0, 180.0};
    static const struct {
        const char *name;
        dry_integrator integrator;
        bool modified;
    } ways[] = {
        {"Runge-Kutta", DRY_INTEGRATOR_RUNGE_KUTTA, false},
        {"exponential", DRY_INTEGRATOR_EXPONENTIAL, false},
        {"exponential, modified inertia", DRY_INTEGRATOR_EXPONENTIAL, true},
        {"implicit torque", DRY_INTEGRATOR_IMPLICIT, false},
        {"implicit torque, modified inertia", DRY_INTEGRATOR_IMPLICIT, true},
    };
    static const char why[] = "one rotation of first order a step, or 0.75 rad in a substep, are too coarse";
    const int steps = 120;
    for (int i = 0; i < 3; i++)
        for (int substeps = 4; substeps <= 16; substeps *= 4)
            for (int k = 0; k < (substeps == 4 ? 5 : 1); k++) {
                const double rate = 9.81 / (disk_moment * spins[i]), angle = rate * steps * (double)dt;
                /* With Runge-Kutta the joint's push turns the top as if it did not spin, 1 - sin x / x
                 * too far; and the joint itself is a little soft. The axis is a substep behind. */
                const double h = (double)dt / substeps, turn = spins[i] * h;
                const bool bounded = k == 0 && turn < 0.3;
                double leaves;
                const double found = precess(run, spins[i], rate, ways[k].integrator, ways[k].modified,
                                             substeps, steps, &leaves);
                lab_row *row = lab_add(run, "m g l / C w", angle, angle, found, turn * turn / 6.0 + 1e-3,
                                       "precession in 2 s, %g rad/s, %d substeps, %s, rad", spins[i],
                                       substeps, ways[k].name);
                if (!bounded)
                    lab_unbounded(row, why);
                row = lab_add(run, "m g l / C w", 0.0, 0.0, leaves, 2.0 * rate * h,
                              "the axis leaves the horizontal, %g rad/s, %d substeps, %s, rad", spins[i],
                              substeps, ways[k].name);
                if (!bounded)
                    lab_unbounded(row, why);
            }
}

void lab_gyroscope(lab_run *run)
{
    lab_part(run);
    pushes(run);
    lab_part(run);
    precessions(run);
    drawing(run);
}

/* The motion of a chain that hangs, against classical PBD and XPBD written again in double precision
 * [Waterson 4.90-4.91, 6.34]. */
#include "tools/lab/bodies.h"
#include "tools/lab/stretch.h"

#include <math.h>
#include <string.h>

enum { LINKS = 10, STEPS = 300, EVERY = 3, SHOWN = STEPS / EVERY };
static const double g = 9.81;
static const float dt = 1.0f / 60.0f;

/* How a chain is solved, in one substep a step. */
typedef struct way {
    const char *name, *source;
    dry_solver solver;
    double relaxation; /* k of classical PBD */
    double stiffness;  /* of XPBD's joints, N/m; 0: rigid */
    int sweeps;
    bool drawn;
} way;

/* Bodies of 1 kg below each other on rods of 1 m: depths below their places, m, and downward speeds, m/s. */
typedef struct model {
    double depth[LINKS], speed[LINKS];
} model;

/* Predicts positions, sweeps over the rods by color, forward, and takes the speeds from the positions. */
static void step_model(model *m, const way *w)
{
    const double h = (double)dt, compliance = w->stiffness > 0.0 ? 1.0 / (w->stiffness * h * h) : 0.0;
    double ahead[LINKS], multiplier[LINKS] = {0.0};
    for (int i = 0; i < LINKS; i++)
        ahead[i] = m->depth[i] + h * (m->speed[i] + h * g);
    for (int k = 0; k < w->sweeps; k++)
        for (int parity = 0; parity < 2; parity++)
            for (int i = parity; i < LINKS; i += 2) {
                const double error = ahead[i] - (i > 0 ? ahead[i - 1] : 0.0), masses = i > 0 ? 2.0 : 1.0;
                const double change =
                    w->relaxation * (error - compliance * multiplier[i]) / (masses + compliance);
                multiplier[i] += change;
                ahead[i] -= change;
                if (i > 0)
                    ahead[i - 1] += change;
            }
    for (int i = 0; i < LINKS; i++) {
        m->speed[i] = (ahead[i] - m->depth[i]) / h;
        m->depth[i] = ahead[i];
    }
}

static dry_world *hang(lab_run *run, const way *w, dry_body_id id[LINKS])
{
    dry_settings settings = dry_default_settings();
    settings.method.solver = w->solver;
    settings.method.order = DRY_ORDER_FORWARD;
    settings.method.relaxation = (float)w->relaxation;
    settings.joint_solver = DRY_JOINT_SOLVER_ITERATIVE;
    settings.substeps = 1;
    settings.sweeps = w->sweeps;
    settings.sleep = false;
    dry_world *world = lab_world(run, &settings);
    const dry_shape_def ball = lab_shape(DRY_SHAPE_SPHERE, 0.1);
    for (int i = 0; i < LINKS; i++) {
        const dry_position at = {0.0, -1.0 - i, 0.0};
        id[i] = lab_add_body(run, world, &ball, 1.0, at, (dry_vec3){0.0f, 0.0f, 0.0f});
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
        def.body_b = id[i];
        if (i > 0)
            def.body_a = id[i - 1];
        def.stiffness = (float)w->stiffness;
        lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    }
    return world;
}

/* Follows a chain that is let go at its length. Adds how far the engine is from the model at any step, of the
 * largest stretch and of the largest speed until then. */
static void follow(lab_run *run, const way *w)
{
    dry_body_id id[LINKS];
    dry_world *world = hang(run, w, id);
    model m = {{0.0}, {0.0}};
    double stretch = 0.0, speed = 0.0, apart = 0.0, faster = 0.0, time[SHOWN], engine[SHOWN], exact[SHOWN];
    for (int step = 0; step < STEPS; step++) {
        lab_check(run, dry_world_step(world, dt));
        step_model(&m, w);
        for (int i = 0; i < LINKS; i++) {
            stretch = fmax(stretch, fabs(m.depth[i]));
            speed = fmax(speed, fabs(m.speed[i]));
        }
        for (int i = 0; i < LINKS; i++) {
            dry_velocity v;
            lab_check(run, dry_body_get_velocity(world, id[i], &v));
            const double depth = -1.0 - i - lab_position(run, world, id[i]).y;
            apart = fmax(apart, fabs(depth - m.depth[i]) / stretch);
            faster = fmax(faster, fabs(-(double)v.linear.y - m.speed[i]) / speed);
        }
        if (step % EVERY == EVERY - 1) {
            time[step / EVERY] = (step + 1) * (double)dt;
            engine[step / EVERY] = -LINKS - lab_position(run, world, id[LINKS - 1]).y;
            exact[step / EVERY] = m.depth[LINKS - 1];
        }
    }
    lab_add(run, w->source, 0.0, 0.0, apart, 1e-3,
            "motion for 5 s, %s, %d sweep%s: off its definition, of the largest stretch", w->name, w->sweeps,
            w->sweeps == 1 ? "" : "s");
    lab_add(run, w->source, 0.0, 0.0, faster, 1e-3, "the same, of the largest speed");
    if (w->drawn) {
        char name[LAB_TEXT];
        snprintf(name, sizeof name, "%s, %d sweep%s", w->name, w->sweeps, w->sweeps == 1 ? "" : "s");
        lab_add_curve(run, name, time, engine, SHOWN);
        lab_add_curve(run, "its definition", time, exact, SHOWN);
    }
}

void lab_stretch_motion(lab_run *run)
{
    static const char pbd[] = "Waterson 4.13", xpbd[] = "Waterson 6.4";
    static const way ways[] = {
        {"PBD, k = 0.25", pbd, DRY_SOLVER_PBD, 0.25, 0.0, 1, true},
        {"PBD, k = 0.25", pbd, DRY_SOLVER_PBD, 0.25, 0.0, 16, true},
        {"PBD, k = 0.05", pbd, DRY_SOLVER_PBD, 0.05, 0.0, 1, false},
        {"PBD, k = 0.05", pbd, DRY_SOLVER_PBD, 0.05, 0.0, 16, true},
        {"PBD, k = 1", pbd, DRY_SOLVER_PBD, 1.0, 0.0, 1, false},
        {"XPBD, 10 kN/m", xpbd, DRY_SOLVER_XPBD, 1.0, 1e4, 1, true},
        {"XPBD, 10 kN/m", xpbd, DRY_SOLVER_XPBD, 1.0, 1e4, 16, false},
    };
    lab_add_plot(run, "motion", "A chain of ten, let go, steps of 1/60 s", "time, s", "stretch, m");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        follow(run, &ways[i]);
}

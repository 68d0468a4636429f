/* Ball joints in scalar and in vector form, in every method of the engine. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/system.h"
#include "tools/lab/variants.h"

#include <math.h>
#include <stdio.h>

const char lab_scalar_balls_text[] =
    "A ball joint is three rows, one an axis, or one: the distance |p_b - p_a| of the anchors is 0 "
    "[Waterson 5.2]. The scalar form is singular where it holds, since no line goes through two "
    "equal points. The engine has both: the ball joint, and a distance joint of length 0, whose "
    "line at 0 is that of its last rows. A free chain of five boxes of 1 to 5 kg, thrown and spun, "
    "in steps of four substeps, direct joints in as many as their forces ask for, with joints that "
    "are closed at first and with joints 0.1 m open in two directions. The largest opening is that "
    "of the third second, the momenta are those after 3 s.\n\n"
    "One row holds a ball as well as three do: the openings are within a factor of eight of each "
    "other, but for AVBD's from closed joints, 3e-6 m in vector and 6e-5 m in scalar form, and "
    "those of PBD. Linear momentum stays to rounding [5.15], in AVBD because the step gives islands "
    "in space back what blocks lose [7.53]. Of the two forms the scalar one should keep the angular "
    "momentum [5.16]. In Gauss-Seidel, Jacobi and AVBD both keep it within 1e-6, as the step gives "
    "such islands back what turning lever arms lose. PBD and XPBD keep it as well in both, by the "
    "arms of each substep's beginning; their scalar form has the line of that beginning, too, and "
    "stays up to 0.1 mm open. Direct joints keep it within 3e-6 where they begin closed, and lose 1 % "
    "to 2 % in both forms while they close 0.1 m.\n";

enum { BODIES = 5 };

/* Builds a free chain of boxes of 1 to 5 kg, thrown and spun, whose joints are open by `gap` in two
 * directions. */
static dry_world *free_chain(lab_run *run, const lab_variant *method, bool scalar, double gap)
{
    dry_settings settings = dry_default_settings();
    lab_variant_apply(method, &settings);
    settings.gravity = (dry_vec3){0.0f, 0.0f, 0.0f};
    if (settings.joint_solver == DRY_JOINT_SOLVER_DIRECT)
        settings.substeps_min = 4;
    else
        settings.substeps = 4;
    settings.sleep = false;
    dry_world *world = lab_world(run, &settings);
    dry_vec3 velocity[BODIES];
    for (int i = 0; i < BODIES; i++)
        velocity[i] = (dry_vec3){0.1f * (float)i, 1.0f - (float)(i % 3), 0.2f};
    const lab_thrown chain = {BODIES, scalar ? DRY_JOINT_DISTANCE : DRY_JOINT_BALL, -1, gap, velocity};
    lab_add_thrown(run, world, &chain); /* the boxes do not touch */
    return world;
}

/* Returns the largest opening of a joint; a ball in vector form has three rows. */
static double opening(const lab_system *s, bool scalar)
{
    double worst = 0.0;
    const int each = scalar ? 1 : 3;
    for (int i = 0; i + each <= s->rows; i += each) {
        double square = 0.0;
        for (int k = 0; k < each; k++)
            square += s->row[i + k].error * s->row[i + k].error;
        worst = fmax(worst, sqrt(square));
    }
    return worst;
}

static void throw_chain(lab_run *run, const lab_variant *method, bool scalar, double gap)
{
    dry_world *world = free_chain(run, method, scalar, gap);
    lab_system system = lab_system_of(run, world);
    double before[6], after[6], change[2] = {0.0, 0.0}, worst = 0.0, open[180] = {0.0};
    lab_system_momentum(&system, world, system.velocity, before);
    for (int step = 0; step < 180; step++) {
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
        system = lab_system_of(run, world);
        open[step] = opening(&system, scalar);
        worst = step < 120 ? 0.0 : fmax(worst, open[step]);
    }
    lab_system_momentum(&system, world, system.velocity, after);
    for (int k = 0; k < 6; k++)
        change[k / 3] = hypot(change[k / 3], after[k] - before[k]);
    const char *form = scalar ? "scalar" : "vector";
    const bool positions = method->solver == DRY_SOLVER_PBD || method->solver == DRY_SOLVER_XPBD;
    const bool blocks = method->solver == DRY_SOLVER_AVBD, closed = gap == 0.0;
    if (!closed && (method->solver == DRY_SOLVER_XPBD || method == lab_variants)) {
        char name[LAB_TEXT];
        snprintf(name, sizeof name, "%s, %s form", method->name, form);
        lab_add_sequence(run, name, 1.0, open, 90);
    }
    lab_add(run, "Waterson 5.2", 0.0, 0.0, worst, (blocks || (positions && scalar)) && !closed ? 5e-3 : 1e-3,
            "opening after 2 s, %s, begun %g m open, %s, m", form, gap, method->name);
    lab_add(run, "Waterson 5.15", 0.0, 0.0, change[0] / lab_length(before, 3), 1e-4,
            "change of linear momentum, %s, begun %g m open, %s, share", form, gap, method->name);
    lab_row *turned =
        lab_add(run, "Waterson 5.16", 0.0, 0.0, change[1] / lab_length(before + 3, 3), 1e-5,
                "change of angular momentum, %s, begun %g m open, %s, share", form, gap, method->name);
    if (!closed && method->joints == DRY_JOINT_SOLVER_DIRECT)
        lab_unbounded(turned,
                      "an impulse that closes 0.1 m acts at lever arms that turn meanwhile, and [5.16] "
                      "is of arms that stay");
}

void lab_scalar_balls(lab_run *run)
{
    for (int open = 0; open < 2; open++) {
        lab_part(run);
        if (open)
            lab_add_plot(run, "opening", "Joints that begin 0.1 m open", "step", "largest opening, m")
                ->log_y = true;
        for (int m = 0; m < LAB_SOLVERS; m++)
            for (int scalar = 0; scalar < 2; scalar++)
                throw_chain(run, &lab_variants[m], scalar, 0.1 * open);
    }
}

/* Constraints that contradict each other: what each method makes of them, beside least squares. */
#include "tools/lab/experiments.h"
#include "tools/lab/variants.h"

#include <math.h>
#include <string.h>

const char lab_inconsistent_text[] =
    "Three distance joints of 1 m, in a line with two balls between walls that are 3.1 m apart: 0.1 m is "
    "too much, and the rows of S = J M^-1 J^T depend on each other. [Waterson 4.25-4.30] has the "
    "pseudoinverse of independent rows, which measures displacements by M. Of dependent rows it "
    "minimizes the errors: a third of the gap each, whatever the masses. At rest each row of an "
    "iteration that has settled obeys a q + eps lambda = 0 with one tension lambda for all, so that its "
    "share of the gap is as its softness:\n\n"
    "- Joints that are solved directly have one regularization for all rows: least squares.\n"
    "- Gauss-Seidel and Jacobi soften a rigid row by a share of S_ii: least squares weighted by the "
    "effective masses 1 / S_ii. A heavy ball keeps its joint short, and the joint to the light one gives "
    "way.\n"
    "- AVBD's penalties grow by |q| / S_ii in a sweep and fall by a hundredth in a step. Where both are "
    "in balance the tension rho q goes as q^2 / S_ii, and the share as the root of S_ii.\n"
    "- Rigid rows of PBD and XPBD find no balance: what is solved last closes altogether. The middle "
    "joint, whose color comes once in the middle, keeps the whole gap. A body that is drawn to and fro "
    "would have the speed of it, more than 10 m/s with one sweep; the bound on the energy of open joints "
    "takes it.\n"
    "- Springs share the gap as 1 / k: that is least squares weighted by compliance, and the same in all "
    "methods, once XPBD's sweeps converge: with one the middle joint keeps a third more.\n\n"
    "The shares are those after 10 s. None of it is a fault of the scene alone: four-bars whose bar is "
    "too long are such constraints. Where their rest has to be that of least squares, use direct "
    "joints.\n";

enum { JOINTS = 3 };

/* Two balls in a line between two walls, on three distance joints of 1 m whose lengths add up to 3 m. The
 * walls are 3 m and a gap apart. */
typedef struct tug {
    double mass[2], stiffness[JOINTS]; /* kg, N/m; 0: rigid */
    double gap;                        /* m */
} tug;

static dry_body_id add_ball(lab_run *run, dry_world *world, double x, double mass)
{
    dry_shape_def ball = dry_default_shape_def();
    ball.type = DRY_SHAPE_SPHERE;
    ball.radius = 0.1f;
    dry_body_def def = dry_default_body_def();
    def.type = mass > 0.0 ? DRY_BODY_DYNAMIC : DRY_BODY_STATIC;
    def.shapes = &ball;
    def.shape_count = 1;
    def.mass = (float)mass;
    def.pose.position.x = x;
    dry_body_id id;
    lab_check(run, dry_world_create_body(world, &def, &id));
    return id;
}

/* Lets a tug come to rest. Writes the joints' shares of the gap. Returns the largest speed of the last
 * second, m/s. */
static double pull(lab_run *run, const tug *t, dry_settings settings, double share[JOINTS])
{
    settings.gravity = (dry_vec3){0.0f, 0.0f, 0.0f};
    settings.sleep = false;
    dry_world *world = lab_world(run, &settings);
    dry_body_id id[JOINTS + 1];
    for (int i = 0; i <= JOINTS; i++)
        id[i] =
            add_ball(run, world, i * (1.0 + t->gap / JOINTS), i == 0 || i == JOINTS ? 0.0 : t->mass[i - 1]);
    for (int i = 0; i < JOINTS; i++) {
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_DISTANCE);
        def.body_a = id[i];
        def.body_b = id[i + 1];
        def.stiffness = (float)t->stiffness[i];
        def.damping = (float)(0.05 * t->stiffness[i]);
        lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    }
    double fastest = 0.0;
    for (int step = 0; step < 600; step++) {
        lab_check(run, dry_world_step(world, 1.0f / 60.0f));
        for (int i = 1; i < JOINTS && step >= 540; i++) {
            dry_velocity v;
            lab_check(run, dry_body_get_velocity(world, id[i], &v));
            fastest = fmax(fastest, fabs((double)v.linear.x));
        }
    }
    double x[JOINTS + 1];
    for (int i = 0; i <= JOINTS; i++) {
        dry_pose pose;
        lab_check(run, dry_body_get_pose(world, id[i], &pose));
        x[i] = pose.position.x;
    }
    for (int i = 0; i < JOINTS; i++)
        share[i] = (x[i + 1] - x[i] - 1.0) / t->gap;
    return fastest;
}

/* Returns the weight of a row in a rigid tug of a method: its share of the gap over that of others. */
static double weight_of(const lab_variant *method, const tug *t, int joint)
{
    const double s = (joint > 0 ? 1.0 / t->mass[joint - 1] : 0.0) + (joint < 2 ? 1.0 / t->mass[joint] : 0.0);
    if (t->stiffness[joint] > 0.0)
        return 1.0 / t->stiffness[joint];
    if (method->joints == DRY_JOINT_SOLVER_DIRECT)
        return 1.0;
    if (method->solver == DRY_SOLVER_PBD || method->solver == DRY_SOLVER_XPBD)
        return joint == 1 ? 1.0 : 0.0;
    return method->solver == DRY_SOLVER_AVBD ? sqrt(s) : s;
}

static void measure(lab_run *run, const lab_variant *method, const tug *t, const char *what, int sweeps,
                    bool draw)
{
    dry_settings settings = dry_default_settings();
    lab_variant_apply(method, &settings);
    settings.substeps = 4;
    settings.sweeps = sweeps;
    double share[JOINTS], sum = 0.0, least = 0.0;
    for (int i = 0; i < JOINTS; i++) {
        sum += weight_of(method, t, i);
        least += t->stiffness[i] > 0.0 ? 1.0 / t->stiffness[i] : 1.0;
    }
    const double speed = pull(run, t, settings, share);
    for (int i = 0; i < JOINTS; i++) {
        const double exact = weight_of(method, t, i) / sum;
        const double predicted = (t->stiffness[i] > 0.0 ? 1.0 / t->stiffness[i] : 1.0) / least;
        const bool coarse = method->solver == DRY_SOLVER_XPBD && sweeps == 1 && t->stiffness[i] > 0.0;
        lab_row *row = lab_add(run, "Waterson 4.25", predicted, exact, share[i],
                               coarse        ? INFINITY
                               : exact > 0.0 ? 0.1
                                             : 2e-3,
                               "share of joint %d, %s, %s, %d sweep%s", i + 1, what, method->name, sweeps,
                               sweeps > 1 ? "s" : "");
        if (coarse)
            lab_unbounded(row, "one sweep, in the same order in each substep, does not converge");
    }
    if (draw)
        lab_add_sequence(run, method->name, 1.0, share, JOINTS);
    /* All come to rest, to the rounding of gaps; sweeps over positions to the speed at which bodies sleep. */
    const bool positions = method->solver == DRY_SOLVER_PBD || method->solver == DRY_SOLVER_XPBD;
    lab_add(run, "-", 0.0, NAN, speed, positions ? (double)settings.sleep_speed_max : 1e-5,
            "speed after 10 s, %s, %s, %d sweep%s, m/s", what, method->name, sweeps, sweeps > 1 ? "s" : "");
}

void lab_inconsistent(lab_run *run)
{
    static const struct {
        const char *what;
        tug t;
    } cases[] = {{"equal masses", {{1.0, 1.0}, {0.0, 0.0, 0.0}, 0.1}},
                 {"1 kg and 10 kg", {{1.0, 10.0}, {0.0, 0.0, 0.0}, 0.1}},
                 {"springs of 1, 2 and 5 kN/m", {{1.0, 10.0}, {1e3, 2e3, 5e3}, 0.1}}};
    for (int c = 0; c < 3; c++) {
        lab_part(run);
        if (c == 1)
            lab_add_plot(run, "shares", "Shares of the gap, 1 kg and 10 kg, one sweep a substep", "joint",
                         "share");
        for (int m = 0; m < LAB_SOLVERS; m++) {
            const bool positions =
                lab_variants[m].solver == DRY_SOLVER_PBD || lab_variants[m].solver == DRY_SOLVER_XPBD;
            if (lab_variants[m].solver == DRY_SOLVER_PBD && cases[c].t.stiffness[0] > 0.0)
                continue; /* it refuses springs */
            measure(run, &lab_variants[m], &cases[c].t, cases[c].what, 1, c == 1);
            if (positions)
                measure(run, &lab_variants[m], &cases[c].t, cases[c].what, 8, false);
        }
    }
}

/* Momentum per sweep: scalar rows, vector rows, and blocks. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/system.h"

#include <math.h>
#include <string.h>

const char lab_momentum_text[] =
    "A row whose impulse acts along the line through its two points keeps both momenta, whatever the "
    "impulse: the scalar form of a ball joint, |p_b - p_a| [Waterson 5.15-5.16]. The vector form "
    "pushes the two anchors along each axis while they are apart by d, and adds the couple d x f. It "
    "is gone only where d is, at convergence. The rows are those of a chain in a plane whose joints "
    "are open, in position-based sweeps of double precision: each sweep starts from the poses that "
    "the last one left.\n\n"
    "Blocks solve one body at a time against the others as they are [Waterson 7.53], so that the "
    "force on one body is not the reaction of that on the other. Two particles of 1 kg whose distance "
    "is 1 m wrong, with s = rho dt^2 = 1 kg: the first moves by -1/2, the second by 1/4 in one sweep; "
    "the solution is -1/3 and 1/3 [7.54].\n\n"
    "The engine's joints have closed anchors here, and a free chain keeps both momenta to rounding "
    "with rows of velocities or positions, however few sweeps it gets. AVBD's blocks do not, but a step "
    "gives islands in space both momenta back: the angular one that turning bodies lose, and what "
    "blocks lose of either.\n";

enum { BODIES = 5 };

/* Bodies in a plane: position x, y and angle, with the anchors of joint i at body i and body i + 1. */
typedef struct planar {
    double x[BODIES][3], v[BODIES][3];
    double inverse_mass[BODIES], inverse_inertia[BODIES];
} planar;

static planar planar_chain(void)
{
    planar p = {0};
    for (int i = 0; i < BODIES; i++) {
        p.inverse_mass[i] = 1.0 / (1.0 + i);
        p.inverse_inertia[i] = 1.0 / (0.2 + 0.1 * i);
        p.x[i][0] = 1.1 * i; /* the anchors are 0.1 m and more apart */
        p.x[i][1] = 0.2 * (i % 2);
        p.x[i][2] = 0.3 * i - 0.5;
    }
    return p;
}

/* The anchor of body i towards its successor (side 1) or its predecessor (side -1), from its center. */
static void arm(const planar *p, int i, double side, double r[2])
{
    r[0] = 0.5 * side * cos(p->x[i][2]);
    r[1] = 0.5 * side * sin(p->x[i][2]);
}

/* Moves body i by an impulse over a step, which acts at an arm: a change of position [Waterson 4.34]. */
static void push(planar *p, int i, const double r[2], const double f[2], double sign)
{
    p->v[i][0] += sign * p->inverse_mass[i] * f[0];
    p->v[i][1] += sign * p->inverse_mass[i] * f[1];
    p->v[i][2] += sign * p->inverse_inertia[i] * (r[0] * f[1] - r[1] * f[0]);
}

/* A joint at the begin of a sweep: lever arms, and the vector between its anchors. */
typedef struct open_joint {
    double ra[2], rb[2], apart[2];
} open_joint;

/* Closes joint i along n, for displacements in which the gap is linear. Returns the couple of the impulse,
 * which acts on two anchors that are apart. */
static double close_along(planar *p, int i, const open_joint *j, const double n[2])
{
    const double a = j->ra[0] * n[1] - j->ra[1] * n[0], b = j->rb[0] * n[1] - j->rb[1] * n[0];
    const double *va = p->v[i], *vb = p->v[i + 1];
    const double mass = 1.0 / (p->inverse_mass[i] + p->inverse_mass[i + 1] + p->inverse_inertia[i] * a * a +
                               p->inverse_inertia[i + 1] * b * b);
    const double gap =
        (j->apart[0] + vb[0] - va[0]) * n[0] + (j->apart[1] + vb[1] - va[1]) * n[1] + b * vb[2] - a * va[2];
    const double f[2] = {mass * gap * n[0], mass * gap * n[1]};
    push(p, i, j->ra, f, 1.0);
    push(p, i + 1, j->rb, f, -1.0);
    return -(j->apart[0] * f[1] - j->apart[1] * f[0]);
}

/* Sweeps over the joints once. Returns the sum of their couples. */
static double planar_sweep(planar *p, bool scalar)
{
    double couple = 0.0;
    for (int i = 0; i + 1 < BODIES; i++) {
        open_joint j;
        arm(p, i, 1.0, j.ra);
        arm(p, i + 1, -1.0, j.rb);
        for (int k = 0; k < 2; k++)
            j.apart[k] = p->x[i + 1][k] + j.rb[k] - p->x[i][k] - j.ra[k];
        const double length = hypot(j.apart[0], j.apart[1]);
        if (!scalar) {
            couple += close_along(p, i, &j, (double[]){1.0, 0.0});
            couple += close_along(p, i, &j, (double[]){0.0, 1.0});
        } else if (length > 0.0) {
            couple += close_along(p, i, &j, (double[]){j.apart[0] / length, j.apart[1] / length});
        }
    }
    return couple;
}

/* Ends a sweep: the displacements become part of the poses. Returns the angular momentum about the origin
 * that they have, times their time, and the linear one. */
static double planar_move(planar *p, double linear[2])
{
    double angular = 0.0;
    linear[0] = linear[1] = 0.0;
    for (int i = 0; i < BODIES; i++) {
        const double m = 1.0 / p->inverse_mass[i];
        linear[0] += m * p->v[i][0];
        linear[1] += m * p->v[i][1];
        angular +=
            m * (p->x[i][0] * p->v[i][1] - p->x[i][1] * p->v[i][0]) + p->v[i][2] / p->inverse_inertia[i];
        for (int k = 0; k < 3; k++)
            p->x[i][k] += p->v[i][k], p->v[i][k] = 0.0;
    }
    return angular;
}

/* Does sweeps, and records what each adds to the momenta. Returns the couple of the first one. */
static double sweeps(bool scalar, int count, double *linear, double *angular)
{
    planar p = planar_chain();
    double first = 0.0;
    for (int k = 0; k < count; k++) {
        double moved[2];
        const double couple = planar_sweep(&p, scalar);
        first = k == 0 ? couple : first;
        angular[k] = fabs(planar_move(&p, moved));
        linear[k] = hypot(moved[0], moved[1]);
    }
    return fabs(first);
}

static double largest(const double *x, int count)
{
    double found = 0.0;
    for (int i = 0; i < count; i++)
        found = fmax(found, x[i]);
    return found;
}

static void forms(lab_run *run)
{
    enum { SWEEPS = 200 };
    double *linear = lab_doubles(run, SWEEPS), *angular = lab_doubles(run, SWEEPS);
    lab_add_plot(run, "sweeps", "A planar chain of 5 bodies, joints 0.1 m open", "sweep",
                 "momentum that a sweep adds, kg m^2")
        ->log_y = true;
    sweeps(true, SWEEPS, linear, angular);
    lab_add(run, "Waterson 5.15", 0.0, 0.0, largest(linear, SWEEPS), 1e-12,
            "linear, scalar form, largest of a sweep, kg m");
    lab_add(run, "Waterson 5.16", 0.0, 0.0, largest(angular, SWEEPS), 1e-12,
            "angular, scalar form, largest of a sweep, kg m^2");
    lab_add_sequence(run, "angular, scalar form", 1.0, angular, SWEEPS);
    const double couple = sweeps(false, SWEEPS, linear, angular);
    lab_add(run, "Waterson 5.15", 0.0, 0.0, largest(linear, SWEEPS), 1e-12,
            "linear, vector form, largest of a sweep, kg m");
    lab_add(run, "Waterson 5.16", couple, couple, angular[0], 1e-10,
            "angular, vector form, of the first sweep (exact: d x f), kg m^2");
    lab_add(run, "Waterson 5.16", 0.0, 0.0, angular[SWEEPS - 1], 1e-9,
            "angular, vector form, of sweep %d, kg m^2", SWEEPS);
    lab_add_sequence(run, "angular, vector form", 1.0, angular, SWEEPS);
}

static void blocks(lab_run *run)
{
    /* H = [[1 + s, -s], [-s, 1 + s]], right side s (-1, 1): both in units of the distance
     * [Waterson 7.51-7.54]. */
    const double s = 1.0;
    lab_problem p = lab_problem_of(run, 2);
    const double h[4] = {1.0 + s, -s, -s, 1.0 + s}, b[2] = {-s, s};
    memcpy(p.a, h, sizeof h);
    memcpy(p.b, b, sizeof b);
    const lab_method descent = {.kind = LAB_GAUSS_SEIDEL, .relaxation = 1.0};
    double x[2] = {0.0, 0.0}, work[2], sum[30], solution[2];
    for (int k = 0; k < 30; k++) {
        lab_sweep(&p, &descent, k, x, work);
        sum[k] = fabs(x[0] + x[1]);
        if (k == 0) {
            lab_add(run, "Waterson 7.53", -s / (1.0 + s), -0.5, x[0], 1e-12,
                    "blocks, first particle after a sweep, m");
            lab_add(run, "Waterson 7.53", s / (1.0 + 2.0 * s + s * s), 0.25, x[1], 1e-12,
                    "blocks, second particle after a sweep, m");
            lab_add(run, "Waterson 7.53", 0.25, 0.25, sum[0], 1e-12,
                    "blocks, momentum of the first sweep, kg m");
        }
    }
    lab_solve(run, &p, solution);
    lab_add(run, "Waterson 7.54", s / (1.0 + 2.0 * s), solution[1], x[1], 1e-6,
            "blocks, second particle after 30 sweeps, m");
    lab_add(run, "Waterson 7.54", 0.0, 0.0, sum[29], 1e-6, "blocks, momentum after 30 sweeps, kg m");
    lab_add_sequence(run, "linear, blocks, two particles", 1.0, sum, 30);
}

/* A free chain of boxes on ball joints, thrown and spun: momenta before and after one step. */
static void engine(lab_run *run, const char *name, dry_solver solver, int sweeps)
{
    dry_settings settings = lab_settings(sweeps);
    settings.method.solver = solver;
    if (solver == DRY_SOLVER_PBD || solver == DRY_SOLVER_XPBD)
        settings.relax_sweeps = 1; /* they refuse 0 */
    dry_world *world = lab_world(run, &settings);
    dry_vec3 velocity[BODIES];
    for (int i = 0; i < BODIES; i++)
        velocity[i] = (dry_vec3){0.3f * (float)i, 1.0f - (float)(i % 3), 0.2f * (float)(i % 2)};
    const lab_thrown chain = {BODIES, DRY_JOINT_BALL, 0, 0.0, velocity};
    lab_add_thrown(run, world, &chain);
    double before[6], after[6], linear = 0.0, angular = 0.0;
    lab_system system = lab_system_of(run, world);
    lab_system_momentum(&system, world, system.velocity, before);
    lab_check(run, dry_world_step(world, 0.01f));
    system = lab_system_of(run, world);
    lab_system_momentum(&system, world, system.velocity, after);
    for (int k = 0; k < 3; k++) {
        linear = hypot(linear, after[k] - before[k]);
        angular = hypot(angular, after[3 + k] - before[3 + k]);
    }
    lab_add(run, "-", 0.0, 0.0, linear / lab_length(before, 3), 1e-5, "linear, %s, %d sweeps, share", name,
            sweeps);
    lab_add(run, "-", 0.0, 0.0, angular / lab_length(before + 3, 3), 1e-4, "angular, %s, %d sweeps, share",
            name, sweeps);
}

void lab_momentum(lab_run *run)
{
    lab_part(run);
    forms(run);
    blocks(run);
    lab_part(run);
    static const struct {
        const char *name;
        dry_solver solver;
    } solvers[] = {{"the engine", DRY_SOLVER_GAUSS_SEIDEL},
                   {"Jacobi", DRY_SOLVER_JACOBI},
                   {"XPBD", DRY_SOLVER_XPBD},
                   {"AVBD", DRY_SOLVER_AVBD}};
    static const int sweeps[] = {1, 3, 100};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            engine(run, solvers[i].name, solvers[i].solver, sweeps[k]);
}

/* A light rod on a hinge, a heavy block at its end, and a contact near the hinge [Tomcin Fig. 1d]: contact
 * and joints in turns, and together. */
#include "tools/lab/experiments.h"
#include "tools/lab/system.h"

#include "tools/scenes/scenes.h"

#include <math.h>
#include <string.h>

const char lab_lever_text[] =
    "A rod of 5 m and 50 kg on a hinge carries a block of 7.5 t on a hinge at its end, and touches a knob "
    "0.5 m "
    "from its pivot [Tomcin Fig. 1d]: the built-in scene `lever`, level and on its way down at 1 rad/s. The "
    "document says that contact and joints in turns converge slowly there, even if the joints are solved "
    "exactly, and couples them [Tomcin 7].\n\n"
    "**In turns.** The contact sees the rod alone: a push at 0.5 m moves it by 1/m + (L/2 - d)^2/I, as a "
    "mass "
    "of 17 kg. The joints then bring back most of the approach, as rod and block together stop only for d^2 "
    "over their inertia about the pivot, as 750 t would. A turn leaves one less the quotient of the two "
    "masses of the approach, 99.998 %, and each turn leaves the same share again: 606,000 turns to 1e-6. The "
    "exact value comes from the Schur complement of A, with all ten rows of the joints as one block; the "
    "measured one from block Gauss-Seidel on A. It is less the mass of the block than the lever: a block as "
    "heavy as the rod still takes 5,370 turns.\n\n"
    "**Together.** The engine's direct joints and their contact leave less than 1e-7 after one pass, one "
    "substep of a sweep and a relax sweep, whatever the block's mass. The speed of the rod's end against "
    "the block is what the rows' own rotation within half of the step asks for, 4 % of the approach. Row by "
    "row, "
    "50 sweeps leave 95 % of the approach, and 500, as many as the document gives QuickStep, 0.1 %. But then "
    "it is "
    "the joint that gives: the rod stops, and the block goes on at a third of the approach's speed.\n";

static const float dt = 1.0f / 60.0f;
static const double length = 5.0, thick = 0.125, rod_mass = 50.0, contact_at = 0.5, spin = 1.0;

enum { MOUNT, ROD, BLOCK, BODIES };

/* The lever before its step, and the constraint equation of that step. */
typedef struct lever {
    dry_world *world;
    dry_body_id ids[BODIES];
    lab_system system;
    lab_problem problem;
    int contact;     /* its row */
    double approach; /* speed at which the contact's surfaces meet, m/s */
} lever;

/* Lays the rod level on the knob, with velocities that its joints allow. */
static void lay(dry_scene *scene)
{
    dry_body_def *rod = &scene->bodies[ROD].def, *block = &scene->bodies[BLOCK].def;
    const dry_vec3 turn = {0.0f, 0.0f, (float)-spin};
    rod->pose.position = (dry_position){0.5 * length, 0.0, 0.0};
    rod->pose.orientation = (dry_quat){0.0f, 0.0f, 0.0f, 1.0f};
    rod->velocity = (dry_velocity){{0.0f, (float)(-0.5 * length * spin), 0.0f}, turn};
    block->pose.position = (dry_position){length, -1.0, 0.0};
    block->velocity = (dry_velocity){{0.0f, (float)(-length * spin), 0.0f}, {0.0f, 0.0f, 0.0f}};
}

static double speed_of(const lab_system *s, const lab_system_row *row)
{
    return (row->a >= 0 ? lab_dot(row->ja, s->velocity[row->a], 6) : 0.0) +
           (row->b >= 0 ? lab_dot(row->jb, s->velocity[row->b], 6) : 0.0);
}

static void build(lab_run *run, dry_scene *scene, dry_settings settings, lever *l)
{
    l->world = lab_world(run, &settings);
    lab_check(run, dry_scene_build(scene, l->world, l->ids));
    lab_check(run, dry_world_step(l->world, 0.0f)); /* finds the contact and moves nothing */
    l->system = lab_system_of(run, l->world);
    l->contact = l->system.rows - 1;
    if (l->system.rows != 11 || !l->system.row[l->contact].contact)
        lab_fail(run, "the lever does not touch its knob in one point");
    const lab_spook rigid = {.approach = 1.0};
    l->problem = lab_system_problem(run, &l->system, &rigid, settings.gravity, (double)dt);
    l->approach = -speed_of(&l->system, &l->system.row[l->contact]);
}

/* Returns the inverse of the block of A that the joints' rows are: all rows but the last. */
static double *joints_inverse(lab_run *run, const lab_problem *p)
{
    const int n = p->n - 1;
    lab_problem part = lab_problem_of(run, n);
    double *inverse = lab_doubles(run, n * n);
    for (int i = 0; i < n; i++)
        memcpy(&part.a[i * n], &p->a[i * p->n], (size_t)n * sizeof *part.a);
    for (int i = 0; i < n; i++) {
        memset(part.b, 0, (size_t)n * sizeof *part.b);
        part.b[i] = 1.0;
        if (lab_solve(run, &part, &inverse[i * n]) > 0)
            lab_fail(run, "the lever's joints are redundant");
    }
    return inverse;
}

/* The response of the contact's row when the joints hold: the Schur complement of their block. */
static double coupled_response(const lab_problem *p, const double *inverse)
{
    const int n = p->n - 1;
    const double *last = &p->a[n * p->n];
    double response = last[n];
    for (int i = 0; i < n; i++)
        response -= last[i] * lab_dot(&inverse[i * n], last, n);
    return response;
}

/* Does a turn: solves the contact, then the joints exactly. Returns the share of the approach that is left.
 */
static double take_turn(const lab_problem *p, const double *inverse, double *x, double *right)
{
    const int n = p->n - 1;
    const double *last = &p->a[n * p->n];
    x[n] = fmax(x[n] + (p->b[n] - lab_dot(last, x, p->n)) / last[n], 0.0);
    for (int i = 0; i < n; i++)
        right[i] = p->b[i] - p->a[i * p->n + n] * x[n];
    for (int i = 0; i < n; i++)
        x[i] = lab_dot(&inverse[i * n], right, n);
    return (p->b[n] - lab_dot(last, x, p->n)) / p->b[n];
}

/* Alternates contact and joints, and draws what is left over the turns. */
static void alternate(lab_run *run, const lever *l, double block)
{
    const lab_problem *p = &l->problem;
    const double *inverse = joints_inverse(run, p);
    const double inertia = rod_mass / 12.0 * (length * length + thick * thick),
                 arm = 0.5 * length - contact_at, alone = 1.0 / (1.0 / rod_mass + arm * arm / inertia),
                 about = inertia + rod_mass * 0.25 * length * length + block * length * length,
                 together = about / (contact_at * contact_at);
    const double response = coupled_response(p, inverse), exact = 1.0 - response / p->a[p->n * p->n - 1];
    lab_add(run, "Tomcin Fig. 1d", alone, alone, 1.0 / p->a[p->n * p->n - 1], 1e-6,
            "mass that the contact sees of the rod alone, kg");
    lab_add(run, "Tomcin Fig. 1d", together, together, 1.0 / response, 1e-6,
            "mass that it sees with the joints, block of %g kg, kg", block);

    enum { CURVE = 400 };
    double *x = lab_doubles(run, p->n), *right = lab_doubles(run, p->n), at[CURVE], left[CURVE];
    const double turns = lab_sweeps_to(exact, 1e-6), stride = pow(turns, 1.0 / (CURVE - 40));
    double share = 1.0, first = 0.0, next = 1.0;
    int done = 0, count = 0;
    while (share > 1e-6 && done < 10000000) {
        share = take_turn(p, inverse, x, right);
        first = ++done == 1 ? share : first;
        if (done >= next && count < CURVE) {
            at[count] = done, left[count++] = share;
            next = fmax(next * stride, done + 1.0);
        }
    }
    char name[LAB_TEXT];
    snprintf(name, sizeof name, "in turns, block of %g kg", block);
    lab_add_curve(run, name, at, left, count);
    lab_add(run, "Tomcin 7", 1.0 - alone / together, exact, first, 1e-9,
            "approach left after a turn of contact and joints, block of %g kg", block);
    lab_add(run, "Tomcin 7", log(1e-6) / log1p(-alone / together), ceil(turns), done, 1e-4,
            "turns of contact and joints to 1e-6, block of %g kg", block);
}

/* Steps the engine once. Returns the approach that is left, and writes the speed at which the rod's end
 * leaves the block, both as shares of the approach. */
static double engine_leaves(lab_run *run, dry_scene *scene, dry_joint_solver solver, int sweeps,
                            double *opens)
{
    dry_settings settings = lab_settings(sweeps);
    settings.relax_sweeps = sweeps;
    settings.joint_solver = solver;
    lever l;
    build(run, scene, settings, &l);
    lab_check(run, dry_world_step(l.world, dt));
    lab_system after = l.system;
    after.velocity = lab_take(run, (size_t)after.bodies, sizeof *after.velocity);
    for (int i = 0; i < after.bodies; i++) {
        dry_velocity v;
        lab_check(run, dry_body_get_velocity(l.world, after.id[i], &v));
        const float values[6] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
        for (int k = 0; k < 6; k++)
            after.velocity[i][k] = values[k];
    }
    *opens = 0.0;
    for (int i = 0; i < l.contact; i++)
        if (after.row[i].a >= 0 && after.row[i].b >= 0)
            *opens = fmax(*opens, fabs(speed_of(&after, &after.row[i])) / l.approach);
    return fabs(speed_of(&after, &after.row[l.contact])) / l.approach;
}

/* The joints' rows are solved as they will have turned by half of the step, at the rate before the contact:
 * w^2 L h / 4 is what the rod's end and the block differ by once the contact has stopped both. */
static void couple(lab_run *run, dry_scene *scene, double block)
{
    const double turned = spin * length * (double)dt / (4.0 * contact_at);
    double opens;
    const double left = engine_leaves(run, scene, DRY_JOINT_SOLVER_DIRECT, 1, &opens);
    lab_add(run, "Tomcin 7", 0.0, 0.0, left, 1e-6,
            "approach left after one coupled pass of the engine, block of %g kg", block);
    lab_add(run, "w L h / 4 d", turned, turned, opens, 1e-3,
            "speed of the rod's end against the block after it, share, block of %g kg", block);
}

static void lever_of(lab_run *run, dry_scene *scene, double block)
{
    char error[256];
    if (!dry_scene_make("lever", (int)block, scene, error, sizeof error))
        lab_fail(run, "the lever could not be made");
    lay(scene);
    lever l;
    build(run, scene, lab_settings(1), &l);
    alternate(run, &l, block);
    couple(run, scene, block);
    if (block != 7500.0)
        return;
    for (int sweeps = 25; sweeps <= 250; sweeps *= 10) {
        double opens;
        const double left = engine_leaves(run, scene, DRY_JOINT_SOLVER_ITERATIVE, sweeps, &opens);
        lab_add(run, "Tomcin 7, QuickStep", NAN, NAN, left, 0.0,
                "approach left after %d sweeps of all rows, block of %g kg", 2 * sweeps, block);
        lab_add(run, "Tomcin 7, QuickStep", NAN, NAN, opens, 0.0,
                "speed of the rod's end against the block after %d sweeps, share, block of %g kg", 2 * sweeps,
                block);
    }
}

static void levers(lab_run *run, void *context)
{
    static const double blocks[] = {7500.0, 750.0, 50.0, 75000.0};
    const int count = run->options->quick ? 3 : 4;
    lab_plot *plot = lab_add_plot(run, "turns", "Contact and joints of the lever, in turns", "turns",
                                  "share of the approach that is left");
    plot->log_x = true;
    for (int i = 0; i < count; i++) {
        lab_part(run);
        lever_of(run, context, blocks[i]);
        dry_scene_free(context);
    }
}

void lab_lever(lab_run *run)
{
    dry_scene scene = {0};
    lab_run inner = {.options = run->options, .result = run->result, .part = run->part};
    const char *failure = lab_try(&inner, levers, &scene);
    lab_run_end(&inner);
    dry_scene_free(&scene);
    if (failure)
        lab_fail(run, failure);
}

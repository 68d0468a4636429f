/* The engine against an exact solver of the frictional contact problem of one step. */
#include "lab/contact_solve.h"
#include "lab/experiments.h"

#include "scenes/scenes.h"

#include <math.h>
#include <string.h>

const char lab_exact_text[] =
    "A built-in scene settles with default settings. Its next step, without springs in contacts and without "
    "separating overlaps, is a frictional contact problem: `drystone contacts` writes it for other solvers. "
    "The lab "
    "solves it point by point: a non-smooth Gauss-Seidel whose single points are solved exactly, with "
    "Anderson's "
    "acceleration over 16 sweeps, until the residual of the natural map is 1e-10 of |q|. The engine does the "
    "same "
    "step as one substep of k sweeps. *Force* is the length of r - r* in the norm of W over that of r*: it "
    "counts what "
    "bodies feel, and not how points share a load. *Residual* is the natural map of the engine's impulses "
    "over |q|.\n\n"
    "Where patches rest, what bodies feel converges to the exact solution. The engine limits friction once "
    "for all "
    "points of a contact, at their middle, and each point has a cone of its own in the exact problem: where "
    "patches "
    "turn or slide, as in the pile, some percent remain. The residual asks each point's friction to lie in "
    "its own "
    "cone, which equal parts of a contact's friction do not where the load is uneven; it stays large.\n\n"
    "In heaps with points that nearly coincide the exact solver itself stays at 1e-7 after 50,000 sweeps, as "
    "piles of "
    "50 boxes do. The pile here has 30.\n";

typedef struct exact_scene {
    const char *name;
    int size, quick_size, steps;
} exact_scene;

static const exact_scene exact_scenes[] = {
    {"tower", 10, 5, 120}, {"pyramid", 8, 4, 120}, {"pile", 30, 30, 200}, {"kapla", 1, 1, 120}};

enum { SCENES = sizeof exact_scenes / sizeof *exact_scenes, LOOKS = 9, EXACT_SWEEPS = 20000 };

typedef struct variant {
    const char *name;
    dry_solver solver;
    bool warm;
} variant;

static const variant variants[] = {
    {"Gauss-Seidel, cold", DRY_SOLVER_GAUSS_SEIDEL, false},
    {"Gauss-Seidel, warm", DRY_SOLVER_GAUSS_SEIDEL, true},
    {"Jacobi, cold", DRY_SOLVER_JACOBI, false},
    {"Jacobi, warm", DRY_SOLVER_JACOBI, true},
};

enum { VARIANTS = sizeof variants / sizeof *variants };

/* Makes the scene's world in place of the last one and lets it settle. */
static dry_world *settled(lab_run *run, const dry_scene *scene, int steps)
{
    dry_settings settings = dry_default_settings();
    settings.gravity = scene->gravity;
    settings.sleep = false;
    dry_world *world = lab_world(run, &settings);
    dry_body_id *ids = lab_take(run, (size_t)scene->body_count, sizeof *ids);
    lab_check(run, dry_scene_build(scene, world, ids));
    for (int i = 0; i < steps; i++)
        lab_check(run, dry_world_step(world, scene->dt));
    return world;
}

/* Changes a settled world to one substep of `sweeps` sweeps, and finds the contacts of its poses. */
static void prepare(lab_run *run, dry_world *world, dry_vec3 gravity, const variant *v, int sweeps)
{
    dry_settings settings = lab_settings(sweeps);
    settings.gravity = gravity;
    settings.solver = v->solver;
    settings.warm_start = v->warm;
    settings.contact_hertz = 1e5f;       /* contacts without softness */
    settings.push_out_speed_max = 1e-9f; /* overlaps stay */
    settings.levers = DRY_LEVERS_TRUE;
    lab_check(run, dry_world_set_settings(world, &settings));
    lab_check(run, dry_world_step(world, 0.0f));
}

static void check(lab_run *run, const char *failure)
{
    if (failure)
        lab_fail(run, failure);
}

/* Returns x . W x. */
static double energy_of(lab_run *run, const lab_contact_problem *p, const double *x)
{
    double *y = lab_doubles(run, 3 * p->points + 1);
    for (int j = 0; j < p->w.columns; j++)
        for (int k = p->w.start[j]; k < p->w.start[j + 1]; k++)
            y[j] += p->w.value[k] * x[p->w.row[k]];
    return lab_dot(x, y, 3 * p->points);
}

/* One scene. Its problems have memory of their own, and are freed however it ends. */
typedef struct scene_run {
    const exact_scene *choice;
    dry_scene scene;
    lab_contact_problem problem, engine; /* the exact one; that of a variant */
} scene_run;

/* The effect on the bodies converges to the exact solution where patches rest; patches of a pile turn and
 * slide. */
static double bound_of(const exact_scene *choice, int sweeps)
{
    return sweeps == 256 && strcmp(choice->name, "pile") != 0 ? 0.06 : INFINITY;
}

static void engine_rows(lab_run *run, scene_run *s, const double *exact, double scale)
{
    const int unknowns = 3 * s->problem.points;
    double x[LOOKS], residual[VARIANTS][LOOKS], force[VARIANTS][LOOKS];
    double *apart = lab_doubles(run, unknowns + 1), *velocity = lab_doubles(run, unknowns + 1);
    for (int v = 0; v < VARIANTS; v++)
        for (int look = 0; look < LOOKS; look++) {
            const int sweeps = 1 << look;
            x[look] = sweeps;
            dry_world *world = settled(run, &s->scene, s->choice->steps);
            prepare(run, world, s->scene.gravity, &variants[v], sweeps);
            check(run, lab_contact_problem_of(&s->engine, world, (double)s->scene.dt));
            lab_check(run, dry_world_step(world, s->scene.dt));
            check(run, lab_contact_problem_read_impulses(&s->engine, world));
            if (s->engine.points != s->problem.points)
                lab_fail(run, "a scene settled differently the second time");
            residual[v][look] =
                lab_contact_problem_residual(&s->engine, s->engine.impulse, s->engine.force, velocity);
            for (int k = 0; k < unknowns; k++)
                apart[k] = s->engine.impulse[k] - exact[k];
            force[v][look] = sqrt(energy_of(run, &s->problem, apart)) / scale;
            lab_contact_problem_free(&s->engine);
            if (sweeps == 1 || sweeps == 16 || sweeps == 256) {
                lab_add(run, "", NAN, 0.0, residual[v][look], INFINITY, "residual, %s, %s, %d sweeps",
                        s->choice->name, variants[v].name, sweeps);
                lab_add(run, "", NAN, 0.0, force[v][look], bound_of(s->choice, sweeps),
                        "force, %s, %s, %d sweeps", s->choice->name, variants[v].name, sweeps);
            }
        }
    for (int plot = 0; plot < 2; plot++) {
        char name[32], title[LAB_TEXT];
        snprintf(name, sizeof name, "%s_%s", s->choice->name, plot ? "force" : "residual");
        snprintf(title, sizeof title, "%s: %s", s->choice->name,
                 plot ? "force against the exact one" : "residual of the natural map");
        lab_plot *chart =
            lab_add_plot(run, name, title, "sweeps", plot ? "|r - r*| / |r*|" : "residual / |q|");
        chart->log_x = chart->log_y = true;
        for (int v = 0; v < VARIANTS; v++)
            lab_add_curve(run, variants[v].name, x, plot ? force[v] : residual[v], LOOKS);
    }
}

static void solve_scene(lab_run *run, void *context)
{
    scene_run *s = context;
    const exact_scene *choice = s->choice;
    char error[256];
    const int size = run->options->quick ? choice->quick_size : choice->size;
    if (!dry_scene_make(choice->name, size, &s->scene, error, sizeof error))
        lab_fail(run, "a scene could not be made");
    dry_world *world = settled(run, &s->scene, choice->steps);
    prepare(run, world, s->scene.gravity, &variants[0], 1);
    check(run, lab_contact_problem_of(&s->problem, world, (double)s->scene.dt));
    double *exact = lab_doubles(run, 3 * s->problem.points + 1);
    const double residual = lab_contact_solve(run, &s->problem, 1e-10, EXACT_SWEEPS, exact);
    lab_add(run, "", NAN, 0.0, residual, 1e-10, "residual, %s of %d (%d points), exact solver", choice->name,
            size, s->problem.points);
    engine_rows(run, s, exact, sqrt(energy_of(run, &s->problem, exact)));
}

void lab_exact(lab_run *run)
{
    for (int i = 0; i < SCENES; i++) {
        lab_part(run);
        scene_run s = {.choice = &exact_scenes[i]};
        lab_run inner = {.options = run->options, .result = run->result};
        const char *failure = lab_try(&inner, solve_scene, &s);
        lab_run_end(&inner);
        lab_contact_problem_free(&s.problem);
        lab_contact_problem_free(&s.engine);
        dry_scene_free(&s.scene);
        if (failure)
            lab_fail(run, failure);
    }
}

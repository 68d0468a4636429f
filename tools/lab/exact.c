/* The engine against an exact solver of the frictional contact problem of one step. */
#include "tools/lab/contact_solve.h"
#include "tools/lab/experiments.h"
#include "tools/lab/siconos.h"

#include "tools/scenes/scenes.h"

#include <math.h>
#include <string.h>

const char lab_exact_text[] =
    "A built-in scene settles with default settings. Its next step, without springs in contacts and without "
    "separating overlaps, is a frictional contact problem: `drystone contacts` writes it for other solvers. "
    "The lab solves it point by point: a non-smooth Gauss-Seidel whose single points are solved exactly, "
    "with "
    "Anderson's acceleration over 16 sweeps, until the residual of the natural map is 1e-10 of |q|. The "
    "engine "
    "does the same step as one substep of k sweeps; PBD and XPBD add one sweep of velocities, and XPBD's "
    "contacts are then as rigid as PBD's. *Force* is the length of r - r* in the norm of W over that of r*: "
    "it "
    "counts the effect on the bodies, and not how points share a load. *Residual* is the natural map of the "
    "engine's impulses over |q|.\n\n"
    "Where patches rest, the effect converges to the exact solution. AVBD is the closest by far for the same "
    "number of sweeps, whose cost the chapter on choosing has: 16 sweeps leave 3e-4 on the tower and 5e-5 on "
    "the "
    "pyramid, where Gauss-Seidel leaves 1e-2 and 1e-3. The engine limits friction once for all points of a "
    "contact, at their middle, and each point has a cone of its own in the exact problem: where patches turn "
    "or "
    "slide, as in the pile, some percent remain with every method. The residual asks each point's friction "
    "to "
    "lie in its own cone, which equal parts of a contact's friction do not where the load is uneven; it "
    "stays "
    "large.\n\n"
    "In heaps with points that nearly coincide the exact solver itself stays at 1e-7 after 50,000 sweeps, as "
    "piles of 50 boxes do. The pile here is the largest of at most 30 that it solves.\n";

const char lab_exact_time_text[] =
    "**Over time.** Each solver steps the scenes of the last chapter from their starts, with default "
    "settings and the substeps of its tiers. At every 24th step the contact problem of its own state "
    "is solved exactly, and *force* is how far the impulses of its step are from that, as a share. A "
    "look has no force where the exact solver's residual is not far below it: in falling piles it may "
    "stay at 1e-4. The means are those of the second half, 2.4 s to 4 s.\n\n"
    "Where shapes stand, AVBD comes to the exact forces within 1e-4 to 1e-7. Gauss-Seidel, Jacobi and "
    "XPBD stay 0.1 to 2 % away, because their contacts are springs that still push overlaps out. PBD "
    "is as close as AVBD on the tower; elsewhere it trembles, and its impulses are 0.4 to 1.1 times "
    "the exact ones away. In the pile, which still moves, Gauss-Seidel is the closest with 10 %, and "
    "AVBD is the farthest.\n\n"
    "**Siconos.** Where libsiconos-numerics-dev was installed when Drystone was built, Siconos solves "
    "the problems of the settled scenes, too, by its own non-smooth Gauss-Seidel, until its error is "
    "1e-12: the rows named so exist only there. Both solutions have residuals below 1e-10, and their "
    "forces differ by 1e-9.\n";

typedef struct exact_scene {
    const char *name;
    int size, quick_size, steps;
} exact_scene;

static const exact_scene exact_scenes[] = {
    {"tower", 10, 5, 120}, {"pyramid", 8, 4, 120}, {"pile", 30, 30, 200}, {"kapla", 1, 1, 120}};

enum {
    SCENES = sizeof exact_scenes / sizeof *exact_scenes,
    LOOKS_MAX = 10,
    EXACT_SWEEPS = 20000,
    TIME_SWEEPS = 4000,
    SICONOS_SWEEPS = 200000
};

/* The residual of an exact solution, of |q|. */
#define EXACT 1e-10

/* A pile still moves: its patches turn and slide. */
static bool is_pile(const exact_scene *choice)
{
    return strcmp(choice->name, "pile") == 0;
}

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
    {"PBD", DRY_SOLVER_PBD, true},
    {"XPBD", DRY_SOLVER_XPBD, true},
    {"AVBD", DRY_SOLVER_AVBD, true},
};

enum { VARIANTS = sizeof variants / sizeof *variants, TIMES = LOOKS_MAX, STEPS_A_LOOK = 24 };

/* Makes the scene's world in place of the last one and lets it settle. Bodies that rest where they were
 * placed have gaps of their poses' rounding, which contradict each other by as much; an impulse of 0 after
 * the first step ends that rest, and they bear by real depths. */
static dry_world *settled(lab_run *run, const dry_scene *scene, dry_solver solver, int steps)
{
    dry_settings settings = dry_default_settings();
    settings.gravity = scene->gravity;
    settings.sleep = false;
    settings.method.solver = solver;
    dry_world *world = lab_world(run, &settings);
    dry_body_id *ids = lab_take(run, (size_t)scene->body_count, sizeof *ids);
    lab_check(run, dry_scene_build(scene, world, ids));
    for (int i = 0; i < steps; i++) {
        lab_check(run, dry_world_step(world, scene->dt));
        for (int body = 0; i == 0 && body < scene->body_count; body++)
            lab_check(run, dry_body_apply_impulse(world, ids[body], (dry_vec3){0}));
    }
    return world;
}

/* Changes a settled world to one substep of `sweeps` sweeps, and finds the contacts of its poses. */
static void prepare(lab_run *run, dry_world *world, dry_vec3 gravity, const variant *v, int sweeps)
{
    dry_settings settings = lab_settings(sweeps);
    settings.gravity = gravity;
    settings.method.solver = v->solver;
    settings.warm_start = v->warm;
    settings.push_out_speed_max = 1e-9f; /* overlaps stay */
    if (v->solver != DRY_SOLVER_PBD && v->solver != DRY_SOLVER_AVBD)
        settings.contact_hertz = 1e5f; /* contacts without softness, as the others' are */
    if (v->solver == DRY_SOLVER_PBD || v->solver == DRY_SOLVER_XPBD)
        settings.relax_sweeps = 1; /* friction by velocity: they refuse 0 */
    settings.levers = DRY_LEVERS_TRUE;
    lab_check(run, dry_world_set_settings(world, &settings));
    lab_check(run, dry_world_step(world, 0.0f));
}

static void check(lab_run *run, const char *failure)
{
    if (failure)
        lab_fail(run, failure);
}

/* Returns sqrt(x . W x): the length of the velocities that impulses x give to the bodies, by their masses. */
static double effect_of(lab_run *run, const lab_contact_problem *p, const double *x)
{
    double *y = lab_doubles(run, 3 * p->points + 1);
    for (int j = 0; j < p->w.columns; j++)
        for (int k = p->w.start[j]; k < p->w.start[j + 1]; k++)
            y[j] += p->w.value[k] * x[p->w.row[k]];
    return sqrt(fabs(lab_dot(x, y, 3 * p->points))); /* below 0 by rounding alone */
}

/* Returns the effect of x - r over that of r. */
static double apart(lab_run *run, const lab_contact_problem *p, const double *x, const double *r)
{
    const int unknowns = 3 * p->points;
    double *d = lab_doubles(run, unknowns + 1);
    for (int k = 0; k < unknowns; k++)
        d[k] = x[k] - r[k];
    return effect_of(run, p, d) / effect_of(run, p, r);
}

/* One scene. Its problems have memory of their own, and are freed however it ends. */
typedef struct scene_run {
    const exact_scene *choice;
    dry_scene scene;
    lab_contact_problem problem, engine; /* the exact one; that of a variant */
    bool in_time;
} scene_run;

/* The effect on the bodies converges to the exact solution where patches rest; patches of a pile turn and
 * slide. */
static double bound_of(const exact_scene *choice, const variant *v, int sweeps)
{
    const bool velocities = v->solver == DRY_SOLVER_GAUSS_SEIDEL || v->solver == DRY_SOLVER_JACOBI;
    if (sweeps < 256 || is_pile(choice))
        return 1.0; /* what no forces at all are away */
    return velocities ? 0.06 : 1e-3;
}

/* Draws the residuals and forces of all variants over the sweeps or steps in x. */
static void draw(lab_run *run, const scene_run *s, const char *over, const double *x, int count,
                 const double (*value)[2][LOOKS_MAX])
{
    for (int plot = 0; plot < 2; plot++) {
        char name[32], title[LAB_TEXT];
        snprintf(name, sizeof name, "%s_%s_%s", s->choice->name, plot ? "force" : "residual", over);
        snprintf(title, sizeof title, "%s: %s over %s", s->choice->name,
                 plot ? "force against the exact one" : "residual of the natural map", over);
        lab_plot *chart = lab_add_plot(run, name, title, over, plot ? "|r - r*| / |r*|" : "residual / |q|");
        chart->log_y = true;
        chart->log_x = strcmp(over, "sweeps") == 0;
        for (int v = 0; v < VARIANTS; v++)
            lab_add_curve(run, variants[v].name, x, value[v][plot], count);
    }
}

/* Lets the engine do the step whose problem is s->engine, and reads what it gave. */
static void step_engine(lab_run *run, scene_run *s, dry_world *world, double *residual)
{
    lab_check(run, dry_world_step(world, s->scene.dt));
    check(run, lab_contact_problem_read_impulses(&s->engine, world));
    double *velocity = lab_doubles(run, 3 * s->engine.points + 1);
    *residual = lab_contact_problem_residual(&s->engine, s->engine.impulse, s->engine.force, velocity);
}

/* One step from the settled state, over its sweeps. */
static void over_sweeps(lab_run *run, scene_run *s, const double *exact)
{
    enum { LOOKS = 9 };
    const int stride = run->options->quick ? 4 : 1;
    double x[LOOKS], value[VARIANTS][2][LOOKS_MAX];
    for (int v = 0; v < VARIANTS; v++)
        for (int look = 0; look < LOOKS; look += stride) {
            const int sweeps = 1 << look;
            double *residual = &value[v][0][look / stride], *force = &value[v][1][look / stride];
            x[look / stride] = sweeps;
            dry_world *world = settled(run, &s->scene, DRY_SOLVER_GAUSS_SEIDEL, s->choice->steps);
            prepare(run, world, s->scene.gravity, &variants[v], sweeps);
            check(run, lab_contact_problem_of(&s->engine, world, (double)s->scene.dt));
            if (s->engine.points != s->problem.points)
                lab_fail(run, "a scene settled differently the second time");
            step_engine(run, s, world, residual);
            *force = apart(run, &s->problem, s->engine.impulse, exact);
            lab_contact_problem_free(&s->engine);
            if (sweeps != 1 && sweeps != 16 && sweeps != 256)
                continue;
            lab_unbounded(lab_add(run, "", NAN, 0.0, *residual, INFINITY, "residual, %s, %s, %d sweeps",
                                  s->choice->name, variants[v].name, sweeps),
                          "the natural map asks for each point's own cone, and the engine limits the "
                          "friction of a patch");
            lab_add(run, "", NAN, 0.0, *force, bound_of(s->choice, &variants[v], sweeps),
                    "force, %s, %s, %d sweeps", s->choice->name, variants[v].name, sweeps);
        }
    draw(run, s, "sweeps", x, (LOOKS - 1) / stride + 1, (const double(*)[2][LOOKS_MAX])value);
}

/* One step of a variant's own sequence: the exact solution is that of its present state. Writes residual and
 * force, NAN where nothing touches or the exact solver's residual is not far below the force. */
static void look_at_step(lab_run *run, scene_run *s, dry_world *world, double *residual, double *force)
{
    lab_check(run, dry_world_step(world, 0.0f));
    check(run, lab_contact_problem_of(&s->engine, world, (double)s->scene.dt));
    step_engine(run, s, world, residual);
    const size_t unknowns = 3 * (size_t)s->engine.points;
    double *exact = lab_doubles(run, (int)unknowns + 1);
    memcpy(exact, s->engine.impulse, unknowns * sizeof *exact);
    const double exactly = lab_contact_solve(run, &s->engine, 1e-8, TIME_SWEEPS, exact);
    *force = unknowns > 0 ? apart(run, &s->engine, s->engine.impulse, exact) : NAN;
    if (exactly > fmax(1e-6, 1e-2 * *force))
        *force = NAN;
    lab_contact_problem_free(&s->engine);
}

/* Adds the mean force of a variant over time. At rest AVBD meets the exact forces; contacts of the others are
 * springs that still push overlaps out. */
static void time_row(lab_run *run, const exact_scene *choice, const variant *v, double force, int looks,
                     double from, double to)
{
    lab_row *row =
        lab_add(run, "", NAN, 0.0, force, v->solver == DRY_SOLVER_AVBD ? 1e-4 : 0.03,
                "force, %s, %s, mean of %d looks in steps %g to %g", choice->name, v->name, looks, from, to);
    if (is_pile(choice))
        lab_unbounded(row, "the pile still moves, and its patches slide");
    else if (v->solver == DRY_SOLVER_PBD)
        lab_unbounded(row, "rigid contacts over positions tremble");
}

/* Steps from the scene's start with default settings and each solver. */
static void over_time(lab_run *run, scene_run *s)
{
    const int looks = run->options->quick ? 2 : TIMES;
    double x[TIMES], value[VARIANTS][2][LOOKS_MAX];
    for (int v = 0; v < VARIANTS; v++) {
        dry_world *world = settled(run, &s->scene, variants[v].solver, 0);
        double sum = 0.0;
        int counted = 0;
        for (int look = 0; look < looks; look++) {
            x[look] = (look + 1) * STEPS_A_LOOK;
            value[v][0][look] = value[v][1][look] = NAN;
            if (!variants[v].warm)
                continue;
            for (int i = 1; i < STEPS_A_LOOK; i++)
                lab_check(run, dry_world_step(world, s->scene.dt));
            look_at_step(run, s, world, &value[v][0][look], &value[v][1][look]);
            if (2 * look >= looks && isfinite(value[v][1][look]))
                sum += value[v][1][look], counted++;
        }
        if (counted > 0)
            time_row(run, s->choice, &variants[v], sum / counted, counted, x[looks / 2], x[looks - 1]);
    }
    draw(run, s, "steps", x, looks, (const double(*)[2][LOOKS_MAX])value);
}

/* Holds the exact solution against that of Siconos, where it is installed. */
static void siconos_rows(lab_run *run, scene_run *s, const double *exact)
{
    const int unknowns = 3 * s->problem.points;
    double *other = lab_doubles(run, unknowns + 1), *velocity = lab_doubles(run, unknowns + 1);
    if (!lab_siconos_available())
        return;
    if (!lab_siconos_solve(&s->problem, 1e-12, SICONOS_SWEEPS, other)) {
        lab_add(run, "", NAN, 0.0, NAN, 1e-10, "residual, %s, Siconos, which failed", s->choice->name);
        return;
    }
    lab_add(run, "", NAN, 0.0, lab_contact_problem_residual(&s->problem, other, s->problem.force, velocity),
            1e-10, "residual, %s, Siconos", s->choice->name);
    lab_add(run, "", NAN, 0.0, apart(run, &s->problem, other, exact), 1e-7,
            "force, %s, Siconos against the exact solver", s->choice->name);
}

/* Makes the problem of a scene of this size, and its exact solution. Returns the residual of that. */
static double solve_exactly(lab_run *run, scene_run *s, int size, double **exact)
{
    char error[256];
    lab_contact_problem_free(&s->problem);
    dry_scene_free(&s->scene);
    if (!dry_scene_make(s->choice->name, size, &s->scene, error, sizeof error))
        lab_fail(run, "a scene could not be made");
    dry_world *world = settled(run, &s->scene, DRY_SOLVER_GAUSS_SEIDEL, s->choice->steps);
    prepare(run, world, s->scene.gravity, &variants[0], 1);
    check(run, lab_contact_problem_of(&s->problem, world, (double)s->scene.dt));
    *exact = lab_doubles(run, 3 * s->problem.points + 1);
    return lab_contact_solve(run, &s->problem, EXACT, EXACT_SWEEPS, *exact);
}

/* In which boxes of a pile points nearly coincide is chance: the problem is that of the largest pile that is
 * solved, of at most this many fewer boxes. */
enum { FEWER_MAX = 10 };

static void solve_scene(lab_run *run, void *context)
{
    scene_run *s = context;
    const exact_scene *choice = s->choice;
    const int most = run->options->quick ? choice->quick_size : choice->size;
    double *exact, residual = solve_exactly(run, s, most, &exact);
    int size = most;
    while (is_pile(choice) && residual > EXACT && size > most - FEWER_MAX)
        residual = solve_exactly(run, s, --size, &exact);
    lab_add(run, "", NAN, 0.0, residual, EXACT, "residual, %s of %d (%d points), exact solver", choice->name,
            size, s->problem.points);
    if (s->in_time) {
        siconos_rows(run, s, exact);
        over_time(run, s);
    } else {
        over_sweeps(run, s, exact);
    }
}

static void solve_scenes(lab_run *run, int count, bool in_time)
{
    for (int i = 0; i < count; i++) {
        lab_part(run);
        scene_run s = {.choice = &exact_scenes[i], .in_time = in_time};
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

void lab_exact(lab_run *run)
{
    solve_scenes(run, SCENES, false);
}

void lab_exact_time(lab_run *run)
{
    solve_scenes(run, run->options->quick ? 1 : SCENES, true);
}

/* Heavy loads on light bodies, and the pyramid of base 100: what each method holds, and at what cost. */
#include "lab/bodies.h"
#include "lab/experiments.h"
#include "lab/variants.h"

#include "scenes/scenes.h"

#include <math.h>
#include <string.h>

const char lab_loads_text[] =
    "**Loads.** Ten cubes of 1 m whose masses double upward from 1 kg, and 1000 kg on an equal cube "
    "of 1 kg, for 10 s; ten links of 1 m and 1 kg that hang with 10 t below, for 60 s. *Moved* is the "
    "farthest that any body is from its place in the second half: for the links it is a share of the "
    "11 m. The rows have the substeps of tiers; *substeps for* names the fewest fixed ones, of 1, 2, "
    "4 to 64, with which a method stays within the bound of 5 mm or 1 %. Times are mean processor "
    "times of a step over the default's.\n\n"
    "The default sinks by 30 mm and 15 mm, as its contacts are springs. PBD with two substeps is the "
    "cheapest method that holds both loads within 5 mm, at 0.68 and 0.56 of the default's time, "
    "but with the substeps of tiers it trembles by about a meter. AVBD holds both, with the substeps of "
    "tiers within 0.02 mm at 9 and 7 times the time; 1000:1 takes it one substep, at 1.1 times the "
    "default's time, and the doubling masses four, at 2.8 times.\n\n"
    "Under 10 t the direct solution's stretch is 5e-11 of the length at 4.5 times the default's time. "
    "Gauss-Seidel, the default, and Jacobi have 0.16 %, AVBD 0.13 % and PBD and XPBD 1.1 % with the "
    "substeps of tiers, with which no method's joints open further in the second half of the minute. The "
    "rows *1 substep*, *2 substeps* and *4 substeps* have the same chain with fixed ones. In one substep "
    "Gauss-Seidel and Jacobi stretch by 0.18 % and 0.19 %, at a third of the time, since links that bear "
    "more than the substeps do count as heavier, and AVBD by 0.13 % at half of it. PBD and XPBD have no "
    "such bound with few fixed substeps: in four, two and one their links stretch to 62, 257 and 489 "
    "lengths.\n\n"
    "**The pyramid of base 100** (5,050 cubes, 12 substeps) starts at rest. Everything settles by "
    "some millimeters, and then speeds tell whether it stands. No order and no relaxation of "
    "Gauss-Seidel settles less than the default, and all cost more; over-relaxation settles three "
    "times as much. Static friction of 0.9 beside 0.6 changes nothing that counts, since no patch "
    "slides, for 1.4 times the time. Friction by position in XPBD halves the settling and leaves "
    "a fifth of the speed, for 3.6 times the time. AVBD with the substeps of tiers trembles, and PBD "
    "throws the pyramid apart. Nothing is better at the default's cost.\n";

static const float dt = 1.0f / 60.0f;
static const dry_vec3 up = {0.0f, 1.0f, 0.0f}, still = {0.0f, 0.0f, 0.0f};

enum { BODIES_MAX = 16, EFFORTS = 8 };

/* Substeps; 0: those of the tiers. */
static const int efforts[EFFORTS] = {0, 1, 2, 4, 8, 16, 32, 64};

/* A setup of few bodies. */
typedef struct load_setup {
    const char *name, *title;
    int (*build)(lab_run *run, dry_world *world, dry_body_id *ids); /* returns the number of bodies */
    int steps, quick_steps;
    double length;        /* that errors are a share of; 1: errors are in m */
    double bound;         /* that methods are to hold, in the same unit */
    double default_bound; /* of the default, with the substeps of tiers */
    double open_bound;    /* of methods that may miss the bound, likewise */
    bool joints;
} load_setup;

static int build_doubling(lab_run *run, dry_world *world, dry_body_id *ids)
{
    const dry_shape_def cube = lab_shape(DRY_SHAPE_BOX, 0.5);
    lab_add_plane(run, world, up, 0.6f);
    for (int i = 0; i < 10; i++)
        ids[i] = lab_add_body(run, world, &cube, 1 << i, (dry_position){0.0, 0.5 + i, 0.0}, still);
    return 10;
}

static int build_mass_ratio(lab_run *run, dry_world *world, dry_body_id *ids)
{
    const dry_shape_def cube = lab_shape(DRY_SHAPE_BOX, 0.5);
    lab_add_plane(run, world, up, 0.6f);
    for (int i = 0; i < 2; i++)
        ids[i] = lab_add_body(run, world, &cube, i ? 1000.0 : 1.0, (dry_position){0.0, 0.5 + i, 0.0}, still);
    return 2;
}

/* Ten links of 1 m and 1 kg on ball joints, and a load of 10 t that is as long. */
static int build_chain(lab_run *run, dry_world *world, dry_body_id *ids)
{
    dry_shape_def link = lab_shape(DRY_SHAPE_BOX, 0.05);
    link.half_extents.y = 0.5f;
    for (int i = 0; i <= 10; i++) {
        ids[i] =
            lab_add_body(run, world, &link, i < 10 ? 1.0 : 1e4, (dry_position){0.0, -0.5 - i, 0.0}, still);
        dry_joint_def def = dry_default_joint_def(DRY_JOINT_BALL);
        def.body_b = ids[i];
        def.anchor_b.y = 0.5f;
        if (i > 0) {
            def.body_a = ids[i - 1];
            def.anchor_a.y = -0.5f;
        }
        lab_check(run, dry_world_create_joint(world, &def, &(dry_joint_id){0}));
    }
    return 11;
}

static const load_setup setups[] = {
    {"doubling", "ten cubes, masses doubling upward", build_doubling, 600, 30, 1.0, 0.005, 0.05, INFINITY,
     false},
    {"mass-ratio", "1000 kg on 1 kg", build_mass_ratio, 600, 30, 1.0, 0.005, 0.03, INFINITY, false},
    {"chain", "ten links of 1 kg, 10 t below", build_chain, 3600, 30, 11.0, 0.01, 0.01, 0.05, true},
};

enum { SETUPS = sizeof setups / sizeof *setups };

static lab_outcome carry(lab_run *run, const load_setup *setup, const lab_variant *variant, int substeps)
{
    dry_settings settings = dry_default_settings();
    settings.sleep = false;
    settings.substeps = substeps;
    lab_variant_apply(variant, &settings);
    dry_world *world = lab_world(run, &settings);
    dry_body_id ids[BODIES_MAX];
    const int bodies = setup->build(run, world, ids);
    const int steps = run->options->quick ? setup->quick_steps : setup->steps;
    return lab_watch(run, &(lab_trial){world, ids, bodies, dt, steps, 1});
}

/* Returns the bound of a method's error with the substeps of tiers. Block descent and direct joints are to
 * hold every load, the default nearly so, and no method's joints may open without bound. */
static double bound_of(const load_setup *setup, const lab_variant *v)
{
    if (v == lab_variants)
        return setup->default_bound;
    const bool holds = v->solver == DRY_SOLVER_AVBD || v->joints == DRY_JOINT_SOLVER_DIRECT;
    return holds ? setup->bound : setup->open_bound;
}

/* Adds the fewest substeps with which a method holds the bound, if there are. */
static void fewest_row(lab_run *run, const load_setup *setup, const lab_variant *v, const lab_outcome *o,
                       double usual)
{
    for (int e = 1; e < EFFORTS; e++)
        if (o[e].moved <= setup->bound * setup->length) {
            lab_time(lab_add(run, "-", NAN, NAN, efforts[e], INFINITY, "%s: substeps for %g, %s",
                             setup->title, setup->bound, v->name),
                     o[e].time_ms, usual);
            return;
        }
}

/* Adds the errors of joints with few fixed substeps, which are not bounded as those of tiers are. */
static void fixed_rows(lab_run *run, const load_setup *setup, const lab_variant *v, const lab_outcome *o,
                       double usual)
{
    for (int e = 1; e < EFFORTS && efforts[e] <= 4; e++)
        lab_time(lab_add(run, "-", NAN, 0.0, o[e].moved / setup->length, INFINITY,
                         "%s, %d substep%s: moved, share of the length, %s", setup->title, efforts[e],
                         efforts[e] > 1 ? "s" : "", v->name),
                 o[e].time_ms, usual);
}

static void carry_load(lab_run *run, const load_setup *setup)
{
    const char *unit = setup->length == 1.0 ? "m" : "share of the length";
    lab_outcome o[LAB_VARIANTS][EFFORTS];
    lab_plot *plot =
        lab_add_plot(run, setup->name, setup->title, "time of a step over the default's, this machine", unit);
    plot->log_x = plot->log_y = true;
    for (int m = 0; m < LAB_VARIANTS; m++)
        for (int e = 0; e < EFFORTS; e++) {
            const bool skips = lab_variants[m].joints == DRY_JOINT_SOLVER_DIRECT && !setup->joints;
            o[m][e] = skips ? lab_refused() : carry(run, setup, &lab_variants[m], efforts[e]);
        }
    const double usual = o[0][0].time_ms;
    for (int m = 0; m < LAB_VARIANTS; m++) {
        const lab_variant *v = &lab_variants[m];
        double x[EFFORTS], y[EFFORTS];
        int count = 0;
        for (int e = 1; e < EFFORTS; e++)
            if (isfinite(o[m][e].moved))
                x[count] = o[m][e].time_ms / usual, y[count++] = o[m][e].moved / setup->length;
        lab_add_curve(run, v->name, x, y, count);
        if (!o[m][0].refused)
            lab_time(lab_add(run, "-", NAN, 0.0, o[m][0].moved / setup->length, bound_of(setup, v),
                             "%s: moved, %s, %s", setup->title, unit, v->name),
                     o[m][0].time_ms, usual);
    }
    for (int m = 0; m < LAB_VARIANTS; m++)
        fewest_row(run, setup, &lab_variants[m], o[m], usual);
    for (int m = 0; m < LAB_SOLVERS && setup->joints; m++)
        fixed_rows(run, setup, &lab_variants[m], o[m], usual);
}

/* A way to hold the pyramid. */
typedef struct pyramid_way {
    const char *name;
    dry_solver solver;
    dry_order order;
    float relaxation, static_friction;
} pyramid_way;

static const pyramid_way pyramid_ways[] = {
    {"the default", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_COLOR, 1.0f, 0.0f},
    {"static friction 0.9", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_COLOR, 1.0f, 0.9f},
    {"forward", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_FORWARD, 1.0f, 0.0f},
    {"forward, relaxed by 1.3", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_FORWARD, 1.3f, 0.0f},
    {"layers up", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_LAYERS_UP, 1.0f, 0.0f},
    {"layers up and down", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_LAYERS, 1.0f, 0.0f},
    {"shuffled", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_SHUFFLED, 1.0f, 0.0f},
    {"friction by position, XPBD", DRY_SOLVER_XPBD, DRY_ORDER_COLOR, 1.0f, 0.0f},
    {"friction by position, PBD", DRY_SOLVER_PBD, DRY_ORDER_COLOR, 1.0f, 0.0f},
    {"AVBD", DRY_SOLVER_AVBD, DRY_ORDER_COLOR, 1.0f, 0.0f},
};

enum { PYRAMID_WAYS = sizeof pyramid_ways / sizeof *pyramid_ways };

static lab_outcome hold_pyramid(lab_run *run, dry_scene *scene, const pyramid_way *way, int steps)
{
    dry_settings settings = dry_default_settings();
    settings.sleep = false;
    settings.solver = way->solver;
    settings.order = way->order;
    settings.relaxation = way->relaxation;
    for (int i = 0; i < scene->shape_count; i++)
        scene->shapes[i].static_friction = way->static_friction;
    dry_world *world = lab_world(run, &settings);
    dry_body_id *ids = lab_take(run, (size_t)scene->body_count, sizeof *ids);
    lab_check(run, dry_scene_build(scene, world, ids));
    return lab_watch(run, &(lab_trial){world, ids, scene->body_count, scene->dt, steps, steps / 4});
}

static void hold_pyramids(lab_run *run, void *context)
{
    dry_scene *scene = context;
    char error[256];
    const int base = run->options->quick ? 6 : 100, steps = run->options->quick ? 12 : 600;
    const double seconds = steps * (double)dt;
    if (!dry_scene_make("pyramid", base, scene, error, sizeof error))
        lab_fail(run, "the pyramid could not be made");
    double usual = NAN;
    for (int i = 0; i < PYRAMID_WAYS; i++) {
        lab_part(run);
        const lab_outcome o = hold_pyramid(run, scene, &pyramid_ways[i], steps);
        usual = i == 0 ? o.time_ms : usual;
        lab_time(lab_add(run, "-", NAN, 0.0, o.sideways, i == 0 ? 0.02 : INFINITY,
                         "pyramid of base %d, %g s: sideways, m, %s", base, seconds, pyramid_ways[i].name),
                 o.time_ms, usual);
        lab_time(lab_add(run, "-", NAN, 0.0, o.speed, INFINITY,
                         "pyramid of base %d, %g s: fastest body, m/s, %s", base, seconds,
                         pyramid_ways[i].name),
                 o.time_ms, usual);
    }
}

void lab_loads(lab_run *run)
{
    for (int i = 0; i < SETUPS; i++) {
        lab_part(run);
        carry_load(run, &setups[i]);
    }
    dry_scene scene = {0};
    lab_run inner = {.options = run->options, .result = run->result, .part = run->part};
    const char *failure = lab_try(&inner, hold_pyramids, &scene);
    lab_run_end(&inner);
    dry_scene_free(&scene);
    if (failure)
        lab_fail(run, failure);
}

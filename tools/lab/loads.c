/* Heavy loads on light bodies, and the pyramid of base 100: what each method holds, and at what cost. */
#include "tools/lab/bodies.h"
#include "tools/lab/experiments.h"
#include "tools/lab/linear.h"
#include "tools/lab/variants.h"

#include "tools/scenes/scenes.h"

#include <math.h>
#include <string.h>
#include <time.h>

const char lab_loads_text[] =
    "**Loads.** Ten cubes of 1 m whose masses double upward from 1 kg, and 1000 kg on an equal cube "
    "of 1 kg, for 10 s; ten links of 1 m and 1 kg that hang with 10 t below, for 60 s. *Moved* is "
    "the farthest that any body is from its place in the second half: for the links it is a share "
    "of the 11 m. The rows have the substeps of tiers; *substeps for* names the fewest fixed ones, "
    "of 1, 2, 4 to 64, with which a method stays within the bound of 5 mm or 1 %. Times are mean "
    "processor times of a step over the default's.\n\n"
    "The rows *1 substep*, *2 substeps* and *4 substeps* have the chain of links with fixed ones: PBD "
    "and XPBD have no bound there.\n\n"
    "**The pyramid of base 100** (5,050 cubes) starts at rest and is watched for a minute, with PBD "
    "and AVBD for 10 s. *Growth* is the slope of the logarithm of the "
    "kinetic energy in the second half of the time.\n";

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
    double open_bound; /* of methods that may miss the bound, likewise: springs of contacts bear the load */
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
    {"doubling", "ten cubes, masses doubling upward", build_doubling, 600, 30, 1.0, 0.005, 0.05, 0.1, false},
    {"mass-ratio", "1000 kg on 1 kg", build_mass_ratio, 600, 30, 1.0, 0.005, 0.03, 0.05, false},
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
    const bool positions = v->solver == DRY_SOLVER_PBD || v->solver == DRY_SOLVER_XPBD;
    for (int e = 1; e < EFFORTS && efforts[e] <= 4; e++) {
        lab_row *row = lab_add(run, "-", NAN, 0.0, o[e].moved / setup->length, setup->open_bound,
                               "%s, %d substep%s: moved, share of the length, %s", setup->title, efforts[e],
                               efforts[e] > 1 ? "s" : "", v->name);
        if (positions)
            lab_unbounded(row,
                          "impulses begin at 0 in each substep, and a sweep hands a load on by one link");
        lab_time(row, o[e].time_ms, usual);
    }
}

/* Adds the error with the substeps of tiers. */
static void moved_row(lab_run *run, const load_setup *setup, const lab_variant *v, const lab_outcome *o,
                      double usual)
{
    lab_row *row =
        lab_add(run, "-", NAN, 0.0, o->moved / setup->length, bound_of(setup, v), "%s: moved, %s, %s",
                setup->title, setup->length == 1.0 ? "m" : "share of the length", v->name);
    if (v->solver == DRY_SOLVER_PBD && !setup->joints)
        lab_unbounded(row, "rigid contacts over positions tremble");
    if ((v->solver == DRY_SOLVER_PBD || v->solver == DRY_SOLVER_XPBD) && setup->joints)
        lab_unbounded(row,
                      "no load of joints asks for over 32 substeps, and a sweep hands a load on by one link");
    lab_time(row, o->time_ms, usual);
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
            moved_row(run, setup, v, &o[m][0], usual);
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
    {"relaxed by 0.8", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_COLOR, 0.8f, 0.0f},
    {"relaxed by 1.2", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_COLOR, 1.2f, 0.0f},
    {"layers up", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_LAYERS_UP, 1.0f, 0.0f},
    {"layers up and down", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_LAYERS, 1.0f, 0.0f},
    {"shuffled", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_SHUFFLED, 1.0f, 0.0f},
    {"friction by position, XPBD", DRY_SOLVER_XPBD, DRY_ORDER_COLOR, 1.0f, 0.0f},
    {"friction by position, PBD", DRY_SOLVER_PBD, DRY_ORDER_COLOR, 1.0f, 0.0f},
    {"static friction 0.9 by position, XPBD", DRY_SOLVER_XPBD, DRY_ORDER_COLOR, 1.0f, 0.9f},
    {"static friction 0.9 by position, PBD", DRY_SOLVER_PBD, DRY_ORDER_COLOR, 1.0f, 0.9f},
    {"AVBD", DRY_SOLVER_AVBD, DRY_ORDER_COLOR, 1.0f, 0.0f},
};

enum { PYRAMID_WAYS = sizeof pyramid_ways / sizeof *pyramid_ways };

/* Adaptive relaxation compares two sweeps: beside it the same without. */
static const pyramid_way pyramid_two_sweeps[] = {
    {"two sweeps", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_COLOR, 1.0f, 0.0f},
    {"two sweeps, forward", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_FORWARD, 1.0f, 0.0f},
    {"two sweeps, forward, adaptive", DRY_SOLVER_GAUSS_SEIDEL, DRY_ORDER_FORWARD, 1.0f, 0.0f},
};

enum { PYRAMID_TWO_SWEEPS = sizeof pyramid_two_sweeps / sizeof *pyramid_two_sweeps };

enum { PYRAMID_LOOKS = 60 };

/* The fate of a pyramid: its kinetic energy at each look, and at the end how far its top sank, how far any
 * cube went sideways, and the fastest cube. A cube in quarantine makes them infinite. */
typedef struct pyramid_fate {
    double seconds[PYRAMID_LOOKS], energy[PYRAMID_LOOKS];
    int looks;
    double sank, sideways, speed, time_ms;
    int substeps; /* of its tier, at the end */
} pyramid_fate;

static void look_at_pyramid(lab_run *run, const dry_world *world, const dry_body_id *ids,
                            const dry_position *from, int bodies, pyramid_fate *fate)
{
    double top = 0.0, first = 0.0;
    fate->sideways = fate->speed = 0.0;
    for (int i = 0; i < bodies; i++) {
        const dry_position at = lab_position(run, world, ids[i]);
        dry_velocity v;
        lab_check(run, dry_body_get_velocity(world, ids[i], &v));
        const double speed[3] = {(double)v.linear.x, (double)v.linear.y, (double)v.linear.z};
        fate->speed = fmax(fate->speed, lab_length(speed, 3));
        fate->sideways = fmax(fate->sideways, hypot(at.x - from[i].x, at.z - from[i].z));
        if (from[i].y > first)
            first = from[i].y, top = at.y;
    }
    fate->sank = first - top;
    if (dry_world_statistics(world).quarantined_bodies > 0)
        fate->sank = fate->sideways = fate->speed = INFINITY;
}

static pyramid_fate hold_pyramid(lab_run *run, dry_scene *scene, const pyramid_way *way, int sweeps,
                                 bool adaptive, int steps)
{
    dry_settings settings = dry_default_settings();
    settings.sleep = false;
    settings.method.solver = way->solver;
    settings.method.order = way->order;
    settings.method.relaxation = way->relaxation;
    settings.method.relaxation_adaptive = adaptive;
    settings.sweeps_min = sweeps;
    for (int i = 0; i < scene->shape_count; i++)
        scene->shapes[i].static_friction = way->static_friction;
    dry_world *world = lab_world(run, &settings);
    dry_body_id *ids = lab_take(run, (size_t)scene->body_count, sizeof *ids);
    dry_position *from = lab_take(run, (size_t)scene->body_count, sizeof *from);
    lab_check(run, dry_scene_build(scene, world, ids));
    for (int i = 0; i < scene->body_count; i++)
        from[i] = lab_position(run, world, ids[i]);
    pyramid_fate fate = {0};
    const int every = steps > PYRAMID_LOOKS ? steps / PYRAMID_LOOKS : 1;
    clock_t spent = 0;
    for (int step = 1; step <= steps; step++) {
        const clock_t begin = clock();
        lab_check(run, dry_world_step(world, scene->dt));
        spent += clock() - begin;
        if (step % every == 0 && fate.looks < PYRAMID_LOOKS) {
            fate.seconds[fate.looks] = step * (double)scene->dt;
            fate.energy[fate.looks++] = dry_world_energy(world).kinetic_J;
        }
    }
    look_at_pyramid(run, world, ids, from, scene->body_count, &fate);
    fate.substeps = dry_world_statistics(world).substeps;
    fate.time_ms = 1e3 * (double)spent / CLOCKS_PER_SEC / steps;
    return fate;
}

/* Returns the growth of the kinetic energy in the second half, 1/s: the slope of its logarithm by least
 * squares.
 */
static double growth_of(const pyramid_fate *fate)
{
    double n = 0.0, t = 0.0, e = 0.0, tt = 0.0, te = 0.0;
    for (int i = fate->looks / 2; i < fate->looks; i++) {
        const double x = fate->seconds[i], y = log(fmax(fate->energy[i], 1e-300));
        n += 1.0, t += x, e += y, tt += x * x, te += x * y;
    }
    return (n * te - t * e) / (n * tt - t * t);
}

/* Adds what a way keeps. The bounds are those of the default: a millimeter a layer, half a side to each side,
 * and the speed below which bodies may sleep. */
static void pyramid_rows(lab_run *run, const pyramid_way *way, const pyramid_fate *fate, int base,
                         double seconds, double usual)
{
    const struct {
        const char *what;
        double value, bound;
    } values[] = {{"top sank, m", fate->sank, 1e-3 * base},
                  {"sideways, m", fate->sideways, 0.5},
                  {"fastest body, m/s", fate->speed, 0.05}};
    for (int k = 0; k < 3; k++) {
        lab_row *row = lab_add(run, "-", NAN, 0.0, values[k].value, values[k].bound,
                               "pyramid of base %d, %g s: %s, %s", base, seconds, values[k].what, way->name);
        if (way != pyramid_ways)
            lab_unbounded(row, "the chapter compares; the bound is the default's");
        lab_time(row, fate->time_ms, usual);
    }
    lab_time(lab_add(run, "-", NAN, NAN, growth_of(fate), 0.0,
                     "pyramid of base %d, %g s: growth of the kinetic energy in the second half, 1/s, %s",
                     base, seconds, way->name),
             fate->time_ms, usual);
    lab_time(lab_add(run, "-", NAN, NAN, fate->substeps, 0.0,
                     "pyramid of base %d, %g s: substeps of its tier at the end, %s", base, seconds,
                     way->name),
             fate->time_ms, usual);
}

static void hold_pyramids(lab_run *run, void *context)
{
    dry_scene *scene = context;
    char error[256];
    const int base = run->options->quick ? 6 : 100;
    if (!dry_scene_make("pyramid", base, scene, error, sizeof error))
        lab_fail(run, "the pyramid could not be made");
    lab_plot *plot = lab_add_plot(run, "pyramid", "Pyramid of base 100", "time, s", "kinetic energy, J");
    plot->log_y = true;
    double usual = NAN;
    for (int i = 0; i < PYRAMID_WAYS + PYRAMID_TWO_SWEEPS; i++) {
        lab_part(run);
        const bool two = i >= PYRAMID_WAYS, adaptive = i == PYRAMID_WAYS + PYRAMID_TWO_SWEEPS - 1;
        const pyramid_way *way = two ? &pyramid_two_sweeps[i - PYRAMID_WAYS] : &pyramid_ways[i];
        /* The two that do not stand still, one of which takes 30 times as long, show it in 10 s. */
        const bool restless = way->solver == DRY_SOLVER_PBD || way->solver == DRY_SOLVER_AVBD;
        const double seconds = run->options->quick ? 0.2 : restless ? 10.0 : 60.0;
        const pyramid_fate fate =
            hold_pyramid(run, scene, way, two ? 2 : 1, adaptive, (int)lround(seconds / (double)dt));
        usual = i == 0 ? fate.time_ms : usual;
        pyramid_rows(run, way, &fate, base, seconds, usual);
        if (i == 0 || i == PYRAMID_WAYS || way->relaxation != 1.0f || adaptive ||
            way->solver == DRY_SOLVER_XPBD || way->static_friction > 0.0f)
            lab_add_curve(run, way->name, fate.seconds, fate.energy, fate.looks);
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

/* Every method on a few scenes: error against time. */
#include "tools/lab/experiments.h"
#include "tools/lab/variants.h"

#include "tools/scenes/scenes.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char lab_choosing_text[] =
    "Each method runs each scene for two seconds from its start, with 1 to 32 substeps fixed and "
    "with the substeps of its tiers. *Error* is the largest overlap of two shapes or opening of a "
    "joint within the second second. *Time* is the mean processor time of a step of the second "
    "second over that of the default with the substeps of tiers, in the same run. *Substeps for the "
    "default's error* are the fewest fixed ones with which a method's error is that of the default "
    "with its tiers or less, while no body ends faster than twice the default's fastest and 0.05 "
    "m/s: a method that trembles or does not come so close has no row. A method that refuses a "
    "scene's joints has none either; one that sends a body into quarantine has an infinite error. "
    "Relaxed Gauss-Seidel goes forward through the colors. The plots have the errors over the time "
    "of 1 to 32 substeps, one a scene. Piles and ragdolls fall: their errors are those of single "
    "impacts, and rise and fall with the number of substeps.\n\n"
    "docs/methods.md answers which method to take, from runs of `drystone stress` that its tests repeat.\n";

typedef struct choosing_scene {
    const char *name;
    int size, quick_size;
} choosing_scene;

static const choosing_scene scenes[] = {{"spheres", 4, 2}, {"tower", 10, 3},         {"pyramid", 10, 3},
                                        {"pile", 100, 10}, {"mass-ratio", 100, 100}, {"chain", 10, 3},
                                        {"bridge", 12, 4}, {"ragdolls", 1, 1}};

enum { SCENES = sizeof scenes / sizeof *scenes, EFFORTS = 7 };

/* Substeps; 0: those of the tiers, the last one. */
static const int efforts[EFFORTS] = {1, 2, 4, 8, 16, 32, 0};

/* Speed of a body that does not tremble to the eye, m/s. */
static const double calm = 0.05;

static lab_outcome perform_one(lab_run *run, const dry_scene *scene, const lab_variant *variant, int substeps)
{
    dry_settings settings = dry_default_settings();
    settings.gravity = scene->gravity;
    settings.sleep = false;
    settings.substeps = substeps;
    lab_variant_apply(variant, &settings);
    dry_world *world = lab_world(run, &settings);
    dry_body_id *ids = lab_take(run, (size_t)scene->body_count, sizeof *ids);
    const dry_result built = dry_scene_build(scene, world, ids);
    if (built == DRY_ERROR_ARGUMENT && variant != lab_variants)
        return lab_refused();
    lab_check(run, built);
    const lab_trial trial = {world, ids, scene->body_count, scene->dt, run->options->quick ? 12 : 120, 1};
    return lab_watch(run, &trial);
}

/* One scene. It is freed however the comparison ends. */
typedef struct comparison {
    const choosing_scene *choice;
    dry_scene scene;
} comparison;

/* Adds the fewest substeps with which a method's error is the default's, while bodies end as calm. */
static void fewest_row(lab_run *run, const choosing_scene *choice, const lab_variant *v, const lab_outcome *o,
                       const lab_outcome *usual)
{
    for (int e = 0; e < EFFORTS - 1; e++)
        if (o[e].opening <= usual->opening && o[e].speed <= 2.0 * usual->speed + calm) {
            lab_time(lab_add(run, "", NAN, NAN, efforts[e], INFINITY,
                             "substeps for the default's error, %s, %s", choice->name, v->name),
                     o[e].time_ms, usual->time_ms);
            return;
        }
}

static void compare(lab_run *run, void *context)
{
    comparison *c = context;
    const choosing_scene *choice = c->choice;
    const dry_scene *scene = &c->scene;
    char error[256];
    const int size = run->options->quick ? choice->quick_size : choice->size;
    if (!dry_scene_make(choice->name, size, &c->scene, error, sizeof error))
        lab_fail(run, "a scene could not be made");
    lab_outcome o[LAB_VARIANTS][EFFORTS];
    for (int m = 0; m < LAB_VARIANTS; m++)
        for (int e = 0; e < EFFORTS; e++) {
            const bool skips = lab_variants[m].joints == DRY_JOINT_SOLVER_DIRECT && scene->joint_count == 0;
            o[m][e] = skips ? lab_refused() : perform_one(run, scene, &lab_variants[m], efforts[e]);
        }
    const double usual = o[0][EFFORTS - 1].time_ms;
    char title[LAB_TEXT];
    snprintf(title, sizeof title, "%s: error against time, 1 to 32 substeps", choice->name);
    lab_plot *plot =
        lab_add_plot(run, choice->name, title, "time of a step over the default's, this machine", "error, m");
    plot->log_x = plot->log_y = true;
    for (int m = 0; m < LAB_VARIANTS; m++) {
        double x[EFFORTS], y[EFFORTS];
        int count = 0;
        for (int e = 0; e < EFFORTS - 1; e++)
            if (!o[m][e].refused && isfinite(o[m][e].opening))
                x[count] = o[m][e].time_ms / usual, y[count++] = o[m][e].opening;
        lab_add_curve(run, lab_variants[m].name, x, y, count);
        const lab_outcome *usually = &o[m][EFFORTS - 1];
        if (usually->refused)
            continue;
        lab_row *row = lab_add(run, "", NAN, 0.0, usually->opening, INFINITY, "error, m, %s, %s",
                               choice->name, lab_variants[m].name);
        lab_unbounded(row, "the chapter compares; tests hold each method to errors of its own");
        lab_time(row, usually->time_ms, usual);
    }
    lab_time(lab_add(run, "", NAN, NAN, o[0][EFFORTS - 1].substeps, INFINITY, "substeps of its tier, %s, %s",
                     choice->name, lab_variants[0].name),
             usual, usual);
    for (int m = 0; m < LAB_VARIANTS; m++)
        fewest_row(run, choice, &lab_variants[m], o[m], &o[0][EFFORTS - 1]);
}

void lab_choosing(lab_run *run)
{
    for (int i = 0; i < SCENES; i++) {
        lab_part(run);
        comparison c = {.choice = &scenes[i]};
        lab_run inner = {.options = run->options, .result = run->result};
        const char *failure = lab_try(&inner, compare, &c);
        lab_run_end(&inner);
        dry_scene_free(&c.scene);
        if (failure)
            lab_fail(run, failure);
    }
}

/* Measures and writes a run step by step: --series, --plot (stress_run.h).
 *
 * Each step's statistics are written each step. Energy, fastest body and deepest overlap need a
 * walk over all bodies: every K steps. For 5,050 awake boxes the first two take 0.1 ms, a fortieth of a step
 * on one core. */
#include "tools/cli/series.h"
#include "tools/cli/stress_run.h"

#include <math.h>
#include <stdlib.h>

bool stress_begin_plot(stress_run *run, char *error, size_t error_bytes)
{
    const stress_options *o = &run->options;
    char reason[ERROR_BYTES - 32];
    if (o->plot != NULL && !curves_begin(&run->curves, o->warmup < o->steps ? o->warmup : o->steps / 2)) {
        snprintf(error, error_bytes, "out of memory for the plot");
        return false;
    }
    if (o->compare != NULL &&
        !curves_read(&run->compared, o->compare, run->curves.warmup, reason, sizeof reason)) {
        snprintf(error, error_bytes, "--compare %s", reason);
        return false;
    }
    return true;
}

bool stress_begin_series(stress_run *run)
{
    char error[ERROR_BYTES - 32];
    if (run->options.series == NULL && run->options.plot == NULL) {
        return true;
    }
    run->velocities = malloc(((size_t)run->scene.body_count + 1) * sizeof *run->velocities);
    if (run->velocities == NULL) {
        return stress_output_failed(run, "--series", "out of memory");
    }
    return run->options.series == NULL || series_begin(&run->outputs[OUTPUT_SERIES], error, sizeof error) ||
           stress_output_failed(run, "--series", error);
}

/* Measures what needs a walk over all bodies. Returns false if there is no memory. */
static bool measure(stress_run *run, double *row)
{
    const int count = run->scene.body_count;
    const dry_energy energy = dry_world_energy(run->world);
    row[SERIES_ENERGY] =
        energy.kinetic_J + (energy.gravitational_J - run->report.energy.origin_J) + energy.elastic_J;
    if (!run->options.no_quality) {
        dry_quality quality;
        const bool good = dry_quality_measure(&run->scene, run->world, run->ids, &quality);
        row[SERIES_PENETRATION] = quality.penetration_max_m;
        row[SERIES_SPEED] = quality.speed_max_m_s;
        return good;
    }
    double square = 0.0;
    const bool good =
        dry_world_get_motion(run->world, count, run->ids, NULL, run->velocities, NULL) == DRY_OK;
    for (int i = 0; i < count && good; i++) {
        const dry_vec3 v = run->velocities[i].linear;
        const double own = (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
        square = run->scene.bodies[i].def.type == DRY_BODY_DYNAMIC && own > square ? own : square;
    }
    row[SERIES_SPEED] = sqrt(square);
    return good;
}

bool stress_add_to_series(stress_run *run, int step, const dry_statistics *s)
{
    char error[ERROR_BYTES - 32];
    double row[SERIES_COLUMNS] = {[SERIES_STEP] = step,
                                  [SERIES_TIME] = step * (double)run->report.dt,
                                  [SERIES_STEP_MS] = s->step_ms,
                                  [SERIES_AWAKE] = s->awake_bodies,
                                  [SERIES_ISLANDS] = s->islands,
                                  [SERIES_MANIFOLDS] = s->manifolds,
                                  [SERIES_PAIRS] = s->pairs,
                                  [SERIES_SUBSTEPS] = s->substeps,
                                  [SERIES_ENERGY] = (double)NAN,
                                  [SERIES_SPEED] = (double)NAN,
                                  [SERIES_PENETRATION] = (double)NAN,
                                  [SERIES_BYTES] = (double)s->memory_bytes};
    if (run->velocities == NULL) {
        return true;
    }
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        row[SERIES_STAGES + i] = s->stage_ms[i];
    }
    if ((step % run->options.every == 0 && !measure(run, row)) ||
        (run->curves.points != NULL && !curves_add(&run->curves, row))) {
        return stress_output_failed(run, run->options.series != NULL ? "--series" : "--plot",
                                    "out of memory");
    }
    return run->options.series == NULL ||
           series_write(&run->outputs[OUTPUT_SERIES], row, error, sizeof error) ||
           stress_output_failed(run, "--series", error);
}

void stress_free_series(stress_run *run)
{
    curves_free(&run->curves);
    curves_free(&run->compared);
    free(run->velocities);
}

/* Runs the trials of a row, times their steps, and sums up their figures (joint_measure.h). */
#define _POSIX_C_SOURCE 200809L

#include "perf/joint_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void joint_fail(const char *message)
{
    fprintf(stderr, "joints: %s\n", message);
    exit(2);
}

double joint_processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double joint_quantile(double *values, int count, double q)
{
    if (count == 0)
        return 0.0;
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[(int)((double)(count - 1) * q + 0.5)];
}

static void quiet(const char *line, void *user)
{
    (void)line;
    (void)user;
}

dry_world_def joint_world_def(const joint_options *options)
{
    dry_world_def def = dry_default_world_def();
    def.threads = options->threads;
    def.log.write = quiet;
    return def;
}

/* Does one trial; ms[i] becomes the least time of step i over all repeats. Returns the number of steps, which
 * is that of the row unless they took longer than the limit. */
static int run_once(const dry_joint_row *row, int solver, int index, uint64_t seed,
                    const joint_options *options, double *ms, dry_joint_trial *trial)
{
    char error[300];
    const dry_world_def def = joint_world_def(options);
    if (!dry_row_begin(row, solver, index, seed, &def, trial, error, sizeof error))
        joint_fail(error);
    double total_ms = 0.0;
    for (int i = 0; i < row->steps; i++) {
        if (total_ms > 1e3 * options->limit_s)
            return i;
        if (!dry_joint_trial_ready(trial, error, sizeof error))
            joint_fail(error);
        const double began = joint_processor_ms();
        const dry_result done = dry_world_step(trial->world, trial->dt);
        const double took = joint_processor_ms() - began;
        if (done != DRY_OK)
            joint_fail(dry_result_name(done));
        ms[i] = fmin(ms[i], took);
        total_ms += took;
        dry_row_look(row, trial);
    }
    return row->steps;
}

static double larger(double a, double b)
{
    return a >= b || a != a ? a : b;
}

static void add_trial(joint_result *r, const dry_joint_trial *t, bool whole)
{
    const double dt = (double)t->dt;
    r->gap_mm = larger(r->gap_mm, 1e3 * t->gap_m);
    r->end_gap_mm = larger(r->end_gap_mm, 1e3 * t->end_gap_m);
    r->gap_mrad = larger(r->gap_mrad, 1e3 * t->gap_rad);
    r->end_gap_mrad = larger(r->end_gap_mrad, 1e3 * t->end_gap_rad);
    r->gained_J = larger(r->gained_J, t->gained_J);
    r->lost_J = larger(r->lost_J, t->start_J - t->end_J);
    if (t->scale_J > 0.0) {
        r->gained_share = larger(r->gained_share, t->gained_J / t->scale_J);
        r->lost_share = larger(r->lost_share, (t->start_J - t->end_J) / t->scale_J);
        r->rose += !(t->gained_J <= 0.01 * t->scale_J);
        r->above += !(t->above_J <= 0.01 * t->scale_J);
    }
    r->out += t->lost > 0;
    r->repaired += dry_world_statistics(t->world).repairs > 0;
    r->own = larger(r->own, t->own[0]);
    r->lost_bodies += t->lost;
    if (r->asleep_s >= 0.0)
        r->asleep_s = t->asleep_after < 0 ? -1.0 : fmax(r->asleep_s, dt * t->asleep_after);
    r->substeps = t->substeps > r->substeps ? t->substeps : r->substeps;
    r->corrections = t->corrections > r->corrections ? t->corrections : r->corrections;
    r->joints = t->joint_count;
    char why[JOINT_WHY] = "";
    if (!whole)
        snprintf(why, sizeof why, "stopped at the limit of time after %d steps", t->steps);
    else if (dry_row_holds(r->row, r->solver, t, why, sizeof why))
        r->held++;
    if (why[0] && !r->why[0])
        memcpy(r->why, why, sizeof why);
}

/* Returns the row as it runs in a test: few steps of a small scene. */
static dry_joint_row tiny_row(const dry_joint_row *row)
{
    dry_joint_row tiny = *row;
    const dry_joint_scene *scene = dry_joint_scene_find(row->scene);
    const int size = row->setup.size > 0 ? row->setup.size : scene->size;
    tiny.setup.size = size > 6 ? 6 : size;
    tiny.steps = row->steps > 3 ? 3 : row->steps;
    tiny.trials = row->trials > 2 ? 2 : row->trials;
    return tiny;
}

joint_result joint_measure(const dry_joint_row *row, int solver, const joint_options *options)
{
    dry_joint_row chosen = options->tiny ? tiny_row(row) : *row;
    uint64_t seed = 1;
    if (chosen.trials > 0 && !chosen.phases && options->seed_last > 0) {
        seed = options->seed_first;
        chosen.trials = (int)(options->seed_last - options->seed_first) + 1;
    }
    const int trials = dry_row_trials(&chosen);
    joint_result r = {.row = row, .solver = solver, .trials = trials, .times_hold = true};
    const int steps_max = trials * chosen.steps;
    double *ms = malloc((size_t)steps_max * sizeof *ms);
    if (!ms)
        joint_fail("out of memory");
    for (int i = 0; i < steps_max; i++)
        ms[i] = INFINITY;
    for (int index = 0; index < trials; index++) {
        uint64_t first = 0;
        int done = chosen.steps;
        for (int repeat = 0; repeat < options->repeats && done == chosen.steps; repeat++) {
            dry_joint_trial trial;
            done = run_once(&chosen, solver, index, seed, options, ms + r.steps, &trial);
            const uint64_t hash = dry_world_motion_hash(trial.world);
            if (repeat == 0)
                add_trial(&r, &trial, done == chosen.steps);
            else if (hash != first && done == chosen.steps)
                joint_fail("repeats of one row end in different states");
            first = hash;
            dry_joint_trial_end(&trial);
        }
        r.steps += done;
        r.hash = r.hash * 0x100000001b3u ^ first;
    }
    for (int i = 0; i < r.steps; i++)
        r.total_ms += ms[i];
    r.median_ms = joint_quantile(ms, r.steps, 0.5);
    r.p99_ms = ms[(int)((double)(r.steps - 1) * 0.99 + 0.5)];
    r.longest_ms = ms[r.steps - 1];
    free(ms);
    return r;
}

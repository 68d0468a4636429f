/* The life of an experiment, and its result (lab.h, run.h). */
#include "tools/lab/lab.h"

#include "tools/lab/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct lab_chunk {
    struct lab_chunk *next;
    max_align_t memory[];
} lab_chunk;

static void free_chunks(lab_chunk **chunks)
{
    while (*chunks) {
        lab_chunk *next = (*chunks)->next;
        free(*chunks);
        *chunks = next;
    }
}

void lab_fail(lab_run *run, const char *why)
{
    run->failure = why;
    longjmp(run->failed, 1);
}

void lab_check(lab_run *run, dry_result result)
{
    if (result != DRY_OK)
        lab_fail(run, dry_result_name(result));
}

static void *take(lab_run *run, lab_chunk **chunks, size_t count, size_t bytes)
{
    lab_chunk *chunk = NULL;
    if (count <= (SIZE_MAX - sizeof *chunk) / bytes)
        chunk = calloc(1, sizeof *chunk + count * bytes);
    if (!chunk)
        lab_fail(run, "out of memory");
    chunk->next = *chunks;
    *chunks = chunk;
    return chunk->memory;
}

void *lab_take(lab_run *run, size_t count, size_t bytes)
{
    return take(run, &run->chunks, count, bytes);
}

double *lab_doubles(lab_run *run, int count)
{
    return lab_take(run, (size_t)count, sizeof(double));
}

/* Returns room for one more element at the end of an array, which may move. */
static void *grow(lab_run *run, void *array, int count, int *capacity, size_t bytes)
{
    if (count < *capacity)
        return array;
    void *grown = realloc(array, (size_t)(2 * count + 8) * bytes);
    if (!grown)
        lab_fail(run, "out of memory");
    *capacity = 2 * count + 8;
    return grown;
}

lab_row *lab_add(lab_run *run, const char *source, double predicted, double exact, double measured,
                 double tolerance, const char *quantity, ...)
{
    lab_result *r = run->result;
    r->rows = grow(run, r->rows, r->row_count, &r->row_capacity, sizeof *r->rows);
    lab_row *row = &r->rows[r->row_count++];
    *row = (lab_row){.predicted = predicted,
                     .exact = exact,
                     .measured = measured,
                     .tolerance = tolerance,
                     .time_ms = NAN,
                     .time = NAN};
    snprintf(row->source, sizeof row->source, "%s", source);
    va_list arguments;
    va_start(arguments, quantity);
    vsnprintf(row->quantity, sizeof row->quantity, quantity, arguments);
    va_end(arguments);
    return row;
}

void lab_unbounded(lab_row *row, const char *why)
{
    row->tolerance = INFINITY;
    row->why = why;
}

void lab_bound(lab_row *row, lab_relation relation)
{
    row->relation = relation;
}

void lab_uncertain(lab_row *row, double error)
{
    row->error = error;
}

void lab_time(lab_row *row, double time_ms, double default_ms)
{
    row->time_ms = time_ms;
    row->time = time_ms / default_ms;
}

lab_plot *lab_add_plot(lab_run *run, const char *name, const char *title, const char *x_label,
                       const char *y_label)
{
    lab_result *r = run->result;
    r->plots = grow(run, r->plots, r->plot_count, &r->plot_capacity, sizeof *r->plots);
    lab_plot *plot = &r->plots[r->plot_count++];
    *plot = (lab_plot){0};
    snprintf(plot->name, sizeof plot->name, "%s", name);
    snprintf(plot->title, sizeof plot->title, "%s", title);
    snprintf(plot->x_label, sizeof plot->x_label, "%s", x_label);
    snprintf(plot->y_label, sizeof plot->y_label, "%s", y_label);
    return plot;
}

void lab_add_curve(lab_run *run, const char *name, const double *x, const double *y, int count)
{
    lab_result *r = run->result;
    lab_plot *plot = &r->plots[r->plot_count - 1];
    if (plot->series_count == LAB_SERIES_MAX || count == 0)
        return;
    lab_chunk *curves = r->memory;
    double *copy = take(run, &curves, 2 * (size_t)count, sizeof *copy);
    r->memory = curves;
    memcpy(copy, x, (size_t)count * sizeof *copy);
    memcpy(copy + count, y, (size_t)count * sizeof *copy);
    lab_series *series = &plot->series[plot->series_count++];
    *series = (lab_series){.x = copy, .y = copy + count, .count = count};
    snprintf(series->name, sizeof series->name, "%s", name);
}

void lab_add_sequence(lab_run *run, const char *name, double first, const double *y, int count)
{
    double *x = lab_doubles(run, count);
    for (int i = 0; i < count; i++)
        x[i] = first + i;
    lab_add_curve(run, name, x, y, count);
}

void lab_part(lab_run *run)
{
    const lab_options *o = run->options;
    const lab_experiment *e = run->result->experiment;
    free_chunks(&run->chunks);
    dry_world_destroy(run->world);
    run->world = NULL;
    if (o->progress && !o->progress(e->name, run->part, e->parts, o->user))
        lab_fail(run, "interrupted");
    run->part++;
}

dry_settings lab_settings(int sweeps)
{
    dry_settings settings = dry_default_settings();
    settings.gravity = (dry_vec3){0.0f, 0.0f, 0.0f};
    settings.substeps = 1;
    settings.sweeps = sweeps;
    settings.relax_sweeps = 0;
    settings.warm_start = false;
    settings.sleep = false;
    return settings;
}

dry_world *lab_world(lab_run *run, const dry_settings *settings)
{
    dry_world_destroy(run->world);
    run->world = NULL;
    dry_world_def def = dry_default_world_def();
    def.settings = *settings;
    def.threads = run->options->threads > 0 ? run->options->threads : 1;
    def.tag = 1;
    def.count_stage_times = false;
    lab_check(run, dry_world_create(&def, &run->world));
    return run->world;
}

const char *lab_try(lab_run *run, void (*work)(lab_run *run, void *context), void *context)
{
    run->failure = NULL;
    if (setjmp(run->failed) == 0)
        work(run, context);
    return run->failure;
}

void lab_run_end(lab_run *run)
{
    free_chunks(&run->chunks);
    dry_world_destroy(run->world);
    run->world = NULL;
}

static void perform(lab_run *run, void *context)
{
    (void)context;
    run->result->experiment->perform(run);
}

const char *lab_perform(const lab_experiment *experiment, const lab_options *options, lab_result *result)
{
    lab_run run = {.options = options, .result = result};
    *result = (lab_result){.experiment = experiment};
    const char *failure = lab_try(&run, perform, NULL);
    lab_run_end(&run);
    return failure;
}

void lab_result_free(lab_result *result)
{
    lab_chunk *curves = result->memory;
    free_chunks(&curves);
    free(result->rows);
    free(result->plots);
    *result = (lab_result){0};
}

double lab_row_difference(const lab_row *row)
{
    double from = isnan(row->exact) ? row->predicted : row->exact;
    return from == 0.0 ? row->measured : (row->measured - from) / fabs(from);
}

bool lab_row_holds(const lab_row *row)
{
    if (isnan(row->exact) && isnan(row->predicted))
        return !isnan(row->measured);
    const double difference = lab_row_difference(row);
    return row->relation == LAB_AT_MOST    ? difference <= row->tolerance
           : row->relation == LAB_AT_LEAST ? difference >= -row->tolerance
                                           : fabs(difference) <= row->tolerance;
}

/* Opens and writes the files of `drystone stress` (stress_run.h). A file that cannot be written never stops
 * the others from being written. */
#include "tools/cli/stress_run.h"

#include "tools/cli/final_state.h"
#include "tools/cli/picture/picture.h"
#include "tools/cli/plot/sheet.h"
#include "tools/cli/terminal.h"
#include "tools/cli/trace.h"

#include <errno.h>
#include <string.h>

static const char *const option_names[OUTPUT_COUNT] = {"--report",    "--final", "--trace",  "--picture",
                                                       "--scene-out", "--save",  "--record", "--film",
                                                       "--series",    "--plot"};

bool stress_open_outputs(stress_run *run, char *error, size_t error_bytes)
{
    const stress_options *o = &run->options;
    const char *const paths[OUTPUT_COUNT] = {o->report, o->final,  o->trace, o->picture, o->scene_out,
                                             o->save,   o->record, o->film,  o->series,  o->plot};
    char reason[ERROR_BYTES - 32];
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        if (paths[i] == NULL) {
            continue;
        }
        output_file *file = &run->outputs[i];
        if (i == OUTPUT_SERIES ? !output_file_open_growing(file, paths[i], reason, sizeof reason)
                               : !output_file_open(file, paths[i], reason, sizeof reason)) {
            snprintf(error, error_bytes, "%s %s", option_names[i], reason);
            return false;
        }
        for (int j = 0; j < i; j++) {
            if (output_file_same(&run->outputs[i], &run->outputs[j])) {
                snprintf(error, error_bytes, "%s %s: expected another file than that of %s", option_names[i],
                         paths[i], option_names[j]);
                return false;
            }
        }
    }
    return stress_begin_plot(run, error, error_bytes) && stress_begin_frames(run, error, error_bytes);
}

int stress_worse(int status_a, int status_b)
{
    return status_a > status_b ? status_a : status_b;
}

/* Completes a file. `fault` tells why its content could not be made, or is null if it was written. */
static int finish_output(stress_run *run, int which, const char *fault)
{
    output_file *file = &run->outputs[which];
    char error[ERROR_BYTES];
    if (fault != NULL && !ferror(file->stream)) {
        terminal_error("%s %s: %s", option_names[which], file->path, fault);
        output_file_discard(file);
        return STATUS_FAILED;
    }
    bool good = fault == NULL ? output_file_commit(file, error, sizeof error)
                              : output_file_flush(file, error, sizeof error);
    if (!good) {
        terminal_error("%s %s", option_names[which], error);
    }
    output_file_discard(file);
    return good ? STATUS_DONE : STATUS_FAILED;
}

int stress_write_scene(stress_run *run)
{
    FILE *stream = run->outputs[OUTPUT_SCENE].stream;
    char error[ERROR_BYTES];
    if (stream == NULL) {
        return STATUS_DONE;
    }
    errno = 0;
    bool good = dry_scene_print(&run->scene, stream, error, sizeof error);
    return finish_output(run, OUTPUT_SCENE, good ? NULL : error);
}

bool stress_trace_step(stress_run *run, int step, double start_ms, const dry_statistics *statistics)
{
    output_file *file = &run->outputs[OUTPUT_TRACE];
    char error[ERROR_BYTES - 32];
    if (file->stream == NULL) {
        return true;
    }
    errno = 0;
    trace_step(file->stream, step, start_ms, statistics, run->world);
    if (output_file_flush(file, error, sizeof error)) {
        return true;
    }
    output_file_discard(file);
    return stress_output_failed(run, option_names[OUTPUT_TRACE], error);
}

int stress_finish_record(stress_run *run)
{
    return run->outputs[OUTPUT_RECORD].stream == NULL ? STATUS_DONE : finish_output(run, OUTPUT_RECORD, NULL);
}

static int write_picture(stress_run *run)
{
    picture_request request = {.scene = &run->scene,
                               .world = run->world,
                               .ids = run->ids,
                               .tint = run->options.picture_by,
                               .steps = run->report.steps,
                               .time_s = run->report.steps * (double)run->report.dt,
                               .threads = dry_world_threads(run->world)};
    char error[ERROR_BYTES];
    progress_note(&run->progress, "drawing the picture");
    bool good = picture_write(run->outputs[OUTPUT_PICTURE].stream, &request, error, sizeof error);
    int reason = errno;
    progress_clear(&run->progress);
    errno = reason;
    return finish_output(run, OUTPUT_PICTURE, good ? NULL : error);
}

int stress_write_outputs(stress_run *run)
{
    int status = STATUS_DONE;
    FILE *final = run->outputs[OUTPUT_FINAL].stream, *trace = run->outputs[OUTPUT_TRACE].stream;
    FILE *report = run->outputs[OUTPUT_REPORT].stream;
    if (trace != NULL) {
        errno = 0;
        trace_end(trace);
        status = stress_worse(status, finish_output(run, OUTPUT_TRACE, NULL));
    }
    if (run->outputs[OUTPUT_SAVE].stream != NULL) {
        errno = 0;
        const dry_result result = stress_write_save(run, run->outputs[OUTPUT_SAVE].stream);
        status = stress_worse(
            status, finish_output(run, OUTPUT_SAVE, result == DRY_OK ? NULL : dry_result_name(result)));
    }
    if (final != NULL) {
        errno = 0;
        bool good = final_state_write(final, &run->scene, run->world, run->ids);
        status = stress_worse(status, finish_output(run, OUTPUT_FINAL, good ? NULL : "out of memory"));
    }
    if (report != NULL) {
        errno = 0;
        bool good = report_write_json(report, &run->report);
        status = stress_worse(status, finish_output(run, OUTPUT_REPORT, good ? NULL : "out of memory"));
    }
    if (run->outputs[OUTPUT_SERIES].stream != NULL) {
        errno = 0;
        status = stress_worse(status, finish_output(run, OUTPUT_SERIES, NULL));
    }
    if (run->outputs[OUTPUT_PLOT].stream != NULL) {
        char error[ERROR_BYTES] = "out of memory";
        errno = 0;
        const bool good = sheet_write(run->outputs[OUTPUT_PLOT].stream,
                                      run->options.plot[strlen(run->options.plot) - 3] == 's', &run->report,
                                      &run->curves, run->compared.points != NULL ? &run->compared : NULL,
                                      run->options.compare, error, sizeof error);
        status = stress_worse(status, finish_output(run, OUTPUT_PLOT, good ? NULL : error));
    }
    if (run->outputs[OUTPUT_FILM].stream != NULL) {
        char error[ERROR_BYTES];
        errno = 0;
        const bool good = stress_end_film(run, error, sizeof error);
        status = stress_worse(status, finish_output(run, OUTPUT_FILM, good ? NULL : error));
    }
    if (run->outputs[OUTPUT_PICTURE].stream != NULL) {
        status = stress_worse(status, write_picture(run));
    }
    return status;
}

/* Runs `drystone stress`: a scene, and the outputs that the options ask for.
 *
 * Order: options, scene, output files opened, world, steps, outputs. Files are opened first so that a long
 * run cannot end in a file that cannot be written. */
#define _XOPEN_SOURCE 700
#include "cli/commands.h"
#include "cli/final_state.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/picture/picture.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/trace.h"
#include "scenes/measure/resident.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define ERROR_BYTES 1024
#define LOG_LINES_MAX 20
#define ENERGY_EVERY 30 /* steps */

enum { OUTPUT_REPORT, OUTPUT_FINAL, OUTPUT_TRACE, OUTPUT_PICTURE, OUTPUT_SCENE, OUTPUT_COUNT };

typedef struct stress_run {
    stress_options options;
    dry_scene scene;
    dry_world *world;
    dry_body_id *ids;
    size_t resident_before; /* bytes of the process before the world is created */
    output_file outputs[OUTPUT_COUNT];
    FILE *lines; /* the stream for hashes */
    progress progress;
    counters counters;
    samples times;
    run_report report;
    char log_line[ERROR_BYTES]; /* the last line of the library's log */
    int log_count;
    bool running;
} stress_run;

static volatile sig_atomic_t stop_signal;

/* Asks the run to stop at the first signal. At the second, removes temporary files and ends the process. */
static void handle_stop(int signal_number)
{
    if (stop_signal != 0) {
        output_file_remove_temporaries();
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    stop_signal = signal_number;
}

static void catch_stop_signals(void)
{
    struct sigaction action = {.sa_handler = handle_stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void complain(const char *line)
{
    fprintf(stderr, "drystone: %s\n", line);
}

/* Prints a line of the library's log at once while steps run (a quarantined body). Before the first step,
 * keeps the line, which becomes part of the one message about the failure. */
static void take_log_line(const char *line, void *user)
{
    stress_run *run = user;
    snprintf(run->log_line, sizeof run->log_line, "%s", line);
    if (run->running && run->log_count++ < LOG_LINES_MAX) {
        progress_clear(&run->progress);
        complain(line);
        if (run->log_count == LOG_LINES_MAX) {
            complain("further lines of the log are left out; the report counts quarantined bodies");
        }
    }
}

static bool load_scene(stress_run *run, char *error)
{
    const stress_options *o = &run->options;
    bool good = o->scene_is_file ? dry_scene_read(o->scene, &run->scene, error, ERROR_BYTES)
                                 : dry_scene_make(o->scene, o->size, &run->scene, error, ERROR_BYTES);
    if (!good) {
        return false;
    }
    float dt = o->dt > 0.0f ? o->dt : run->scene.dt;
    if (!(dt > 0.0f && dt <= 1.0f)) {
        snprintf(error, ERROR_BYTES, "%s: dt: expected a number above 0 and at most 1, got %g", o->scene,
                 (double)dt);
        return false;
    }
    run->report.dt = dt;
    if (o->disorder > 0.0f) {
        dry_scene_disorder(&run->scene, (double)o->disorder, (uint64_t)o->seed);
    }
    return true;
}

static bool open_outputs(stress_run *run, char *error)
{
    static const char *const names[OUTPUT_COUNT] = {"--report", "--final", "--trace", "--picture",
                                                    "--scene-out"};
    const stress_options *o = &run->options;
    const char *const paths[OUTPUT_COUNT] = {o->report, o->final, o->trace, o->picture, o->scene_out};
    char reason[ERROR_BYTES];
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        if (paths[i] == NULL) {
            continue;
        }
        if (!output_file_open(&run->outputs[i], paths[i], reason, sizeof reason)) {
            snprintf(error, ERROR_BYTES, "%s %.900s", names[i], reason);
            return false;
        }
        for (int j = 0; j < i; j++) {
            if (output_file_same(&run->outputs[i], &run->outputs[j])) {
                snprintf(error, ERROR_BYTES, "%s %s: expected another file than that of %s", names[i],
                         paths[i], names[j]);
                return false;
            }
        }
    }
    return true;
}

/* Gives the scene writer the path of the temporary file, since the writer opens its file itself. */
static int write_scene(stress_run *run)
{
    output_file *file = &run->outputs[OUTPUT_SCENE];
    char error[ERROR_BYTES];
    if (file->stream == NULL) {
        return STATUS_DONE;
    }
    const char *path = file->temporary != NULL ? file->temporary : file->target;
    if (!dry_scene_write(&run->scene, path, error, sizeof error)) {
        fprintf(stderr, "drystone: --scene-out %s: %s\n", file->path, error);
        output_file_discard(file);
        return STATUS_FAILED;
    }
    if (!output_file_commit(file, error, sizeof error)) {
        fprintf(stderr, "drystone: --scene-out %s\n", error);
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

static int library_failed(stress_run *run, const char *what, dry_result result)
{
    const char *place = run->options.scene_is_file ? run->options.scene : run->scene.name;
    fprintf(stderr, "drystone: %s: %s: %s%s%s\n", place, what, dry_result_name(result),
            run->log_line[0] != '\0' ? ": " : "", run->log_line);
    return result == DRY_ERROR_MEMORY ? STATUS_FAILED : STATUS_USAGE;
}

static int create_world(stress_run *run)
{
    const stress_options *o = &run->options;
    dry_world_def def = dry_default_world_def();
    def.settings = o->settings;
    def.settings.gravity = run->scene.gravity;
    def.threads = o->threads;
    def.isa = o->isa;
    def.log = (dry_log){take_log_line, run};
    def.trace_workers = run->outputs[OUTPUT_TRACE].stream != NULL;
    if (o->counters) {
        run->report.counters = &run->counters;
        if (counters_open(&run->counters, NULL)) {
            def.hook = counters_hook(&run->counters);
        } else {
            fprintf(stderr, "drystone: --counters: %s\n", run->counters.refused);
        }
    }
    run->resident_before = dry_resident_bytes();
    dry_result result = dry_world_create(&def, &run->world);
    if (result != DRY_OK) {
        return library_failed(run, "the world could not be created", result);
    }
    run->report.empty_bytes = dry_world_statistics(run->world).memory_bytes;
    run->ids = calloc((size_t)run->scene.body_count + 1, sizeof *run->ids);
    if (run->ids == NULL) {
        complain("out of memory");
        return STATUS_FAILED;
    }
    result = dry_scene_build(&run->scene, run->world, run->ids);
    if (result != DRY_OK) {
        return library_failed(run, "the scene could not be built", result);
    }
    return STATUS_DONE;
}

static bool record_step(stress_run *run, int step, double start_ms, const dry_statistics *statistics)
{
    const stress_options *o = &run->options;
    double row[1 + DRY_STAGE_COUNT];
    row[0] = statistics->step_ms;
    memcpy(row + 1, statistics->stage_ms, sizeof statistics->stage_ms);
    if (!samples_add(&run->times, row)) {
        run->report.failure = "out of memory for the timings";
        return false;
    }
    if (run->outputs[OUTPUT_TRACE].stream != NULL) {
        trace_step(run->outputs[OUTPUT_TRACE].stream, step, start_ms, statistics, run->world);
    }
    if (o->hash_every > 0 && step % o->hash_every == 0) {
        progress_clear(&run->progress);
        fprintf(run->lines, "%d %016llx\n", step, (unsigned long long)dry_world_hash(run->world));
        if (ferror(run->lines)) {
            run->report.failure = "the hashes could not be written";
            return false;
        }
    }
    return true;
}

static void run_steps(stress_run *run)
{
    run_report *r = &run->report;
    const stress_options *o = &run->options;
    double begin = now_ms();
    progress_begin(&run->progress, stderr, !o->quiet, o->steps, begin);
    int warmup = o->warmup < o->steps ? o->warmup : o->steps / 2;
    uint64_t allocations = 0, warmup_allocations = 0;
    r->has_energy = dry_scene_keeps_energy(&run->scene);
    dry_energy_begin(&r->energy, run->world);
    run->running = true;
    for (int step = 1; step <= o->steps && stop_signal == 0; step++) {
        if (step == warmup + 1) {
            counters_clear(&run->counters);
        }
        double start = now_ms();
        dry_result result = dry_world_step(run->world, r->dt);
        if (result != DRY_OK) {
            r->failure = dry_result_name(result);
            break;
        }
        dry_statistics statistics = dry_world_statistics(run->world);
        r->steps = step;
        r->substeps = statistics.substeps > r->substeps ? statistics.substeps : r->substeps;
        if (step == warmup + 1) { /* a run that stops earlier is timed from its first step */
            samples_free(&run->times);
            samples_init(&run->times, 1 + DRY_STAGE_COUNT);
            warmup_allocations = allocations;
            r->warmup = warmup;
        }
        if (!record_step(run, step, start - begin, &statistics)) {
            break;
        }
        if (step % ENERGY_EVERY == 0) {
            dry_energy_look(&r->energy, run->world);
        }
        allocations = statistics.allocations_in_steps;
        progress_step(&run->progress, step, now_ms(), &statistics);
    }
    run->running = false;
    r->wall_s = (now_ms() - begin) * 1e-3;
    dry_energy_look(&r->energy, run->world);
    r->interrupted = r->steps < o->steps && r->failure == NULL;
    r->statistics = dry_world_statistics(run->world);
    r->allocations_in_steps = r->statistics.allocations_in_steps - warmup_allocations;
    r->hash = dry_world_hash(run->world);
}

/* Fills in the part of the report that is known only after the last step. */
static int fill_report(stress_run *run)
{
    run_report *r = &run->report;
    const stress_options *o = &run->options;
    struct rusage usage;
    r->scene = run->scene.name;
    r->steps_asked = o->steps;
    r->solver = o->settings.solver;
    r->substeps_set = o->settings.substeps;
    r->sleep = o->settings.sleep;
    r->threads = dry_world_threads(run->world);
    r->isa = dry_world_isa(run->world);
    r->times = &run->times;
    /* Read before the measurement and the picture take memory that is not the run's. */
    r->engine_bytes = dry_resident_since(run->resident_before);
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        r->peak_rss_bytes = (size_t)usage.ru_maxrss * 1024; /* KiB on Linux */
    }
    if (o->no_quality) {
        return STATUS_DONE;
    }
    progress_note(&run->progress, "measuring penetration and motion");
    r->has_quality = dry_quality_measure(&run->scene, run->world, run->ids, &r->quality);
    progress_clear(&run->progress);
    if (!r->has_quality) {
        complain("out of memory while measuring the quality; the report goes without it");
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

static int finish_output(stress_run *run, int which, bool written, const char *reason)
{
    char error[ERROR_BYTES];
    if (!written) {
        fprintf(stderr, "drystone: %s: %s\n", run->outputs[which].path, reason);
        output_file_discard(&run->outputs[which]);
        return STATUS_FAILED;
    }
    if (!output_file_commit(&run->outputs[which], error, sizeof error)) {
        complain(error);
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

static int worse(int a, int b)
{
    return a > b ? a : b;
}

static int write_outputs(stress_run *run)
{
    int status = STATUS_DONE;
    char error[ERROR_BYTES];
    FILE *final = run->outputs[OUTPUT_FINAL].stream, *trace = run->outputs[OUTPUT_TRACE].stream;
    FILE *picture = run->outputs[OUTPUT_PICTURE].stream, *report = run->outputs[OUTPUT_REPORT].stream;
    if (trace != NULL) {
        trace_end(trace);
        status = worse(status, finish_output(run, OUTPUT_TRACE, true, ""));
    }
    if (final != NULL) {
        bool good = final_state_write(final, &run->scene, run->world, run->ids);
        status = worse(status, finish_output(run, OUTPUT_FINAL, good, "out of memory"));
    }
    if (report != NULL) {
        bool good = report_write_json(report, &run->report) || ferror(report);
        status = worse(status, finish_output(run, OUTPUT_REPORT, good, "out of memory"));
    }
    if (picture != NULL) {
        picture_request request = {.scene = &run->scene,
                                   .world = run->world,
                                   .ids = run->ids,
                                   .tint = run->options.picture_by,
                                   .steps = run->report.steps,
                                   .time_s = run->report.steps * (double)run->report.dt};
        progress_note(&run->progress, "drawing the picture");
        bool good = picture_write(picture, &request, error, sizeof error);
        progress_clear(&run->progress);
        status = worse(status, finish_output(run, OUTPUT_PICTURE, good, error));
    }
    return status;
}

static int execute(stress_run *run)
{
    char error[ERROR_BYTES] = "";
    const stress_options *o = &run->options;
    catch_stop_signals();
    if (!load_scene(run, error) || !open_outputs(run, error)) {
        complain(error);
        return STATUS_USAGE;
    }
    bool stream_taken = false;
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        stream_taken = stream_taken || run->outputs[i].stream == stdout;
    }
    run->lines = stream_taken ? stderr : stdout;
    int status = create_world(run);
    if (status != STATUS_DONE) {
        return status;
    }
    status = write_scene(run);
    if (run->outputs[OUTPUT_TRACE].stream != NULL) {
        trace_begin(run->outputs[OUTPUT_TRACE].stream, run->scene.name, dry_world_threads(run->world));
    }
    run_steps(run);
    progress_clear(&run->progress);
    if (run->report.failure != NULL || run->report.interrupted) {
        fprintf(stderr, "drystone: %s: stopped after %d of %d steps: %s\n", run->scene.name,
                run->report.steps, o->steps,
                run->report.failure != NULL ? run->report.failure : "interrupted");
        status = STATUS_FAILED;
    }
    status = worse(status, fill_report(run));
    status = worse(status, write_outputs(run));
    if (!o->quiet && !stream_taken) {
        report_print(stdout, &run->report);
    }
    return status;
}

int stress_command(int count, char **arguments)
{
    stress_run run = {0};
    char error[ERROR_BYTES] = "";
    if (!stress_options_parse(count, arguments, &run.options, error, sizeof error)) {
        complain(error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        stress_options_help(stdout);
        return finish_standard_output();
    }
    samples_init(&run.times, 1 + DRY_STAGE_COUNT);
    int status = execute(&run);
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        output_file_discard(&run.outputs[i]);
    }
    counters_close(&run.counters);
    dry_world_destroy(run.world);
    free(run.ids);
    samples_free(&run.times);
    dry_scene_free(&run.scene);
    return worse(status, finish_standard_output());
}

/* Runs `drystone stress`: a scene, and the outputs that the options ask for.
 *
 * Order: options, scene, output files opened, world, steps, outputs. Files are opened first so that a long
 * run cannot end in a file that cannot be written. */
#define _XOPEN_SOURCE 700
#include "tools/cli/commands.h"
#include "tools/cli/stop.h"
#include "tools/cli/stress_run.h"
#include "tools/cli/terminal.h"
#include "tools/cli/trace.h"
#include "tools/scenes/measure/resident.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define LOG_LINES_MAX 20
#define ENERGY_EVERY 30 /* steps */

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Prints a line of the library's log at once while steps run (a quarantined body). Before the first step,
 * keeps the line, which becomes part of the one message about the failure. */
static void take_log_line(const char *line, void *user)
{
    stress_run *run = user;
    snprintf(run->log_line, sizeof run->log_line, "%s", line);
    if (run->running && run->log_count++ < LOG_LINES_MAX) {
        progress_clear(&run->progress);
        terminal_error("%s", line);
        if (run->log_count == LOG_LINES_MAX) {
            terminal_error("further lines of the log are left out; the report counts quarantined bodies");
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
    run->report.dt = o->dt > 0.0f ? o->dt : run->scene.dt;
    run->report.scene = run->scene.name;
    if (o->disorder > 0.0f) {
        dry_scene_disorder(&run->scene, (double)o->disorder, (uint64_t)o->seed);
    }
    return true;
}

static int library_failed(stress_run *run, const char *what, dry_result result)
{
    const char *place = run->options.scene_is_file ? run->options.scene : run->scene.name;
    terminal_error("%s: %s: %s%s%s", place, what, dry_result_name(result),
                   run->log_line[0] != '\0' ? ": " : "", run->log_line);
    return result == DRY_ERROR_MEMORY ? STATUS_FAILED : STATUS_USAGE;
}

static int create_world(stress_run *run)
{
    const stress_options *o = &run->options;
    dry_world_def def = dry_default_world_def();
    def.tag = 1; /* a save has the ids of its world */
    def.settings = o->settings;
    def.settings.gravity = run->scene.gravity;
    def.threads = o->threads;
    def.team = o->team;
    def.isa = o->isa;
    def.log = (dry_log){take_log_line, run};
    if (run->outputs[OUTPUT_RECORD].stream != NULL) {
        def.recording.sink = (dry_sink){stress_write_to_stream, run->outputs[OUTPUT_RECORD].stream};
    }
    def.trace_workers = run->outputs[OUTPUT_TRACE].stream != NULL;
    if (o->counters) {
        run->report.counters = &run->counters;
        if (counters_open(&run->counters, NULL)) {
            def.hook = counters_hook(&run->counters);
        } else {
            terminal_error("--counters: %s", run->counters.refused);
        }
    }
    run->def = def;
    run->resident_before = dry_resident_bytes();
    dry_result result = dry_world_create(&def, &run->world);
    if (result != DRY_OK) {
        return library_failed(run, "the world could not be created", result);
    }
    run->report.empty_bytes = dry_world_statistics(run->world).memory_bytes;
    run->ids = calloc((size_t)run->scene.body_count + 1, sizeof *run->ids);
    if (run->ids == NULL) {
        terminal_error("out of memory");
        return STATUS_FAILED;
    }
    result = dry_scene_build(&run->scene, run->world, run->ids);
    if (result != DRY_OK) {
        return library_failed(run, "the scene could not be built", result);
    }
    for (int i = 0; i < run->scene.body_count; i++) { /* events name a body by its id alone */
        dry_body_set_user_data(run->world, run->ids[i], (uint64_t)i);
    }
    char error[ERROR_BYTES];
    if (o->load != NULL && !stress_load(run, error, sizeof error)) {
        terminal_error("%s", error);
        return STATUS_USAGE;
    }
    if (o->rollback > 0) {
        result = dry_world_create_history(run->world, o->rollback, &run->history);
    }
    return result == DRY_OK ? STATUS_DONE : library_failed(run, "--rollback", result);
}

/* Prints a line at once, for a reader at the other end of a pipe. */
static bool print_hash(stress_run *run, int step)
{
    progress_clear(&run->progress);
    errno = 0;
    if (fprintf(run->lines, "%d %016llx\n", step, (unsigned long long)dry_world_hash(run->world)) < 0 ||
        fflush(run->lines) != 0) {
        snprintf(run->failure, sizeof run->failure, "the hashes could not be written to standard %s (%s)",
                 run->lines == stdout ? "output" : "error", strerror(errno));
        run->report.failure = run->failure;
        return false;
    }
    return true;
}

/* Counts the dynamic bodies that a step put into quarantine. Nothing takes them out again. */
static void count_quarantined(stress_run *run, int step)
{
    run_report *r = &run->report;
    dry_events events = dry_world_events(run->world);
    for (int i = 0; i < events.quarantine_count; i++) {
        dry_body_def def;
        if (dry_body_get_def(run->world, events.quarantines[i].body, &def) != DRY_OK ||
            def.type != DRY_BODY_DYNAMIC) {
            continue;
        }
        if (r->quarantined_dynamic++ == 0) {
            r->quarantined_first = run->scene.bodies[def.user_data].id;
            r->quarantined_first_step = step;
        }
    }
}

/* Keeps the largest counts of articulations, and the sums of their corrections and iterations. */
static void count_articulations(dry_articulation_statistics *sum, const dry_articulation_statistics *s)
{
    sum->count = s->count > sum->count ? s->count : sum->count;
    sum->joints = s->joints > sum->joints ? s->joints : sum->joints;
    sum->rows = s->rows > sum->rows ? s->rows : sum->rows;
    sum->redundant_rows = s->redundant_rows > sum->redundant_rows ? s->redundant_rows : sum->redundant_rows;
    sum->raised_pivots = s->raised_pivots > sum->raised_pivots ? s->raised_pivots : sum->raised_pivots;
    sum->nonzeros = s->nonzeros > sum->nonzeros ? s->nonzeros : sum->nonzeros;
    sum->corrections += s->corrections;
    sum->iterations += s->iterations;
    sum->iterations_max = s->iterations_max > sum->iterations_max ? s->iterations_max : sum->iterations_max;
}

/* Adds a step's time that no stage has. With several workers it is how long the step waited for them to begin
 * and to end; stages that were not timed tell nothing. */
static void count_outside(run_report *r, const dry_statistics *statistics)
{
    double outside = statistics->step_ms;
    for (int i = 0; i < DRY_STAGE_COUNT; i++) {
        outside -= statistics->stage_ms[i];
    }
    if (outside < statistics->step_ms) {
        r->outside_ms += outside;
        r->outside_max_ms = outside > r->outside_max_ms ? outside : r->outside_max_ms;
        r->staged_ms += statistics->step_ms;
    }
}

static long lost_cores(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static bool record_step(stress_run *run, int step, double start_ms, const dry_statistics *statistics)
{
    const stress_options *o = &run->options;
    double row[1 + DRY_STAGE_COUNT];
    row[0] = statistics->step_ms;
    memcpy(row + 1, statistics->stage_ms, sizeof statistics->stage_ms);
    count_outside(&run->report, statistics);
    if (!samples_add(&run->times, row)) {
        run->report.failure = "out of memory for the timings";
        return false;
    }
    return stress_trace_step(run, step, start_ms, statistics) &&
           (o->hash_every == 0 || step % o->hash_every != 0 || print_hash(run, step));
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
    r->lost_cores = lost_cores();
    stop_note_signals();
    bool good = stress_begin_series(run) && stress_draw_frame(run, 0);
    for (int step = 1; good && step <= o->steps && !stop_noted(); step++) {
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
        count_quarantined(run, step);
        r->substeps = statistics.substeps > r->substeps ? statistics.substeps : r->substeps;
        count_articulations(&r->articulations, &statistics.articulations);
        if (step == warmup + 1) { /* a run that stops earlier is timed from its first step */
            samples_free(&run->times);
            samples_init(&run->times, 1 + DRY_STAGE_COUNT);
            r->outside_ms = r->outside_max_ms = r->staged_ms = 0.0;
            warmup_allocations = allocations;
            r->warmup = warmup;
        }
        if (!record_step(run, step, start - begin, &statistics) ||
            !stress_add_to_series(run, step, &statistics)) {
            break;
        }
        if (step % ENERGY_EVERY == 0) {
            dry_energy_look(&r->energy, run->world);
        }
        allocations = statistics.allocations_in_steps;
        if (o->rollback > 0 && !stress_roll_back(run)) {
            break;
        }
        if (o->reload_every > 0 && step % o->reload_every == 0) {
            if (!stress_reload(run)) {
                break;
            }
            allocations = warmup_allocations = 0; /* a world counts its own */
        }
        if (!stress_draw_frame(run, step)) {
            break;
        }
        progress_step(&run->progress, step, now_ms(), &statistics);
    }
    run->running = false;
    r->lost_cores = lost_cores() - r->lost_cores;
    r->wall_s = (now_ms() - begin) * 1e-3;
    if (run->world == NULL) {
        return;
    }
    dry_energy_look(&r->energy, run->world);
    r->interrupted = r->steps < o->steps && r->failure == NULL;
    r->statistics = dry_world_statistics(run->world);
    r->contacts = dry_world_count_contacts(run->world);
    r->allocations_in_steps = r->statistics.allocations_in_steps - warmup_allocations;
    r->hash = dry_world_hash(run->world);
}

/* Tells how many bodies are out of the run. A run has failed if no dynamic body is left in it. */
static int judge_quarantine(stress_run *run)
{
    run_report *r = &run->report;
    int dynamic = r->statistics.dynamic_bodies;
    if (r->quarantined_dynamic == 0) {
        return STATUS_DONE;
    }
    r->quarantined_all = r->quarantined_dynamic >= dynamic;
    terminal_error("%s: %d of %d dynamic bodies %s in quarantine, the first (%s) since step %d%s", r->scene,
                   r->quarantined_dynamic, dynamic, r->quarantined_dynamic == 1 ? "is" : "are",
                   r->quarantined_first, r->quarantined_first_step,
                   r->quarantined_all ? ": the run failed" : "");
    return r->quarantined_all ? STATUS_FAILED : STATUS_DONE;
}

/* Fills in the part of the report that is known only after the last step. */
static int fill_report(stress_run *run)
{
    run_report *r = &run->report;
    const stress_options *o = &run->options;
    struct rusage usage;
    r->steps_asked = o->steps;
    r->solver = o->settings.method.solver;
    r->substeps_set = o->settings.substeps;
    r->sleep = o->settings.sleep;
    r->threads = dry_world_threads(run->world);
    r->team = dry_world_team(run->world);
    r->isa = dry_world_isa(run->world);
    r->sweep_isa = dry_world_sweep_isa(run->world);
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
    r->has_quality = dry_quality_measure(&run->scene, run->world, run->ids, &r->quality) &&
                     dry_joint_errors_measure(&run->scene, run->world, run->ids, &r->joint_errors);
    progress_clear(&run->progress);
    if (!r->has_quality) {
        terminal_error("out of memory while measuring the quality; the report goes without it");
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

static int execute(stress_run *run)
{
    char error[ERROR_BYTES] = "";
    const stress_options *o = &run->options;
    stop_catch_signals();
    if (!load_scene(run, error) || !stress_open_outputs(run, error, sizeof error)) {
        terminal_error("%s", error);
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
    status = stress_write_scene(run);
    if (run->outputs[OUTPUT_TRACE].stream != NULL) {
        trace_begin(run->outputs[OUTPUT_TRACE].stream, run->scene.name, dry_world_threads(run->world));
    }
    run_steps(run);
    progress_clear(&run->progress);
    if (run->report.failure != NULL || run->report.interrupted) {
        terminal_error("%s: stopped after %d of %d steps: %s", run->scene.name, run->report.steps, o->steps,
                       run->report.failure != NULL ? run->report.failure : "interrupted");
        status = STATUS_FAILED;
    }
    if (run->world == NULL) {
        return status;
    }
    status = stress_worse(status, judge_quarantine(run));
    status = stress_worse(status, fill_report(run));
    status = stress_worse(status, stress_write_outputs(run));
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
        terminal_error("%s", error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        stress_options_help(stdout);
        return finish_standard_output();
    }
    if (run.options.list_series) {
        series_list(stdout);
        return finish_standard_output();
    }
    samples_init(&run.times, 1 + DRY_STAGE_COUNT);
    int status = execute(&run);
    errno = 0;
    dry_world_destroy(run.world); /* ends the recording */
    if (status == STATUS_DONE) {
        status = stress_finish_record(&run);
    }
    for (int i = 0; i < OUTPUT_COUNT; i++) {
        output_file_discard(&run.outputs[i]);
    }
    stress_free_frames(&run);
    stress_free_series(&run);
    counters_close(&run.counters);
    free(run.ids);
    samples_free(&run.times);
    dry_scene_free(&run.scene);
    return stress_worse(status, finish_standard_output());
}

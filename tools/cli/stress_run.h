/* The state that the files of `drystone stress` share: the run, its outputs, and how it stands with
 * quarantine. */
#ifndef TOOLS_CLI_STRESS_RUN_H
#define TOOLS_CLI_STRESS_RUN_H

#include "tools/cli/film.h"
#include "tools/cli/options.h"
#include "tools/cli/output_file.h"
#include "tools/cli/plot/curves.h"
#include "tools/cli/progress.h"
#include "tools/cli/report.h"

#define ERROR_BYTES 1024

enum {
    OUTPUT_REPORT,
    OUTPUT_FINAL,
    OUTPUT_TRACE,
    OUTPUT_PICTURE,
    OUTPUT_SCENE,
    OUTPUT_SAVE,
    OUTPUT_RECORD,
    OUTPUT_FILM,
    OUTPUT_SERIES,
    OUTPUT_PLOT,
    OUTPUT_COUNT
};

typedef struct stress_run {
    stress_options options;
    dry_scene scene;
    dry_world_def
        def; /* of the world; another number of threads and another instruction set after a reload */
    dry_world *world;
    dry_history *history; /* with --rollback; ends with the world */
    int reloads;
    dry_body_id *ids;
    size_t resident_before; /* bytes of the process before the world is created */
    output_file outputs[OUTPUT_COUNT];
    FILE *lines; /* the stream for hashes */
    progress progress;
    counters counters;
    samples times;
    run_report report;
    picture_camera *camera;  /* of --frames and --film; null without them */
    unsigned char *frame;    /* three bytes a pixel */
    unsigned char *swatches; /* three bytes each */
    film film;
    bool made_folder;           /* of --frames */
    curves curves, compared;    /* of --plot and --compare; without points if not asked for */
    dry_velocity *velocities;   /* of all bodies, for --series and --plot */
    char failure[ERROR_BYTES];  /* text of report.failure where it is not constant */
    char log_line[ERROR_BYTES]; /* the last line of the library's log */
    int log_count;
    bool running;
} stress_run;

/* Opens the files that the options ask for. Returns false with a message of one line. */
bool stress_open_outputs(stress_run *run, char *error, size_t error_bytes);

/* Writes the scene as it starts, if asked for. Returns the exit status so far. */
int stress_write_scene(stress_run *run);

/* Writes all files that describe the end of the run. Returns the worst exit status of all. */
int stress_write_outputs(stress_run *run);

/* Writes a finished step into the trace and to the disk. At the first write that fails, removes the trace,
 * keeps the reason as the run's failure and returns false. */
bool stress_trace_step(stress_run *run, int step, double start_ms, const dry_statistics *statistics);

/* Reads the file of --compare and prepares --plot. Returns false with a message of one line. */
bool stress_begin_plot(stress_run *run, char *error, size_t error_bytes);
/* Begins the file of --series, after the world has its bodies. Returns false with the run's failure. */
bool stress_begin_series(stress_run *run);
/* Adds a finished step to --series and --plot. Returns false with the run's failure. */
bool stress_add_to_series(stress_run *run, int step, const dry_statistics *statistics);
void stress_free_series(stress_run *run);

/* Prepares --frames and --film, whose file is open. Returns false with a message of one line. */
bool stress_begin_frames(stress_run *run, char *error, size_t error_bytes);
/* Draws the state after a step, or the start as step 0, where --every says so. Returns false with the run's
 * failure. */
bool stress_draw_frame(stress_run *run, int step);
/* Ends the content of the file of --film. Returns false with a reason. */
bool stress_end_film(stress_run *run, char *error, size_t error_bytes);
/* Frees what frames took, and removes the folder if it was made for a run that wrote none. */
void stress_free_frames(stress_run *run);

/* Keeps a failed output's reason as the run's failure. Returns false. */
static inline bool stress_output_failed(stress_run *run, const char *option, const char *reason)
{
    snprintf(run->failure, sizeof run->failure, "%s %s", option, reason);
    run->report.failure = run->failure;
    return false;
}

/* Completes the file of --record, after the world's end. Returns the exit status. */
int stress_finish_record(stress_run *run);

/* Writes bytes to the stream that `user` is, as a dry_sink does. */
bool stress_write_to_stream(void *user, const void *more, size_t size);
/* Writes the world's state to a stream. */
dry_result stress_write_save(const stress_run *run, FILE *stream);
/* Puts the state of the file of --load into the world. Returns false with a message of one line. */
bool stress_load(stress_run *run, char *error, size_t error_bytes);
/* Saves the world, destroys it and loads it with other threads and on another instruction set. Returns false
 * with the run's failure; then there may be no world. */
bool stress_reload(stress_run *run);
/* Goes back by the steps of --rollback and does them again. Returns false with the run's failure, which is
 * that of a step, or another hash. */
bool stress_roll_back(stress_run *run);

int stress_worse(int status_a, int status_b);

#endif

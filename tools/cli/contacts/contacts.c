/* Runs `drystone contacts`: steps a scene, and writes the frictional contact problem of one of its steps. */
#define _XOPEN_SOURCE 700
#include "tools/cli/commands.h"
#include "tools/cli/contacts/fclib_file.h"
#include "tools/cli/option_value.h"
#include "tools/cli/output_file.h"
#include "tools/cli/stop.h"
#include "tools/cli/terminal.h"
#include "tools/scenes/scenes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS_MAX = 1000000000, THREADS_MAX = 1024, PATH_BYTES = 4096, ERROR_BYTES = 512 };

typedef struct contacts_options {
    const char *scene, *out;
    bool scene_is_file, quiet, help;
    int size, step; /* 0: not given */
    int threads;    /* 0: one per physical core */
} contacts_options;

typedef struct contacts_run {
    contacts_options options;
    dry_scene scene;
    dry_world *world;
    lab_contact_problem problem;
    output_file out;
    char folder[PATH_BYTES], file[PATH_BYTES + 16]; /* where FCLIB writes; empty if they do not exist */
    char error[ERROR_BYTES];
} contacts_run;

static void print_help(void)
{
    puts("usage: drystone contacts SCENE --step N --out FILE.hdf5 [options]\n\n"
         "Steps a scene, and writes the frictional contact problem of step N in the format of FCLIB, which "
         "other\n"
         "solvers read: W, q and mu of all contact points, V, R and s of ball and distance joints, and as a "
         "guess\n"
         "the impulses that the engine's own step gave. SCENE is the name of a built-in scene (`drystone "
         "scenes`\n"
         "lists them) or a path ending in .json. Nothing sleeps.\n\n"
         "  --step N              the step whose problem is written; the first one is 1\n"
         "  --out FILE            the file, replaced if it exists\n"
         "  --size N              the built-in scene's size, in its own unit (its default)\n"
         "  --threads N           workers; 0 = one per physical core (0)\n"
         "  --quiet               no figures on the terminal\n"
         "  --help                this text\n\n" STATUS_HELP);
}

static bool parse(int count, char **arguments, contacts_options *o, char *error)
{
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i], *value;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            o->help = true;
        } else if (strcmp(argument, "--quiet") == 0) {
            o->quiet = true;
        } else if ((value = option_value("--step", count, arguments, &i)) != NULL) {
            if (!option_count("--step", value, 1, STEPS_MAX, &o->step, error, ERROR_BYTES)) {
                return false;
            }
        } else if ((value = option_value("--size", count, arguments, &i)) != NULL) {
            if (!option_count("--size", value, 1, STEPS_MAX, &o->size, error, ERROR_BYTES)) {
                return false;
            }
        } else if ((value = option_value("--threads", count, arguments, &i)) != NULL) {
            if (!option_count("--threads", value, 0, THREADS_MAX, &o->threads, error, ERROR_BYTES)) {
                return false;
            }
        } else if ((value = option_value("--out", count, arguments, &i)) != NULL) {
            if (value[0] == '\0' || strcmp(value, "-") == 0) {
                snprintf(error, ERROR_BYTES, "--out '%s': expected a file name", value);
                return false;
            }
            o->out = value;
        } else if (argument[0] == '-') {
            snprintf(error, ERROR_BYTES,
                     "%s: unknown option; expected one that `drystone contacts --help` lists", argument);
            return false;
        } else if (o->scene != NULL) {
            snprintf(error, ERROR_BYTES, "%s: expected one scene, and %s was given before", argument,
                     o->scene);
            return false;
        } else {
            o->scene = argument;
        }
    }
    if (o->help) {
        return true;
    }
    const char *missing = o->scene == NULL ? "a scene"
                          : o->step == 0   ? "--step N"
                          : o->out == NULL ? "--out FILE"
                                           : NULL;
    if (missing != NULL) {
        snprintf(error, ERROR_BYTES, "expected %s (drystone contacts --help tells more)", missing);
        return false;
    }
    const size_t length = strlen(o->scene);
    o->scene_is_file = length >= 5 && strcmp(o->scene + length - 5, ".json") == 0;
    if (o->scene_is_file && o->size != 0) {
        snprintf(error, ERROR_BYTES, "--size %d: expected a built-in scene; %s is a scene file", o->size,
                 o->scene);
        return false;
    }
    return true;
}

/* Makes the scene and its world. Returns the exit status, with a line in run->error unless it is STATUS_DONE.
 */
static int build_world(contacts_run *run)
{
    const contacts_options *o = &run->options;
    const bool made = o->scene_is_file
                          ? dry_scene_read(o->scene, &run->scene, run->error, ERROR_BYTES)
                          : dry_scene_make(o->scene, o->size, &run->scene, run->error, ERROR_BYTES);
    if (!made) {
        return STATUS_USAGE;
    }
    dry_world_def def = dry_default_world_def();
    def.settings.gravity = run->scene.gravity;
    def.settings.sleep = false;
    def.threads = o->threads;
    dry_body_id *ids = calloc((size_t)run->scene.body_count + 1, sizeof *ids);
    dry_result result = ids != NULL ? dry_world_create(&def, &run->world) : DRY_ERROR_MEMORY;
    if (result == DRY_OK) {
        result = dry_scene_build(&run->scene, run->world, ids);
    }
    free(ids);
    if (result != DRY_OK) {
        snprintf(run->error, ERROR_BYTES, "%.200s: %s", o->scene, dry_result_name(result));
        return result == DRY_ERROR_MEMORY ? STATUS_FAILED : STATUS_USAGE;
    }
    return STATUS_DONE;
}

static bool step(contacts_run *run, float dt)
{
    const dry_result result = dry_world_step(run->world, dt);
    if (result != DRY_OK || stop_noted()) {
        snprintf(run->error, ERROR_BYTES, "%.200s: step %llu: %s", run->options.scene,
                 (unsigned long long)dry_world_step_count(run->world),
                 result != DRY_OK ? dry_result_name(result) : "interrupted");
        return false;
    }
    return true;
}

/* Reads the problem of the asked step, and then lets the engine do it. */
static bool read_problem(contacts_run *run)
{
    const float dt = run->scene.dt;
    for (int i = 1; i < run->options.step; i++) {
        if (!step(run, dt)) {
            return false;
        }
    }
    /* A step of 0 finds the contacts of the present poses. */
    if (!step(run, 0.0f)) {
        return false;
    }
    const char *failure = lab_contact_problem_of(&run->problem, run->world, (double)dt);
    if (failure == NULL && run->problem.points == 0) {
        failure = "nothing touches";
    }
    if (failure == NULL) {
        if (!step(run, dt)) {
            return false;
        }
        failure = lab_contact_problem_read_impulses(&run->problem, run->world);
    }
    if (failure != NULL) {
        snprintf(run->error, ERROR_BYTES, "%.200s: step %d: %s", run->options.scene, run->options.step,
                 failure);
    }
    return failure == NULL;
}

/* Lets FCLIB write a file, in a child: it ends its process where a call of HDF5 fails. No thread lives by
 * now. */
static bool write_by_fclib(contacts_run *run, const char *title)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        _exit(fclib_file_write(&run->problem, title, run->file) ? STATUS_DONE : STATUS_FAILED);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const bool written = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_DONE;
    if (!written) {
        snprintf(run->error, ERROR_BYTES, "%.300s: FCLIB could not write the problem", run->file);
    }
    return written;
}

/* FCLIB gets a folder of its own: it names files, and the output file is open already. */
static bool write_problem(contacts_run *run)
{
    const char *place = getenv("TMPDIR");
    char title[256];
    snprintf(run->folder, sizeof run->folder, "%s/drystone-contacts-XXXXXX",
             place != NULL && place[0] != '\0' ? place : "/tmp");
    if (mkdtemp(run->folder) == NULL) {
        snprintf(run->error, ERROR_BYTES, "%.300s: %s", run->folder, strerror(errno));
        run->folder[0] = '\0';
        return false;
    }
    snprintf(run->file, sizeof run->file, "%s/problem.hdf5", run->folder);
    snprintf(title, sizeof title, "%.180s, step %d", run->scene.name, run->options.step);
    if (!write_by_fclib(run, title)) {
        return false;
    }
    FILE *written = fopen(run->file, "rb");
    char block[65536];
    size_t got = 0;
    while (written != NULL && (got = fread(block, 1, sizeof block, written)) > 0) {
        fwrite(block, 1, got, run->out.stream);
    }
    const bool whole = written != NULL && !ferror(written);
    if (!whole) {
        snprintf(run->error, ERROR_BYTES, "%.300s: %s", run->file, strerror(errno));
    }
    if (written != NULL) {
        fclose(written);
    }
    return whole;
}

static void print_figures(contacts_run *run)
{
    const lab_contact_problem *p = &run->problem;
    double *velocity = calloc(3 * (size_t)p->points + 1, sizeof *velocity);
    if (velocity != NULL) {
        printf("step %d: %d contact points, %d rows of joints, %d entries of W; the residual of the engine's "
               "impulses, by the natural map, is %.2g of |q|\n",
               run->options.step, p->points, p->equations, p->w.start[p->w.columns],
               lab_contact_problem_residual(p, p->impulse, p->force, velocity));
    }
    free(velocity);
}

static int perform(contacts_run *run)
{
    errno = 0;
    if (!output_file_open(&run->out, run->options.out, run->error, ERROR_BYTES)) {
        return STATUS_USAGE;
    }
    const int status = build_world(run);
    if (status != STATUS_DONE) {
        return status;
    }
    stop_note_signals();
    if (!read_problem(run)) {
        return STATUS_FAILED;
    }
    dry_world_destroy(run->world); /* and its threads */
    run->world = NULL;
    if (!write_problem(run)) {
        return STATUS_FAILED;
    }
    if (!output_file_commit(&run->out, run->error, ERROR_BYTES)) {
        return STATUS_FAILED;
    }
    if (!run->options.quiet) {
        print_figures(run);
    }
    return finish_standard_output();
}

int contacts_command(int count, char **arguments)
{
    static contacts_run run; /* holds a jump's place, and is large */
    if (!parse(count, arguments, &run.options, run.error)) {
        terminal_error("contacts: %s", run.error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        print_help();
        return finish_standard_output();
    }
    if (!fclib_file_available()) {
        terminal_error("contacts: this build has no FCLIB; install Debian's libfclib-dev and build again");
        return STATUS_USAGE;
    }
    stop_catch_signals();
    const int status = perform(&run);
    if (run.file[0] != '\0') {
        unlink(run.file);
    }
    if (run.folder[0] != '\0') {
        rmdir(run.folder);
    }
    if (run.error[0] != '\0') {
        terminal_error("contacts: %s", run.error);
    }
    output_file_discard(&run.out);
    lab_contact_problem_free(&run.problem);
    dry_world_destroy(run.world);
    dry_scene_free(&run.scene);
    return status;
}

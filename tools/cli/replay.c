/* Runs `drystone replay`: a recording once more, until something differs from it. */
#include "tools/cli/commands.h"
#include "tools/cli/file_bytes.h"
#include "tools/cli/option_value.h"
#include "tools/cli/output_file.h"
#include "tools/cli/terminal.h"

#include <drystone/drystone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024, ERROR_BYTES = 600 };

typedef struct replay_options {
    const char *file;
    bool quiet, help;
    int threads, from;
    dry_isa isa;
} replay_options;

typedef struct replay_run {
    replay_options options;
    file_bytes file;
    char error[ERROR_BYTES]; /* the last line of the library's log */
} replay_run;

static void print_help(void)
{
    puts(
        "usage: drystone replay FILE [options]\n\n"
        "Makes the calls and steps of a recording (drystone stress --record) once more. Compares results of\n"
        "calls, what they change, and the fields of all bodies, shapes, contacts and joints after each "
        "step.\n"
        "Prints the number of steps and the state hash at the end, or names the first difference: step,\n"
        "stage, call, body, shape or joint, field.\n\n"
        "  --threads N           workers; 0 = one per physical core (0)\n"
        "  --isa NAME            instruction set of the kernels (auto)\n"
        "  --from STEP           begin with the last save of at most so many steps done (0)\n"
        "  --quiet               only the hash\n"
        "  --help                this text\n\n"
        "Exit status: 0 all is the same, up to where the recording was cut; 1 something differs, or out of\n"
        "memory; 2 bad usage or no sound recording, with one line on standard error.");
}

static bool set_isa(const char *name, replay_options *o, char *error)
{
    if (!dry_isa_from_name(name, &o->isa) || (o->isa != DRY_ISA_AUTO && !dry_isa_available(o->isa))) {
        snprintf(error, ERROR_BYTES, "--isa %.100s: expected one that `drystone info` lists", name);
        return false;
    }
    return true;
}

static bool parse(int count, char **arguments, replay_options *o, char *error)
{
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i], *value;
        bool good = true;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            o->help = true;
        } else if (strcmp(argument, "--quiet") == 0) {
            o->quiet = true;
        } else if ((value = option_value("--threads", count, arguments, &i)) != NULL) {
            good = option_count("--threads", value, 0, THREADS_MAX, &o->threads, error, ERROR_BYTES);
        } else if ((value = option_value("--from", count, arguments, &i)) != NULL) {
            good = option_count("--from", value, 0, INT32_MAX, &o->from, error, ERROR_BYTES);
        } else if ((value = option_value("--isa", count, arguments, &i)) != NULL) {
            good = set_isa(value, o, error);
        } else if (argument[0] == '-') {
            snprintf(error, ERROR_BYTES,
                     "%.100s: unknown option; expected one that `drystone replay --help` lists", argument);
            good = false;
        } else if (o->file != NULL) {
            snprintf(error, ERROR_BYTES, "%.200s: expected one file, and %.200s was given before", argument,
                     o->file);
            good = false;
        } else {
            o->file = argument;
        }
        if (!good) {
            return false;
        }
    }
    if (o->help || o->file != NULL) {
        return true;
    }
    snprintf(error, ERROR_BYTES, "expected a file (drystone replay --help tells more)");
    return false;
}

static void take_log_line(const char *line, void *user)
{
    replay_run *run = user;
    snprintf(run->error, sizeof run->error, "%s", line);
}

/* Tells how a replay ended. Returns the exit status. */
static int judge(const replay_run *run, const dry_replay *replay, dry_result result)
{
    const char *file = run->options.file;
    const dry_replay_report report = dry_replay_get_report(replay);
    if (result != DRY_OK) {
        terminal_error("%s: %s: %s", file, dry_result_name(result), run->error);
        return result == DRY_ERROR_MEMORY ? STATUS_FAILED : STATUS_USAGE;
    }
    if (!report.compares_state) {
        terminal_error("%s: recorded with revision %u of the arithmetic, and this is %u: only results of "
                       "calls were compared",
                       file, (unsigned)report.arithmetic, DRY_ARITHMETIC_REVISION);
    }
    if (report.difference.kind != DRY_DIFFERENCE_NONE) {
        terminal_error("%s: %s", file, report.difference.text);
        return STATUS_FAILED;
    }
    if (!report.has_end) {
        terminal_error("%s: the recording was cut after step %llu", file,
                       (unsigned long long)report.step_count);
    }
    if (!run->options.quiet) {
        printf("steps %llu to %llu, %llu calls: the same\n", (unsigned long long)report.first_step,
               (unsigned long long)report.step_count, (unsigned long long)report.calls);
    }
    printf("%llu %016llx\n", (unsigned long long)report.step_count,
           (unsigned long long)dry_world_hash(dry_replay_world(replay)));
    return STATUS_DONE;
}

static int execute(replay_run *run)
{
    const replay_options *o = &run->options;
    if (!file_bytes_read(o->file, &run->file)) {
        terminal_error("%s: %s", o->file, strerror(errno));
        return STATUS_USAGE;
    }
    dry_world_def def = dry_default_world_def();
    def.threads = o->threads;
    def.isa = o->isa;
    def.log = (dry_log){take_log_line, run};
    const dry_replay_options options = {.from_step = (uint64_t)o->from};
    dry_replay *replay = NULL;
    bool more = true;
    dry_result result =
        dry_replay_create(run->file.at != NULL ? run->file.at : "", run->file.size, &def, &options, &replay);
    while (result == DRY_OK && more) {
        result = dry_replay_step(replay, &more);
    }
    const int status = judge(run, replay, result);
    dry_replay_destroy(replay);
    return status;
}

int replay_command(int count, char **arguments)
{
    replay_run run = {0};
    char error[ERROR_BYTES] = "";
    if (!parse(count, arguments, &run.options, error)) {
        terminal_error("replay: %s", error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        print_help();
        return finish_standard_output();
    }
    const int status = execute(&run);
    free(run.file.at);
    const int written = finish_standard_output();
    return status > written ? status : written;
}

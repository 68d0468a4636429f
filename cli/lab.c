/* Runs `drystone lab`: performs experiments, prints their tables, writes CSV, SVG and the page. */
#include "lab/lab.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "cli/terminal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { EXPERIMENTS_MAX = 32, PATH_BYTES = 4096 };

typedef struct lab_command_options {
    const lab_experiment *experiments[EXPERIMENTS_MAX];
    int count;
    const char *out, *page; /* null if not asked for */
    bool quick, quiet, help;
} lab_command_options;

typedef struct lab_command_run {
    lab_command_options options;
    progress progress;
    output_file page;
    int at; /* of the experiments */
    bool holds;
    char error[512];
} lab_command_run;

static void print_help(void)
{
    puts(
        "usage: drystone lab [EXPERIMENT...] [options]\n\n"
        "Holds what the source documents predict of solvers against exact and measured values, and prints a\n"
        "table for each experiment. Without an EXPERIMENT all of them run.\n");
    for (const lab_experiment *e = lab_experiments(); e->name != NULL; e++) {
        printf("  %-21s %s\n", e->name, e->title);
    }
    puts("\n  --out FOLDER          write EXPERIMENT.csv, EXPERIMENT_curves.csv and EXPERIMENT_PLOT.svg "
         "there\n"
         "  --page FILE           write the page with all tables, as docs/lab.md\n"
         "  --quick               small sizes and short runs\n"
         "  --quiet               no progress, no tables\n"
         "  --help                this text\n\n" STATUS_HELP
         "The status is 1 where a measured value is beyond the bound of its row, too.");
}

/* Reads an option that has a value, as --out DIR or --out=DIR. Returns false if the argument is another. */
static bool value_option(const char *name, int count, char **arguments, int *at, const char **value,
                         bool *missing)
{
    const size_t length = strlen(name);
    const char *argument = arguments[*at];
    if (strncmp(argument, name, length) != 0 || (argument[length] != '\0' && argument[length] != '=')) {
        return false;
    }
    if (argument[length] == '=') {
        *value = argument + length + 1;
    } else if (*at + 1 < count && strncmp(arguments[*at + 1], "--", 2) != 0) {
        *value = arguments[++*at];
    } else {
        *missing = true;
    }
    *missing = *missing || (*value)[0] == '\0';
    return true;
}

static bool add_experiment(lab_command_options *o, const lab_experiment *e)
{
    for (int i = 0; i < o->count; i++) {
        if (o->experiments[i] == e) {
            return false;
        }
    }
    if (o->count == EXPERIMENTS_MAX) {
        return false;
    }
    o->experiments[o->count++] = e;
    return true;
}

static bool parse(int count, char **arguments, lab_command_options *o, char *error, size_t bytes)
{
    *o = (lab_command_options){0};
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        bool missing = false;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            o->help = true;
        } else if (strcmp(argument, "--quick") == 0) {
            o->quick = true;
        } else if (strcmp(argument, "--quiet") == 0) {
            o->quiet = true;
        } else if (value_option("--out", count, arguments, &i, &o->out, &missing) ||
                   value_option("--page", count, arguments, &i, &o->page, &missing)) {
            if (missing) {
                snprintf(error, bytes, "%s: expected a value after it", argument);
                return false;
            }
        } else if (argument[0] == '-') {
            snprintf(error, bytes, "%s: unknown option; expected one that `drystone lab --help` lists",
                     argument);
            return false;
        } else {
            const lab_experiment *e = lab_find(argument);
            if (e == NULL) {
                snprintf(error, bytes,
                         "%s: unknown experiment; expected one that `drystone lab --help` lists", argument);
                return false;
            }
            if (!add_experiment(o, e)) {
                snprintf(error, bytes, "%s: expected each experiment once", argument);
                return false;
            }
        }
    }
    if (o->count == 0) {
        for (const lab_experiment *e = lab_experiments(); e->name != NULL; e++) {
            add_experiment(o, e);
        }
    }
    return true;
}

static bool show_progress(const char *experiment, int part, int parts, void *user)
{
    lab_command_run *run = user;
    const double share = (run->at + (double)part / (parts > 0 ? parts : 1)) / run->options.count;
    progress_share(&run->progress, share, experiment);
    return !stop_noted();
}

static void print_value(double value)
{
    if (isnan(value)) {
        printf(" %11s", "-");
    } else {
        printf(" %11.5g", value);
    }
}

static void print_table(const lab_result *result)
{
    printf("%s: %s\n%-72s %-18s %11s %11s %11s %11s\n", result->experiment->name, result->experiment->title,
           "quantity", "source", "predicted", "exact", "measured", "difference");
    for (int i = 0; i < result->row_count; i++) {
        const lab_row *row = &result->rows[i];
        printf("%-72s %-18s", row->quantity, row->source);
        print_value(row->predicted);
        print_value(row->exact);
        print_value(row->measured);
        printf(" %11.2g%s\n", lab_row_difference(row), lab_row_holds(row) ? "" : "  DOES NOT HOLD");
    }
    putchar('\n');
}

/* Opens FOLDER/NAME, where NAME is formatted. */
static bool open_output(lab_command_run *run, output_file *file, const char *name, const char *part,
                        const char *ending)
{
    char path[PATH_BYTES];
    const int length =
        snprintf(path, sizeof path, "%s/%s%s%s%s", run->options.out, name, part[0] ? "_" : "", part, ending);
    if (length >= (int)sizeof path) {
        snprintf(run->error, sizeof run->error, "%.200s...: the path is too long", path);
        return false;
    }
    errno = 0;
    return output_file_open(file, path, run->error, sizeof run->error);
}

static bool write_outputs(lab_command_run *run, const lab_result *result)
{
    const char *name = result->experiment->name;
    output_file file = {0};
    bool written = open_output(run, &file, name, "", ".csv");
    if (written) {
        lab_write_csv(file.stream, result);
        written = output_file_commit(&file, run->error, sizeof run->error);
    }
    written = written && (result->plot_count == 0 || open_output(run, &file, name, "curves", ".csv"));
    if (written && result->plot_count > 0) {
        lab_write_curves(file.stream, result);
        written = output_file_commit(&file, run->error, sizeof run->error);
    }
    for (int i = 0; i < result->plot_count && written; i++) {
        written = open_output(run, &file, name, result->plots[i].name, ".svg");
        if (written) {
            lab_write_svg(file.stream, &result->plots[i]);
            written = output_file_commit(&file, run->error, sizeof run->error);
        }
    }
    output_file_discard(&file);
    return written;
}

static bool run_experiment(lab_command_run *run, const lab_experiment *e)
{
    const lab_options options = {.quick = run->options.quick, .progress = show_progress, .user = run};
    lab_result result;
    const char *failure = lab_perform(e, &options, &result);
    progress_clear(&run->progress);
    bool done = failure == NULL;
    if (!done) {
        snprintf(run->error, sizeof run->error, "%s: %s", e->name, failure);
    } else {
        if (!run->options.quiet && run->page.stream != stdout) {
            print_table(&result);
        }
        for (int i = 0; i < result.row_count; i++) {
            run->holds = run->holds && lab_row_holds(&result.rows[i]);
        }
        if (run->page.stream != NULL) {
            lab_write_page_chapter(run->page.stream, &result);
        }
        done = run->options.out == NULL || write_outputs(run, &result);
    }
    lab_result_free(&result);
    return done;
}

static bool run_all(lab_command_run *run)
{
    const lab_command_options *o = &run->options;
    if (o->out != NULL && mkdir(o->out, 0777) != 0 && errno != EEXIST) {
        snprintf(run->error, sizeof run->error, "%.300s: %s", o->out, strerror(errno));
        return false;
    }
    errno = 0;
    if (o->page != NULL && !output_file_open(&run->page, o->page, run->error, sizeof run->error)) {
        return false;
    }
    if (run->page.stream != NULL) {
        lab_write_page_head(run->page.stream);
    }
    for (run->at = 0; run->at < o->count; run->at++) {
        if (!run_experiment(run, o->experiments[run->at])) {
            return false;
        }
    }
    return run->page.stream == NULL || output_file_commit(&run->page, run->error, sizeof run->error);
}

int lab_command(int count, char **arguments)
{
    lab_command_run run = {.holds = true};
    if (!parse(count, arguments, &run.options, run.error, sizeof run.error)) {
        terminal_error("lab: %s", run.error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        print_help();
        return finish_standard_output();
    }
    stop_catch_signals();
    stop_note_signals();
    progress_begin(&run.progress, stderr, !run.options.quiet, 1, 0.0);
    const bool done = run_all(&run);
    progress_clear(&run.progress);
    output_file_discard(&run.page);
    const int status = finish_standard_output();
    if (!done) {
        terminal_error("lab: %s", run.error);
        return STATUS_FAILED;
    }
    if (!run.holds) {
        terminal_error("lab: a measured value is beyond its bound");
        return STATUS_FAILED;
    }
    return status;
}

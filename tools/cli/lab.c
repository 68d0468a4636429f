/* Runs `drystone lab`: performs experiments, prints their tables, writes CSV, SVG and the page. */
#include "tools/lab/lab.h"
#include "tools/cli/commands.h"
#include "tools/cli/option_value.h"
#include "tools/cli/output_file.h"
#include "tools/cli/progress.h"
#include "tools/cli/stop.h"
#include "tools/cli/terminal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { EXPERIMENTS_MAX = 32, THREADS_MAX = 1024, PATH_BYTES = 4096 };

typedef struct lab_command_options {
    const lab_experiment *experiments[EXPERIMENTS_MAX];
    int count;
    const char *out, *page; /* null if not asked for */
    int threads;            /* of each world; 0: one per physical core */
    bool all, quick, quiet, help;
} lab_command_options;

typedef struct lab_command_run {
    lab_command_options options;
    progress progress;
    output_file page;
    char plots[PATH_BYTES]; /* the folder of the page's plots; empty if there is none */
    int at;                 /* of the experiments */
    bool holds;
    char error[512];
} lab_command_run;

static void print_help(void)
{
    puts(
        "usage: drystone lab [EXPERIMENT...] [options]\n\n"
        "Holds what the source documents predict of solvers against exact and measured values, and prints a\n"
        "table for each experiment. Without an EXPERIMENT all run that are not long.\n");
    for (const lab_experiment *e = lab_experiments(); e->name != NULL; e++) {
        printf("  %-21s %s%s\n", e->name, e->title, e->slow ? " (long)" : "");
    }
    puts("\n  --out FOLDER          write EXPERIMENT.csv, EXPERIMENT_curves.csv and EXPERIMENT_PLOT.svg "
         "there\n"
         "  --page FILE.md        write a page with all tables, and its drawings into the\n"
         "                        folder FILE; - writes the page without plots to standard output\n"
         "  --long                run the long ones, too, in some minutes\n"
         "  --quick               small sizes and short runs\n"
         "  --threads N           workers of each world; 0 = one per physical core (1). Only times depend\n"
         "                        on it: they are processor times of all workers\n"
         "  --quiet               no progress, no tables\n"
         "  --help                this text\n\n" STATUS_HELP
         "The status is 1 where a measured value is beyond the bound of its row, too.");
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

/* Reads one argument, and the value of an option behind it. */
static bool parse_one(int count, char **arguments, int *at, lab_command_options *o, char *error, size_t bytes)
{
    const char *argument = arguments[*at], *value;
    const lab_experiment *e;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
        o->help = true;
    } else if (strcmp(argument, "--quick") == 0) {
        o->quick = true;
    } else if (strcmp(argument, "--long") == 0) {
        o->all = true;
    } else if (strcmp(argument, "--quiet") == 0) {
        o->quiet = true;
    } else if ((value = option_value("--out", count, arguments, at)) != NULL) {
        o->out = value;
    } else if ((value = option_value("--page", count, arguments, at)) != NULL) {
        o->page = value;
    } else if ((value = option_value("--threads", count, arguments, at)) != NULL) {
        return option_count("--threads", value, 0, THREADS_MAX, &o->threads, error, bytes);
    } else if (argument[0] == '-') {
        snprintf(error, bytes, "%s: unknown option; expected one that `drystone lab --help` lists", argument);
        return false;
    } else if ((e = lab_find(argument)) == NULL) {
        snprintf(error, bytes, "%s: unknown experiment; expected one that `drystone lab --help` lists",
                 argument);
        return false;
    } else if (!add_experiment(o, e)) {
        snprintf(error, bytes, "%s: expected each experiment once", argument);
        return false;
    }
    if ((o->out != NULL && o->out[0] == '\0') || (o->page != NULL && o->page[0] == '\0')) {
        snprintf(error, bytes, "%s: expected a value after it", argument);
        return false;
    }
    return true;
}

static bool parse(int count, char **arguments, lab_command_options *o, char *error, size_t bytes)
{
    *o = (lab_command_options){.threads = 1};
    for (int i = 0; i < count; i++) {
        if (!parse_one(count, arguments, &i, o, error, bytes)) {
            return false;
        }
    }
    if (o->all && o->count > 0) {
        snprintf(error, bytes, "--long: expected no experiment beside it; a named one runs in any case");
        return false;
    }
    if (o->count == 0) {
        for (const lab_experiment *e = lab_experiments(); e->name != NULL; e++) {
            if (o->all || !e->slow) {
                add_experiment(o, e);
            }
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

static void print_value(double value, lab_relation relation)
{
    static const char *const signs[] = {"", "<=", ">="};
    if (isnan(value)) {
        printf(" %11s", "-");
    } else {
        printf(" %2s%9.5g", signs[relation], value);
    }
}

static void print_table(const lab_result *result)
{
    printf("%s: %s\n%-72s %-18s %11s %11s %11s %11s\n", result->experiment->name, result->experiment->title,
           "quantity", "source", "predicted", "exact", "measured", "difference");
    for (int i = 0; i < result->row_count; i++) {
        const lab_row *row = &result->rows[i];
        printf("%-72s %-18s", row->quantity, row->source);
        print_value(row->predicted, isnan(row->exact) ? row->relation : LAB_EQUAL);
        print_value(row->exact, row->relation);
        print_value(row->measured, LAB_EQUAL);
        printf(" %11.2g", lab_row_difference(row));
        if (!isnan(row->time)) {
            printf("  %.2g of the default's time", row->time);
        }
        puts(lab_row_holds(row) ? "" : "  DOES NOT HOLD");
    }
    putchar('\n');
}

/* Opens FOLDER/NAME_PART.ENDING. */
static bool open_output(lab_command_run *run, output_file *file, const char *folder, const char *name,
                        const char *part, const char *ending)
{
    char path[PATH_BYTES];
    const int length =
        snprintf(path, sizeof path, "%s/%s%s%s%s", folder, name, part[0] ? "_" : "", part, ending);
    if (length >= (int)sizeof path) {
        snprintf(run->error, sizeof run->error, "%.200s...: the path is too long", path);
        return false;
    }
    errno = 0;
    return output_file_open(file, path, run->error, sizeof run->error);
}

static bool write_plots(lab_command_run *run, const char *folder, const lab_result *result)
{
    output_file file = {0};
    bool written = true;
    for (int i = 0; i < result->plot_count && written; i++) {
        written = open_output(run, &file, folder, result->experiment->name, result->plots[i].name, ".svg");
        if (written) {
            lab_write_svg(file.stream, &result->plots[i]);
            written = output_file_commit(&file, run->error, sizeof run->error);
        }
    }
    output_file_discard(&file);
    return written;
}

static bool write_outputs(lab_command_run *run, const lab_result *result)
{
    const char *name = result->experiment->name, *folder = run->options.out;
    output_file file = {0};
    bool written = open_output(run, &file, folder, name, "", ".csv");
    if (written) {
        lab_write_csv(file.stream, result);
        written = output_file_commit(&file, run->error, sizeof run->error);
    }
    written = written && (result->plot_count == 0 || open_output(run, &file, folder, name, "curves", ".csv"));
    if (written && result->plot_count > 0) {
        lab_write_curves(file.stream, result);
        written = output_file_commit(&file, run->error, sizeof run->error);
    }
    output_file_discard(&file);
    return written && write_plots(run, folder, result);
}

/* Writes the chapter of an experiment, and its plots into the page's folder. */
static bool write_chapter(lab_command_run *run, const lab_result *result)
{
    const char *slash = strrchr(run->plots, '/');
    const char *link = run->plots[0] == '\0' ? NULL : slash != NULL ? slash + 1 : run->plots;
    lab_write_page_chapter(run->page.stream, result, link);
    return link == NULL || write_plots(run, run->plots, result);
}

static bool run_experiment(lab_command_run *run, const lab_experiment *e)
{
    const int threads = run->options.threads;
    const lab_options options = {.quick = run->options.quick,
                                 .threads = threads > 0 ? threads : dry_machine_describe().cores,
                                 .progress = show_progress,
                                 .user = run};
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
        done = run->page.stream == NULL || write_chapter(run, &result);
        done = done && (run->options.out == NULL || write_outputs(run, &result));
    }
    lab_result_free(&result);
    return done;
}

static bool make_folder(lab_command_run *run, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        snprintf(run->error, sizeof run->error, "%.300s: %s", folder, strerror(errno));
        return false;
    }
    return true;
}

/* Opens the page, and makes the folder of its plots: its name without the ending. */
static bool open_page(lab_command_run *run)
{
    const char *page = run->options.page;
    const size_t length = strlen(page);
    errno = 0;
    if (!output_file_open(&run->page, page, run->error, sizeof run->error)) {
        return false;
    }
    if (length <= 3 || length >= sizeof run->plots || strcmp(page + length - 3, ".md") != 0) {
        return true;
    }
    snprintf(run->plots, sizeof run->plots, "%.*s", (int)(length - 3), page);
    return make_folder(run, run->plots);
}

static bool run_all(lab_command_run *run)
{
    const lab_command_options *o = &run->options;
    if ((o->out != NULL && !make_folder(run, o->out)) || (o->page != NULL && !open_page(run))) {
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

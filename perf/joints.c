/* Measures what joints cost and how well they hold: one line for each scene and solver.
 *
 *   joints list
 *   joints all|NAME... [--solver iterative|direct|auto] [--seeds A-B] [--threads N] [--repeats N]
 *          [--limit S] [--report FILE] [--tiny]
 *
 * A NAME is a regular expression for the names of rows. The rows and their bounds are those of
 * tools/scenes/joints/joint_rows.c; perf/README.md describes the columns. A time is processor time, a step's
 * least over the repeats. Uses the public headers alone, so that it measures any revision of the library that
 * it is built against. */
#include "perf/joint_measure.h"

#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET "budget"
#define FAR_TARGET "far target"

enum { RESULTS_MAX = 256, NAMES_MAX = 32 };

typedef struct results {
    joint_result all[RESULTS_MAX];
    int count;
    int failed; /* rows, and bounds of no single scene */
} results;

/* The rows that are asked for. */
typedef struct choice {
    regex_t names[NAMES_MAX];
    int count; /* 0: all rows */
} choice;

static const joint_result *find_result(const results *r, const char *row, int solver)
{
    for (int i = 0; i < r->count; i++)
        if (r->all[i].solver == solver && strcmp(r->all[i].row->name, row) == 0)
            return &r->all[i];
    return NULL;
}

static void add_time(joint_result *r, bool holds, const char *text)
{
    const size_t used = strlen(r->times);
    snprintf(r->times + used, sizeof r->times - used, "%s%s", used > 0 ? ", " : "", text);
    r->times_hold &= holds;
}

/* AVX-512 has twice the lanes of AVX2, and of what is narrower. */
static double lanes_share(void)
{
    return dry_isa_available(DRY_ISA_AVX512) ? 1.0 : 2.0;
}

/* Judges the bounds of times that another row of the same run gives. */
static void judge_times(const results *all, joint_result *r)
{
    const dry_joint_row *row = r->row;
    char text[JOINT_WHY];
    const joint_result *other = row->beside ? find_result(all, row->beside, r->solver) : NULL;
    if (other && row->times_beside > 0.0) {
        const double ratio = r->median_ms / other->median_ms;
        snprintf(text, sizeof text, "%.3g times %s, not %.3g", ratio, row->beside, row->times_beside);
        add_time(r, ratio <= row->times_beside, text);
    }
    const double most_us = row->us.most[r->solver];
    if (other && most_us > 0.0 && r->joints > 0) {
        const double us = 1e3 * (r->median_ms - other->median_ms) / r->joints;
        snprintf(text, sizeof text, "%.3g us a joint, %.3g with its body, not %.3g", us,
                 1e3 * r->median_ms / r->joints, most_us * lanes_share());
        add_time(r, us <= most_us * lanes_share(), text);
    }
    if (row->p99_to_median > 0.0) {
        const double ratio = r->p99_ms / r->median_ms;
        snprintf(text, sizeof text, "p99 %.3g medians, not %.3g", ratio, row->p99_to_median);
        add_time(r, ratio <= row->p99_to_median, text);
    }
}

/* Compares `auto` with the cheapest solver whose bounds hold, and with the gap of sweeps. */
static void judge_auto(const results *all, joint_result *r)
{
    const joint_result *sweeps = find_result(all, r->row->name, DRY_ROW_SWEEPS);
    const joint_result *direct = find_result(all, r->row->name, DRY_ROW_DIRECT);
    if (r->solver != DRY_ROW_AUTO || !sweeps || !direct)
        return;
    double least = INFINITY;
    if (sweeps->held == sweeps->trials)
        least = fmin(least, sweeps->total_ms);
    if (direct->held == direct->trials)
        least = fmin(least, direct->total_ms);
    char text[JOINT_WHY];
    if (isfinite(least)) {
        snprintf(text, sizeof text, "%.3g times the cheapest, not 1.2", r->total_ms / least);
        add_time(r, r->total_ms <= 1.2 * least, text);
    }
    /* Gaps below a micrometer are those of rounding. */
    const bool closed = r->gap_mm <= fmax(1e-3, 1.01 * sweeps->gap_mm);
    if (!closed)
        add_time(r, false, "less closed than sweeps");
}

static void print_head(void)
{
    printf("%-24s %-6s %8s %8s %8s %8s  %8s %8s  %8s %8s  %9s %8s %9s %4s %6s %4s\n", "row", "joints",
           "mean ms", "median", "p99", "longest", "gap mm", "at end", "mrad", "at end", "gained J", "share",
           "lost J", "out", "asleep", "sub");
}

static void print_line(const joint_result *r)
{
    printf("%-24s %-6s %8.4g %8.4g %8.4g %8.4g  %8.3g %8.3g  %8.3g %8.3g  %9.3g %8.2g %9.3g %4d ",
           r->row->name, dry_row_solver_name(r->solver), r->total_ms / r->steps, r->median_ms, r->p99_ms,
           r->longest_ms, r->gap_mm, r->end_gap_mm, r->gap_mrad, r->end_gap_mrad, r->gained_J,
           r->gained_share, r->lost_J, r->lost_bodies);
    if (r->asleep_s >= 0.0)
        printf("%6.2f", r->asleep_s);
    else
        printf("%6s", "-");
    printf(" %4d  ", r->substeps);
    const bool holds = r->held == r->trials && r->times_hold;
    printf("%s", holds ? "HOLDS" : "FAILS");
    if (r->trials > 1)
        printf(" %d of %d", r->held, r->trials);
    if (r->why[0])
        printf(": %s", r->why);
    if (r->trials > 1 && !r->row->phases)
        printf("; energy rose by over 1 %% in %d, above the start's in %d; repaired in %d; bodies lost in %d",
               r->rose, r->above, r->repaired, r->out);
    if (r->times[0])
        printf("; %s", r->times);
    if (r->row->own && !strstr(r->why, r->row->own))
        printf("; %s %.3g", r->row->own, r->own);
    printf("\n");
    fflush(stdout);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *report_of(const joint_result *r)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->hash);
    const struct {
        const char *name;
        json_t *value;
    } fields[] = {
        {"row", json_string(r->row->name)},
        {"scene", json_string(r->row->scene)},
        {"solver", json_string(dry_row_solver_name(r->solver))},
        {"steps", json_integer(r->steps)},
        {"joints", json_integer(r->joints)},
        {"median_ms", number(r->median_ms)},
        {"p99_ms", number(r->p99_ms)},
        {"longest_ms", number(r->longest_ms)},
        {"total_ms", number(r->total_ms)},
        {"gap_mm", number(r->gap_mm)},
        {"end_gap_mm", number(r->end_gap_mm)},
        {"gap_mrad", number(r->gap_mrad)},
        {"end_gap_mrad", number(r->end_gap_mrad)},
        {"gained_J", number(r->gained_J)},
        {"gained_share", number(r->gained_share)},
        {"lost_J", number(r->lost_J)},
        {"lost_share", number(r->lost_share)},
        {"lost_bodies", json_integer(r->lost_bodies)},
        {"asleep_s", r->asleep_s >= 0.0 ? json_real(r->asleep_s) : json_null()},
        {"substeps", json_integer(r->substeps)},
        {"corrections", json_integer((json_int_t)r->corrections)},
        {"own", r->row->own ? number(r->own) : json_null()},
        {"own_name", r->row->own ? json_string(r->row->own) : json_null()},
        {"trials", json_integer(r->trials)},
        {"held", json_integer(r->held)},
        {"rose", json_integer(r->rose)},
        {"above", json_integer(r->above)},
        {"out", json_integer(r->out)},
        {"repaired", json_integer(r->repaired)},
        {"why", json_string(r->why)},
        {"times", json_string(r->times)},
        {"peer", r->row->peer > 0.0 ? json_real(r->row->peer) : json_null()},
        {"holds", json_boolean(r->held == r->trials && r->times_hold)},
        {"hash", json_string(hash)},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set_new(object, fields[i].name, fields[i].value);
    return object;
}

static bool write_report(const results *r, const char *path)
{
    json_t *report = json_object(), *list = json_array();
    for (int i = 0; i < r->count; i++)
        json_array_append_new(list, report_of(&r->all[i]));
    json_object_set_new(report, "version", json_string(dry_version()));
    json_object_set_new(report, "processor", json_string(dry_machine_describe().processor));
    json_object_set_new(report, "rows", list);
    const int failed = strcmp(path, "-") == 0 ? json_dumpf(report, stdout, JSON_INDENT(1))
                                              : json_dump_file(report, path, JSON_INDENT(1));
    json_decref(report);
    return failed == 0;
}

static void list_rows(void)
{
    for (const dry_joint_row *row = dry_joint_rows(); row->name; row++)
        printf("%-24s %s\n", row->name, dry_joint_scene_find(row->scene)->summary);
    printf("%-24s %s\n%-24s %s\n", BUDGET, "the longest step of random scenes of any values", FAR_TARGET,
           "a joint with a target of 1e274 m");
}

static void usage(void)
{
    joint_fail(
        "expected `list`, `all`, or names of rows; then [--solver iterative|direct|auto] [--seeds A-B] "
        "[--threads N] [--repeats N] [--limit S] [--report FILE] [--tiny]");
}

static void read_solver(joint_options *options, const char *text)
{
    static const char *const names[DRY_ROW_SOLVERS] = {"iterative", "direct", "auto"};
    for (int s = 0; s < DRY_ROW_SOLVERS; s++)
        options->solver[s] = strcmp(text, names[s]) == 0;
    if (!options->solver[0] && !options->solver[1] && !options->solver[2])
        usage();
}

static void read_seeds(joint_options *options, const char *text)
{
    unsigned long long first = 0, last = 0;
    char rest = '\0';
    if (sscanf(text, "%llu-%llu%c", &first, &last, &rest) != 2 || first == 0 || last < first ||
        last - first > 1000000)
        usage();
    options->seed_first = first;
    options->seed_last = last;
}

static int read_count(const char *text)
{
    char *end = NULL;
    const long count = strtol(text, &end, 10);
    if (end == text || *end || count < 1 || count > 1024)
        usage();
    return (int)count;
}

static void read_name(choice *asked, const char *text)
{
    if (asked->count == NAMES_MAX ||
        regcomp(&asked->names[asked->count], text, REG_EXTENDED | REG_NOSUB) != 0)
        joint_fail("expected at most 32 names, each a regular expression");
    asked->count++;
}

/* Returns the path of the report, or null. */
static const char *parse(joint_options *options, choice *asked, int count, char **arguments)
{
    const char *report = NULL;
    bool all = false;
    for (int i = 1; i < count; i++) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (strcmp(name, "list") == 0) {
            list_rows();
            exit(0);
        } else if (strcmp(name, "all") == 0) {
            all = true;
        } else if (strcmp(name, "--tiny") == 0) {
            options->tiny = true;
        } else if (name[0] != '-') {
            read_name(asked, name);
        } else if (!value) {
            usage();
        } else {
            if (strcmp(name, "--solver") == 0)
                read_solver(options, value);
            else if (strcmp(name, "--seeds") == 0)
                read_seeds(options, value);
            else if (strcmp(name, "--threads") == 0)
                options->threads = read_count(value);
            else if (strcmp(name, "--repeats") == 0)
                options->repeats = read_count(value);
            else if (strcmp(name, "--limit") == 0)
                options->limit_s = read_count(value);
            else if (strcmp(name, "--report") == 0)
                report = value;
            else
                usage();
            i++;
        }
    }
    if (all == (asked->count > 0))
        usage();
    return report;
}

static bool matches(const regex_t *name, const char *row)
{
    return regexec(name, row, 0, NULL, 0) == 0;
}

static bool is_asked(const choice *asked, const char *row)
{
    for (int i = 0; i < asked->count; i++)
        if (matches(&asked->names[i], row))
            return true;
    return asked->count == 0;
}

/* Ends the program if a name matches no row. */
static void check_names(const choice *asked)
{
    for (int i = 0; i < asked->count; i++) {
        const regex_t *name = &asked->names[i];
        bool found = matches(name, BUDGET) || matches(name, FAR_TARGET);
        for (const dry_joint_row *row = dry_joint_rows(); row->name && !found; row++)
            found = matches(name, row->name);
        if (!found)
            joint_fail("a name matches no row: see `joints list`");
    }
}

static void measure_row(results *r, const dry_joint_row *row, const joint_options *options)
{
    for (int s = 0; s < DRY_ROW_SOLVERS; s++) {
        if (!options->solver[s] || (row->skip >> s & 1u))
            continue;
        if (r->count == RESULTS_MAX)
            joint_fail("there are more results than RESULTS_MAX");
        joint_result *result = &r->all[r->count++];
        *result = joint_measure(row, s, options);
        judge_times(r, result);
        judge_auto(r, result);
        print_line(result);
        r->failed += result->held < result->trials || !result->times_hold;
    }
}

int main(int argc, char **argv)
{
    static results r;
    static choice asked;
    joint_options options = {.solver = {true, true, true}, .threads = 1, .repeats = 1, .limit_s = 60.0};
    const char *report = parse(&options, &asked, argc, argv);
    check_names(&asked);
    print_head();
    for (const dry_joint_row *row = dry_joint_rows(); row->name; row++)
        if (is_asked(&asked, row->name))
            measure_row(&r, row, &options);
    if (is_asked(&asked, BUDGET))
        for (int s = 0; s < DRY_ROW_SOLVERS; s++)
            if (options.solver[s])
                r.failed += !joint_longest_step(s, &options);
    if (is_asked(&asked, FAR_TARGET))
        r.failed += !joint_far_target();
    for (int i = 0; i < asked.count; i++)
        regfree(&asked.names[i]);
    if (report && !write_report(&r, report))
        joint_fail("cannot write the report");
    printf("%d results, %d with bounds that do not hold\n", r.count, r.failed);
    return 0;
}

/* Reads the options of `drystone soak` (options.h). */
#include "tools/cli/soak/options.h"

#include "tools/cli/option_rows.h"

#include <float.h>
#include <string.h>

enum { MINUTES, WORLDS, STEPS, SEED, THREADS, RELOAD_EVERY, VALUES };

static const option_row rows[VALUES] = {
    [MINUTES] = {"--minutes", "N", DBL_MIN, 1e6, false, "a number of minutes above 0 and at most 1000000",
                 "how long (1, without --worlds and --steps)"},
    [WORLDS] = {"--worlds", "N", 1.0, 1e12, true, "a whole number from 1 to 1000000000000",
                "stop after this many worlds"},
    [STEPS] = {"--steps", "N", 1.0, 1e12, true, "a whole number from 1 to 1000000000000",
               "begin no world after this many steps"},
    [SEED] = {"--seed", "N", 0.0, 9e15, true, "a whole number from 0 to 9000000000000000",
              "the first world's seed; the next world takes the next number (0)"},
    [THREADS] = {"--threads", "N", 0.0, 1024.0, true, "a whole number from 0 to 1024",
                 "threads, each with worlds of its own; 0 = one per physical core (0)"},
    [RELOAD_EVERY] = {"--reload-every", "N", 1.0, 1e12, true, "a whole number from 1 to 1000000000000",
                      "every N steps take one of the two worlds through a save, in turns"},
};

static const option_rows options_of_soak = {"soak", rows, VALUES};

static bool is_flag(const char *argument, soak_options *options)
{
    if (strcmp(argument, "--quiet") == 0) {
        options->quiet = true;
        return true;
    }
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
        options->help = true;
        return true;
    }
    return false;
}

bool soak_options_parse(int count, char **arguments, soak_options *options, char *error, size_t error_bytes)
{
    double values[VALUES] = {0};
    *options = (soak_options){0};
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i], *value = NULL;
        if (is_flag(argument, options)) {
            continue;
        }
        const option_row *row =
            option_rows_find(&options_of_soak, count, arguments, &i, &value, error, error_bytes);
        if (row == NULL) {
            return false;
        }
        if (!option_row_number(row, value, &values[row - rows])) {
            return option_row_refuse(row, value, error, error_bytes);
        }
    }
    options->minutes = values[MINUTES];
    options->worlds = (uint64_t)values[WORLDS];
    options->steps = (uint64_t)values[STEPS];
    options->seed = (uint64_t)values[SEED];
    options->threads = (int)values[THREADS];
    options->reload_every = (uint64_t)values[RELOAD_EVERY];
    if (options->minutes <= 0.0 && options->worlds == 0 && options->steps == 0) {
        options->minutes = 1.0;
    }
    return true;
}

void soak_options_help(FILE *stream)
{
    fputs(
        "usage: drystone soak [options]\n\n"
        "Makes worlds, fills, stirs, empties and destroys them, each beside a twin with another instruction\n"
        "set, number of threads and team, under an allocator that fails now and then. Checks that both\n"
        "have the same state after every call, that no call which fails changes anything, that ids, counts,\n"
        "energy and memory are right and that no number is infinite. Some worlds go back by steps that they\n"
        "keep, some have a mirror that deltas bring along, and some are replayed from a recording. Ends with "
        "a\n"
        "line of figures.\n\n",
        stream);
    option_rows_help(&options_of_soak, stream);
    fprintf(stream, "  %-21s %s\n", "--quiet", "no progress, no figures; only what is wrong");
    fprintf(stream, "  %-21s %s\n", "--help", "this text");
    fputs("\nCtrl-C stops and prints the figures. Exit status: 0 nothing wrong; 1 something was, with a line "
          "on\n"
          "standard error that gives the seed to see it again, or it was stopped; 2 bad usage.\n",
          stream);
}

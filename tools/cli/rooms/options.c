/* Reads the options of `drystone rooms` (options.h). */
#include "tools/cli/rooms/options.h"

#include "tools/cli/option_rows.h"

#include <stdlib.h>
#include <string.h>

enum { ROOMS, RATE, MINUTES, LOAD, PRIORITIES, WORKERS, NUMBERS, HEAVY = NUMBERS, REPORT, VALUES };

static const option_row rows[VALUES] = {
    [ROOMS] = {"--rooms", "N", 1.0, 1e5, true, "a whole number from 1 to 100000", "rooms (100)"},
    [RATE] = {"--rate", "HZ", 0.0, 1e4, false, "a number from 0.01 to 10000, or 0",
              "ticks a second of each room; 0 = as fast as they go (60)"},
    [MINUTES] = {"--minutes", "M", 0.0, 1e6, false, "a number of minutes from 0 to 1000000",
                 "how long (0.1)"},
    [LOAD] = {"--load", "X", 0.001, 100.0, false, "a number from 0.001 to 100",
              "as many rooms as ask for this share of all workers, as trials find"},
    [PRIORITIES] = {"--priorities", "N", 1.0, 4.0, true, "a whole number from 1 to 4",
                    "priorities, which the rooms have in turn (1)"},
    [WORKERS] = {"--workers", "N", 0.0, 1024.0, true, "a whole number from 0 to 1024",
                 "threads that step rooms; 0 = one per physical core (0)"},
    [HEAVY] = {"--heavy", "SCENE:SIZE", 0.0, 0.0, false, "the name of a scene",
               "one more room, of another scene"},
    [REPORT] = {"--report", "FILE", 0.0, 0.0, false, "the name of a file",
                "write the figures as JSON; - = standard output"},
};

static const option_rows options_of_rooms = {"rooms", rows, VALUES};

/* Reads SCENE or SCENE:SIZE. */
static bool read_scene(const char *text, rooms_scene *scene)
{
    const char *colon = strrchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    char *end = NULL;
    if (length == 0 || length >= sizeof scene->name) {
        return false;
    }
    memcpy(scene->name, text, length);
    scene->name[length] = '\0';
    const long size = colon != NULL ? strtol(colon + 1, &end, 10) : 0;
    scene->size = (int)size;
    return colon == NULL || (size > 0 && size <= 10000000 && *end == '\0');
}

static bool is_flag(const char *argument, rooms_options *options)
{
    const bool help = strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
    const bool quiet = strcmp(argument, "--quiet") == 0, sleep = strcmp(argument, "--sleep") == 0;
    options->help |= help;
    options->quiet |= quiet;
    options->sleep |= sleep;
    return help || quiet || sleep;
}

/* Takes the value of a row. */
static bool take_value(const option_row *row, const char *value, double *numbers, rooms_options *options)
{
    if (row == &rows[HEAVY]) {
        return read_scene(value, &options->heavy);
    }
    if (row == &rows[REPORT]) {
        options->report = value;
        return value[0] != '\0';
    }
    double *number = &numbers[row - rows];
    return option_row_number(row, value, number) && (row != &rows[RATE] || *number == 0.0 || *number >= 0.01);
}

/* Reads the arguments into numbers and the rest of the options. */
static bool read_all(int count, char **arguments, rooms_options *options, double *numbers, char *error,
                     size_t error_bytes)
{
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i], *value = NULL;
        if (is_flag(argument, options)) {
            continue;
        }
        if (argument[0] != '-' && options->scene.name[0] == '\0') {
            if (!read_scene(argument, &options->scene)) {
                snprintf(error, error_bytes, "%s: expected SCENE or SCENE:SIZE", argument);
                return false;
            }
            continue;
        }
        const option_row *row =
            option_rows_find(&options_of_rooms, count, arguments, &i, &value, error, error_bytes);
        if (row == NULL) {
            return false;
        }
        if (!take_value(row, value, numbers, options)) {
            return option_row_refuse(row, value, error, error_bytes);
        }
    }
    return true;
}

bool rooms_options_parse(int count, char **arguments, rooms_options *options, char *error, size_t error_bytes)
{
    double numbers[NUMBERS] = {[RATE] = 60.0, [MINUTES] = 0.1, [PRIORITIES] = 1.0};
    *options = (rooms_options){.help = false};
    if (!read_all(count, arguments, options, numbers, error, error_bytes)) {
        return false;
    }
    options->rooms = (int)numbers[ROOMS];
    options->rate = numbers[RATE];
    options->minutes = numbers[MINUTES];
    options->load = numbers[LOAD];
    options->priorities = (int)numbers[PRIORITIES];
    options->workers = (int)numbers[WORKERS];
    if (options->load > 0.0 && (options->rooms > 0 || options->rate <= 0.0)) {
        snprintf(error, error_bytes, "--load: expected a rate above 0 and no --rooms beside it");
        return false;
    }
    if (options->load > 0.0 && options->sleep) {
        snprintf(error, error_bytes,
                 "--load: rooms that sleep ask for nothing: expected no --sleep beside it");
        return false;
    }
    if (options->priorities > 1 && options->rate <= 0.0) {
        snprintf(error, error_bytes, "--priorities: expected a rate above 0");
        return false;
    }
    if (options->load <= 0.0 && options->rooms == 0) {
        options->rooms = 100;
    }
    return true;
}

void rooms_options_help(FILE *stream)
{
    fputs("usage: drystone rooms [SCENE[:SIZE]] [options]\n\n"
          "Steps many rooms of a scene on one pool of threads, each at its rate, and tells how late ticks "
          "begin,\n"
          "which were skipped and why. Without a scene a room has ten towers of ten cubes. All rooms begin "
          "two\n"
          "seconds into the scene, and their bodies do not sleep.\n\n",
          stream);
    option_rows_help(&options_of_rooms, stream);
    fprintf(stream, "  %-21s %s\n", "--sleep", "lets bodies sleep");
    fprintf(stream, "  %-21s %s\n", "--quiet", "no figures; only what is wrong");
    fprintf(stream, "  %-21s %s\n", "--help", "this text");
    fputs("\nLateness counts where the workers had the cores for 98 % of the time that they wanted them.\n"
          "Exit status: 0 done; 1 the run failed or was stopped; 2 bad usage or bad input.\n",
          stream);
}

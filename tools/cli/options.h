/* The options of `drystone stress`. Parsing and the help text share one table. */
#ifndef TOOLS_CLI_OPTIONS_H
#define TOOLS_CLI_OPTIONS_H

#include "tools/cli/picture/picture.h"
#include <drystone/drystone.h>
#include <stdio.h>

typedef struct stress_options {
    const char *scene;
    bool scene_is_file;
    int size; /* 0 takes the scene's default */
    int steps, warmup;
    float dt;       /* s; 0 takes the scene's */
    float disorder; /* m */
    int seed;
    dry_settings settings;
    int threads;
    dry_team team;
    dry_isa isa;
    const char *report, *final, *trace, *picture, *scene_out, *save, *load, *record, *frames, *film, *series,
        *plot, *compare; /* null if not asked for */
    picture_tint picture_by;
    int every;        /* steps from a picture of a film, or a measurement of a series, to the next */
    int hash_every;   /* 0 never prints hashes */
    int reload_every; /* 0 never does */
    int rollback;     /* steps that are done again after each step */
    bool counters, quiet, no_quality, list_series, help;
    uint64_t given; /* a bit for each option of the table that the command line has */
} stress_options;

/* Fills *options. Returns false with a one-line message that names the option and the expected value. */
bool stress_options_parse(int count, char **arguments, stress_options *options, char *error,
                          size_t error_bytes);

void stress_options_help(FILE *stream);

#endif

/* The options of `drystone stress`: one table that parsing and the help text share. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/picture/picture.h"
#include <drystone/drystone.h>
#include <stdio.h>

typedef struct stress_options {
    const char *scene;
    bool scene_is_file;
    int size; /* 0: the scene's default */
    int steps, warmup;
    float dt; /* 0: the scene's own */
    dry_settings settings;
    int threads;
    dry_isa isa;
    const char *report, *final, *trace, *picture, *scene_out; /* null: not asked for */
    picture_tint picture_by;
    int hash_every; /* 0: never */
    bool counters, quiet, no_quality, help;
} stress_options;

/* Fills *options. False with a one-line message that names the option and what was expected. */
bool stress_options_parse(int count, char **arguments, stress_options *options, char *error,
                          size_t error_bytes);

void stress_options_help(FILE *stream);

#endif

/* The options of `drystone soak`. */
#ifndef TOOLS_CLI_SOAK_OPTIONS_H
#define TOOLS_CLI_SOAK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct soak_options {
    double minutes;         /* 0 sets no limit of time */
    uint64_t worlds, steps; /* 0 sets no limit; one of the three limits is set */
    uint64_t seed;
    uint64_t reload_every; /* 0 never does */
    int threads;           /* 0 takes one for each physical core */
    bool quiet, help;
} soak_options;

/* Fills *options. Returns false with a one-line message that names the option and the expected value. */
bool soak_options_parse(int count, char **arguments, soak_options *options, char *error, size_t error_bytes);

void soak_options_help(FILE *stream);

#endif

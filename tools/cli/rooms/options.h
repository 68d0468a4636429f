/* The options of `drystone rooms`. */
#ifndef TOOLS_CLI_ROOMS_OPTIONS_H
#define TOOLS_CLI_ROOMS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A built-in scene or a scene file, and its size. */
typedef struct rooms_scene {
    char name[256]; /* empty: ten towers of ten cubes */
    int size;       /* 0 takes the scene's default */
} rooms_scene;

typedef struct rooms_options {
    rooms_scene scene, heavy; /* heavy: that of one more room, if it has a name */
    int rooms;                /* 0: as many as `load` asks for */
    double rate;              /* Hz; 0: as fast as they go */
    double minutes;
    double load;    /* 0: `rooms` are given */
    int priorities; /* that the rooms have in turn */
    int workers;    /* 0: one for each core */
    bool sleep, quiet, help;
    const char *report; /* null if not asked for */
} rooms_options;

/* Fills *options. Returns false with a one-line message that names the option and the expected value. */
bool rooms_options_parse(int count, char **arguments, rooms_options *options, char *error,
                         size_t error_bytes);

void rooms_options_help(FILE *stream);

#endif

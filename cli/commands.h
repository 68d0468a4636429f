/* The tool's commands; each gets the arguments after its own name and returns the exit status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <stdio.h>

enum {
    STATUS_DONE = 0,
    STATUS_FAILED = 1, /* the run failed: stopped early, out of memory, a write that failed */
    STATUS_USAGE = 2   /* bad usage or bad input, with one line on standard error */
};

int stress_command(int count, char **arguments);
int scenes_command(int count, char **arguments);
int info_command(int count, char **arguments);

/* Flushes standard output; STATUS_FAILED, with a line on standard error, where that or a write before it
 * failed. */
int finish_standard_output(void);

#endif

/* Tables of options with a value, for commands whose options set numbers of their own.
 *
 * Reads the arguments of a command. Next: tools/cli/option_rows.c. */
#ifndef TOOLS_CLI_OPTION_ROWS_H
#define TOOLS_CLI_OPTION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct option_row {
    const char *name, *argument;
    double low, high; /* the range of a number */
    bool whole;
    const char *expected, *help;
} option_row;

typedef struct option_rows {
    const char *command; /* as in `drystone COMMAND` */
    const option_row *rows;
    int count;
} option_rows;

/* Finds the option of an argument such as --seed 5 or --seed=5 and its value, and moves *at to its last
 * argument. Returns null, with a line, if the option is unknown or its value is missing. */
const option_row *option_rows_find(const option_rows *all, int count, char **arguments, int *at,
                                   const char **value, char *error, size_t error_bytes);

/* Reads all of `text` as a number of the row's range; false if it is none. */
bool option_row_number(const option_row *row, const char *text, double *value);

/* Writes a line that names the option, the value and what is expected. Returns false. */
bool option_row_refuse(const option_row *row, const char *value, char *error, size_t error_bytes);

/* Prints a line for each option. */
void option_rows_help(const option_rows *all, FILE *stream);

#endif

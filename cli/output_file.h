/* Output files that are either whole or absent: written to a temporary beside the target and renamed at the
 * end. Standard output ("-") and what is no regular file (a device, a pipe) are written in place. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How the tool ends. */
enum {
    STATUS_DONE = 0,
    STATUS_FAILED = 1, /* the run failed: stopped early, out of memory, a write that failed */
    STATUS_USAGE = 2   /* bad usage or bad input, with one line on standard error */
};

typedef struct output_file {
    FILE *stream;    /* null when not open */
    char *path;      /* as asked for */
    char *target;    /* the same with its folder and links resolved */
    char *temporary; /* null when written in place */
} output_file;

/* False with a one-line message that names the path. */
bool output_file_open(output_file *file, const char *path, char *error, size_t error_bytes);

/* Writes out, closes and renames. False if any write so far failed: then the target is as it was. */
bool output_file_commit(output_file *file, char *error, size_t error_bytes);

/* Closes and removes the temporary, leaving the target as it was. Does nothing to a file not open. */
void output_file_discard(output_file *file);

/* Whether two open files would end up under one name. */
bool output_file_same(const output_file *a, const output_file *b);

/* Removes all temporaries of open files. Only for a signal handler that is about to end the process. */
void output_file_remove_temporaries(void);

/* Flushes standard output; STATUS_FAILED, with a line on standard error, where that or a write before it
 * failed. */
int finish_standard_output(void);

#endif

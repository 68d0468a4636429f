/* Output files that are complete or absent. A file is written under a temporary name beside its target and
 * renamed at the end. Standard output ("-"), devices and pipes are written in place, and so is a growing
 * file, which has whole parts at all times.
 *
 * The temporary file of NAME is called NAME.drystone-XXXXXX and is locked as long as its process lives. A
 * process that was killed leaves it behind without the lock; the next run with the same target removes it. */
#ifndef TOOLS_CLI_OUTPUT_FILE_H
#define TOOLS_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The exit status of the tool. */
enum {
    STATUS_DONE = 0,
    STATUS_FAILED = 1, /* the run failed: stopped early, all bodies invalid, no memory, a write that failed */
    STATUS_USAGE = 2   /* bad usage or bad input, with one line on standard error */
};
#define STATUS_HELP                                                                                          \
    "Exit status: 0 done; 1 the run failed (stopped early, every dynamic body in quarantine, out of "        \
    "memory,\n"                                                                                              \
    "a write that failed); 2 bad usage or bad input, with one line on standard error.\n"

typedef struct output_file {
    FILE *stream;    /* null if not open */
    char *path;      /* as the option gave it */
    char *target;    /* the path with folder and links resolved */
    char *temporary; /* null if the file is written in place */
    bool growing;    /* opened by output_file_open_growing */
    bool made;       /* a growing file that did not exist */
    long long whole; /* bytes of a growing file, all of whole parts */
} output_file;

/* Opens a file. Returns false with a message of one line that names the path. */
bool output_file_open(output_file *file, const char *path, char *error, size_t error_bytes);

/* Opens a file that is read as it grows, under its own name. It keeps what it has until the first
 * output_file_append. Returns false as output_file_open does. */
bool output_file_open_growing(output_file *file, const char *path, char *error, size_t error_bytes);

/* Writes a part of a growing file at once. If that fails, takes back what it wrote of it, and returns false
 * with a message that names the path and the reason. */
bool output_file_append(output_file *file, const char *part, size_t bytes, char *error, size_t error_bytes);

/* Writes out what the stream holds, so that a full disk shows at once. Returns false, with a message that
 * names the path and the reason, if this or an earlier write failed. The reason of an earlier one is errno,
 * which the caller sets to 0 before writing. */
bool output_file_flush(output_file *file, char *error, size_t error_bytes);

/* Flushes, closes and renames the file. Returns false as output_file_flush does, with an unchanged target. */
bool output_file_commit(output_file *file, char *error, size_t error_bytes);

/* Closes and removes the temporary file; the target stays unchanged. Does nothing for a file that is not
 * open. */
void output_file_discard(output_file *file);

/* Tells whether two open files have the same target. */
bool output_file_same(const output_file *a, const output_file *b);

/* Removes all temporary files. Only for a signal handler that ends the process. */
void output_file_remove_temporaries(void);

/* Flushes standard output. Returns STATUS_FAILED, after a line on standard error, if this or an earlier write
 * failed. */
int finish_standard_output(void);

#endif

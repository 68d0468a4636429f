/* Files and saves as bytes in memory. */
#ifndef TOOLS_CLI_FILE_BYTES_H
#define TOOLS_CLI_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that grow; freed with free(at). */
typedef struct file_bytes {
    char *at;
    size_t size, room;
} file_bytes;

/* Appends bytes to those of `user`, as a dry_sink does. Returns false without memory. */
bool file_bytes_append(void *user, const void *more, size_t size);

/* Reads a whole file. Returns false with errno if it cannot be read. */
bool file_bytes_read(const char *path, file_bytes *to);

#endif

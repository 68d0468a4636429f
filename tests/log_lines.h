/* Keeps what a world or a team of workers writes to its log. */
#ifndef TESTS_LOG_LINES_H
#define TESTS_LOG_LINES_H

#include <stdio.h>

typedef struct log_lines {
    int count;
    char last[512];
} log_lines;

/* Takes a line; the `write` of a dry_log whose `user` is a log_lines. */
static inline void keep_line(const char *line, void *user)
{
    log_lines *lines = user;
    lines->count++;
    snprintf(lines->last, sizeof lines->last, "%s", line);
}

#endif

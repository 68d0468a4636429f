/* One line on a terminal that shows how far a run is; nothing in a pipe. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <drystone/drystone.h>
#include <stdio.h>

typedef struct progress {
    FILE *stream;
    bool shown;            /* whether this stream gets a line at all */
    bool drawn;            /* whether there is one now */
    int steps;             /* asked for */
    double drawn_ms, rate; /* when last drawn; steps a second, smoothed */
    int drawn_step;
} progress;

void progress_begin(progress *p, FILE *stream, bool wanted, int steps, double now_ms);
/* Redraws at most ten times a second. */
void progress_step(progress *p, int step, double now_ms, const dry_statistics *statistics);
/* Takes the line away, so that something else can be printed. */
void progress_clear(progress *p);
/* Shows what is done after the last step. */
void progress_note(progress *p, const char *what);

#endif

/* Shows the progress of a run as one line on a terminal; prints nothing into a pipe. */
#ifndef TOOLS_CLI_PROGRESS_H
#define TOOLS_CLI_PROGRESS_H

#include <drystone/drystone.h>
#include <stdio.h>

typedef struct progress {
    FILE *stream;
    bool shown;            /* the stream is a terminal and shows the line */
    bool drawn;            /* the line is on the terminal */
    int steps;             /* steps of the whole run */
    double drawn_ms, rate; /* time of the last drawing, ms; smoothed rate, steps a second */
    int drawn_step;
} progress;

void progress_begin(progress *p, FILE *stream, bool wanted, int steps, double now_ms);
/* Redraws the line, at most ten times a second. */
void progress_step(progress *p, int step, double now_ms, const dry_statistics *statistics);
/* Removes the line before other output. */
void progress_clear(progress *p);
/* Shows a bar for a share of the work, 0 to 1, and the name of its present part. */
void progress_share(progress *p, double share, const char *what);
/* Shows the name of the work after the last step. */
void progress_note(progress *p, const char *what);

#endif

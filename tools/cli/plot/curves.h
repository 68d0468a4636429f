/* Keeps what a plot shows of a run, in bounded memory: the lowest and highest value of evenly spaced spans.
 */
#ifndef TOOLS_CLI_PLOT_CURVES_H
#define TOOLS_CLI_PLOT_CURVES_H

#include "tools/cli/samples.h"
#include "tools/cli/series.h"

enum { CURVE_STEP, CURVE_PENETRATION, CURVE_ENERGY, CURVE_AWAKE, CURVE_COUNT };

#define CURVE_POINTS 2048 /* more than a sheet has pixels across */

typedef struct curve_point {
    double time_s;                              /* of the span's first row */
    double low[CURVE_COUNT], high[CURVE_COUNT]; /* NaN where nothing was measured */
} curve_point;

typedef struct curves {
    curve_point *points;
    int count;
    long long rows, stride; /* rows seen, and of them in a span */
    double end_s;           /* time of the last row */
    int warmup;             /* first rows that the quantiles leave out */
    samples step_ms;
} curves;

/* Returns false if there is no memory. */
bool curves_begin(curves *c, int warmup);
/* Adds a row of a series. Returns false if there is no memory. */
bool curves_add(curves *c, const double row[SERIES_COLUMNS]);
/* Reads a file that --series wrote; columns that no curve shows may be missing, or others be there. Returns
 * false with a message that names the file, the line and what was expected. */
bool curves_read(curves *c, const char *path, int warmup, char *error, size_t error_bytes);
void curves_free(curves *c);

#endif

/* Writes a run as it goes: one row of numbers a step. */
#ifndef TOOLS_CLI_SERIES_H
#define TOOLS_CLI_SERIES_H

#include "tools/cli/output_file.h"
#include <drystone/drystone.h>

/* The columns, in order. Of the stages there is one each. */
enum {
    SERIES_STEP,
    SERIES_TIME,
    SERIES_STEP_MS,
    SERIES_STAGES,
    SERIES_AWAKE = SERIES_STAGES + DRY_STAGE_COUNT,
    SERIES_ISLANDS,
    SERIES_MANIFOLDS,
    SERIES_PAIRS,
    SERIES_SUBSTEPS,
    SERIES_ENERGY,
    SERIES_SPEED,
    SERIES_PENETRATION,
    SERIES_BYTES,
    SERIES_COLUMNS
};

/* Writes the name of a column, such as solve_ms, into `text` and returns it. */
const char *series_name(int column, char *text, size_t bytes);

/* Prints a line for each column: name, unit, meaning. */
void series_list(FILE *stream);

/* Writes the names, and from then on whole rows. A value that is not finite was not measured. A write that
 * fails leaves the whole rows before it. Return false, with a message that names the file. */
bool series_begin(output_file *file, char *error, size_t error_bytes);
bool series_write(output_file *file, const double row[SERIES_COLUMNS], char *error, size_t error_bytes);

#endif

/* Draws the curves of a run on one sheet. */
#ifndef TOOLS_CLI_PLOT_SHEET_H
#define TOOLS_CLI_PLOT_SHEET_H

#include "tools/cli/plot/curves.h"
#include "tools/cli/report.h"

/* Writes the sheet as SVG or PNG. `other` is a second run, from the file `other_name`, or null. Returns false
 * with a one-line message if memory or the stream fails. */
bool sheet_write(FILE *stream, bool svg, const run_report *report, const curves *run, const curves *other,
                 const char *other_name, char *error, size_t error_bytes);

#endif

/* Writes a Chrome trace of steps, stages and workers during the run, for Perfetto. */
#ifndef TOOLS_CLI_TRACE_H
#define TOOLS_CLI_TRACE_H

#include <drystone/drystone.h>
#include <stdio.h>

void trace_begin(FILE *stream, const char *scene, int workers);
/* Writes one finished step of a world with trace_workers; `start_ms` is the time since the begin of the run.
 */
void trace_step(FILE *stream, long long step, double start_ms, const dry_statistics *statistics,
                const dry_world *world);
void trace_end(FILE *stream);

#endif

/* A Chrome trace of steps and stages, streamed as the run goes; opens in Perfetto. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <drystone/drystone.h>
#include <stdio.h>

void trace_begin(FILE *stream, const char *scene);
/* One finished step: `start_ms` since the run's begin. */
void trace_step(FILE *stream, long long step, double start_ms, const dry_statistics *statistics);
void trace_end(FILE *stream);

#endif

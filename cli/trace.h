/* A Chrome trace of steps, stages and workers, streamed as the run goes; opens in Perfetto. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include <drystone/drystone.h>
#include <stdio.h>

void trace_begin(FILE *stream, const char *scene, int workers);
/* One finished step of a world with trace_workers: `start_ms` since the run's begin. */
void trace_step(FILE *stream, long long step, double start_ms, const dry_statistics *statistics,
                const dry_world *world);
void trace_end(FILE *stream);

#endif

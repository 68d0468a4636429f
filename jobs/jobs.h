/* Stages run in parallel: blocks of items claimed by a team of workers.
 *
 * The calling thread (worker 0) publishes a stage, works on it, and goes on when all its blocks are done;
 * it never waits for a worker to arrive. So any number of helpers, on OpenMP threads or on a server's own
 * pool, may come late or never. Results must not depend on which worker runs what: `run` gets
 * disjoint items and writes only what belongs to them. What one stage wrote, all workers see in the next. */
#ifndef JOBS_JOBS_H
#define JOBS_JOBS_H

#include "core/memory.h"

#include <drystone/world.h>

#define DRY_JOBS_WORKERS_MAX 1024

typedef struct dry_jobs dry_jobs;

/* Work on items [begin, end). `worker` is 0 to workers - 1 and belongs to one thread at a time. Calls
 * neither dry_jobs_for nor dry_jobs_gather. */
typedef void dry_jobs_run(void *context, int begin, int end, int worker);

/* The number of workers, the calling thread included; 1 never makes or wakes a thread. */
int dry_jobs_workers(const dry_jobs *jobs);

/* Runs `run` over items [0, count) in blocks of at least `grain` items; the same count and grain give each
 * worker the same items first, every time. With one block, one worker, or outside dry_jobs_gather it is
 * one call on the calling thread. Only from the thread that gathered. */
void dry_jobs_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context);

/* Gathers the team, or fewer while other work holds their cores (jobs/team_size.h), runs `body(context)` on
 * the calling thread, and lets the team go. Inside another gathering of the same jobs it only calls `body`.
 */
void dry_jobs_gather(dry_jobs *jobs, void (*body)(void *context), void *context);

/* From here to dry_jobs_trace_end each worker writes down what it runs: spans in ms from `origin_ms`
 * (dry_clock_ms), under the stage last named. Not while gathered. False if memory for as many as the last
 * time failed; then some are lost again. */
bool dry_jobs_trace_begin(dry_jobs *jobs, dry_memory *memory, double origin_ms);
void dry_jobs_trace_stage(dry_jobs *jobs, dry_stage stage);
void dry_jobs_trace_end(dry_jobs *jobs);
/* What the last tracing found; see dry_world_worker_spans. */
const dry_worker_span *dry_jobs_spans(const dry_jobs *jobs, int worker, int *count, int *lost);

typedef struct dry_jobs_def {
    int threads;     /* 0: one per physical core; at most DRY_JOBS_WORKERS_MAX */
    bool pin;        /* bind OpenMP's threads, never the calling one, to a core each; they stay bound */
    dry_tasks tasks; /* null functions: OpenMP */
    bool keep_all;   /* gather all of them every time */
} dry_jobs_def;

/* Null if memory fails. */
dry_jobs *dry_jobs_create(dry_memory *memory, const dry_jobs_def *def);
void dry_jobs_destroy(dry_memory *memory, dry_jobs *jobs);

#endif

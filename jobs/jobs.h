/* Stages run in parallel: blocks of items claimed by a team of workers.
 *
 * The calling thread (worker 0) publishes a stage, works on it, and goes on when all its blocks are done;
 * it never waits for a worker to arrive. So any number of helpers, on OpenMP threads or on a server's own
 * pool, may come late or never. Results must not depend on which worker runs what: `run` gets
 * disjoint items and writes only what belongs to them. */
#ifndef JOBS_JOBS_H
#define JOBS_JOBS_H

#include "core/memory.h"

typedef struct dry_jobs dry_jobs;

/* Work on items [begin, end). `worker` is 0 to workers - 1 and belongs to one thread at a time. */
typedef void dry_jobs_run(void *context, int begin, int end, int worker);

/* The number of workers, the calling thread included; 1 never makes or wakes a thread. */
int dry_jobs_workers(const dry_jobs *jobs);

/* Runs `run` over items [0, count) in blocks of at least `grain` items. With one block, one worker, or
 * outside dry_jobs_begin/end it runs on the calling thread. */
void dry_jobs_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context);

/* Gathers the team, runs `body(context)` on the calling thread, and lets the team go. */
void dry_jobs_gather(dry_jobs *jobs, void (*body)(void *context), void *context);

typedef struct dry_jobs_def {
    int threads; /* 0: one per physical core */
    bool pin;
    dry_tasks tasks;
} dry_jobs_def;

/* Null if memory fails. */
dry_jobs *dry_jobs_create(dry_memory *memory, const dry_jobs_def *def);
void dry_jobs_destroy(dry_memory *memory, dry_jobs *jobs);

#endif

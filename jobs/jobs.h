/* Runs loops in parallel: a team of workers claims blocks of items.
 *
 * The calling thread (worker 0) publishes a loop, works on it, and goes on when all blocks are done. The
 * thread never waits for a worker to arrive, so helpers (jobs/helpers.h) may come late or never. Results must
 * not depend on the worker of an item: `run` receives disjoint items and writes only data of those items. In
 * the next loop all workers see the data that a loop wrote. */
#ifndef JOBS_JOBS_H
#define JOBS_JOBS_H

#include "core/memory.h"
#include "core/shared.h"

#include <drystone/world.h>

#define DRY_JOBS_WORKERS_MAX 1024

typedef struct dry_jobs dry_jobs;

/* The items [begin, end) of a loop. `worker` is 0 to workers - 1 and belongs to one thread at a time. */
typedef struct dry_items {
    int begin, end, worker;
} dry_items;

/* Works on items. The function must not call dry_jobs_for or dry_jobs_begin_parallel, but with
 * dry_jobs_alone. */
typedef void dry_jobs_run(void *context, dry_items items);

/* Returns the number of workers, the calling thread included; one worker never creates or wakes a thread. */
DRY_SHARED int dry_jobs_workers(const dry_jobs *jobs);

/* Returns how many workers share the loops that the calling thread begins now: 1 outside a region. */
int dry_jobs_sharing(const dry_jobs *jobs);

/* Returns how many of the workers there are, as far as the last region has shown: all, less own threads that
 * could not be started and threads that OpenMP did not give. */
int dry_jobs_present(const dry_jobs *jobs);

/* Returns where the helpers come from. THREADS may take the place of OPENMP in a region. */
dry_team dry_jobs_team(const dry_jobs *jobs);

/* Calls `run` for items [0, count) in blocks of at least `grain` items. The same count and grain give each
 * worker the same first items every time. With one block, with one worker, or outside a parallel region, the
 * calling thread makes one call. Only the thread that began the region may call this. */
DRY_SHARED void dry_jobs_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context);

/* Returns jobs of the calling thread alone, for loops inside of items that workers share. */
dry_jobs *dry_jobs_alone(void);

/* Begins a parallel region: starts the team, or fewer workers while other work holds their cores
 * (jobs/team_size.h), calls `body(context)` on the calling thread, and ends the region. Inside a region of
 * the same jobs it only calls `body`. */
void dry_jobs_begin_parallel(dry_jobs *jobs, void (*body)(void *context), void *context);

/* Begins a trace, outside parallel regions. Until dry_jobs_trace_end each worker records spans of its work,
 * in ms from `origin_ms` (dry_clock_ms), with the stage set last. Returns false if there is no memory for as
 * many spans as the last trace had; some spans are then lost again. */
bool dry_jobs_trace_begin(dry_jobs *jobs, dry_memory *memory, double origin_ms);
void dry_jobs_trace_stage(dry_jobs *jobs, dry_stage stage);
void dry_jobs_trace_end(dry_jobs *jobs);
/* Makes room in a new team for as many spans of each worker as another team has for one. Returns false if
 * memory fails. */
bool dry_jobs_trace_like(dry_jobs *jobs, dry_memory *memory, const dry_jobs *other);
/* Returns the spans of the last trace, as dry_world_worker_spans describes. */
const dry_worker_span *dry_jobs_spans(const dry_jobs *jobs, int worker, int *count, int *lost);

/* Tells whether a thread that helps may go on; a null function: until the region ends. */
typedef struct dry_stay {
    bool (*stays)(void *user);
    void *user;
} dry_stay;

/* Helps as the task does that dry_tasks.start was given with this argument, but leaves once `stay` says no,
 * which is asked after each block and while there is none. Returns whether it left for that: then the thread,
 * or another one, may come back before dry_tasks.finish. Else the region has ended. */
bool dry_jobs_help_while(void *argument, dry_stay stay);

typedef struct dry_jobs_def {
    int threads;     /* at most DRY_JOBS_WORKERS_MAX; 0 takes one per physical core, as far as control groups
                        leave the process so many processors (jobs/cgroup.h) */
    dry_team team;   /* OPENMP takes own threads where the build, or this process, has no OpenMP */
    bool pin;        /* takes own threads, and binds each, but not the calling thread, to a core */
    dry_tasks tasks; /* null functions take `team`'s threads */
    dry_log log;     /* told once if threads are missing */
    bool keep_all;   /* starts all workers in every region */
} dry_jobs_def;

/* Creates a team. Returns null if there is no memory. The first region starts the own threads, and they run
 * until dry_jobs_destroy. Threads that cannot be started are tried again after a second. After a fork the
 * child's first region starts threads of the child's. OpenMP's threads belong to the thread that begins a
 * region, and outlive the team. */
dry_jobs *dry_jobs_create(dry_memory *memory, const dry_jobs_def *def);
void dry_jobs_destroy(dry_memory *memory, dry_jobs *jobs);

/* Makes the memory of a team that of another world (dry_memory_hand_over). */
void dry_jobs_hand_over(dry_memory *from, dry_memory *to, dry_jobs *jobs);

/* Returns the definition that the team was created with. */
dry_jobs_def dry_jobs_asked(const dry_jobs *jobs);

/* Tells whether a team is what a definition, apart from its log, asks for now. */
bool dry_jobs_are(const dry_jobs *jobs, const dry_jobs_def *def);

#endif

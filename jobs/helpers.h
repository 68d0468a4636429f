/* The source of a team's helpers: threads that a server lends (jobs/lent_helpers.c), threads of the
 * team's own (jobs/own_helpers.c), or OpenMP's (jobs/openmp_helpers.c).
 *
 * A source only brings threads into a region. The protocol of jobs/jobs.c decides their work, and it is the
 * same for all: a helper may come late, or never. */
#ifndef JOBS_HELPERS_H
#define JOBS_HELPERS_H

#include "core/compiler.h"
#include "core/math.h"
#include "jobs/jobs.h"
#include "jobs/team_size.h"
#include "jobs/threads.h"

#include <sched.h>
#include <sys/types.h>

/* An own thread looks for the next region for this time before it sleeps. A program that steps without a
 * break finds its helpers awake; waking one takes up to 50 us of its first loops. */
#define DRY_MS_BEFORE_SLEEP 0.2

/* signal = number << 16 | kind; a kind from 1 to DRY_JOBS_WORKERS_MAX is a stage with that number of ranges.
 */
#define DRY_KIND_MASK UINT64_C(0xffff)
enum { DRY_KIND_CLOSED = 0xffff, DRY_KIND_STARTING = 0xfffe, DRY_KIND_SERIAL = 0xfffd };

/* Cursor and constants have their own cache lines: other workers write the first and read the second. */
typedef struct dry_team_worker {
    _Alignas(DRY_CACHE_LINE) _Atomic uint64_t cursor; /* next block << 32 | end of the range */
    _Alignas(DRY_CACHE_LINE) dry_jobs *jobs;
    int index;
    void *handle; /* returned by tasks.start */
    dry_thread thread;
    /* The trace: this worker writes it, and the calling thread reads it between regions. */
    dry_worker_span *spans;
    int span_capacity, span_count; /* the count includes spans that found no room */
} dry_team_worker;

typedef struct dry_helpers {
    dry_team team;
    /* Makes ready for a region of at most `asked` workers, with the calling thread. Returns how many it will
     * have, and sets jobs->present. May replace jobs->helpers by another source. */
    int (*gather)(dry_jobs *jobs, int asked);
    /* Runs a region of jobs->team workers, at least two: calls body(context) on the calling thread. Adds to
     * jobs->waited_ms the time for which the region waited for helpers outside the body. */
    void (*run)(dry_jobs *jobs, void (*body)(void *context), void *context);
} dry_helpers;

struct dry_jobs {
    /* Constant within a region. */
    const dry_helpers *helpers;
    dry_jobs_def asked;
    int workers;
    int present; /* number of workers that a region can have, as far as the last one has shown */
    int team;    /* number of workers in the region: the first ones */
    int spins;
    bool in_parallel;
    bool adapts; /* starts fewer workers while other work holds their cores */
    bool told;   /* the log has the line about threads that are missing */
    const void *caller;
    dry_tasks tasks;
    dry_log log;
    struct hwloc_topology *pinning; /* null binds no thread */
    int threads;                    /* own threads that run: workers 1 to `threads` */
    bool tried;                     /* to start them */
    double retry_ms;                /* when to try the missing ones again */
    pid_t process;                  /* in which they run */
    uint64_t number;                /* of the last signal */
    uint32_t helped_before;         /* `helped` after the last stage; wraps likewise */
    dry_team_size size;
    /* In this region. */
    double waited_ms; /* for blocks that helpers had claimed, after the spins */
    uint64_t own_blocks, helped_blocks;

    /* One cache line: a helper that reads a new signal has the stage, too. */
    _Alignas(DRY_CACHE_LINE) _Atomic uint64_t signal;
    dry_jobs_run *run;
    void *context;
    int block_items; /* the first `larger_blocks` blocks have one item more */
    int larger_blocks;
    bool tracing;
    dry_stage stage;  /* of spans */
    double origin_ms; /* likewise */
    _Atomic int
        gate; /* of own threads: the team of the open region, 0 between regions, negative at the end */

    _Alignas(DRY_CACHE_LINE) _Atomic uint32_t helped; /* number of blocks that helpers have done so far */
    _Atomic int inside; /* number of lent helpers that may still access this struct */

    _Alignas(DRY_CACHE_LINE) dry_team_worker worker[];
};

/* Returns the address that identifies the calling thread in jobs->caller. */
const void *dry_jobs_this_thread(void);

/* Tells all helpers that look. */
void dry_jobs_signal(dry_jobs *jobs, uint64_t kind);

/* Helps until the region ends, or until `stay` says no; returns whether it left for that. */
bool dry_jobs_help(dry_jobs *jobs, int index, dry_stay stay);

/* Writes a line to the log, once for each source of helpers. */
void dry_jobs_tell(dry_jobs *jobs, const char *line);

extern const dry_helpers dry_lent_helpers;
extern const dry_helpers dry_own_helpers;

/* Ends the own threads. */
void dry_own_helpers_end(dry_jobs *jobs);

/* Tells whether the build has OpenMP. */
bool dry_openmp_built(void);

/* Returns null if the build has no OpenMP, and in a child of the process that loaded the library. */
const dry_helpers *dry_openmp_helpers(void);

/* Returns the number of places to which OpenMP binds its threads; 0 if it binds none. */
int dry_openmp_places(void);

/* Waits for one round and counts it in *waited. */
static inline void dry_wait_a_round(int spins, int *waited)
{
    if (*waited < spins)
        dry_pause_briefly();
    else
        sched_yield();
    if (*waited < INT32_MAX)
        ++*waited;
}

#endif

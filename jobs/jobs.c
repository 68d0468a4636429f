/* The team: how a loop is published, claimed, stolen and completed. The drawing calls a loop a stage.
 *
 *   calling thread (worker 0)                       helper w, any number of them, any time
 *   -------------------------                       ------------------------------------
 *   plain: stage = run, context, split
 *   release: cursor[0..ranges) = first | end  --->  acquire: claim a block by CAS on a cursor
 *   release: signal = number | ranges         --->  acquire: "look at the cursors again"
 *   claim and run blocks, own range first           read stage, run the block, next claim
 *   acquire: wait for helped == what others took <-- release: helped += blocks run
 *
 * A helper reads the plain fields only while it holds a claimed block that it has not yet reported. The stage
 * cannot end before that report, so the plain fields never change under a reader. Between stages every cursor
 * is empty, so no claim succeeds until the next stage's fields are in place. This also settles ABA: a helper
 * may sleep between reading a cursor and its CAS, over any number of stages. The CAS succeeds only if the
 * cursor offers exactly that block in the present stage, whose fields the helper then reads. No tag is
 * compared, so none can wrap. The number in `signal` (48 bits) only tells when to look; a helper that missed
 * 2^48 signals would at worst rest for a stage.
 *
 * The calling thread never waits for a helper to arrive, only for blocks that a helper has claimed. A helper
 * that could not be started, or that a fork left behind in the parent process, is one that never arrives. */
#include "jobs/jobs.h"

#include "core/clock.h"
#include "core/math.h"
#include "jobs/team_size.h"
#include "jobs/threads.h"
#include "jobs/topology.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More blocks balance unequal work and late helpers; each costs a claim of some 10 ns. */
#define BLOCKS_PER_WORKER 4

/* About 10 to 50 us of pauses: longer than most serial gaps between loops, where a system call would delay
 * the next start, and much shorter than a scheduler's time slice. */
#define SPINS_BEFORE_YIELD 1000

/* A helper gives up waiting for the calling thread to start all helpers after this number of yields, some ms.
 * A pool may run one world's helper inside another world's `start` and vice versa, and those two would
 * otherwise wait for each other forever. */
#define YIELDS_BEFORE_BODY 20000

/* An own thread looks for the next region for this time before it sleeps. A program that steps without a
 * break finds its helpers awake; waking one takes up to 50 us of its first loops. */
#define MS_BEFORE_SLEEP 0.2

/* Threads that could not be started are tried again after this time. */
#define MS_BEFORE_RETRY 1000.0

/* Spans for which a worker has room at first: a step of 100 loops in two ranges each. */
#define SPANS_AT_FIRST 256

/* signal = number << 16 | kind; a kind from 1 to DRY_JOBS_WORKERS_MAX is a stage with that number of ranges.
 */
#define KIND_MASK UINT64_C(0xffff)
enum { GATE_END = -1 };
enum { KIND_CLOSED = 0xffff, KIND_STARTING = 0xfffe, KIND_SERIAL = 0xfffd };

/* Cursor and constants have their own cache lines: other workers write the first and read the second. */
typedef struct team_worker {
    _Alignas(DRY_CACHE_LINE) _Atomic uint64_t cursor; /* next block << 32 | end of the range */
    _Alignas(DRY_CACHE_LINE) dry_jobs *jobs;
    int index;
    void *handle; /* returned by tasks.start */
    dry_thread thread;
    /* The trace: this worker writes it, and the calling thread reads it between regions. */
    dry_worker_span *spans;
    int span_capacity, span_count; /* the count includes spans that found no room */
} team_worker;

struct dry_jobs {
    /* Constant within a region. */
    int workers;
    int team; /* number of workers in the region: the first ones */
    int spins;
    bool in_parallel;
    bool adapts; /* starts fewer workers while other work holds their cores */
    bool told;   /* the log has the line about threads that could not be started */
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
    double waited_ms; /* in this region, for blocks that helpers had claimed, after the spins */

    /* One cache line: a helper that reads a new signal has the stage, too. */
    _Alignas(DRY_CACHE_LINE) _Atomic uint64_t signal;
    dry_jobs_run *run;
    void *context;
    int block_items; /* the first `larger_blocks` blocks have one item more */
    int larger_blocks;
    bool tracing;
    dry_stage stage;  /* of spans */
    double origin_ms; /* likewise */
    _Atomic int gate; /* of own threads: the team of the open region, 0 between regions, GATE_END */

    _Alignas(DRY_CACHE_LINE) _Atomic uint32_t helped; /* number of blocks that helpers have done so far */
    _Atomic int inside; /* number of helpers that may still access this struct */

    _Alignas(DRY_CACHE_LINE) team_worker worker[];
};

/* Identifies a thread by its address. */
static _Thread_local char thread_mark;

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb"); /* `yield` is a no-op on most cores, and spins would be too short */
#endif
}

/* Waits for one round and counts it in *waited. */
static inline void wait_a_round(int spins, int *waited)
{
    if (*waited < spins)
        pause_briefly();
    else
        sched_yield();
    if (*waited < INT32_MAX)
        ++*waited;
}

static void send_signal(dry_jobs *jobs, uint64_t kind)
{
    jobs->number++;
    atomic_store_explicit(&jobs->signal, jobs->number << 16 | kind, memory_order_release);
}

static inline uint64_t pack_range(int next, int end)
{
    return (uint64_t)(uint32_t)next << 32 | (uint32_t)end;
}

/* Claims a block and returns it; -1 if the range is empty. The owner takes blocks from the front, so that the
 * same items are in its cache from sweep to sweep; thieves take blocks from the end. */
static inline int claim_block(_Atomic uint64_t *cursor, bool own)
{
    uint64_t range = atomic_load_explicit(cursor, memory_order_relaxed);
    for (;;) {
        uint32_t next = (uint32_t)(range >> 32), end = (uint32_t)range;
        if (next == end)
            return -1;
        uint64_t rest = own ? range + (UINT64_C(1) << 32) : range - 1;
        /* Every change of a cursor after the publishing store is such a CAS, so acquiring any of them
         * acquires the stage. */
        if (atomic_compare_exchange_weak_explicit(cursor, &range, rest, memory_order_acquire,
                                                  memory_order_relaxed))
            return (int)(own ? next : end - 1);
    }
}

static void add_span(dry_jobs *jobs, int worker, double begin_ms)
{
    team_worker *w = &jobs->worker[worker];
    if (w->span_count < w->span_capacity)
        w->spans[w->span_count] =
            (dry_worker_span){jobs->stage, begin_ms - jobs->origin_ms, dry_clock_ms() - jobs->origin_ms};
    w->span_count++;
}

/* Runs the remaining blocks of one range and returns their number. The caller reports them together; until
 * then the stage cannot end. */
static int run_range(dry_jobs *jobs, int range, int worker)
{
    int blocks = 0, block;
    double begin_ms = 0.0;
    while ((block = claim_block(&jobs->worker[range].cursor, range == worker)) >= 0) {
        if (jobs->tracing && blocks == 0)
            begin_ms = dry_clock_ms();
        int larger = jobs->larger_blocks;
        int begin = block * jobs->block_items + (block < larger ? block : larger);
        int end = begin + jobs->block_items + (block < larger);
        jobs->run(jobs->context, begin, end, worker);
        blocks++;
    }
    /* Without a claimed block these fields may be changing for the next stage. */
    if (blocks && jobs->tracing)
        add_span(jobs, worker, begin_ms);
    return blocks;
}

/* Helps in one round over all ranges; one round is enough, since an empty range stays empty. */
static void help_stage(dry_jobs *jobs, int ranges, int worker)
{
    int range = worker % ranges;
    for (int i = 0; i < ranges; i++) {
        int blocks = run_range(jobs, range, worker);
        if (blocks)
            atomic_fetch_add_explicit(&jobs->helped, (uint32_t)blocks, memory_order_release);
        range = range + 1 < ranges ? range + 1 : 0;
    }
}

/* Helps until the region ends. */
static void help_until_closed(dry_jobs *jobs, int index)
{
    const int spins = jobs->spins; /* a copy, since neighboring fields change with each stage */
    uint64_t seen = 0;
    int waited = 0;
    for (;;) {
        uint64_t signal = atomic_load_explicit(&jobs->signal, memory_order_acquire);
        uint64_t kind = signal & KIND_MASK;
        if (signal != seen) {
            seen = signal;
            waited = 0;
            if (kind <= DRY_JOBS_WORKERS_MAX)
                help_stage(jobs, (int)kind, index);
        } else {
            wait_a_round(spins, &waited);
        }
        if (kind == KIND_CLOSED || (kind == KIND_STARTING && waited >= spins + YIELDS_BEFORE_BODY))
            break;
    }
}

/* The task that a server's pool runs. */
static void help(void *argument)
{
    team_worker *self = argument;
    dry_jobs *jobs = self->jobs;
    /* A pool may call this inside `start` or `finish`, where the thread would wait for itself. */
    if (jobs->caller == &thread_mark)
        return;
    atomic_fetch_add_explicit(&jobs->inside, 1, memory_order_relaxed);
    help_until_closed(jobs, self->index);
    atomic_fetch_sub_explicit(&jobs->inside, 1, memory_order_release);
}

/* Waits for a region with this worker in its team. Returns false if there will be none. */
static bool wait_for_region(team_worker *self)
{
    dry_jobs *jobs = self->jobs;
    int waited = 0;
    double sleeps_ms = 0.0;
    for (;;) {
        int open = atomic_load_explicit(&jobs->gate, memory_order_acquire);
        if (open == GATE_END)
            return false;
        if (open > self->index)
            return true;
        wait_a_round(jobs->spins, &waited);
        if (waited <= jobs->spins)
            continue;
        double now_ms = dry_clock_ms();
        if (waited == jobs->spins + 1)
            sleeps_ms = now_ms + MS_BEFORE_SLEEP;
        if (now_ms >= sleeps_ms) {
            dry_thread_sleep(&self->thread, &jobs->gate, self->index);
            waited = 0;
        }
    }
}

/* An own thread, from its start until dry_jobs_destroy. */
static void *work(void *argument)
{
    team_worker *self = argument;
    dry_jobs *jobs = self->jobs;
    if (jobs->pinning)
        (void)dry_topology_bind(jobs->pinning, self->index);
    while (wait_for_region(self))
        help_until_closed(jobs, self->index);
    return NULL;
}

/* Waits for blocks that helpers have claimed. Time counts from the end of spinning on, since waits of a busy
 * team are shorter. */
static void wait_for_helpers(dry_jobs *jobs)
{
    int waited = 0;
    double since_ms = 0.0;
    while (atomic_load_explicit(&jobs->helped, memory_order_acquire) != jobs->helped_before) {
        if (waited == jobs->spins)
            since_ms = dry_clock_ms();
        wait_a_round(jobs->spins, &waited);
    }
    if (waited > jobs->spins)
        jobs->waited_ms += dry_clock_ms() - since_ms;
}

void dry_jobs_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context)
{
    if (count <= 0)
        return;
    /* A sweep of a small world calls this thousands of times a step: no division before it is needed. */
    if (jobs->team == 1 || count < 2 * (int64_t)grain || count < 2 || !jobs->in_parallel) {
        double begin_ms = jobs->tracing ? dry_clock_ms() : 0.0;
        run(context, 0, count, 0);
        if (jobs->tracing)
            add_span(jobs, 0, begin_ms);
        return;
    }

    int blocks = dry_min_int(grain > 1 ? count / grain : count, jobs->team * BLOCKS_PER_WORKER);
    jobs->run = run;
    jobs->context = context;
    jobs->block_items = count / blocks;
    jobs->larger_blocks = count % blocks;
    int ranges = blocks < jobs->team ? blocks : jobs->team;
    for (int i = 0; i < ranges; i++)
        atomic_store_explicit(&jobs->worker[i].cursor,
                              pack_range(i * blocks / ranges, (i + 1) * blocks / ranges),
                              memory_order_release);
    send_signal(jobs, (uint64_t)ranges);

    int own = 0;
    for (int range = 0; range < ranges; range++)
        own += run_range(jobs, range, 0);
    jobs->helped_before += (uint32_t)(blocks - own);
    if (own < blocks)
        wait_for_helpers(jobs);
}

static void parallel_on_tasks(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    send_signal(jobs, KIND_STARTING);
    for (int i = 1; i < jobs->team; i++)
        jobs->worker[i].handle = jobs->tasks.start(help, &jobs->worker[i], jobs->tasks.user);
    send_signal(jobs, KIND_SERIAL);
    body(context);
    send_signal(jobs, KIND_CLOSED);
    for (int i = 1; i < jobs->team; i++)
        jobs->tasks.finish(jobs->worker[i].handle, jobs->tasks.user);
}

/* Waits until no task may access this struct. The tasks have returned; this orders their work before the
 * following code by our own atomics, and not only by a pool's. */
static void wait_for_tasks(dry_jobs *jobs)
{
    int waited = 0;
    while (atomic_load_explicit(&jobs->inside, memory_order_acquire) != 0)
        wait_a_round(jobs->spins, &waited);
}

static void tell_missing(dry_jobs *jobs, int error)
{
    if (jobs->told || !jobs->log.write)
        return;
    jobs->told = true;
    char reason[128] = "unknown error", line[320];
    (void)strerror_r(error, reason, sizeof reason);
    snprintf(line, sizeof line,
             "%d of %d threads could not be started (%s); steps go on with %d workers and the same results",
             jobs->workers - 1 - jobs->threads, jobs->workers - 1, reason, jobs->threads + 1);
    jobs->log.write(line, jobs->log.user);
}

/* Starts the own threads that do not run yet. */
static void start_threads(dry_jobs *jobs)
{
    /* A fork copies this struct, but not the threads. */
    pid_t process = getpid();
    if (jobs->process != process) {
        jobs->process = process;
        jobs->threads = 0;
        jobs->tried = false;
    }
    if (jobs->threads == jobs->workers - 1 || (jobs->tried && dry_clock_ms() < jobs->retry_ms))
        return;
    jobs->tried = true;
    while (jobs->threads < jobs->workers - 1) {
        team_worker *next = &jobs->worker[jobs->threads + 1];
        int error = dry_thread_start(&next->thread, work, next);
        if (error) {
            jobs->retry_ms = dry_clock_ms() + MS_BEFORE_RETRY;
            tell_missing(jobs, error);
            return;
        }
        jobs->threads++;
    }
}

/* An own thread may still look for blocks when this returns: it finds none before the next loop. */
static void parallel_on_threads(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    send_signal(jobs, KIND_SERIAL);
    atomic_store_explicit(&jobs->gate, jobs->team, memory_order_seq_cst);
    for (int i = 1; i < jobs->team; i++)
        dry_thread_wake(&jobs->worker[i].thread);
    body(context);
    atomic_store_explicit(&jobs->gate, 0, memory_order_relaxed);
    send_signal(jobs, KIND_CLOSED);
}

static void parallel(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    if (jobs->team == 1) {
        body(context);
    } else if (jobs->tasks.start) {
        parallel_on_tasks(jobs, body, context);
        wait_for_tasks(jobs);
    } else {
        parallel_on_threads(jobs, body, context);
    }
}

/* Begins a region with as many workers as other work leaves room for. */
static void parallel_on_some(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    double begin_ms = dry_clock_ms();
    jobs->team = dry_min_int(jobs->team, dry_team_size_begin(&jobs->size, begin_ms));
    jobs->waited_ms = 0.0;
    parallel(jobs, body, context);
    if (jobs->team == 1)
        return;
    double end_ms = dry_clock_ms();
    dry_team_size_end(&jobs->size, end_ms, end_ms - begin_ms, jobs->waited_ms);
}

void dry_jobs_begin_parallel(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    if (jobs->workers == 1 || jobs->in_parallel) {
        body(context);
        return;
    }
    jobs->in_parallel = true;
    jobs->caller = &thread_mark;
    if (!jobs->tasks.start)
        start_threads(jobs);
    jobs->team = dry_jobs_present(jobs);
    if (jobs->adapts)
        parallel_on_some(jobs, body, context);
    else
        parallel(jobs, body, context);
    jobs->caller = NULL;
    jobs->in_parallel = false;
}

bool dry_jobs_trace_begin(dry_jobs *jobs, dry_memory *memory, double origin_ms)
{
    bool good = true;
    for (int i = 0; i < jobs->workers; i++) {
        team_worker *w = &jobs->worker[i];
        /* Some room to spare, since the next step's number of spans differs a little. */
        int used = w->span_count, wanted = dry_max_int(used + used / 4, SPANS_AT_FIRST);
        if (used + used / 8 >= w->span_capacity)
            good = DRY_RESERVE(memory, w->spans, w->span_capacity, wanted) && good;
        w->span_count = 0;
    }
    jobs->origin_ms = origin_ms;
    jobs->tracing = true;
    return good;
}

void dry_jobs_trace_stage(dry_jobs *jobs, dry_stage stage)
{
    jobs->stage = stage;
}

void dry_jobs_trace_end(dry_jobs *jobs)
{
    jobs->tracing = false;
}

const dry_worker_span *dry_jobs_spans(const dry_jobs *jobs, int worker, int *count, int *lost)
{
    bool known = worker >= 0 && worker < jobs->workers;
    const team_worker *w = &jobs->worker[known ? worker : 0];
    int all = known ? w->span_count : 0;
    *count = all < w->span_capacity ? all : w->span_capacity;
    *lost = all - *count;
    return *count ? w->spans : NULL;
}

int dry_jobs_workers(const dry_jobs *jobs)
{
    return jobs->workers;
}

int dry_jobs_present(const dry_jobs *jobs)
{
    return jobs->tasks.start || !jobs->tried ? jobs->workers : 1 + jobs->threads;
}

static size_t jobs_bytes(int workers)
{
    return sizeof(dry_jobs) + (size_t)workers * sizeof(team_worker);
}

dry_jobs *dry_jobs_create(dry_memory *memory, const dry_jobs_def *def)
{
    bool pin = def->pin && def->threads != 1 && !def->tasks.start;
    struct hwloc_topology *tree = def->threads == 0 || pin ? dry_topology_open() : NULL;
    int workers = def->threads == 0 ? dry_topology_cores(tree) : def->threads;
    if (workers < 1)
        workers = 1;
    if (workers > DRY_JOBS_WORKERS_MAX)
        workers = DRY_JOBS_WORKERS_MAX;
    if (!pin || workers == 1) {
        dry_topology_close(tree);
        tree = NULL;
    }

    dry_jobs *jobs = dry_memory_allocate(memory, jobs_bytes(workers), DRY_CACHE_LINE);
    if (!jobs) {
        dry_topology_close(tree);
        return NULL;
    }
    *jobs = (dry_jobs){
        .workers = workers, .team = workers, .tasks = def->tasks, .log = def->log, .pinning = tree};
    /* With more workers than processors, a spinning thread displaces the one that it waits for. A program
     * that asks for so many workers gets them. */
    bool room = workers > 1 && workers <= dry_topology_processors();
    jobs->spins = room ? SPINS_BEFORE_YIELD : 0;
    jobs->adapts = room && !def->keep_all;
    jobs->size = dry_team_size_of(workers);
    atomic_init(&jobs->signal, KIND_CLOSED);
    atomic_init(&jobs->helped, 0);
    atomic_init(&jobs->inside, 0);
    atomic_init(&jobs->gate, 0);
    for (int i = 0; i < workers; i++) {
        team_worker *worker = &jobs->worker[i];
        *worker = (team_worker){.jobs = jobs, .index = i};
        atomic_init(&worker->cursor, 0);
    }
    return jobs;
}

static void end_threads(dry_jobs *jobs)
{
    /* After a fork the threads are the parent's. */
    if (jobs->threads == 0 || jobs->process != getpid())
        return;
    atomic_store_explicit(&jobs->gate, GATE_END, memory_order_seq_cst);
    for (int i = 1; i <= jobs->threads; i++)
        dry_thread_wake(&jobs->worker[i].thread);
    for (int i = 1; i <= jobs->threads; i++)
        dry_thread_join(&jobs->worker[i].thread);
}

void dry_jobs_destroy(dry_memory *memory, dry_jobs *jobs)
{
    if (!jobs)
        return;
    end_threads(jobs);
    dry_topology_close(jobs->pinning);
    for (int i = 0; i < jobs->workers; i++)
        DRY_RELEASE(memory, jobs->worker[i].spans, jobs->worker[i].span_capacity);
    dry_memory_release(memory, jobs, jobs_bytes(jobs->workers));
}

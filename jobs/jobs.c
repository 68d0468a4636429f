/* The protocol of a team: how a loop is published, claimed, stolen and completed. The drawing calls a loop a
 * stage. jobs/helpers.h has where helpers come from.
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
#include "core/assert.h"
#include "jobs/helpers.h"

#include "core/clock.h"

/* More blocks balance unequal work and late helpers; each costs a claim of some 10 ns. */
#define BLOCKS_PER_WORKER 4

/* A helper gives up waiting for the calling thread to start all helpers after this number of yields, some ms.
 * A pool may run one world's helper inside another world's `start` and vice versa, and those two would
 * otherwise wait for each other forever. */
#define YIELDS_BEFORE_BODY 20000

/* Spans for which a worker has room at first: a step of 100 loops in two ranges each. */
#define SPANS_AT_FIRST 256

/* Identifies a thread by its address. */
static _Thread_local char thread_mark;

const void *dry_jobs_this_thread(void)
{
    return &thread_mark;
}

void dry_jobs_signal(dry_jobs *jobs, uint64_t kind)
{
    jobs->number++;
    atomic_store_explicit(&jobs->signal, jobs->number << 16 | kind, memory_order_release);
}

void dry_jobs_tell(dry_jobs *jobs, const char *line)
{
    if (jobs->told || !jobs->log.write)
        return;
    jobs->told = true;
    jobs->log.write(line, jobs->log.user);
}

static inline uint64_t pack_range(int next, int end)
{
    DRY_ASSERT(next >= 0 && next <= end);
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
        DRY_ASSERT(next < end);
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
    dry_team_worker *w = &jobs->worker[worker];
    if (w->span_count < w->span_capacity)
        w->spans[w->span_count] =
            (dry_worker_span){jobs->stage, begin_ms - jobs->origin_ms, dry_clock_ms() - jobs->origin_ms};
    w->span_count++;
}

static bool may_stay(dry_stay stay)
{
    return !stay.stays || stay.stays(stay.user);
}

/* Runs the remaining blocks of one range, or those until `stay` says no, and returns their number. The caller
 * reports them together; until then the stage cannot end. */
static int run_range(dry_jobs *jobs, int range, int worker, dry_stay stay)
{
    int blocks = 0, block;
    DRY_ASSERT(range >= 0 && range < jobs->workers && worker >= 0 && worker < jobs->workers);
    double begin_ms = 0.0;
    while ((block = claim_block(&jobs->worker[range].cursor, range == worker)) >= 0) {
        if (jobs->tracing && blocks == 0)
            begin_ms = dry_clock_ms();
        int larger = jobs->larger_blocks;
        int begin = block * jobs->block_items + (block < larger ? block : larger);
        int end = begin + jobs->block_items + (block < larger);
        DRY_ASSERT(begin < end);
        jobs->run(jobs->context, (dry_items){begin, end, worker});
        blocks++;
        if (!may_stay(stay))
            break;
    }
    /* Without a claimed block these fields may be changing for the next stage. */
    if (blocks && jobs->tracing)
        add_span(jobs, worker, begin_ms);
    return blocks;
}

/* Helps in one round over all ranges; one round is enough, since an empty range stays empty. */
static void help_stage(dry_jobs *jobs, int ranges, int worker, dry_stay stay)
{
    DRY_ASSERT(ranges > 0);
    int range = worker % ranges;
    for (int i = 0; i < ranges && may_stay(stay); i++) {
        int blocks = run_range(jobs, range, worker, stay);
        if (blocks)
            atomic_fetch_add_explicit(&jobs->helped, (uint32_t)blocks, memory_order_release);
        range = range + 1 < ranges ? range + 1 : 0;
    }
}

bool dry_jobs_help(dry_jobs *jobs, int index, dry_stay stay)
{
    const int spins = jobs->spins; /* a copy, since neighboring fields change with each stage */
    uint64_t seen = 0;
    int waited = 0;
    DRY_ASSERT(index > 0 && index < jobs->workers);
    for (;;) {
        uint64_t signal = atomic_load_explicit(&jobs->signal, memory_order_acquire);
        uint64_t kind = signal & DRY_KIND_MASK;
        if (signal != seen) {
            seen = signal;
            waited = 0;
            if (kind <= DRY_JOBS_WORKERS_MAX)
                help_stage(jobs, (int)kind, index, stay);
        } else {
            dry_wait_a_round(spins, &waited);
        }
        if (kind == DRY_KIND_CLOSED || (kind == DRY_KIND_STARTING && waited >= spins + YIELDS_BEFORE_BODY))
            return false;
        if (!may_stay(stay))
            return true;
    }
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
        dry_wait_a_round(jobs->spins, &waited);
    }
    if (waited > jobs->spins)
        jobs->waited_ms += dry_clock_ms() - since_ms;
}

dry_jobs *dry_jobs_alone(void)
{
    static dry_jobs alone = {.workers = 1, .team = 1};
    return &alone;
}

void dry_jobs_for(dry_jobs *jobs, int count, int grain, dry_jobs_run *run, void *context)
{
    if (count <= 0)
        return;
    /* A sweep of a small world calls this thousands of times a step: no division before it is needed. */
    if (jobs->team == 1 || count < 2 * (int64_t)grain || count < 2 || !jobs->in_parallel) {
        double begin_ms = jobs->tracing ? dry_clock_ms() : 0.0;
        run(context, (dry_items){.end = count});
        if (jobs->tracing)
            add_span(jobs, 0, begin_ms);
        return;
    }

    int blocks = dry_min_int(grain > 1 ? count / grain : count, jobs->team * BLOCKS_PER_WORKER);
    DRY_ASSERT(blocks > 1 && blocks <= count);
    jobs->run = run;
    jobs->context = context;
    jobs->block_items = count / blocks;
    jobs->larger_blocks = count % blocks;
    int ranges = blocks < jobs->team ? blocks : jobs->team;
    DRY_ASSERT(ranges <= jobs->workers);
    for (int i = 0; i < ranges; i++)
        atomic_store_explicit(&jobs->worker[i].cursor,
                              pack_range(i * blocks / ranges, (i + 1) * blocks / ranges),
                              memory_order_release);
    dry_jobs_signal(jobs, (uint64_t)ranges);

    int own = 0;
    for (int range = 0; range < ranges; range++)
        own += run_range(jobs, range, 0, (dry_stay){NULL, NULL});
    DRY_ASSERT(own <= blocks);
    jobs->own_blocks += (uint64_t)own;
    jobs->helped_blocks += (uint64_t)(blocks - own);
    jobs->helped_before += (uint32_t)(blocks - own);
    if (own < blocks)
        wait_for_helpers(jobs);
}

bool dry_jobs_trace_begin(dry_jobs *jobs, dry_memory *memory, double origin_ms)
{
    bool good = true;
    for (int i = 0; i < jobs->workers; i++) {
        dry_team_worker *w = &jobs->worker[i];
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

bool dry_jobs_trace_like(dry_jobs *jobs, dry_memory *memory, const dry_jobs *other)
{
    bool good = true;
    for (int i = 0; i < jobs->workers; i++) {
        dry_team_worker *w = &jobs->worker[i];
        good = DRY_RESERVE(memory, w->spans, w->span_capacity, other->worker[0].span_capacity) && good;
    }
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
    const dry_team_worker *w = &jobs->worker[known ? worker : 0];
    int all = known ? w->span_count : 0;
    *count = all < w->span_capacity ? all : w->span_capacity;
    *lost = all - *count;
    return *count ? w->spans : NULL;
}

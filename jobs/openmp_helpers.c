/* Helpers on OpenMP's threads: one parallel region for each region of a team.
 *
 * OpenMP keeps a team of threads for each thread that enters regions, so that all worlds that one thread
 * steps share it. Runtimes end the process when they cannot start a thread, leave a child process without the
 * threads that it believes to have, and spin between regions as the environment says. So this file asks
 * before: it tries threads before each region that starts some, leaves OpenMP after a fork, and measures how
 * long the threads spin. Own threads take over where OpenMP is no good. */
#include "jobs/helpers.h"

#ifdef _OPENMP

#include "core/clock.h"

#include <errno.h>
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The smallest stack for a helper: the need that `dry_tasks` states, and half of that for what the system and
 * the runtime put there. */
#define STACK_BYTES_MIN (96 * 1024)

/* Heap memory of the runtime: for a team, and for each thread of it. libgomp 12 takes 2.5 kB and 0.4 kB. */
#define HEAP_BYTES_TEAM (64 * 1024)
#define HEAP_BYTES_THREAD 1024

/* Helpers that spin longer than this a step, on average, are left for own threads, which spin for a
 * fifth of it at most. libgomp spins for 300,000 pauses, 3 to 13 ms, and libomp for 200 ms; with
 * OMP_WAIT_POLICY=passive the average is below 0.05 ms. */
#define SPIN_MS_MAX (5.0 * DRY_MS_BEFORE_SLEEP)
#define STEPS_OF_AVERAGE 64

/* Set once, when the library is loaded, as the runtime reads its environment then. */
static struct {
    pid_t process;
    size_t stack_bytes; /* of OpenMP's threads; 0 takes the system's default */
    bool waits_as_told; /* the environment says how threads wait between regions */
} loaded;

/* The state of a calling thread, for whom OpenMP keeps a team. */
typedef struct openmp_caller {
    int threads;          /* in the last region, the caller included: OpenMP has started these */
    double spin_ms;       /* a step: the processor time of a helper while the caller slept between regions */
    int steps;            /* of the next such average, those that one worker made included */
    double spun_ms;       /* in these */
    double ended_ms;      /* when the last region ended */
    dry_thread_use ended; /* of the caller at that moment */
    double helped_ms;     /* processor time of helper 1 when it left that region */
} openmp_caller;

static _Thread_local openmp_caller this_caller;

typedef struct openmp_region {
    dry_jobs *jobs;
    void (*body)(void *context);
    void *context;
    openmp_caller *caller;
    sigset_t signals;        /* the caller's mask */
    double begin_ms, end_ms; /* of the body */
    double slept_ms;         /* for which the caller slept since the last region */
    double spun_ms;          /* processor time of helper 1 since the last region, if the caller slept */
    jmp_buf child;
} openmp_region;

/* Reads a size as OpenMP writes it: a number with B, K (the default), M or G. Returns 0 if it is none. */
static size_t parse_size(const char *text)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    end += strspn(end, " \t");
    static const char units[] = "bkmg";
    const char *unit = *end ? strchr(units, *end | 0x20) : &units[1];
    if (end == text || !unit || (*end && end[1 + strspn(end + 1, " \t")]) || number > SIZE_MAX >> 30)
        return 0;
    return (size_t)number << 10 * (unit - units);
}

/* Before main, or in dlopen. The runtime is loaded before, since this library needs it. */
DRY_AT_LOAD static void note_environment(void)
{
    static const char *const stacks[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE"};
    for (int i = 0; i < 2 && loaded.stack_bytes == 0; i++)
        if (getenv(stacks[i]))
            loaded.stack_bytes = parse_size(getenv(stacks[i]));
    loaded.waits_as_told = getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME");
    loaded.process = getpid();
}

static size_t stack_bytes(void)
{
#ifdef KMP_VERSION_MAJOR
    return kmp_get_stacksize_s();
#else
    return loaded.stack_bytes ? loaded.stack_bytes : dry_thread_default_stack_bytes();
#endif
}

/* Starts as many threads at once as OpenMP would have to start, takes as much heap, and gives all back.
 * Returns false and a reason if that fails. Another thread of the process may still take the last of it
 * before OpenMP does. */
static bool try_threads(int count, char *reason, size_t bytes)
{
    const size_t stack = stack_bytes();
    if (stack < STACK_BYTES_MIN) {
        snprintf(reason, bytes, "OpenMP's threads have stacks of %zu KiB, and %d KiB are needed", stack >> 10,
                 STACK_BYTES_MIN >> 10);
        return false;
    }
    void *heap = malloc(HEAP_BYTES_TEAM + (size_t)count * HEAP_BYTES_THREAD);
    const int error = heap ? dry_threads_try(count, stack) : ENOMEM;
    free(heap);
    if (error) {
        char why[128] = "unknown error";
        (void)strerror_r(error, why, sizeof why);
        snprintf(reason, bytes, "OpenMP's threads could not be started (%s)", why);
    }
    return error == 0;
}

/* Tells the reason, unless it is empty or own threads are missing, too: the log has one line. */
static int go_on_with_own_threads(dry_jobs *jobs, int asked, const char *reason)
{
    jobs->helpers = &dry_own_helpers;
    jobs->told = false;
    const int team = dry_own_helpers.gather(jobs, asked);
    char line[320];
    snprintf(line, sizeof line, "%s; steps go on with the world's own threads and the same results", reason);
    if (*reason)
        dry_jobs_tell(jobs, line);
    return team;
}

static void tell_fewer(dry_jobs *jobs, int present)
{
    char line[160];
    snprintf(line, sizeof line, "OpenMP gives %d of %d threads; steps go on with them and the same results",
             present, jobs->workers);
    dry_jobs_tell(jobs, line);
}

/* Returns the number of threads that a region of the calling thread may have. */
static int threads_allowed(dry_jobs *jobs)
{
    const int limit = omp_get_max_active_levels() < 1 ? 1 : omp_get_thread_limit();
    if (limit < jobs->workers)
        tell_fewer(jobs, limit);
    return dry_min_int(limit, jobs->workers);
}

static void average_spinning(openmp_caller *caller)
{
    if (caller->steps++ < STEPS_OF_AVERAGE)
        return;
    caller->spin_ms = caller->spun_ms / STEPS_OF_AVERAGE;
    caller->spun_ms = 0.0;
    caller->steps = 1;
}

static int gather(dry_jobs *jobs, int asked)
{
    /* After a fork OpenMP's threads are the parent's. */
    if (!dry_openmp_helpers())
        return go_on_with_own_threads(jobs, asked, "");
    /* The host's own parallel region has the other cores already. A nested one starts threads anew each time.
     */
    if (omp_get_level() > 0)
        return jobs->present = 1;
    average_spinning(&this_caller);
    char reason[200];
    if (this_caller.spin_ms > SPIN_MS_MAX) {
        snprintf(reason, sizeof reason,
                 "OpenMP's threads spin for %.1f ms between steps (with OMP_WAIT_POLICY=passive they do not)",
                 this_caller.spin_ms);
        return go_on_with_own_threads(jobs, asked, reason);
    }
    jobs->present = threads_allowed(jobs);
    const int team = dry_min_int(asked, jobs->present), there = dry_max_int(this_caller.threads, 1);
    if (team > there && !try_threads(team - there, reason, sizeof reason))
        return go_on_with_own_threads(jobs, asked, reason);
    return team;
}

/* Thread 0 of the region is the calling thread. */
static void lead(openmp_region *r)
{
    dry_jobs *jobs = r->jobs;
    pthread_sigmask(SIG_SETMASK, &r->signals, NULL);
    jobs->team = dry_min_int(jobs->team, omp_get_num_threads());
    r->begin_ms = dry_clock_ms();
    r->body(r->context);
    r->end_ms = dry_clock_ms();
    dry_jobs_signal(jobs, DRY_KIND_CLOSED);
    /* The body has forked, and this is the child: at the region's end it would wait for the parent's threads.
     */
    if (!dry_openmp_helpers())
        longjmp(r->child, 1);
}

static void help(openmp_region *r, int index)
{
    const bool watched = index == 1 && !loaded.waits_as_told;
    if (watched && r->slept_ms > 0.0)
        r->spun_ms = dry_thread_use_now().processor_ms - r->caller->helped_ms;
    (void)dry_jobs_help(r->jobs, index, (dry_stay){NULL, NULL});
    if (watched)
        r->caller->helped_ms = dry_thread_use_now().processor_ms;
}

static void run_region(openmp_region *r)
{
    const int threads = r->jobs->team;
#pragma omp parallel num_threads(threads)
    {
        const int index = omp_get_thread_num();
        if (index == 0)
            lead(r);
        else
            help(r, index);
    }
}

/* Returns the time since the last region in which the caller had no processor; 0 if it has waited for nothing
 * meanwhile, and other work held the processor. */
static double slept_ms(const openmp_caller *caller, double now_ms)
{
    const double rest_ms = now_ms - caller->ended_ms;
    if (caller->threads < 2 || rest_ms < SPIN_MS_MAX)
        return 0.0;
    const dry_thread_use now = dry_thread_use_now();
    return now.sleeps > caller->ended.sleeps ? rest_ms - (now.processor_ms - caller->ended.processor_ms)
                                             : 0.0;
}

/* Adds the processor time of helper 1 since the last region, but at most the time for which the caller slept:
 * a host may have had regions of its own between. */
static void note_spinning(openmp_caller *caller, const openmp_region *r)
{
    const double spun_ms = r->spun_ms < r->slept_ms ? r->spun_ms : r->slept_ms;
    caller->spun_ms += spun_ms > 0.0 ? spun_ms : 0.0;
}

static void run(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    openmp_caller *caller = &this_caller;
    openmp_region r = {.jobs = jobs, .body = body, .context = context, .caller = caller};
    const bool watched = !loaded.waits_as_told;
    const int asked = jobs->team, dynamic = omp_get_dynamic();
    const double begin_ms = dry_clock_ms();
    if (watched)
        r.slept_ms = slept_ms(caller, begin_ms);
    /* jobs/team_size.c adapts the team. libgomp would do so by the load of the last 15 minutes. */
    if (dynamic)
        omp_set_dynamic(0);
    dry_jobs_signal(jobs, DRY_KIND_SERIAL);
    /* Threads that start now inherit the mask. */
    dry_thread_block_signals(&r.signals);
    if (setjmp(r.child) == 0)
        run_region(&r);
    if (dynamic)
        omp_set_dynamic(dynamic);
    const double end_ms = dry_clock_ms();
    jobs->waited_ms += end_ms - begin_ms - (r.end_ms - r.begin_ms);
    if (watched) {
        note_spinning(caller, &r);
        caller->ended_ms = end_ms;
        caller->ended = dry_thread_use_now();
    }
    caller->threads = asked;
    if (jobs->team < asked) {
        jobs->present = jobs->team;
        tell_fewer(jobs, jobs->present);
    }
}

static const dry_helpers openmp_helpers = {.team = DRY_TEAM_OPENMP, .gather = gather, .run = run};

bool dry_openmp_built(void)
{
    return true;
}

const dry_helpers *dry_openmp_helpers(void)
{
    return getpid() == loaded.process ? &openmp_helpers : NULL;
}

int dry_openmp_places(void)
{
    return omp_get_proc_bind() != omp_proc_bind_false ? omp_get_num_places() : 0;
}

#else

bool dry_openmp_built(void)
{
    return false;
}

const dry_helpers *dry_openmp_helpers(void)
{
    return NULL;
}

int dry_openmp_places(void)
{
    return 0;
}

#endif

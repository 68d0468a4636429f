/* Helpers on threads of the team's own. They start in its first region and run until dry_jobs_destroy. */
#include "core/assert.h"
#include "jobs/helpers.h"

#include "core/clock.h"
#include "jobs/topology.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Threads that could not be started are tried again after this time. */
#define MS_BEFORE_RETRY 1000.0

enum { GATE_END = -1 };

/* Waits for a region with this worker in its team. Returns false if there will be none. */
static bool wait_for_region(dry_team_worker *self)
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
        dry_wait_a_round(jobs->spins, &waited);
        if (waited <= jobs->spins)
            continue;
        double now_ms = dry_clock_ms();
        if (waited == jobs->spins + 1)
            sleeps_ms = now_ms + DRY_MS_BEFORE_SLEEP;
        if (now_ms >= sleeps_ms) {
            dry_thread_sleep(&self->thread, &jobs->gate, self->index);
            waited = 0;
        }
    }
}

/* An own thread, from its start until dry_jobs_destroy. */
static void *work(void *argument)
{
    dry_team_worker *self = argument;
    dry_jobs *jobs = self->jobs;
    if (jobs->pinning)
        (void)dry_topology_bind(jobs->pinning, self->index);
    while (wait_for_region(self))
        (void)dry_jobs_help(jobs, self->index, (dry_stay){NULL, NULL});
    return NULL;
}

static void tell_missing(dry_jobs *jobs, int error)
{
    char reason[128] = "unknown error", line[320];
    (void)strerror_r(error, reason, sizeof reason);
    snprintf(line, sizeof line,
             "%d of %d threads could not be started (%s); steps go on with %d workers and the same results",
             jobs->workers - 1 - jobs->threads, jobs->workers - 1, reason, jobs->threads + 1);
    dry_jobs_tell(jobs, line);
}

/* Starts the own threads that do not run yet. */
static void start_threads(dry_jobs *jobs)
{
    /* A fork copies the team, but not the threads. */
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
        dry_team_worker *next = &jobs->worker[jobs->threads + 1];
        int error = dry_thread_start(&next->thread, work, next);
        if (error) {
            jobs->retry_ms = dry_clock_ms() + MS_BEFORE_RETRY;
            tell_missing(jobs, error);
            return;
        }
        jobs->threads++;
    }
}

static int gather(dry_jobs *jobs, int asked)
{
    start_threads(jobs);
    jobs->present = 1 + jobs->threads;
    return dry_min_int(asked, jobs->present);
}

/* An own thread may still look for blocks when this returns: it finds none before the next loop. */
static void run(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    DRY_ASSERT(jobs->team <= 1 + jobs->threads);
    dry_jobs_signal(jobs, DRY_KIND_SERIAL);
    atomic_store_explicit(&jobs->gate, jobs->team, memory_order_seq_cst);
    for (int i = 1; i < jobs->team; i++)
        dry_thread_wake(&jobs->worker[i].thread);
    body(context);
    atomic_store_explicit(&jobs->gate, 0, memory_order_relaxed);
    dry_jobs_signal(jobs, DRY_KIND_CLOSED);
}

void dry_own_helpers_end(dry_jobs *jobs)
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

const dry_helpers dry_own_helpers = {.team = DRY_TEAM_THREADS, .gather = gather, .run = run};

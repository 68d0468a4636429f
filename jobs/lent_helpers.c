/* Helpers on a server's own threads (`dry_tasks`). */
#include "core/assert.h"
#include "jobs/helpers.h"

static int gather(dry_jobs *jobs, int asked)
{
    jobs->present = jobs->workers;
    return asked;
}

bool dry_jobs_help_while(void *argument, dry_stay stay)
{
    dry_team_worker *self = argument;
    dry_jobs *jobs = self->jobs;
    /* A pool may call this inside `start` or `finish`, where the thread would wait for itself. */
    if (jobs->caller == dry_jobs_this_thread())
        return false;
    atomic_fetch_add_explicit(&jobs->inside, 1, memory_order_relaxed);
    const bool left = dry_jobs_help(jobs, self->index, stay);
    atomic_fetch_sub_explicit(&jobs->inside, 1, memory_order_release);
    return left;
}

/* The task that a server's pool runs. */
static void help(void *argument)
{
    (void)dry_jobs_help_while(argument, (dry_stay){NULL, NULL});
}

/* Waits until no task may access the team. The tasks have returned; this orders their work before the
 * following code by our own atomics, and not only by a pool's. */
static void wait_for_tasks(dry_jobs *jobs)
{
    int waited = 0;
    while (atomic_load_explicit(&jobs->inside, memory_order_acquire) != 0)
        dry_wait_a_round(jobs->spins, &waited);
}

static void run(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    DRY_ASSERT(jobs->team <= jobs->workers);
    dry_jobs_signal(jobs, DRY_KIND_STARTING);
    for (int i = 1; i < jobs->team; i++)
        jobs->worker[i].handle = jobs->tasks.start(help, &jobs->worker[i], jobs->tasks.user);
    dry_jobs_signal(jobs, DRY_KIND_SERIAL);
    body(context);
    dry_jobs_signal(jobs, DRY_KIND_CLOSED);
    for (int i = 1; i < jobs->team; i++)
        jobs->tasks.finish(jobs->worker[i].handle, jobs->tasks.user);
    wait_for_tasks(jobs);
}

const dry_helpers dry_lent_helpers = {.team = DRY_TEAM_TASKS, .gather = gather, .run = run};

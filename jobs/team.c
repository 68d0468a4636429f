/* A team: how it is created, gathers for a region, and ends. */
#include "core/assert.h"
#include "jobs/helpers.h"

#include "core/clock.h"
#include "jobs/cgroup.h"
#include "jobs/topology.h"

/* About 10 to 50 us of pauses: longer than most serial gaps between loops, where a system call would delay
 * the next start, and much shorter than a scheduler's time slice. */
#define SPINS_BEFORE_YIELD 1000

/* Returns the work of all workers in the loops of the region, as a multiple of the calling thread's. */
static double gain_of(const dry_jobs *jobs)
{
    const double own = (double)jobs->own_blocks, all = own + (double)jobs->helped_blocks;
    return all < jobs->team * own ? all / own : all > 0.0 ? jobs->team : 1.0;
}

void dry_jobs_begin_parallel(dry_jobs *jobs, void (*body)(void *context), void *context)
{
    if (jobs->workers == 1 || jobs->in_parallel) {
        body(context);
        return;
    }
    jobs->in_parallel = true;
    jobs->caller = dry_jobs_this_thread();
    jobs->waited_ms = 0.0;
    jobs->own_blocks = jobs->helped_blocks = 0;
    double begin_ms = jobs->adapts ? dry_clock_ms() : 0.0;
    int asked = jobs->adapts ? dry_team_size_begin(&jobs->size, begin_ms) : jobs->workers;
    jobs->team = jobs->helpers->gather(jobs, asked);
    DRY_ASSERT(jobs->team >= 1 && jobs->team <= jobs->workers);
    if (jobs->team == 1) {
        body(context);
    } else {
        jobs->helpers->run(jobs, body, context);
        if (jobs->adapts) {
            double end_ms = dry_clock_ms();
            dry_team_size_end(&jobs->size, end_ms, end_ms - begin_ms, jobs->waited_ms, gain_of(jobs));
        }
    }
    jobs->caller = NULL;
    jobs->in_parallel = false;
}

int dry_jobs_workers(const dry_jobs *jobs)
{
    return jobs->workers;
}

int dry_jobs_sharing(const dry_jobs *jobs)
{
    return jobs->in_parallel ? jobs->team : 1;
}

int dry_jobs_present(const dry_jobs *jobs)
{
    return jobs->present;
}

dry_team dry_jobs_team(const dry_jobs *jobs)
{
    bool left = jobs->helpers->team == DRY_TEAM_OPENMP && !dry_openmp_helpers();
    return left ? DRY_TEAM_THREADS : jobs->helpers->team;
}

static size_t jobs_bytes(int workers)
{
    return sizeof(dry_jobs) + (size_t)workers * sizeof(dry_team_worker);
}

static const dry_helpers *helpers_of(const dry_jobs_def *def)
{
    if (def->tasks.start)
        return &dry_lent_helpers;
    /* OpenMP's threads are the process's: a team that bound them would bind them for all. */
    const dry_helpers *openmp = def->team == DRY_TEAM_OPENMP && !def->pin ? dry_openmp_helpers() : NULL;
    return openmp ? openmp : &dry_own_helpers;
}

/* The workers that a definition asks for. */
typedef struct team_plan {
    const dry_helpers *helpers;
    int workers;
    int places;                     /* to which OpenMP binds its threads */
    struct hwloc_topology *pinning; /* null binds no thread */
} team_plan;

/* Opens the topology where it is needed; the plan holds it if threads are to be bound. */
static team_plan plan_team(const dry_jobs_def *def)
{
    team_plan plan = {.helpers = helpers_of(def)};
    /* OpenMP that binds its threads has bound this one, too: the topology would show one core. */
    const bool asks = plan.helpers->team == DRY_TEAM_OPENMP && def->threads != 1;
    plan.places = asks ? dry_openmp_places() : 0;
    const bool pin = def->pin && def->threads != 1 && !def->tasks.start;
    struct hwloc_topology *tree = (def->threads == 0 && plan.places == 0) || pin ? dry_topology_open() : NULL;
    int workers = def->threads;
    if (workers == 0)
        workers =
            dry_min_int(plan.places > 0 ? plan.places : dry_topology_cores(tree), dry_cgroup_processors(""));
    plan.workers = dry_min_int(dry_max_int(workers, 1), DRY_JOBS_WORKERS_MAX);
    if (pin && plan.workers > 1)
        plan.pinning = tree;
    else
        dry_topology_close(tree);
    return plan;
}

dry_jobs_def dry_jobs_asked(const dry_jobs *jobs)
{
    return jobs->asked;
}

bool dry_jobs_are(const dry_jobs *jobs, const dry_jobs_def *def)
{
    const dry_jobs_def *asked = &jobs->asked;
    const bool lent = def->tasks.start != NULL;
    if (asked->threads != def->threads || asked->keep_all != def->keep_all ||
        asked->tasks.start != def->tasks.start || asked->tasks.finish != def->tasks.finish ||
        asked->tasks.user != def->tasks.user ||
        (!lent && (asked->team != def->team || asked->pin != def->pin)))
        return false;
    if (def->threads != 0)
        return true;
    const team_plan plan = plan_team(def);
    dry_topology_close(plan.pinning);
    return plan.workers == jobs->workers;
}

dry_jobs *dry_jobs_create(dry_memory *memory, const dry_jobs_def *def)
{
    const team_plan plan = plan_team(def);
    const int workers = plan.workers;
    DRY_ASSERT(workers >= 1 && workers <= DRY_JOBS_WORKERS_MAX);
    dry_jobs *jobs = dry_memory_allocate(memory, jobs_bytes(workers), DRY_CACHE_LINE);
    if (!jobs) {
        dry_topology_close(plan.pinning);
        return NULL;
    }
    *jobs = (dry_jobs){.helpers = plan.helpers,
                       .asked = *def,
                       .workers = workers,
                       .present = workers,
                       .team = workers,
                       .tasks = def->tasks,
                       .log = def->log,
                       .pinning = plan.pinning};
    /* With more workers than processors, a spinning thread displaces the one that it waits for. A program
     * that asks for so many workers gets them. */
    bool room = workers > 1 && workers <= dry_max_int(dry_topology_processors(), plan.places);
    jobs->spins = room ? SPINS_BEFORE_YIELD : 0;
    jobs->adapts = room && !def->keep_all;
    jobs->size = dry_team_size_of(workers);
    atomic_init(&jobs->signal, DRY_KIND_CLOSED);
    atomic_init(&jobs->helped, 0);
    atomic_init(&jobs->inside, 0);
    atomic_init(&jobs->gate, 0);
    for (int i = 0; i < workers; i++) {
        dry_team_worker *worker = &jobs->worker[i];
        *worker = (dry_team_worker){.jobs = jobs, .index = i};
        atomic_init(&worker->cursor, 0);
    }
    return jobs;
}

void dry_jobs_destroy(dry_memory *memory, dry_jobs *jobs)
{
    if (!jobs)
        return;
    dry_own_helpers_end(jobs);
    dry_topology_close(jobs->pinning);
    for (int i = 0; i < jobs->workers; i++)
        DRY_RELEASE(memory, jobs->worker[i].spans, jobs->worker[i].span_capacity);
    dry_memory_release(memory, jobs, jobs_bytes(jobs->workers));
}

void dry_jobs_hand_over(dry_memory *from, dry_memory *to, dry_jobs *jobs)
{
    for (int i = 0; i < jobs->workers; i++)
        dry_memory_hand_over(from, to, jobs->worker[i].spans);
    dry_memory_hand_over(from, to, jobs);
}

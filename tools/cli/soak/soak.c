/* Runs `drystone soak`: rounds of worlds on several threads, a look at the process's memory between rounds, a
 * line of figures. */
#define _XOPEN_SOURCE 700
#include "tools/cli/commands.h"
#include "tools/cli/output_file.h"
#include "tools/cli/progress.h"
#include "tools/cli/soak/life.h"
#include "tools/cli/soak/options.h"
#include "tools/cli/soak/process_memory.h"
#include "tools/cli/stop.h"
#include "tools/cli/terminal.h"

#include <drystone/drystone.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUND_S 60.0
#define FAILURES_SHOWN 20
#define MEMORY_GROWTH_MAX 0.01 /* of the process's memory after the first round */

typedef struct soak_run {
    soak_options options;
    int threads;
    double begin_s, round_end_s;
    progress progress;
    process_memory first, last; /* after the first and the last round, when no world lives */
    int rounds;
    pthread_mutex_t lock; /* for what follows */
    uint64_t next_world;
    int running;
    soak_figures figures;
    uint64_t failures; /* worlds in which anything was wrong */
    bool failed;       /* anything was wrong, worlds or not */
} soak_run;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void pause_ms(long ms)
{
    const struct timespec duration = {0, ms * 1000000};
    nanosleep(&duration, NULL);
}

/* ---- The threads ---- */

/* Tells whether the limits allow another world, in any round. */
static bool wants_more(const soak_run *run)
{
    const soak_options *o = &run->options;
    return !stop_noted() && (o->minutes <= 0.0 || now_s() < run->begin_s + 60.0 * o->minutes) &&
           (o->worlds == 0 || run->next_world < o->worlds) &&
           (o->steps == 0 || run->figures.steps < o->steps);
}

/* Takes the next world's number. Returns false at the end of the round. */
static bool take_world(soak_run *run, uint64_t *seed)
{
    pthread_mutex_lock(&run->lock);
    bool more = wants_more(run) && now_s() < run->round_end_s;
    *seed = run->options.seed + run->next_world;
    run->next_world += more;
    pthread_mutex_unlock(&run->lock);
    return more;
}

static void end_world(soak_run *run, uint64_t seed, const soak_figures *figures, const char *failure)
{
    pthread_mutex_lock(&run->lock);
    figures_add(&run->figures, figures);
    run->failed |= failure != NULL;
    if (failure != NULL && run->failures++ < FAILURES_SHOWN) {
        char reload[48] = "";
        if (run->options.reload_every > 0)
            snprintf(reload, sizeof reload, " --reload-every %llu",
                     (unsigned long long)run->options.reload_every);
        progress_clear(&run->progress);
        fprintf(stderr,
                "drystone: soak: seed %llu: %s; `drystone soak --seed %llu --worlds 1%s` shows it again\n",
                (unsigned long long)seed, failure, (unsigned long long)seed, reload);
    }
    pthread_mutex_unlock(&run->lock);
}

static void *run_worlds(void *argument)
{
    soak_run *run = argument;
    uint64_t seed;
    process_memory_use_stack();
    while (take_world(run, &seed)) {
        soak_figures figures = {0};
        char failure[320]; /* the step's number and a soak_twin.difference */
        bool good = life_run(seed, run->options.reload_every, &figures, failure, sizeof failure);
        end_world(run, seed, &figures, good ? NULL : failure);
    }
    pthread_mutex_lock(&run->lock);
    run->running--;
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/* ---- Progress and figures ---- */

static double share_done(const soak_run *run, double elapsed_s)
{
    const soak_options *o = &run->options;
    double share = o->minutes > 0.0 ? elapsed_s / (60.0 * o->minutes) : 0.0;
    if (o->worlds > 0) {
        double worlds = (double)run->figures.worlds / (double)o->worlds;
        share = share > worlds ? share : worlds;
    }
    if (o->steps > 0) {
        double steps = (double)run->figures.steps / (double)o->steps;
        share = share > steps ? share : steps;
    }
    return share < 1.0 ? share : 1.0;
}

static void show_progress(soak_run *run)
{
    char line[160];
    const double elapsed = now_s() - run->begin_s, share = share_done(run, elapsed);
    const double left = share > 0.0 ? elapsed * (1.0 - share) / share : 0.0;
    snprintf(line, sizeof line, "%3d%%  %llu worlds  %llu steps  %.0f steps/s  %d:%02d left",
             (int)(share * 100.0), (unsigned long long)run->figures.worlds,
             (unsigned long long)run->figures.steps, (double)run->figures.steps / elapsed, (int)(left / 60.0),
             (int)left % 60);
    progress_note(&run->progress, line);
}

/* Returns how much heap and stacks grew after the first round, over all memory of the process. */
static double memory_growth(const soak_run *run)
{
    return run->first.resident > 0
               ? ((double)run->last.anonymous - (double)run->first.anonymous) / (double)run->first.resident
               : 0.0;
}

static void print_figures(const soak_run *run)
{
    const soak_figures *f = &run->figures;
    const char *outcome = run->failed ? "FAILED" : stop_noted() ? "stopped, nothing wrong" : "nothing wrong";
    printf(
        "soak: %s: %llu worlds, %llu of them wrong, %llu steps (%.2f h), %llu calls, %llu refused for "
        "memory, "
        "%llu quarantined, energy +%.2g, memory %+.2f %% of %.1f MiB, %.1f min on %d threads, hash %016llx\n",
        outcome, (unsigned long long)f->worlds, (unsigned long long)run->failures,
        (unsigned long long)f->steps, f->simulated_s / 3600.0, (unsigned long long)f->calls,
        (unsigned long long)f->refusals, (unsigned long long)f->quarantines, f->energy_gained,
        100.0 * memory_growth(run), (double)run->last.resident / (1 << 20), (now_s() - run->begin_s) / 60.0,
        run->threads, (unsigned long long)f->hash);
}

/* ---- Rounds ---- */

/* Runs threads for a minute. Their ends are part of the soak: what a thread leaves behind is memory, too. */
static bool run_round(soak_run *run, pthread_t *threads)
{
    run->round_end_s = now_s() + ROUND_S;
    run->running = run->threads;
    int started = 0;
    while (started < run->threads && pthread_create(&threads[started], NULL, run_worlds, run) == 0) {
        started++;
    }
    if (started < run->threads) {
        fprintf(stderr, "drystone: soak: thread %d of %d could not be started\n", started + 1, run->threads);
        pthread_mutex_lock(&run->lock);
        run->failed = true;
        run->round_end_s = 0.0;
        pthread_mutex_unlock(&run->lock);
    }
    for (bool running = started > 0; running;) {
        pause_ms(20);
        pthread_mutex_lock(&run->lock);
        running = run->running > run->threads - started;
        show_progress(run);
        pthread_mutex_unlock(&run->lock);
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    run->last = process_memory_now();
    run->first = run->rounds++ == 0 ? run->last : run->first;
    return started == run->threads;
}

/* Rounds of a run of so many worlds or steps are not alike: how many there are depends on the machine's
 * speed. */
static void check_memory(soak_run *run)
{
    if (run->options.minutes > 0.0 && memory_growth(run) > MEMORY_GROWTH_MAX) {
        fprintf(stderr,
                "drystone: soak: heap and stacks hold %zu bytes, and held %zu after the first minute\n",
                run->last.anonymous, run->first.anonymous);
        run->failed = true;
    }
}

int soak_command(int count, char **arguments)
{
    soak_run run = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char error[512];
    if (!soak_options_parse(count, arguments, &run.options, error, sizeof error)) {
        terminal_error("soak: %s", error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        soak_options_help(stdout);
        return finish_standard_output();
    }
    run.threads = run.options.threads > 0 ? run.options.threads : dry_machine_describe().cores;
    pthread_t *threads = calloc((size_t)run.threads, sizeof *threads);
    if (threads == NULL) {
        fputs("drystone: soak: out of memory\n", stderr);
        return STATUS_FAILED;
    }
    stop_catch_signals();
    stop_note_signals();
    process_memory_begin(run.threads * LIFE_THREADS);
    run.begin_s = now_s();
    progress_begin(&run.progress, stderr, !run.options.quiet, 1, run.begin_s * 1e3);
    while (wants_more(&run) && run_round(&run, threads)) {
    }
    progress_clear(&run.progress);
    check_memory(&run);
    if (!run.options.quiet) {
        print_figures(&run);
    }
    free(threads);
    int status = finish_standard_output();
    return run.failed || stop_noted() ? STATUS_FAILED : status;
}

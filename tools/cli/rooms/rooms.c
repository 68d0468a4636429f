/* Runs `drystone rooms`: many rooms of a scene on one pool. Next: include/drystone/rooms.h. */
#define _XOPEN_SOURCE 700
#include "tools/cli/commands.h"
#include "tools/cli/output_file.h"
#include "tools/cli/rooms/run.h"
#include "tools/cli/stop.h"
#include "tools/cli/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The trials for --load: the first is of so many rooms, and so many more correct their number. They last for
 * so long. */
enum { TRIAL_ROOMS = 200, CORRECTIONS = 2 };
static const double TRIAL_S = 2.0;

/* The load is read so often: that takes the pool's lock. */
static const double SAMPLE_S = 0.1;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits until a time, or until a signal was noted. Returns false for that. */
static bool wait_until(double end_s)
{
    while (!stop_noted() && now_s() < end_s) {
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return !stop_noted();
}

static dry_result load_world(const rooms_master *master, dry_world **world)
{
    dry_world_def def = dry_default_world_def();
    def.threads = 1;
    def.count_stage_times = false;
    return dry_world_load(master->bytes, master->size, &def, NULL, world, NULL);
}

static dry_room_def def_of(const rooms_run *run, const rooms_master *master, int room, double rate)
{
    dry_room_def def = dry_default_room_def();
    def.rate = (float)rate;
    def.dt = master->dt;
    def.priority = DRY_ROOM_PRIORITIES - 1 - room % run->options.priorities;
    if (run->options.priorities == 1 || room == run->count) {
        def.priority = 0;
    }
    return def;
}

/* Makes all worlds, and then all rooms at once, so that no room waits for the worlds of others to be made. */
static dry_result add_rooms(rooms_run *run, double rate)
{
    const bool heavy = run->heavy.size > 0;
    const int all = run->count + heavy;
    dry_result result = DRY_OK;
    dry_world **worlds = calloc((size_t)all + 1, sizeof *worlds);
    run->ids = calloc((size_t)all + 1, sizeof *run->ids);
    int made = 0, added = 0;
    if (worlds == NULL || run->ids == NULL) {
        result = DRY_ERROR_MEMORY;
    }
    for (; made < all && result == DRY_OK && !stop_noted(); made += result == DRY_OK) {
        result = load_world(made < run->count ? &run->master : &run->heavy, &worlds[made]);
    }
    for (; added < made && result == DRY_OK; added += result == DRY_OK) {
        const dry_room_def def = def_of(run, added < run->count ? &run->master : &run->heavy, added, rate);
        result = dry_rooms_add(run->pool, &def, worlds[added], &run->ids[added]);
    }
    for (int i = added; i < made; i++) {
        dry_world_destroy(worlds[i]);
    }
    free(worlds);
    return result;
}

static dry_result begin_pool(rooms_run *run)
{
    dry_rooms_def def = dry_default_rooms_def();
    def.workers = run->options.workers;
    return dry_rooms_create(&def, &run->pool);
}

static void end_pool(rooms_run *run)
{
    dry_rooms_destroy(run->pool);
    free(run->ids);
    run->pool = NULL;
    run->ids = NULL;
}

/* Waits until a time, or a signal. Returns the mean of what rooms asked of all workers meanwhile. */
static double mean_load(const rooms_run *run, double end_s)
{
    double sum = 0.0;
    int samples = 0;
    do {
        dry_pool_statistics pool;
        wait_until(fmin(now_s() + SAMPLE_S, end_s));
        dry_rooms_get_pool_statistics(run->pool, &pool);
        sum += (double)pool.load;
        samples++;
    } while (!stop_noted() && now_s() < end_s);
    return sum / samples;
}

/* Waits until the costs of rooms are known, a room's first tick is none, or so many seconds. Returns false
 * after a signal. */
static bool warm_up(double rate, double most_s)
{
    return wait_until(now_s() + fmin(most_s, fmax(0.5 * TRIAL_S, rate > 0.0 ? 2.0 / rate : 0.0)));
}

/* Runs a number of rooms, without the heavy one. Tells their load, and how many ticks a second workers make
 * that have the cores all the time: other processes may have them. */
static dry_result try_rooms(rooms_run *run, int count, double rate, double *load, double *ticks_a_second)
{
    dry_pool_statistics before, after;
    rooms_master heavy = run->heavy;
    run->heavy.size = 0;
    run->count = count;
    dry_result result = begin_pool(run);
    if (result == DRY_OK) {
        result = add_rooms(run, rate);
    }
    if (result == DRY_OK && warm_up(rate, INFINITY)) {
        dry_rooms_get_pool_statistics(run->pool, &before);
        *load = mean_load(run, now_s() + TRIAL_S);
        dry_rooms_get_pool_statistics(run->pool, &after);
        const double worker_ms = (after.processor_ms - before.processor_ms) / after.workers;
        *ticks_a_second = worker_ms > 0.0 ? 1e3 * (double)(after.ticks - before.ticks) / worker_ms : 0.0;
    }
    end_pool(run);
    run->heavy = heavy;
    return result;
}

static int to_count(double rooms)
{
    return rooms < 1.0 ? 1 : rooms > 1e5 ? 100000 : (int)rooms;
}

/* Finds how many rooms ask for the load. Ticks of rooms that go as fast as they can give a first number. In a
 * tick that waits for its time a room is no longer in the cache, so that the load of so many rooms at their
 * rate corrects the number. */
static dry_result find_count(rooms_run *run)
{
    const rooms_options *o = &run->options;
    double load = 0.0, ticks_a_second = 0.0;
    dry_result result = try_rooms(run, TRIAL_ROOMS, 0.0, &load, &run->ticks_a_second);
    int count = to_count(o->load * run->ticks_a_second / o->rate);
    for (int i = 0; i < CORRECTIONS && result == DRY_OK && !stop_noted(); i++) {
        load = 0.0;
        result = try_rooms(run, count, o->rate, &load, &ticks_a_second);
        count = load > 0.0 ? to_count(count * o->load / load + 0.5) : count;
    }
    run->count = count;
    return result;
}

static dry_result run_rooms(rooms_run *run)
{
    dry_result result = DRY_OK;
    run->count = run->options.rooms;
    if (run->options.load > 0.0) {
        result = find_count(run);
    }
    if (result == DRY_OK) {
        result = begin_pool(run);
    }
    if (result == DRY_OK) {
        result = add_rooms(run, run->options.rate);
    }
    if (result == DRY_OK) {
        const double begin_s = now_s();
        const double end_s = begin_s + 60.0 * run->options.minutes;
        (void)warm_up(run->options.rate, 0.5 * (end_s - begin_s));
        run->load = mean_load(run, end_s);
        run->stopped = stop_noted();
        run->seconds = now_s() - begin_s;
    }
    return result;
}

/* Makes the worlds that the rooms are made of. */
static bool make_masters(rooms_run *run, char *error)
{
    const rooms_options *o = &run->options;
    return rooms_master_make(&o->scene, o->sleep, &run->master, error) &&
           (o->heavy.name[0] == '\0' || rooms_master_make(&o->heavy, o->sleep, &run->heavy, error));
}

/* Prints and writes the figures. Returns the exit status. */
static int report(const rooms_run *run, output_file *file)
{
    char error[ROOMS_ERROR_BYTES];
    const bool has_output = run->options.report != NULL && strcmp(run->options.report, "-") == 0;
    if (!run->options.quiet) {
        rooms_print(run, has_output ? stderr : stdout);
    }
    int status = finish_standard_output();
    if (file->stream != NULL) {
        const bool written = rooms_write_json(run, file->stream);
        if (!output_file_commit(file, error, sizeof error) || !written) {
            terminal_error("%s", written ? error : "out of memory");
            status = STATUS_FAILED;
        }
    }
    return run->stopped ? STATUS_FAILED : status;
}

int rooms_command(int count, char **arguments)
{
    rooms_run run = {.count = 0};
    output_file file = {.stream = NULL};
    char error[ROOMS_ERROR_BYTES] = "";
    if (!rooms_options_parse(count, arguments, &run.options, error, sizeof error)) {
        terminal_error("rooms: %s", error);
        return STATUS_USAGE;
    }
    if (run.options.help) {
        rooms_options_help(stdout);
        return finish_standard_output();
    }
    stop_catch_signals();
    if ((run.options.report != NULL && !output_file_open(&file, run.options.report, error, sizeof error)) ||
        !make_masters(&run, error)) {
        terminal_error("rooms: %s", error);
        output_file_discard(&file);
        free(run.master.bytes);
        return STATUS_USAGE;
    }
    stop_note_signals();
    int status = STATUS_FAILED;
    const dry_result result = run_rooms(&run);
    if (result == DRY_OK) {
        status = report(&run, &file);
    } else {
        terminal_error("rooms: %s", dry_result_name(result));
    }
    end_pool(&run);
    output_file_discard(&file);
    free(run.master.bytes);
    free(run.heavy.bytes);
    return status;
}

/* The figures of `drystone rooms`, as text and as JSON. */
#include "tools/cli/rooms/run.h"

#include <jansson.h>
#include <math.h>

static void add_room(rooms_group *group, const dry_room_statistics *s, double seconds)
{
    const double rate = seconds > 0.0 ? (double)s->steps / seconds : 0.0;
    group->rate_min = group->rooms == 0 ? rate : fmin(group->rate_min, rate);
    group->rate_max = fmax(group->rate_max, rate);
    group->rooms++;
    group->ticks += s->ticks;
    group->steps += s->steps;
    group->skipped += s->skipped;
    group->late += s->skipped_late;
    group->shed += s->skipped_shed;
    group->budget += s->skipped_budget;
    group->step_p50_ms = fmaxf(group->step_p50_ms, s->step_p50_ms);
    group->step_p99_ms = fmaxf(group->step_p99_ms, s->step_p99_ms);
    group->step_max_ms = fmaxf(group->step_max_ms, s->step_max_ms);
    group->lateness_p50_ms = fmaxf(group->lateness_p50_ms, s->lateness_p50_ms);
    group->lateness_p99_ms = fmaxf(group->lateness_p99_ms, s->lateness_p99_ms);
    group->lateness_max_ms = fmaxf(group->lateness_max_ms, s->lateness_max_ms);
    group->substeps = s->substeps > group->substeps ? s->substeps : group->substeps;
    group->substeps_max = s->substeps_max > group->substeps_max ? s->substeps_max : group->substeps_max;
    group->awake_bodies += s->awake_bodies;
    group->memory_bytes += s->memory_bytes;
    group->slow[s->slow]++;
}

/* Returns the priority of a room by its index: rooms.c gives them in turn, the highest first. */
static int priority_of(const rooms_run *run, int room)
{
    return run->options.priorities == 1 ? 0 : DRY_ROOM_PRIORITIES - 1 - room % run->options.priorities;
}

rooms_group rooms_group_of(const rooms_run *run, int priority)
{
    rooms_group group = {.rooms = 0};
    dry_room_statistics s;
    if (priority < 0) {
        if (run->heavy.size > 0 && dry_rooms_get_statistics(run->pool, run->ids[run->count], &s) == DRY_OK) {
            add_room(&group, &s, run->seconds);
        }
        return group;
    }
    for (int i = 0; i < run->count; i++) {
        if (priority_of(run, i) == priority &&
            dry_rooms_get_statistics(run->pool, run->ids[i], &s) == DRY_OK) {
            add_room(&group, &s, run->seconds);
        }
    }
    return group;
}

static void print_group(FILE *stream, const char *name, const rooms_group *g)
{
    fprintf(stream, "%-12s %5d rooms   %.2f to %.2f steps a second each, %.1f kB each\n", name, g->rooms,
            g->rate_min, g->rate_max, 1e-3 * (double)g->memory_bytes / g->rooms);
    fprintf(stream, "  skipped    %llu of %llu ticks: %llu too late, %llu shed, %llu for budgets\n",
            (unsigned long long)g->skipped, (unsigned long long)g->ticks, (unsigned long long)g->late,
            (unsigned long long)g->shed, (unsigned long long)g->budget);
    fprintf(stream, "  tick       p50 %.3f ms, p99 %.3f ms, longest %.3f ms (of the slowest room)\n",
            (double)g->step_p50_ms, (double)g->step_p99_ms, (double)g->step_max_ms);
    fprintf(stream, "  lateness   p50 %.3f ms, p99 %.3f ms, longest %.3f ms (of the latest room)\n",
            (double)g->lateness_p50_ms, (double)g->lateness_p99_ms, (double)g->lateness_max_ms);
    fprintf(stream, "  at the end %lld bodies awake, at most %d of %d substeps; slowed rooms:",
            (long long)g->awake_bodies, g->substeps, g->substeps_max);
    for (int why = DRY_ROOM_SLOW_NOT + 1; why < DRY_ROOM_SLOW_COUNT; why++) {
        fprintf(stream, " %d %s%s", g->slow[why], dry_room_slow_name((dry_room_slow)why),
                why + 1 < DRY_ROOM_SLOW_COUNT ? "," : "\n");
    }
}

static double core_share(const dry_pool_statistics *pool)
{
    return pool->wanted_ms > 0.0 ? pool->had_ms / pool->wanted_ms : 1.0;
}

void rooms_print(const rooms_run *run, FILE *stream)
{
    dry_pool_statistics pool;
    dry_rooms_get_pool_statistics(run->pool, &pool);
    fprintf(stream, "%d rooms on %d workers for %.1f s: %.0f steps a second, load %.2f\n", pool.rooms,
            pool.workers, run->seconds, (double)pool.ticks / fmax(run->seconds, 1e-9), run->load);
    if (run->options.load > 0.0) {
        fprintf(stream,
                "load         %.3f, and %.3f was asked for%s; as fast as they go: %.0f steps a second\n",
                run->load, run->options.load, run->heavy.size > 0 ? " without the heavy room" : "",
                run->ticks_a_second);
    }
    fprintf(stream, "cores        the workers had them for %.1f %% of the time that they wanted them\n",
            100.0 * core_share(&pool));
    fprintf(stream, "ticks        %.2f %% on another worker than the room's last, %.1f us each\n",
            100.0 * (double)pool.stolen / fmax((double)pool.ticks, 1.0),
            1e3 * pool.busy_ms / fmax((double)pool.ticks, 1.0));
    if (pool.helped > 0) {
        fprintf(stream, "help         idle workers helped with heavy steps %llu times\n",
                (unsigned long long)pool.helped);
    }
    fprintf(stream, "lateness     p50 %.3f ms, p99 %.3f ms, longest %.3f ms (of all ticks)\n",
            (double)pool.lateness_p50_ms, (double)pool.lateness_p99_ms, (double)pool.lateness_max_ms);
    for (int p = DRY_ROOM_PRIORITIES - 1; p >= 0; p--) {
        char name[32];
        const rooms_group group = rooms_group_of(run, p);
        snprintf(name, sizeof name, "priority %d", p);
        if (group.rooms > 0) {
            print_group(stream, name, &group);
        }
    }
    const rooms_group heavy = rooms_group_of(run, -1);
    if (heavy.rooms > 0) {
        print_group(stream, "heavy", &heavy);
    }
}

static json_t *slow_json(const rooms_group *g)
{
    return json_pack("{s:i, s:i, s:i, s:i}", "substeps", g->slow[DRY_ROOM_SLOW_SUBSTEPS], "ticks",
                     g->slow[DRY_ROOM_SLOW_TICKS], "shed", g->slow[DRY_ROOM_SLOW_SHED], "late",
                     g->slow[DRY_ROOM_SLOW_LATE]);
}

static json_t *group_json(const rooms_group *g)
{
    return json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:i, "
                     "s:i, s:I, s:o}",
                     "rooms", g->rooms, "ticks", (json_int_t)g->ticks, "steps", (json_int_t)g->steps,
                     "skipped", (json_int_t)g->skipped, "skipped_late", (json_int_t)g->late, "skipped_shed",
                     (json_int_t)g->shed, "skipped_budget", (json_int_t)g->budget, "rate_min", g->rate_min,
                     "rate_max", g->rate_max, "step_p50_ms", (double)g->step_p50_ms, "step_p99_ms",
                     (double)g->step_p99_ms, "step_max_ms", (double)g->step_max_ms, "lateness_p50_ms",
                     (double)g->lateness_p50_ms, "lateness_p99_ms", (double)g->lateness_p99_ms,
                     "lateness_max_ms", (double)g->lateness_max_ms, "memory_bytes",
                     (json_int_t)g->memory_bytes, "substeps", g->substeps, "substeps_max", g->substeps_max,
                     "awake_bodies", (json_int_t)g->awake_bodies, "slow", slow_json(g));
}

bool rooms_write_json(const rooms_run *run, FILE *stream)
{
    dry_pool_statistics pool;
    dry_rooms_get_pool_statistics(run->pool, &pool);
    json_t *root = json_pack(
        "{s:i, s:i, s:f, s:f, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "workers", pool.workers,
        "rooms", pool.rooms, "seconds", run->seconds, "rate", run->options.rate, "ticks",
        (json_int_t)pool.ticks, "stolen", (json_int_t)pool.stolen, "helped", (json_int_t)pool.helped, "load",
        run->load, "load_asked", run->options.load, "busy_ms", pool.busy_ms, "core_share", core_share(&pool),
        "lateness_p50_ms", (double)pool.lateness_p50_ms, "lateness_p99_ms", (double)pool.lateness_p99_ms,
        "lateness_max_ms", (double)pool.lateness_max_ms);
    json_t *groups = json_object();
    bool good = root != NULL && groups != NULL;
    for (int p = -1; p < DRY_ROOM_PRIORITIES && good; p++) {
        char name[32];
        const rooms_group group = rooms_group_of(run, p);
        snprintf(name, sizeof name, p < 0 ? "heavy" : "priority_%d", p);
        if (group.rooms > 0) {
            good = json_object_set_new(groups, name, group_json(&group)) == 0;
        }
    }
    good = good && json_object_set(root, "groups", groups) == 0 &&
           json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) == 0 && fputc('\n', stream) >= 0;
    json_decref(groups);
    json_decref(root);
    return good;
}
